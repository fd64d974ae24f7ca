"""Expression constraints over what SNOMED CT says beside its hierarchy: values, reference sets, history, names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fhiranimals import codes_of, posted

from made import concept, opened
from ontonym.serve.fhir import library
from ontonym.serve.fhir.budget import CLAUSE, Budget
from ontonym.serve.fhir.engine import Engine
from ontonym.serve.fhir.routes import terminology_shelf
from ontonym.types import Mapping, Property, Relation, Term

SNOMED = "http://snomed.info/sct"
SAME_AS = "900000000000527005"


def _stated(defined: bool, module: str, time: str, *more: tuple[str, str]) -> tuple[Property, ...]:
    own = (("sufficientlyDefined", str(defined).lower()), ("moduleId", module), ("effectiveTime", time))
    return tuple(Property(name, value) for name, value in (*more, *own))


CONCEPTS = (
    concept("SCTID:1", Term("Drug product", "preferred", language="en"), Term("Drug product (product)", "fsn"),
            properties=_stated(False, "7", "20020131")),
    concept("SCTID:2", Term("Aspirin 75 mg", "preferred", language="en"), Term("Aspirin 75 mg (drug)", "fsn"),
            Term("ASA 75", "synonym", language="en-US"), parents="SCTID:1",
            properties=_stated(True, "7", "20200131", ("Strength", "75"), ("memberOf", "40"), ("Form", "tablet"))),
    concept("SCTID:3", Term("Aspirin 300 mg", "preferred", language="en"), Term("Aspirine 300", language="nl"),
            parents="SCTID:1", properties=_stated(True, "8", "20210731", ("Strength", "300"), ("Coated", "true")),
            mappings=(Mapping("SCTID:3", "skos:broadMatch", "ATC:B01", "semapv:X", source="ATC map"),)),
    concept("SCTID:4", "Aspirin 75", status="retired", relations=(Relation("SAME AS", "SCTID:2"),),
            properties=(Property("memberOf", "41"),)),
    concept("SCTID:5", "Analgesic 75", status="retired", relations=(Relation("POSSIBLY EQUIVALENT TO", "SCTID:2"),)),
    concept("SCTID:6", "Aspirin seventy-five", status="retired", relations=(Relation("REPLACED BY", "SCTID:2"),)),
    concept("SCTID:30", "Strength", "Strength (attribute)"),
    concept("SCTID:31", "Coated"),
    concept("SCTID:32", "Form"),
    concept("SCTID:39", "Reference set"),
    concept("SCTID:40", "Ward list", parents="SCTID:39"),
    concept("SCTID:41", "Old list", parents="SCTID:39"),
    concept("SCTID:42", "ATC map", parents="SCTID:39"),
    concept(f"SCTID:{SAME_AS}", "SAME AS association reference set"),
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with opened(tmp_path_factory.mktemp("sct"), CONCEPTS) as terminologies:
        yield Engine([terminology_shelf(terminologies)])


def _codes(engine: Engine, url: str = "", **include: Any) -> list[str]:
    compose = {"include": [{"system": SNOMED, **include}]}
    value_set = {"resourceType": "ValueSet", "status": "active", "compose": compose}
    brought = {"name": "url", "valueUri": url} if url else {"name": "valueSet", "resource": value_set}
    return sorted(codes_of(posted(engine, "ValueSet/$expand", brought)), key=int)


@pytest.mark.parametrize(
    ("constraint", "codes"),
    [
        ("< 1 : 30 |Strength| = #75", "2"),
        ("< 1 : 30 = #75.0", "2"),
        ("< 1 : 30 > #75", "3"),
        ("< 1 : 30 >= #75", "2 3"),
        ("< 1 : 30 <= #100", "2"),
        ("< 1 : 30 < #75", ""),
        ("< 1 : 30 != #75", "3"),
        ("< 1 : 31 = true", "3"),
        ("< 1 : 31 = FALSE", ""),
        ('< 1 : 32 = "tablet"', "2"),
        ('< 1 : 32 = "tab"', ""),
        ('< 1 : 32 = wild:"tab*"', "2"),
        ('< 1 : 32 = ("syrup" "tablet")', "2"),
        ('< 1 : 30 = #75, 32 = "tablet"', "2"),
        ("^ 40 |Ward list|", "2"),
        ("^ (40 OR 41)", "2 4"),
        ("^ (<< 39)", "2 3 4"),
        ("^ *", "2 4"),
        ("^ 42", "3"),
        (f"^ {SAME_AS}", "4"),
        ("> (^ 40)", "1"),
        ("< 1 AND ^ 40", "2"),
        ("2 {{ + HISTORY-MIN }}", "2 4"),
        ("2 {{ + HISTORY_MOD }}", "2 4 6"),
        ("2 {{ + HISTORY-MAX }}", "2 4 5 6"),
        ("2 {{ + HISTORY }}", "2 4 5 6"),
        (f"2 {{{{ + HISTORY ({SAME_AS}) }}}}", "2 4"),
        ("3 {{ + HISTORY }}", "3"),
        ("<< 1 {{ C definitionStatus = primitive }}", "1"),
        ("<< 1 {{ C definitionStatusId = 900000000000073002 |Defined| }}", "2 3"),
        ("<< 1 {{ C moduleId = 8 }}", "3"),
        ("<< 1 {{ C moduleId != (7 8) }}", ""),
        ('<< 1 {{ C effectiveTime >= "20200131" }}', "2 3"),
        ('<< 1 {{ C effectiveTime < "20200131" }}', "1"),
        ("<< 1 {{ D type = fsn }}", "1 2"),
        ('<< 1 {{ D type = fsn, term = "drug" }}', "1 2"),
        ('<< 1 {{ D type = syn, term = "asp" }}', "2 3"),
        ("<< 1 {{ D typeId = 900000000000003001 }}", "1 2"),
        ("<< 1 {{ D language = nl }}", "3"),
        ('<< 1 {{ D dialect = en-us, term = "asa" }}', "2"),
        ('<< 1 {{ D dialect = en-gb, term = "asa" }}', ""),
        ('<< 1 {{ D dialect = en-gb, term = "aspirin" }}', "2 3"),
    ],
)
def test_constraints(engine: Engine, constraint: str, codes: str) -> None:
    assert _codes(engine, filter=[{"property": "constraint", "op": "=", "value": constraint}]) == codes.split()


def test_implicit_value_sets_of_reference_sets(engine: Engine) -> None:
    assert _codes(engine, f"{SNOMED}?fhir_vs=refset/40") == ["2"]
    assert _codes(engine, f"{SNOMED}?fhir_vs=refset") == ["40", "41"]
    assert _codes(engine, filter=[{"property": "concept", "op": "in", "value": "40"}]) == ["2"]


@pytest.mark.parametrize(
    ("name", "op", "value", "codes"),
    [
        ("moduleId", "=", "8", "3"),
        ("sufficientlyDefined", "=", "true", "2 3"),
        ("effectiveTime", "regex", "202.*", "2 3"),
        ("Strength", "exists", "true", "2 3"),
        ("Strength", "in", "75, 10", "2"),
        ("child", "exists", "true", "1 39"),
        ("inactive", "=", "true", "4 5 6"),
    ],
)
def test_filters_by_what_the_release_says(engine: Engine, name: str, op: str, value: str, codes: str) -> None:
    assert _codes(engine, filter=[{"property": name, "op": op, "value": value}]) == codes.split()


@pytest.mark.parametrize(
    ("property", "value"),
    [
        ("constraint", "<< 1"),
        ("constraint", "^ 40"),
        ("constraint", "< 1 : 30 > #75"),
        ("display", "x"),
        ("Coated", "true"),
    ],
)
@pytest.mark.parametrize(("times", "status"), [(1, 200), (100, 422)])
def test_filters_take_their_work_from_the_request(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, property: str, value: str, times: int, status: int
) -> None:
    monkeypatch.setattr(library, "Budget", lambda: Budget(CLAUSE + 10))
    one = [{"property": property, "op": "=", "value": value}]
    compose = {"include": [{"system": SNOMED, "filter": one * times}]}
    value_set = {"resourceType": "ValueSet", "status": "active", "compose": compose}
    assert posted(engine, "ValueSet/$expand", {"name": "valueSet", "resource": value_set}).status == status
