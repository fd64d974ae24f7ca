"""NIL as a class that is found through annotated mentions (Xu's CUI-less), where MEDIC lacks a share of its concepts.

The train split gives the added terms: mentions of concepts that are there, and, for the class, the others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial

from calibration import TRAIN, thinned
from figures import Bench, Row, Sheet, main
from materials import ChangedRelease, indexed, work_folder
from ncbi import TASKS
from ontonym.evaluate import BootstrapOptions, Protocol, PubTatorCorpus, answer_mentions, judge
from ontonym.evaluate.indexes import normalizer
from ontonym.index import AddedTerm, Index, add_terms, remove_terms
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.types import NIL
from sources import data_folder

STRATEGIES = ("O-T", "D-T", "D-C", "OD-T", "OD-C", "D-T+O-T", "D-T+OD-T")
"""Some searches of Xu's table 4."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Asks dev by each search, with the class and without it, by the dense signal alone and by all fused."""
    rows: list[Row] = []
    with work_folder() as folder:
        place = folder / "medic.terminology"
        release = read_release([data_folder() / "medic/medic_06Jul2012.txt"], options=ReadOptions(name="MEDIC 2012-07"))
        build_terminology(ChangedRelease(release, partial(thinned, share=chosen.share, seed=chosen.seed)), place)
        with indexed([place], folder) as index:
            terms = list(_terms(index, chosen.task))
            add_terms(index.path, terms)
            with_class = index.refreshed()
            counts = sum(term.id == NIL for term in terms), len(terms)
            rows += _rows(with_class, "with NIL", chosen)
            remove_terms(index.path, [AddedTerm(NIL, "")])
            rows += _rows(with_class.refreshed(), "without", chosen)
    bench.show(Sheet("nil", f"Mentions without a concept as a class, {chosen.task} dev", (
        f"MEDIC with {chosen.share:.0%} of its concepts taken out (seed {chosen.seed}): their mentions have none; "
        f"train: {counts[0]:,} of {counts[1]:,} mentions of one concept",
        "dense: one signal, mentions verbatim, no threshold (Xu); fused: as `ontonym normalize` comes, NIL below a "
        "confidence of 0.5 too; accuracy@1 counts NIL as right where the mention has no concept",
        BootstrapOptions(resamples=chosen.resamples).caption("document"),
    ), rows))  # fmt: skip


def _terms(index: Index, task: str) -> Iterator[AddedTerm]:
    """The mentions of the train split that name one concept; those of a concept that is not there as NIL."""
    types = TASKS[task].types
    for document in PubTatorCorpus(data_folder() / TRAIN[task]):
        for gold in document.mentions:
            if gold.composite or gold.joined or (types and gold.mention.type not in types):
                continue
            known = {id_ for one in gold.ids if (id_ := index.resolve(one)) is not None}
            for id_ in sorted(known) or [NIL]:
                yield AddedTerm(id_, gold.mention.text)


def _rows(index: Index, how: str, chosen: argparse.Namespace) -> Iterator[Row]:
    task = TASKS[chosen.task]
    for signal in ("dense", "fused"):
        for strategy in STRATEGIES if signal == "dense" else ("O-T", "D-T+OD-T"):
            if how == "without" and strategy == "O-T":
                continue  # no term is searched
            search = SearchOptions(strategy=strategy, signal=signal, verbatim=signal == "dense")
            options = NormalizeOptions(
                search=search, threshold=0.0 if signal == "dense" else 0.5, composites=False, document=signal == "fused"
            )
            protocol = Protocol(
                task.corpus, "dev", index.releases, names="ontology+added terms", types=task.types, nil="in",
                missing="nil",
            )  # fmt: skip
            documents = PubTatorCorpus(data_folder() / task.corpus)
            report = judge(
                answer_mentions(documents, normalizer(index, options), types=task.types), protocol,
                resolve=index.resolve, bootstrap=BootstrapOptions(resamples=chosen.resamples),
            )  # fmt: skip
            nil = report.nil
            assert nil is not None  # noqa: S101 (the protocol counts NIL)
            yield {
                "signal": signal, "search": strategy, "class": how if strategy != "O-T" else "", "n": report.n,
                "accuracy@1": report.measures["accuracy@1"], "NIL": nil.gold, "answered NIL": nil.answered,
                "precision": nil.precision, "recall": nil.recall, "F1": nil.f1,
            }  # fmt: skip


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", choices=list(TRAIN), default="ncbi", help="which corpus")
    parser.add_argument("--share", type=float, default=0.2, help="share of the concepts taken out (default: 0.2)")
    parser.add_argument("--seed", type=int, default=0, help="seed that draws them")
    parser.add_argument("--resamples", type=int, default=999, help="of the bootstrap")


if __name__ == "__main__":
    sys.exit(main("nil", str(__doc__), measure, _options))
