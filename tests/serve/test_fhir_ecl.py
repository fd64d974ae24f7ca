"""Expression constraints over what SNOMED CT says beside its hierarchy: values, reference sets, history, names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fhiranimals import codes_of, posted

from made import concept, opened
from ontonym.arrays import Mask
from ontonym.serve.fhir import termfilters
from ontonym.serve.fhir.budget import MATCH, MOST_WORK, NAME, RELATION, VALUE, Budget
from ontonym.serve.fhir.engine import Engine
from ontonym.serve.fhir.filters import admitted
from ontonym.serve.fhir.outcomes import FhirError
from ontonym.serve.fhir.regexes import wildcard_matcher
from ontonym.serve.fhir.routes import terminology_shelf
from ontonym.serve.fhir.termfilters import LONGEST_KEPT
from ontonym.serve.fhir.terminologycodes import TerminologyCodes, code_systems
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


@pytest.fixture(scope="module")
def system(engine: Engine) -> TerminologyCodes:
    (found,) = engine.shelves[0].systems(SNOMED)
    assert isinstance(found, TerminologyCodes)
    return found


def _selected(system: TerminologyCodes, name: str, op: str, value: str, budget: Budget) -> Mask:
    found = system.select(name, op, value, budget)
    assert found is not None
    return found


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
        ('<< 1 {{ D type = fsn, term = wild:"*(*)" }}', "1 2"),
        ('<< 1 {{ D type = syn, term = wild:"*(*)" }}', ""),
        ("<< 1 {{ D type = (fsn syn) }}", "1 2 3"),
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
    ("name", "op", "value", "least"),
    [
        ("code", "regex", "1.*", MATCH * len(CONCEPTS)),
        ("display", "regex", ".*x.*", MATCH * len(CONCEPTS)),
        ("moduleId", "=", "8", VALUE * 3),
        ("effectiveTime", "regex", "2.*", (VALUE + MATCH) * 3),
        ("constraint", "=", "<< 1", 0.3),
        ("constraint", "=", '< 1 {{ term = wild:"*mg" }}', NAME * 5),
        ("constraint", "=", "^ 40", VALUE * 2),
        ("constraint", "=", "< 1 : 30 > #75", VALUE * 2),
        ("constraint", "=", "* : 39 = *", RELATION * 3),
        ("constraint", "=", "2 . 39", RELATION * 3),
        ("SAME AS", "exists", "true", RELATION * 3),
    ],
)
def test_filters_take_their_work_from_the_request(
    system: TerminologyCodes, name: str, op: str, value: str, least: float
) -> None:
    budget, again = Budget(), Budget()
    first, second = _selected(system, name, op, value, budget), _selected(system, name, op, value, again)
    assert least <= budget.spent < 2 * least + 10
    assert again.spent == budget.spent  # it is kept, but the answer must not depend on that
    assert np.array_equal(np.flatnonzero(first), np.flatnonzero(second))
    with pytest.raises(FhirError):
        system.select(name, op, value, Budget(least / 2))


def test_what_a_filter_selects_is_kept(system: TerminologyCodes, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def evaluate(system: TerminologyCodes, text: str, _: Budget) -> Mask:
        asked.append(text)
        return np.arange(len(system)) == 2

    monkeypatch.setattr(termfilters, "evaluate", evaluate)
    for text in ("<< 2", "<< 3", "<< 2", "<< 3" + " " * LONGEST_KEPT, "<< 3" + " " * LONGEST_KEPT):
        found = _selected(system, "constraint", "=", text, Budget())
        assert np.flatnonzero(found).tolist() == [2]
        found |= True  # what is kept is not what callers got
    assert [text.strip() for text in asked] == ["<< 2", "<< 3", "<< 3", "<< 3"]


def test_a_dozen_filters_of_half_a_million_concepts_are_answered(tmp_path: Path) -> None:
    many = [concept(f"SCTID:{n}", "x", properties=(Property("moduleId", str(n % 2)),)) for n in range(1000)]
    budget = Budget()
    with opened(tmp_path, many) as (terminology,):
        (large,) = code_systems(terminology)
        for number in range(12):
            entry = {"property": "moduleId", "op": "not-in", "value": f"x{number}"}
            assert admitted(large, entry, "", "", budget).all()
    assert 500_000 / len(many) * budget.spent < MOST_WORK
    assert MATCH * 500_000 < MOST_WORK  # and one regular expression over all of them


@pytest.mark.parametrize(
    ("pattern", "fitting"),
    [
        ("*", "aspirin ASPIRIN 75 aspirine ax"),
        ("asp*", "aspirin ASPIRIN aspirine"),
        ("*IN", "aspirin ASPIRIN"),
        ("a*i*i*e", "aspirine"),
        ("aspirin", "aspirin ASPIRIN"),
        ("asp*spirin", ""),
        ("a*x*", "ax"),
        ("*(*", ""),
    ],
)
def test_stars_stand_for_any_letters(pattern: str, fitting: str) -> None:
    names = ["aspirin", "ASPIRIN", "75", "aspirine", "ax"]
    assert [name for name in names if wildcard_matcher(pattern)(name)] == fitting.split()


def test_neighbours_of_another_code_system_do_not_count(tmp_path: Path) -> None:
    mixed = (concept("A:1", "one"), concept("A:2", "two", parents="A:1"), concept("B:1", "three", parents="A:2"))
    with opened(tmp_path, mixed) as terminologies:
        ours, others = code_systems(terminologies[0])
        assert [np.flatnonzero(ours.having(near)).tolist() for near in ("parent", "child")] == [[1], [0]]
        assert not others.having("parent").any()
