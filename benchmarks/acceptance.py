"""Makes what annotation ships, from open terminologies and their definitions; no annotated text is read.

``--kinds`` makes the kinds of words (``text/kinds.npz``) from the names of MeSH, by branch, and of HPO;
``--acceptance`` makes the acceptance of mentions (``tasks/annotation/acceptance.json``) from the definitions of HPO and
of the Disease Ontology.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from materials import import_files, indexed, opened, work_folder
from ontonym.learning.acceptance import learn_acceptance, measured
from ontonym.learning.markedtexts import AcceptanceDataset, AcceptanceOptions, Example, definition_dataset
from ontonym.ontology.options import ReadOptions
from ontonym.tasks import SearchOptions
from ontonym.text.kinds import BUCKETS, THING_KINDS, word_features
from ontonym.text.normalization import tokens
from ontonym.text.wordlists import COMMON, EDGES, ELSEWHERE
from sources import data_folder

SEARCHED, ACCEPTED = 0.03, 0.15
"""From which probabilities on a stretch is searched for and accepted, chosen on train splits: what a definition says
without a name counts as wrong, so that probabilities are too low."""

_TREES = {"C": "finding", "A": "anatomy", "B": "organism", "D": "chemical", "E": "procedure", "F": "process",
          "G": "process"}  # fmt: skip
_MENTAL = "F03"
_NAMES = 80_000
_ENTRIES = 4
_SYNONYMS = 3
_REPEATED = 4


def _kind(tree: str) -> int:
    return THING_KINDS.index("finding" if tree.startswith(_MENTAL) else _TREES.get(tree[:1], "other"))


def _named(folder: Path) -> Iterator[tuple[str, int]]:
    """Names, each with the number of its kind."""
    kinds: dict[str, int] = {}
    with (folder / "mesh/tree-numbers.tsv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            kind = _kind(row["mesh_tree_number"])
            kinds[row["mesh_id"]] = min(kind, kinds.get(row["mesh_id"], kind))
    with (folder / "mesh/mesh_id_label_mappings.tsv").open(encoding="utf-8") as stream:
        for line in stream:
            id_, label, *entries = line.rstrip("\n").split("\t")
            if id_ in kinds:
                names = [label, *[one for entry in entries for one in entry.split("|") if one][:_ENTRIES]]
                yield from ((name, kinds[id_]) for name in names)
    with work_folder() as work, opened([_terminology("hpo", work)]) as (hpo,):
        for number in np.flatnonzero(hpo.active).tolist():
            yield from ((name, THING_KINDS.index("finding")) for name in hpo.names(number)[:_SYNONYMS])
    yield from (
        (word, THING_KINDS.index("other")) for word in sorted(COMMON | EDGES | ELSEWHERE) for _ in range(_REPEATED)
    )


def make_kinds(place: Path) -> None:
    """Learns the kinds of words, and prints how well each is told on a tenth that was left out."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import SGDClassifier
    from sklearn.metrics import roc_auc_score

    drawn = list(_named(data_folder()))
    random.Random(0).shuffle(drawn)  # noqa: S311 (an order, no secret)
    drawn = drawn[:_NAMES]
    columns, values, bounds = [], [], [0]
    for name, _ in drawn:
        words = tokens(name)
        for number, word in enumerate(words, 1):
            rows = word_features(word, is_last=number == len(words))
            columns += rows
            values += [len(rows) ** -0.5] * len(rows)
        bounds.append(len(columns))
    table = csr_matrix((values, columns, bounds), shape=(len(drawn), BUCKETS))
    kinds, kept = np.array([kind for _, kind in drawn]), len(drawn) * 9 // 10
    weights, constants = np.zeros((BUCKETS, len(THING_KINDS))), np.zeros(len(THING_KINDS))
    for number, kind in enumerate(THING_KINDS):
        model = SGDClassifier(loss="log_loss", alpha=3e-6, max_iter=10, tol=None, random_state=0)
        model.fit(table[:kept], kinds[:kept] == number)
        weights[:, number], constants[number] = model.coef_[0], model.intercept_[0]
        area = roc_auc_score(kinds[kept:] == number, model.decision_function(table[kept:]))
        print(f"{kind}: area under the curve {area:.3f}, {len(drawn) - kept:,} names left out")
    scale = np.abs(weights).max(axis=0) / 127
    np.savez_compressed(
        place,
        weights=np.round(weights / scale).astype(np.int8),
        scale=scale.astype(np.float32),
        constant=constants.astype(np.float32),
    )


def _terminology(name: str, work: Path) -> Path:
    release = {"hpo": "hpo/hp.json.gz", "doid": "doid/doid_2016-09-19.obo"}[name]
    return import_files([data_folder() / release], work / f"{name}.terminology", ReadOptions(name=name))


def make_acceptance(place: Path) -> None:
    """Learns acceptance from definitions."""
    examples: list[Example] = []
    datasets: list[AcceptanceDataset] = []
    with ExitStack() as stack:
        for name, within in (("hpo", ("HP:0000118",)), ("doid", ())):
            work = stack.enter_context(work_folder()) / name
            work.mkdir()
            index = stack.enter_context(indexed([_terminology(name, work)], work))
            dataset = definition_dataset(index, AcceptanceOptions(), SearchOptions(within=within))
            found = dataset.examples()
            print(f"{name}: {len(found):,} examples, {sum(one.right for one in found):,} right")
            examples += found
            datasets.append(dataset)
        learned = learn_acceptance(examples, sum(one.characters for one in datasets))
        points = measured(datasets, searched=SEARCHED)
    for one in points:
        print(f"accept={one.accept:g}: precision {one.precision:.3f}, recall {one.recall:.3f}")
    learned = replace(learned, searched=SEARCHED, accepted=ACCEPTED, measured=points)
    values: dict[str, Any] = learned.to_dict()
    place.write_bytes(orjson.dumps(values, option=orjson.OPT_INDENT_2) + b"\n")


def main(arguments: Sequence[str]) -> int:
    """Makes what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--acceptance", action="store_true")
    chosen = parser.parse_args(arguments)
    package = Path(str(files("ontonym")))
    if chosen.kinds:
        make_kinds(package / "text/kinds.npz")
    if chosen.acceptance:
        make_acceptance(package / "tasks/annotation/acceptance.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
