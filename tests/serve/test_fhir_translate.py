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
    concept("OMOP:100", "Infarction of the heart", xrefs="SCTID:1", tags="Condition Disorder"),
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


def test_parameters_of_r4_and_a_code_without_a_system_are_refused(engine: Engine) -> None:
    def refusal(**query: str) -> str:
        found = engine.answer(Request("GET", "ConceptMap/$translate", list(query.items())))
        assert found.status == 400, found.resource
        return str(found.resource["issue"][0]["details"]["text"])

    assert refusal(code="1", system=SNOMED) == (
        "'code' is a parameter of FHIR R4, which is answered at /r4: R5 has 'sourceCode'"
    )
    assert refusal(sourceCode="1", system=SNOMED, targetsystem=ICD10).endswith("R5 has 'targetSystem'")
    assert refusal(sourceCode="1") == "The operation needs the system of the code, or the url of a map"
    assert _translated(engine, sourceCode="1", system=SNOMED, targetSystem=ICD10)


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


@pytest.mark.parametrize(
    ("name", "value"), [("domain", "Condition"), ("concept-class-id", "Disorder"), ("tag", "Condition")]
)
def test_filters_by_the_domain_and_class_of_omop(engine: Engine, name: str, value: str) -> None:
    include = {"system": OMOP, "filter": [{"property": name, "op": "=", "value": value}]}
    value_set = {"resourceType": "ValueSet", "status": "active", "compose": {"include": [include]}}
    body = {"resourceType": "Parameters", "parameter": [{"name": "valueSet", "resource": value_set}]}
    found = engine.answer(Request("POST", "ValueSet/$expand", (), {}, body)).resource
    assert [entry["code"] for entry in found["expansion"]["contains"]] == ["100"]
