"""Rows of mappings of every kind, and what a file of them says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ontonym.store.export.mappings import (
    MappingFacts,
    write_mappings,
)
from ontonym.store.mappings import JUSTIFICATIONS, NO_TERM

MANUAL, LEXICAL = JUSTIFICATIONS["manual"], JUSTIFICATIONS["lexical"]


def row(subject: str, predicate: str, target: str, **more: str) -> dict[str, str]:
    given = {"subject_id": subject, "predicate_id": f"skos:{predicate}Match", "object_id": target}
    return {**given, "mapping_justification": LEXICAL, **more}


FULL = row(
    "HP:0000011", "exact", "DOID:12143", subject_label='"Odd" = name', object_label="neurogenic bladder",
    confidence="0.98", author_id="orcid:0000-0002-1825-0097", reviewer_id="orcid:0000-0002-1825-0097",
    mapping_date="2026-11-22", comment="=1+1", ext_frequency="12", similarity_score="0.5", similarity_measure="cosine",
)  # fmt: skip
DENIED = row("HP:0000012", "exact", "DOID:2", predicate_modifier="Not", mapping_justification=MANUAL)
UNRELATED = row("HP:0000012", "related", "DOID:9", predicate_modifier="Not", mapping_justification=MANUAL)
WORDS = {
    "subject_label": "sore throat", "subject_type": "rdfs literal", "predicate_id": "skos:broadMatch",
    "object_id": "DOID:3", "mapping_justification": JUSTIFICATIONS["meaning"],
}  # fmt: skip
BARE = row("A01.2", "narrow", "DOID:4", mapping_justification=JUSTIFICATIONS["chain"])
OWN_IRI = row("A01.2", "broad", "http://x.example/a/two", mapping_justification=JUSTIFICATIONS["cross-reference"])
LOCAL = row("LAB:K 7", "close", "ORPHA:5", confidence="0.5")
NOTHING = row("LAB:8", "exact", NO_TERM, mapping_justification=MANUAL)
EVERYTHING = [FULL, DENIED, UNRELATED, WORDS, BARE, OWN_IRI, LOCAL, NOTHING]

FACTS = MappingFacts(
    slots={
        "mapping_set_title": "Phenotypes to diseases", "mapping_date": "2026-11-22", "mapping_tool": "ontonym",
        "subject_source_version": "2026-01-01", "object_source_version": "v7", "mapping_set_version": "3",
        "creator_id": "orcid:0000-0002-1825-0097",
    },
    url="http://clinic.example/map", source_scope="http://clinic.example/all", target_scope="http://d.example/all",
)  # fmt: skip


def said(rows: Any, *columns: str) -> set[tuple[str, ...]]:
    """What rows say, as a set: the ends, the predicate and whether it is denied, and some columns more."""
    names = ("subject_id", "predicate_id", "predicate_modifier", "object_id", *columns)
    return {tuple(one.get(name, "") for name in names) for one in rows}


def written(tmp_path: Path, name: str, rows: list[dict[str, str]] = EVERYTHING, facts: MappingFacts = FACTS) -> Path:
    write_mappings(tmp_path / name, rows, facts)
    return tmp_path / name
