"""SNOMED CT as its clients ask for it: constraints as they are written in addresses, attributes by their codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fhiranimals import codes_of, posted

from made import concept, opened
from ontonym.serve.fhir.engine import Engine, Request
from ontonym.serve.fhir.routes import terminology_shelf
from ontonym.types import Property, Relation, Term

SNOMED = "http://snomed.info/sct"
STATED = (Property("sufficientlyDefined", "true"), Property("moduleId", "900000000000207008"))
CONCEPTS = (
    concept("SCTID:404684003", "Clinical finding"),
    concept("SCTID:22298006", "Myocardial infarction", parents="SCTID:404684003", properties=STATED,
            relations=(Relation("Finding site", "SCTID:80891009"),)),
    concept("SCTID:123037004", "Body structure"),
    concept("SCTID:80891009", "Heart structure", parents="SCTID:123037004"),
    concept("SCTID:763158003", "Medicinal product"),
    concept("SCTID:376988009", "Aspirin 75 mg tablet", parents="SCTID:763158003",
            properties=(Property("Has presentation strength numerator value", "75"),)),
    concept("SCTID:106237007", "Linkage concept"),
    concept("SCTID:363698007", Term("Finding site", "preferred"), Term("Finding site (attribute)", "fsn"),
            parents="SCTID:106237007"),
    concept("SCTID:1142135004", "Has presentation strength numerator value", parents="SCTID:106237007"),
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with opened(tmp_path_factory.mktemp("sct"), CONCEPTS) as terminologies:
        yield Engine([terminology_shelf(terminologies)])


def _codes(engine: Engine, *parameters: dict[str, Any]) -> list[str]:
    return codes_of(posted(engine, "ValueSet/$expand", *parameters))


@pytest.mark.parametrize(
    ("constraint", "codes"),
    [
        ("<404684003:363698007=<<123037004", ["22298006"]),
        ("<404684003:363698007=*", ["22298006"]),
        ("<404684003|Clinical finding|:363698007|Finding site|=80891009|Heart structure|", ["22298006"]),
        ("<404684003:{363698007=80891009}", ["22298006"]),
        ("<404684003:[0..0]363698007=*", []),
        ("<404684003:[1..*]{[1..*]363698007=*}", ["22298006"]),
        ("<123037004:R363698007=22298006", ["80891009"]),
        ("<404684003.363698007", ["80891009"]),
        ("<763158003:1142135004=#75", ["376988009"]),
    ],
)
def test_constraints_need_no_spaces(engine, constraint, codes):
    assert _codes(engine, {"name": "url", "valueUri": f"{SNOMED}?fhir_vs=ecl/{constraint}"}) == codes


def test_attributes_are_properties_by_their_code_and_types_are_those_of_fhir(engine):
    def properties(code: str) -> dict[str, tuple[str, Any]]:
        query = [("system", SNOMED), ("code", code)]
        found = engine.answer(Request("GET", "CodeSystem/$lookup", query, {}, None)).resource["parameter"]
        parts = [one["part"] for one in found if one["name"] == "property"]
        return {part[0]["valueCode"]: next((n, v) for n, v in part[1].items() if n != "name") for part in parts}

    heart = properties("22298006")
    assert heart["363698007"] == ("valueCode", "80891009")
    assert heart["sufficientlyDefined"] == ("valueBoolean", True)
    assert heart["moduleId"] == ("valueCode", "900000000000207008")
    assert properties("376988009")["1142135004"] == ("valueString", "75")


@pytest.mark.parametrize(
    ("name", "value", "codes"),
    [
        ("363698007", "80891009", ["22298006"]),
        ("Finding site", "80891009", ["22298006"]),
        ("1142135004", "75", ["376988009"]),
        ("sufficientlyDefined", "true", ["22298006"]),
    ],
)
def test_filters_take_attributes_by_code_and_by_name(engine, name, value, codes):
    include = {"system": SNOMED, "filter": [{"property": name, "op": "=", "value": value}]}
    value_set = {"resourceType": "ValueSet", "status": "active", "compose": {"include": [include]}}
    assert _codes(engine, {"name": "valueSet", "resource": value_set}) == codes
