"""Concept maps of FHIR as mappings."""

from __future__ import annotations

from typing import Any

import pytest
from fhirsamples import R4_MAP, SNOMED, system

from ontonym.types import Concept, Mapping, Term


def mapping(subject: str, predicate: str, target: str, **more: Any) -> Mapping:
    return Mapping(subject, predicate, target, "semapv:UnspecifiedMatching", source="http://x.org/m|1", **more)


def test_a_map_alone(files: Any) -> None:
    concepts, release = files(R4_MAP)
    assert list(concepts.values()) == [
        Concept(
            "s:a",
            (Term("Ay", "preferred"),),
            mappings=(
                mapping("s:a", "skos:broadMatch", "SCTID:1", subject_label="Ay", object_label="One", comment="coarse"),
                mapping("s:a", "skos:exactMatch", "SCTID:2", subject_label="Ay",
                        rule="depends on age = http://x.org/ages#old; gives side = left"),
            ),
        ),
        Concept("s:b", (), mappings=(mapping("s:b", "fhir:unmatched", "", comment="none"),)),
        Concept("s:c", (), mappings=(mapping("s:c", "fhir:unmatched", ""),)),
    ]  # fmt: skip
    assert release.counts.to_dict()["rows"] == {"read": 5, "kept": 4, "skipped": {}, "malformed": 1}
    assert "unknown relationship 'sideways' (known: equal," in release.counts.examples[0].problem
    (facts,) = release.metadata.details["concept_maps"]
    assert facts["unmapped"] == [{"source": "http://x.org/s", "target": SNOMED, "mode": "fixed", "code": "0"}]
    assert (facts["source_scope"], facts["mappings"]) == ("http://x.org/v", 4)


def test_a_map_with_its_code_system(files: Any) -> None:
    concepts, release = files(R4_MAP, system("a", "b"))
    assert concepts["s:a"].terms == (Term("A", "preferred"),)
    assert [m.object_id for m in concepts["s:a"].mappings] == ["SCTID:1", "SCTID:2"]
    assert "the code 'c' is not in CodeSystem http://x.org/s" in release.counts.examples[0].problem


@pytest.mark.parametrize(
    ("relationship", "predicate"),
    [
        ("equivalent", "skos:exactMatch"),
        ("source-is-narrower-than-target", "skos:broadMatch"),
        ("source-is-broader-than-target", "skos:narrowMatch"),
        ("related-to", "skos:relatedMatch"),
        ("not-related-to", "fhir:not-related-to"),
    ],
)
def test_relationships_of_r5(files: Any, relationship: str, predicate: str) -> None:
    element = {"code": "a", "target": [{"code": "1", "relationship": relationship,
               "dependsOn": [{"attribute": "age", "valueQuantity": {"value": 5}}]}]}  # fmt: skip
    group = {"source": "http://x.org/s|2", "target": SNOMED, "element": [element, {"code": "b", "noMap": True}]}
    concepts, _ = files({"resourceType": "ConceptMap", "url": "http://x.org/m", "version": "1", "group": [group]})
    rule = 'depends on age = {"value":5}'
    assert concepts["s:a"].mappings == (mapping("s:a", predicate, "SCTID:1", rule=rule),)
    assert concepts["s:b"].mappings == (mapping("s:b", "fhir:unmatched", ""),)


@pytest.mark.parametrize("number", [-1, 70_000])
def test_a_group_that_no_terminology_can_hold_is_a_malformed_row(files: Any, number: int) -> None:
    def element(code: str, group: int) -> dict[str, Any]:
        target = {"code": "1", "extension": [{"url": "urn:ontonym:map-group", "valueInteger": group}]}
        return {"code": code, "target": [target]}

    group = {"source": "http://x.org/s", "target": SNOMED, "element": [element("a", number), element("b", 3)]}
    concepts, release = files({"resourceType": "ConceptMap", "url": "http://x.org/m", "group": [group]})
    assert {name: concept.mappings[0].group for name, concept in concepts.items()} == {"s:b": 3}
    assert f"{number} is not a number from 0 to 65,535" in release.counts.examples[0].problem
