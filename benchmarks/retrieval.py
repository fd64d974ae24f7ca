"""Ngo's tables on open data: names of HPO and Orphanet searched for in DOID, by plain methods and by ours."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from figures import Bench, Row, Sheet, main
from heldout import blind_encoder
from lessons import MINILM, missing, model_folder
from materials import Trained, opened, work_folder
from ontonym.benchmark.gold import NAMES, GoldOptions, build_gold
from ontonym.evaluate.baselines import run_plan
from ontonym.evaluate.plan import ComparisonPlan, GoldPlan, MethodPlan
from ontonym.evaluate.results import Results, Table
from ontonym.index import build_index
from ontonym.ontology.formats import read_release
from sources import data_folder, import_sources

TARGET = "doid"

GOLD: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "hpo2doid": ("hpo", "mh_mapping/hp_doid_pistoia.sssom.tsv"),
        "ordo2doid": ("orphanet", "mh_mapping/ordo_doid_pistoia.sssom.tsv"),
    }
)
"""Each gold: the terminology whose names are asked, and the mappings to DOID that people made."""

OURS = "ontonym"


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Makes the gold, trains an encoder that has not seen it, and compares."""
    with work_folder(chosen.work) as folder:
        sources = {terminology.name: terminology.path for terminology in import_sources(folder)}
        golds = {name: made_gold(name, sources, folder) for name in GOLD}
        names = [line for place in golds.values() for line in (place / NAMES).read_text(encoding="utf-8").splitlines()]
        blind = blind_encoder(names, steps=chosen.steps)
        index = folder / "doid.index"
        with opened([sources[TARGET]]) as terminologies:
            build_index(terminologies, index, encoder=blind.path)
        plan = ComparisonPlan(
            str(sources[TARGET]),
            tuple(GoldPlan(name, str(place), concepts=True) for name, place in golds.items()),
            _methods(blind, index),
            reference=OURS,
        )
        results, _ = run_plan(plan, folder / "runs", progress=_told)
    for table in results.tables:
        bench.show(_sheet(table, results, blind))


def made_gold(name: str, sources: Mapping[str, Path], folder: Path) -> Path:
    """The questions of one of `GOLD`, made in ``folder`` from the imported ``sources``."""
    source, file = GOLD[name]
    place = folder / f"{name}.gold"
    mappings = (mapping for concept in read_release([data_folder() / file]).concepts() for mapping in concept.mappings)
    with opened([sources[source], sources[TARGET]]) as (asked, searched):
        build_gold(asked, searched, place, GoldOptions(), mappings=mappings)
    return place


def _methods(blind: Trained, index: Path) -> tuple[MethodPlan, ...]:
    methods = [
        MethodPlan("BM25 documents", "bm25-documents"),
        MethodPlan("BM25 names", "bm25-names"),
        MethodPlan("char TF-IDF", "char"),
    ]
    if not missing(MINILM):
        place = model_folder(MINILM)
        methods += [
            MethodPlan("MiniLM CLS", "encoder", place, "cls"),
            MethodPlan("MiniLM mean", "encoder", place, "mean"),
        ]
    methods.append(MethodPlan(f"{OURS} dense", "encoder", str(blind.path)))
    return (*methods, MethodPlan(OURS, "index", index=str(index)))


def _told(stage: str, done: int, total: int | None) -> None:
    if done == total:
        print(stage, flush=True)


def _sheet(table: Table, results: Results, blind: Trained) -> Sheet:
    """A table of the results as one of the benchmarks'."""
    protocol = (
        *results.about,
        *table.notes,
        f"{OURS}: static encoder, {blind.described()}; the names asked for were excluded from all terminologies it "
        "learned from; the fusion's weights are the shipped ones",
    )
    rows: list[Row] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return Sheet(table.key, table.title, protocol, rows)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--work", metavar="DIR", help="keep what is made here, to go on from (default: a new folder)")
    parser.add_argument("--steps", type=int, help="training steps, for a quick look (default: the shipped encoder's)")


if __name__ == "__main__":
    sys.exit(main("retrieval", str(__doc__), measure, _options))
