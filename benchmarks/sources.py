"""The open terminologies the shipped encoder is trained on, imported from the data folder by our own readers.

EFO and MONDO are first rewritten as JSONL, which keeps less of them than the readers do: the training saw no more. Only
sources whose licence lets anyone use what is derived from them are listed here.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.store import Terminology, build_terminology, open_terminology

ROOT = Path(__file__).resolve().parent.parent


def data_place() -> Path:
    """Where open data are, or will be: ``ONTONYM_DATA``, else ``../shared/data`` beside the repository."""
    return Path(os.environ.get("ONTONYM_DATA", ROOT.parent / "shared" / "data"))


def data_folder() -> Path:
    """The folder of open data at `data_place`; ends the benchmark where there is none."""
    folder = data_place()
    if not folder.is_dir():
        raise SystemExit(f"no data at {folder}: `python benchmarks/fetch.py` gets it, or ONTONYM_DATA says where it is")
    return folder


def _preferred(label: str) -> dict[str, str]:
    return {"text": label, "kind": "preferred"}


def _efo(data: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(data / "efo/efo_nxo_2023-07.json.gz", "rt", encoding="utf-8") as stream:
        graph = json.load(stream)
    parents: dict[str, list[str]] = defaultdict(list)
    for link in graph["links"]:
        parents[link["target"]].append(link["source"])
    for node in graph["nodes"]:
        if node["efo_label"]:
            yield {
                "id": node["efo_id"],
                "terms": [_preferred(node["efo_label"])]
                + [
                    {"text": synonym["name"], "kind": "synonym", "scope": synonym["scope"]}
                    for synonym in node["synonyms"] or ()
                ],
                "parents": sorted(parents[node["id"]]),
                "xrefs": sorted(node["xrefs"] or ()),
            }


def _mondo(data: Path) -> Iterator[dict[str, Any]]:
    xrefs: dict[str, list[str]] = defaultdict(list)
    with (data / "mondo/xrefs.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            xrefs[row["cls"]].append(row["xref"])
    with (data / "mondo/class-stats.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["cls"].startswith("MONDO:") and row["cls_label"]:
                yield {"id": row["cls"], "terms": [_preferred(row["cls_label"])], "xrefs": xrefs[row["cls"]]}


def _rewritten(rows: Callable[[Path], Iterator[dict[str, Any]]], data: Path, place: Path) -> list[Path]:
    with place.open("w", encoding="utf-8") as stream:
        for row in rows(data):
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    return [place]


_CHEBI = ColumnMapping.parse(["id=COMPOUND_ID", "preferred=NAME"])
MESH_COLUMNS = (
    "mesh_id_label_mappings.tsv:id=1",
    "mesh_id_label_mappings.tsv:preferred=2",
    "mesh_id_label_mappings.tsv:entries=3",
    "tree-numbers.tsv:id=mesh_id",
    "tree-numbers.tsv:tree=mesh_tree_number",
)

SOURCES: dict[str, tuple[str, Callable[[Path, Path], list[Path]], ReadOptions]] = {
    "hpo": ("HPO 2025-01-16, HPO licence", lambda data, work: [*EMBEDDED["hp"].files()], ReadOptions(name="hpo")),
    "icd10cm": (
        "ICD-10-CM April 2026, public domain",
        lambda data, work: [*EMBEDDED["icd10cm"].files()],
        ReadOptions(name="icd10cm"),
    ),
    "mesh": (
        "MeSH 2019/2020 (NLM), public domain with attribution",
        lambda data, work: [data / "mesh/mesh_id_label_mappings.tsv", data / "mesh/tree-numbers.tsv"],
        ReadOptions(name="mesh", prefix="MESH", columns=ColumnMapping.parse(MESH_COLUMNS)),
    ),
    "doid": (
        "Disease Ontology 2016-09, CC0 (CC BY 3.0 then)",
        lambda data, work: [data / "doid/doid_2016-09-19.obo"],
        ReadOptions(name="doid"),
    ),
    "orphanet": (
        "Orphanet (ORDO), CC BY 4.0",
        lambda data, work: [data / "doid/orphanet_import.obo"],
        ReadOptions(name="orphanet"),
    ),
    "efo": (
        "EFO 3.55 with MONDO, UBERON, HPO and Orphanet inside, Apache-2.0",
        lambda data, work: _rewritten(_efo, data, work / "efo.jsonl"),
        ReadOptions(name="efo"),
    ),
    "mondo": (
        "MONDO labels and cross-references, CC BY 4.0",
        lambda data, work: _rewritten(_mondo, data, work / "mondo.jsonl"),
        ReadOptions(name="mondo"),
    ),
    "uberon": (
        "UBERON 2015-04, CC BY 3.0",
        lambda data, work: [data / "uberon/craft_UBERON.obo.zip"],
        ReadOptions(name="uberon"),
    ),
    "chebi": (
        "ChEBI names, CC BY 4.0",
        lambda data, work: [data / "chebi/chebi_names.tsv"],
        ReadOptions(name="chebi", prefix="CHEBI", columns=_CHEBI),
    ),
}
"""Source name to what it is with its licence, its files, and how they are read."""


def import_sources(work: Path) -> list[Terminology]:
    """Every source as an open terminology, imported into ``work`` where it is not there yet."""
    data = data_folder()
    work.mkdir(parents=True, exist_ok=True)
    opened = []
    for name, (_, files, options) in SOURCES.items():
        place = work / f"{name}.terminology"
        if not place.exists():
            build_terminology(read_release(files(data, work), options=options), place)
        opened.append(open_terminology(place))
        print(f"{name:10} {len(opened[-1]):>8,} concepts {opened[-1].term_count:>8,} terms")
    return opened
