"""$translate by what the terminologies of the server say themselves: mappings, cross-references, history."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from made import concept, opened
from ontonym.serve.fhir.engine import Engine, Request
from ontonym.serve.fhir.routes import terminology_shelf
from ontonym.types import Mapping, Relation

SNOMED, OMOP, ICD10 = "http://snomed.info/sct", "https://fhir-terminology.ohdsi.org", "http://hl7.org/fhir/sid/icd-10"
CURATED = "semapv:ManualMappingCuration"
SCT = (
    concept("SCTID:1", "Myocardial infarction", mappings=(
        Mapping("SCTID:1", "skos:broadMatch", "ICD10:I21.9", CURATED, object_label="Acute infarction",
                source="ICD-10 map"),
        Mapping("SCTID:1", "skos:relatedMatch", "", CURATED, source="ICD-10 map", comment="cannot be classified"),
        Mapping("SCTID:1", "skos:exactMatch", "READ:G30", CURATED, source="Read map"),
    )),
    concept("SCTID:2", "Old infarction", status="retired", relations=(Relation("SAME AS", "SCTID:1"),)),
    concept("SCTID:40", "ICD-10 map"),
)  # fmt: skip
STANDARD = (
    concept("OMOP:100", "Infarction of the heart", xrefs="SCTID:1"),
    concept("OMOP:200", "Acute infarction, source", mappings=(
        Mapping("OMOP:200", "skos:broadMatch", "OMOP:100", CURATED, source="Maps to"),
    ), xrefs="ICD10:I21.9"),
)  # fmt: skip
HISTORY = f"{SNOMED}?fhir_cm=900000000000527005"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with opened(tmp_path_factory.mktemp("maps"), SCT, STANDARD) as terminologies:
        yield Engine([terminology_shelf(terminologies)])


def _translated(engine: Engine, **query: str) -> list[tuple[str, str, str, str]]:
    """Relationship, system, code and display of each match, or of the sources where a target was asked for."""
    found = engine.answer(Request("GET", "ConceptMap/$translate", list(query.items())))
    assert found.status == 200, found.resource
    first, *others = found.resource["parameter"]
    matches = [{part["name"]: part for part in one["part"]} for one in others if one["name"] == "match"]
    assert first["valueBoolean"] is bool(matches)
    codings = [(one, one.get("source", one["concept"])["valueCoding"]) for one in matches]
    return [
        (one["relationship"]["valueCode"], coding["system"], coding["code"], coding.get("display", ""))
        for one, coding in codings
    ]


def test_mappings_and_cross_references_of_a_terminology(engine: Engine) -> None:
    narrower, related = "source-is-narrower-than-target", "related-to"
    to_icd = (narrower, ICD10, "I21.9", "Acute infarction")
    assert _translated(engine, system=SNOMED, sourceCode="1", targetSystem=ICD10) == [to_icd]
    standard = (related, OMOP, "100", "Infarction of the heart")
    assert _translated(engine, system=SNOMED, sourceCode="1", targetSystem=OMOP) == [standard]
    assert _translated(engine, system=OMOP, sourceCode="200", targetSystem=OMOP) == [(narrower, *standard[1:])]
    assert _translated(engine, system=OMOP, sourceCode="100", targetSystem=SNOMED) == [(related, SNOMED, "1", "")]
    every = _translated(engine, system=SNOMED, sourceCode="1")
    assert [one[2] for one in every] == ["I21.9", "G30", "100"]
    assert _translated(engine, system=SNOMED, sourceCode="99") == []
    assert _translated(engine, system=ICD10, sourceCode="I21.9", targetSystem=OMOP)[0][2] == "200"


def test_the_other_way_round(engine: Engine) -> None:
    found = _translated(engine, targetCode="I21.9", targetSystem=ICD10, sourceSystem=SNOMED)
    assert found == [("source-is-narrower-than-target", SNOMED, "1", "Myocardial infarction")]


def test_implicit_maps_of_snomed(engine: Engine) -> None:
    same = [("equivalent", SNOMED, "1", "Myocardial infarction")]
    assert _translated(engine, url=HISTORY, system=SNOMED, sourceCode="2") == same
    assert _translated(engine, url=HISTORY, system=SNOMED, sourceCode="1") == []
    assert [one[2] for one in _translated(engine, url=f"{SNOMED}?fhir_cm=40", system=SNOMED, sourceCode="1")] == [
        "I21.9"
    ]
