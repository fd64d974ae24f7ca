"""Kong's table 3 and figure 2 on open data: recall of mentions by what was learned from, and with annotated texts."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from figures import Bench, Row, Sheet, main
from judging import once, report_of
from lessons import CORPORA
from materials import TRAINED_BY, bench_folder, code_digest, digest, indexed, opened, titled, work_folder
from ncbi import TASKS, TERMINOLOGIES
from ontonym.artifact import read_manifest
from ontonym.errors import InputError
from ontonym.evaluate import BootstrapOptions, NormalizationReport
from ontonym.evaluate.indexes import normalizer
from ontonym.tasks import NormalizeOptions, SearchOptions
from peers import PEERS, all_names, fit_peers
from peers import normalizer as peer_normalizer
from sources import data_folder, import_sources

SOURCES = ("icd10cm", "mesh", "hpo", "doid")
"""Open terminologies in place of the paper's ICD-10, SNOMED CT and UMLS."""

RECIPES = ("synonyms", "graph", "comb")
DEPTH = 25
MEASURES = ("accuracy@1", "accuracy@25")
BASELINES = ("BM25 (bm25s)", "MiniLM (sentence-transformers)")

Found = Mapping[str, Mapping[str, NormalizationReport]]
"""By row the report of each task."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Trains what is not kept from an earlier run, and asks every encoder and baseline."""
    with work_folder() as folder:
        sources = {one.name: one.path for one in import_sources(bench_folder() / "sources")}
        learned = [sources[name] for name in SOURCES]
        encoders = {recipe: _trained(learned, ["--recipe", recipe], chosen) for recipe in RECIPES}
        zero_shot: dict[str, dict[str, NormalizationReport]] = {}
        annotated: dict[str, dict[str, NormalizationReport]] = {}
        for task in chosen.task:
            place = TERMINOLOGIES[TASKS[task].terminology](folder)
            for name, report in _baselines(task, place, bench):
                zero_shot.setdefault(name, {})[task] = report
            for recipe, encoder in encoders.items():
                zero_shot.setdefault(recipe, {})[task] = _asked(task, place, encoder, folder)
            texts = ["--recipe", "annotated", "--annotated", str(data_folder() / CORPORA[task])]
            arms = {"annotated texts alone": texts, "with comb as auxiliary": [*texts, "--auxiliary", "comb"]}
            for name, options in arms.items():
                encoder = _trained([place, *learned], options, chosen)
                annotated.setdefault(name, {})[task] = _asked(task, place, encoder, folder)
    bench.show(_sheet("table-3", "Recall by what was learned from (Kong, table 3)", zero_shot, chosen))
    bench.show(_sheet("figure-2", "A supervised loss, and with comb beside it (Kong, figure 2)", annotated, chosen))


def _trained(places: Sequence[Path], options: Sequence[str], chosen: argparse.Namespace) -> Path:
    """The encoder of one ``ontonym train``, kept in the cache while neither its input nor the code changes."""
    sources = [read_manifest(place, "terminology").fingerprint for place in places]
    key = digest([sources, list(options), chosen.base, chosen.steps, chosen.seed, code_digest(TRAINED_BY)])
    output = bench_folder() / "kong" / f"{key}.encoder"
    if output.exists():
        return output
    output.parent.mkdir(parents=True, exist_ok=True)
    numbers = ["--steps", str(chosen.steps), "--seed", str(chosen.seed), "--threads", "1", "--shares", "100/0/0"]
    command = ["train", *map(str, places), "--base", chosen.base, *options, *numbers, "-o", str(output)]
    print(f"ontonym train: {' '.join(options)}", flush=True)
    if subprocess.run([sys.executable, "-m", "ontonym", *command], stdout=subprocess.PIPE, check=False).returncode:
        raise InputError(f"ontonym {' '.join(command)} failed")
    return output


def _asked(task: str, place: Path, encoder: Path, folder: Path) -> NormalizationReport:
    """The dense signal alone over names, the mentions as they are."""
    search = SearchOptions(k=DEPTH, signal="dense", strategy="O-T", verbatim=True)
    options = NormalizeOptions(abbreviations=False, document=False, composites=False, search=search)
    with indexed([place], folder, encoder) as index:
        ask = once(normalizer(index, options))
        return report_of(task, ask, index.resolve, index.releases, depth=DEPTH, measures=MEASURES)


def _baselines(task: str, place: Path, bench: Bench) -> Iterator[tuple[str, NormalizationReport]]:
    with opened([place]) as terminologies:
        names, (terminology,) = all_names(terminologies), terminologies

        def resolve(concept_id: str) -> str | None:
            row = terminology.current(concept_id)
            return None if row is None else terminology.id(row)

        for name, fitted in fit_peers(names.texts, [one for one in BASELINES if one in PEERS], bench.note):
            ask = peer_normalizer(fitted.peer, names, depth=DEPTH)
            yield name, report_of(task, ask, resolve, titled(terminologies), depth=DEPTH, measures=MEASURES)


def _sheet(key: str, title: str, found: Found, chosen: argparse.Namespace) -> Sheet:
    rows: list[Row] = []
    for name, by_task in found.items():
        row: dict[str, object] = {"learned from": name}
        for task, report in by_task.items():
            row |= {f"{task} R@1": report.measures["accuracy@1"], f"{task} R@25": report.measures["accuracy@25"]}
        rows.append(row)  # type: ignore[arg-type]
    some = next(iter(found.values()))
    protocol = (
        *(f"{task}: {report.protocol.caption()}, n {len(report.ranks):,}" for task, report in some.items()),
        f"learned from the names and links of {', '.join(SOURCES)}; {chosen.steps:,} steps of a batch from base "
        f"{chosen.base}, seed {chosen.seed}; each mention asked as it is, by the dense signal alone",
        BootstrapOptions().caption(),
    )
    return Sheet(key, title, protocol, rows)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="which corpora")
    parser.add_argument("--base", default="none", help="what training begins with (default: none, a static encoder)")
    parser.add_argument("--steps", type=int, default=1500, help="steps of each training (default: 1500)")
    parser.add_argument("--seed", type=int, default=0, help="seed of every training")


if __name__ == "__main__":
    sys.exit(main("kong", str(__doc__), measure, _options))
