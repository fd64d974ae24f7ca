"""$translate by what the terminologies of the server say themselves: mappings, cross-references, history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from made import concept, opened
from ontonym.serve.fhir.engine import Engine, Request
from ontonym.serve.fhir.library import Shelf
from ontonym.serve.fhir.r4 import from_r4
from ontonym.serve.fhir.routes import terminology_shelf
from ontonym.serve.fhir.wire import Asked, answer
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


SOURCE, TARGET = "http://example.org/local", "http://example.org/standard"


def _map(name: str, unmapped: dict[str, str], *elements: dict[str, Any]) -> dict[str, Any]:
    group = {"source": SOURCE, "target": TARGET, "element": list(elements), "unmapped": unmapped}
    return {"resourceType": "ConceptMap", "url": f"http://example.org/{name}", "status": "active", "group": [group]}


NONE = {"code": "B", "noMap": True}
ONE = {"code": "A", "target": [{"code": "1", "relationship": "equivalent"}]}


def _codes(engine: Engine, name: str, code: str) -> list[str]:
    return [one[2] for one in _translated(engine, url=f"http://example.org/{name}", system=SOURCE, sourceCode=code)]


@pytest.mark.parametrize(("mode", "other"), [("use-source-code", "C"), ("fixed", "0")])
def test_a_map_that_has_no_target_for_a_code_gives_none_by_its_rule_for_other_codes(mode: str, other: str) -> None:
    made = _map("one", {"mode": mode, "code": "0"}, ONE, NONE)
    engine = Engine([Shelf([made])])
    assert [_codes(engine, "one", code) for code in "ABC"] == [["1"], [], [other]]


def test_what_has_no_target_in_a_map_of_r4() -> None:
    nothing = {"code": "B", "target": [{"equivalence": "unmatched"}]}
    engine = Engine([Shelf([from_r4(_map("four", {"mode": "provided"}, nothing))])])
    assert [_codes(engine, "four", code) for code in "BC"] == [[], ["C"]]


def test_a_map_leaves_what_it_does_not_map_to_another() -> None:
    def other(name: str) -> dict[str, str]:
        return {"mode": "other-map", "otherMap": f"http://example.org/{name}"}

    first = _map("first", other("second"), ONE, NONE)
    second = _map(
        "second", other("first"), {"code": "B", "target": [{"code": "2"}]}, {"code": "C", "target": [{"code": "3"}]}
    )
    engine = Engine([Shelf([first, second, _map("alone", other("nowhere"))])])
    assert [_codes(engine, "first", code) for code in "ABCD"] == [["1"], [], ["3"], []]
    assert _codes(engine, "second", "A") == ["1"]
    assert _codes(engine, "alone", "A") == []


def _in_r4(engine: Engine, path: str, body: Any = None, **query: str) -> Any:
    data = b"" if body is None else orjson.dumps(body)
    sent = answer(engine, Asked("POST" if data else "GET", path, list(query.items()), {}, data, "http://x/r4", "r4"))
    assert sent.status == 200, sent.body
    return orjson.loads(sent.body)


def _parts(found: Any) -> list[dict[str, Any]]:
    """The parts of each match by name, as a client of R4 reads them."""
    matches = [one["part"] for one in found["parameter"] if one["name"] == "match"]
    return [{p["name"]: next((v for k, v in p.items() if k != "name"), None) for p in parts} for parts in matches]


def test_what_is_found_in_reverse_is_the_concept_of_the_match_in_r4(engine: Engine) -> None:
    (found,) = _parts(
        _in_r4(engine, "ConceptMap/$translate", system=ICD10, code="I21.9", targetsystem=SNOMED, reverse="true")
    )
    assert found["concept"] == {"system": SNOMED, "code": "1", "display": "Myocardial infarction"}
    assert (found["equivalence"], found["source"]) == ("narrower", f"{SNOMED}?fhir_cm")


def test_a_match_in_r4_names_its_map_and_what_it_produces() -> None:
    target = {"code": "1", "equivalence": "equal", "product": [{"property": "http://example.org/dose", "value": "9"}]}
    made = _map("four", {}, {"code": "A", "target": [target]})
    body = {"resourceType": "Parameters", "parameter": [
        {"name": "conceptMap", "resource": made}, {"name": "coding", "valueCoding": {"system": SOURCE, "code": "A"}},
    ]}  # fmt: skip
    (found,) = _parts(_in_r4(Engine([]), "ConceptMap/$translate", body))
    assert (found["equivalence"], found["source"]) == ("equivalent", "http://example.org/four")
    assert found["product"] == [
        {"name": "element", "valueUri": "http://example.org/dose"},
        {"name": "concept", "valueCoding": {"code": "9"}},
    ]


def test_a_map_in_r4_that_a_request_of_r5_brings_keeps_what_it_says() -> None:
    made = _map("four", {}, {"code": "A", "target": [{"code": "1", "equivalence": "wider"}]})
    body = {"resourceType": "Parameters", "parameter": [
        {"name": "conceptMap", "resource": made}, {"name": "sourceCode", "valueCode": "A"},
    ]}  # fmt: skip
    sent = answer(Engine([]), Asked("POST", "ConceptMap/$translate", body=orjson.dumps(body), version="r5"))
    (found,) = _parts(orjson.loads(sent.body))
    assert found["relationship"] == "source-is-narrower-than-target"


def test_a_batch_of_r4_has_the_parameters_of_r4_in_its_urls(engine: Engine) -> None:
    request = {"method": "GET", "url": f"ConceptMap/$translate?system={SNOMED}&code=1&targetsystem={ICD10}"}
    (entry,) = _in_r4(engine, "", {"resourceType": "Bundle", "type": "batch", "entry": [{"request": request}]})["entry"]
    assert _parts(entry["resource"])[0]["concept"]["code"] == "I21.9"


@pytest.mark.parametrize("target", [ICD10, f"{ICD10}?fhir_vs", "http://example.org/diagnoses"])
def test_a_scope_is_the_code_systems_of_a_value_set(engine: Engine, target: str) -> None:
    include = [{"system": ICD10}]
    diagnoses = {"resourceType": "ValueSet", "url": "http://example.org/diagnoses", "compose": {"include": include}}
    own = Engine([Shelf([diagnoses]), *engine.shelves])
    assert [one[2] for one in _translated(own, system=SNOMED, sourceCode="1", targetScope=target)] == ["I21.9"]


def test_a_scope_of_other_value_sets_leaves_out_nothing(engine: Engine) -> None:
    include = [{"valueSet": ["http://example.org/diagnoses"]}]
    whole = {"resourceType": "ValueSet", "url": "http://example.org/whole", "compose": {"include": include}}
    own = Engine([Shelf([whole]), *engine.shelves])
    found = [one[2] for one in _translated(own, system=SNOMED, sourceCode="1", targetScope="http://example.org/whole")]
    assert "I21.9" in found


def test_a_map_is_found_by_its_scopes_without_the_system_of_the_code() -> None:
    made = {**_map("scoped", {}, ONE), "sourceScopeUri": "http://example.org/from"}
    engine = Engine([Shelf([made])])
    assert [one[2] for one in _translated(engine, sourceCode="A", sourceScope="http://example.org/from")] == ["1"]
