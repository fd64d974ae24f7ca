"""What papers leave for future work: finer mixing of tasks (Kong), negatives from the model's own wrong answers, other
ratios of annotated texts (Xu).

Static encoders learn from the names and links of HPO and the Disease Ontology in a few steps each; mentions are asked
as they are, by the dense signal alone. What else is left for future work is in `document.py` (mentions in context, Xu).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from figures import Bench, Row, Sheet, main
from heldout import source_places
from judging import once, report_of
from lessons import CORPORA
from materials import indexed, work_folder
from ncbi import TERMINOLOGIES
from ontonym.errors import InputError
from ontonym.evaluate import BootstrapOptions, NormalizationReport
from ontonym.evaluate.indexes import normalizer
from ontonym.index.names import IndexOptions
from ontonym.tasks import NormalizeOptions, SearchOptions
from sources import data_folder

TASKS = ("ncbi", "bc5cdr-disease")
SOURCES = ("hpo", "doid")
WEIGHTS = (0.1, 0.3, 1.0)
"""Of the loss of links beside that of synonyms, in every step."""

MIXED = {
    "synonyms": ("--recipe", "synonyms"),
    "graph": ("--recipe", "graph"),
    "comb: equal numbers of both (Kong 4.3)": ("--recipe", "comb"),
    **{
        f"synonyms, and {weight:g} of the loss of graph": (
            "--recipe", "synonyms", "--auxiliary", "graph", "--auxiliary-weight", f"{weight:g}",
        )
        for weight in WEIGHTS
    },
}  # fmt: skip
"""The ways to mix the two tasks, with the options of ``ontonym train``."""

HARD = {
    "nearest of other concepts": (),
    "only where it is nearer than the right name": ("--only-wrong",),
}
"""Negatives of the encoder's own, with the options of ``ontonym pairs``."""


RATIOS = (0.1, 1 / 3, 1.0, 3.0)
"""Annotated texts for each name of the ontology (Xu has a third)."""

PARTS = ("mixing", "ratio")
"""What may be measured by itself; negatives from wrong answers go on from the mixing."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Trains every arm of the chosen parts, and asks it."""
    with work_folder(chosen.work) as folder:
        place = TERMINOLOGIES["medic"](folder)
        if "mixing" in chosen.parts:
            _measure_mixing(bench, place, folder, chosen)
        if "ratio" in chosen.parts:
            found = {name: _asked(place, encoder, folder) for name, encoder in _by_ratio(place, folder, chosen)}
            taught = f"MEDIC's names and the mentions of NCBI's train split, batch-hard triplets, {chosen.steps} steps"
            bench.show(_sheet("ratio", "Annotated texts for each name of the ontology (Xu 4.2)", found, taught))


def _by_ratio(place: Path, folder: Path, chosen: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    corpus = str(data_folder() / CORPORA["ncbi"])
    for number, ratio in enumerate(RATIOS):
        encoder = folder / f"ratio-{number}.encoder"
        texts = ["--recipe", "batches", "--annotated", corpus, "--ratio", f"{ratio:g}"]
        numbers = ["--loss", "batch-hard", "--steps", str(chosen.steps), "--threads", "1", "--seed", "0"]
        _run(["train", str(place), "--base", "none", *texts, *numbers, "-o", str(encoder)])
        yield f"{ratio:.2g}", encoder


def _measure_mixing(bench: Bench, place: Path, folder: Path, chosen: argparse.Namespace) -> None:
    taught = f"{' and '.join(SOURCES)}, softmax in the batch, {chosen.steps} steps"
    places = source_places()
    learned = [str(places[name]) for name in SOURCES]
    mixed: dict[str, Mapping[str, NormalizationReport]] = {}
    for number, (name, options) in enumerate(MIXED.items()):
        encoder = folder / f"mixed-{number}.encoder"
        _run(["train", *learned, "--base", "none", *options, *_numbers(chosen.steps), "-o", str(encoder)])
        mixed[name] = _asked(place, encoder, folder)
    bench.show(_sheet("mixing", "Synonyms and links mixed in different ways (Kong)", mixed, taught))
    wrong = _wrong(learned, place, folder, mixed["synonyms"], chosen)
    bench.show(_sheet("wrong", "Negatives from the encoder's own answers", wrong, taught))


def _wrong(
    learned: Sequence[str], place: Path, folder: Path, before: Mapping[str, NormalizationReport],
    chosen: argparse.Namespace,
) -> dict[str, Mapping[str, NormalizationReport]]:  # fmt: skip
    base = folder / "mixed-0.encoder"
    found: dict[str, Mapping[str, NormalizationReport]] = {"before: synonyms": before}
    index = folder / "base.index"
    _run(["index", *learned, "--encoder", str(base), "--no-everyday", "-o", str(index)])
    plain = folder / "plain.pairs"
    _run(["pairs", *learned, "--recipe", "synonyms", "--shares", "100/0/0", "-o", str(plain)])
    arms = {"the same pairs, no negatives of their own": plain}
    for number, (name, options) in enumerate(HARD.items()):
        pairs = folder / f"hard-{number}.pairs"
        hard = ["--hard-negatives", str(index), "--nearest", "4", *options]
        _run(["pairs", *learned, "--recipe", "synonyms", "--shares", "100/0/0", *hard, "-o", str(pairs)])
        arms[name] = pairs
    for number, (name, pairs) in enumerate(arms.items()):
        encoder = folder / f"further-{number}.encoder"
        more = ["--base", str(base), "--allow-worse", *_numbers(chosen.more)]
        _run(["train", str(pairs), *more, "-o", str(encoder)])
        found[f"{chosen.more} steps more: {name}"] = _asked(place, encoder, folder)
    return found


def _numbers(steps: int) -> list[str]:
    return ["--loss", "softmax", "--steps", str(steps), "--neighbours", "0", "--threads", "1", "--seed", "0"]


def _run(command: Sequence[str]) -> None:
    print(f"ontonym {' '.join(command)}", flush=True)
    if subprocess.run([sys.executable, "-m", "ontonym", *command], stdout=subprocess.PIPE, check=False).returncode:
        raise InputError(f"ontonym {' '.join(command)} failed")


def _asked(place: Path, encoder: Path, folder: Path) -> dict[str, NormalizationReport]:
    search = SearchOptions(k=10, signal="dense", strategy="O-T", verbatim=True)
    options = NormalizeOptions(abbreviations=False, document=False, composites=False, search=search)
    with indexed([place], folder, encoder, IndexOptions(everyday=False)) as index:
        ask = once(normalizer(index, options))
        return {
            task: report_of(task, ask, index.resolve, index.releases, depth=10, measures=("accuracy@1",))
            for task in TASKS
        }


def _sheet(key: str, title: str, found: Mapping[str, Mapping[str, NormalizationReport]], taught: str) -> Sheet:
    rows: list[Row] = [
        {"learned from": name, **{f"{task} accuracy@1": by[task].measures["accuracy@1"] for task in TASKS}}
        for name, by in found.items()
    ]
    some = next(iter(found.values()))
    protocol = (
        *(f"{task}: {report.protocol.caption()}, n {len(report.ranks):,}" for task, report in some.items()),
        f"a static encoder from nothing: {taught}, seed 0; mentions as they are",
        BootstrapOptions().caption(),
    )
    return Sheet(key, title, protocol, rows)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--steps", type=int, default=200, help="of each training from nothing (default: 200)")
    parser.add_argument("--more", type=int, default=60, help="of each training that goes on (default: 60)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what is measured (default: all)")
    parser.add_argument("--work", metavar="DIR", help="keep everything here")


if __name__ == "__main__":
    sys.exit(main("further", str(__doc__), measure, _options))
