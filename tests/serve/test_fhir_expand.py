"""$expand of the FHIR engine: implicit and composed value sets, filters, pages."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from fhiranimals import ANIMALS, PETS, SYSTEM, codes_of, got, message_of, posted, values_of

from ontonym.arrays import Mask
from ontonym.serve.fhir.engine import Engine
from ontonym.serve.fhir.library import Shelf


def test_an_expansion_has_the_definition_where_it_is_asked_for(engine: Engine) -> None:
    for wanted in (True, False):
        shown = got(engine, "ValueSet/pets/$expand", ("includeDefinition", str(wanted).lower())).resource
        assert shown.get("compose") == (PETS["compose"] if wanted else None)


def test_expansion_shows_the_hierarchy_or_a_flat_list(engine: Engine) -> None:
    whole = ("url", f"{SYSTEM}?fhir_vs")
    nested = got(engine, "ValueSet/$expand", whole).resource["expansion"]["contains"]
    assert [entry["code"] for entry in nested] == ["mammal", "bird"]
    assert [entry["code"] for entry in nested[0]["contains"]] == ["dog", "cat"]
    flat = got(engine, "ValueSet/$expand", whole, ("excludeNested", "true")).resource["expansion"]["contains"]
    assert [entry["code"] for entry in flat] == ["mammal", "dog", "cat", "bird"]


def test_the_part_below_a_code_that_is_not_known_is_no_value_set(engine: Engine) -> None:
    assert codes_of(got(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs=isa/mammal"))) == [
        "mammal",
        "dog",
        "cat",
    ]
    response = got(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs=isa/mamal"))
    assert (response.status, message_of(response)) == (404, "Unable_to_resolve_value_Set_")


def test_a_count_that_is_none_says_what_it_must_be(engine: Engine) -> None:
    for count in ("-1", "x"):
        asked = got(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs"), ("count", count))
        said = asked.resource["issue"][0]["details"]["text"]
        assert said == f"The parameter 'count' must be a whole number from 0, not '{count}'"


def _filtered(name: str, op: str, value: str) -> dict[str, Any]:
    return {"include": [{"system": SYSTEM, "filter": [{"property": name, "op": op, "value": value}]}]}


@pytest.mark.parametrize(
    ("compose", "codes"),
    [
        (_filtered("concept", "is-a", "mammal"), ["mammal", "dog", "cat"]),
        (_filtered("concept", "descendent-of", "mammal"), ["dog", "cat"]),
        (_filtered("concept", "is-not-a", "mammal"), ["bird"]),
        (_filtered("concept", "generalizes", "dog"), ["mammal", "dog"]),
        (_filtered("concept", "descendent-leaf", "mammal"), ["dog", "cat"]),
        (_filtered("parent", "=", "mammal"), ["dog", "cat"]),
        (_filtered("legs", "exists", "true"), ["bird"]),
        (_filtered("code", "regex", ".a.*"), ["mammal", "cat"]),
        ({"include": [{"system": SYSTEM}], "exclude": [{"valueSet": ["http://example.org/pets"]}]}, ["mammal", "bird"]),
        ({"include": [{"system": SYSTEM, "valueSet": ["http://example.org/pets"]}]}, ["dog", "cat"]),
        ({"inactive": False, "include": [{"valueSet": ["http://example.org/pets"]}]}, ["dog"]),
    ],
)  # fmt: skip
def test_composed_value_sets(engine: Engine, compose: dict[str, Any], codes: list[str]) -> None:
    value_set = {"resourceType": "ValueSet", "status": "active", "compose": compose}
    given = {"name": "valueSet", "resource": value_set}
    assert codes_of(posted(engine, "ValueSet/$expand", given)) == codes
    for code in ("mammal", "dog", "cat", "bird"):
        coding = {"name": "coding", "valueCoding": {"system": SYSTEM, "code": code}}
        valid = values_of(posted(engine, "ValueSet/$validate-code", given, coding))["result"]
        assert valid is (code in codes), code


SHOUTED = {
    "resourceType": "CodeSystem", "url": "http://example.org/shouted", "version": "1", "status": "active",
    "content": "complete", "caseSensitive": False,
    "property": [{"code": "notSelectable", "uri": "http://hl7.org/fhir/concept-properties#notSelectable",
                  "type": "boolean"}],
    "concept": [
        {"code": "A", "display": "All", "property": [{"code": "notSelectable", "valueBoolean": True}], "concept": [
            {"code": "AB", "display": "Part"}, {"code": "AC", "display": "Other"}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "codes"),
    [
        (("concept", "=", "ab"), ["AB"]),
        (("code", "in", "ab,zz"), ["AB"]),
        (("concept", "not-in", "ab"), ["A", "AC"]),
        (("concept", "is-a", "a"), ["A", "AB", "AC"]),
        (("child", "exists", "true"), ["A"]),
        (("parent", "exists", "false"), ["A"]),
    ],
)
def test_filters_take_codes_in_any_case_where_the_code_system_does(
    filters: tuple[str, str, str], codes: list[str]
) -> None:
    engine = Engine([Shelf([SHOUTED])])
    include = {"system": SHOUTED["url"], "filter": [dict(zip(("property", "op", "value"), filters, strict=True))]}
    value_set = {"resourceType": "ValueSet", "status": "active", "compose": {"include": [include]}}
    given = {"name": "valueSet", "resource": value_set}
    assert codes_of(posted(engine, "ValueSet/$expand", given)) == codes
    for code in ("a", "Ab", "AC"):
        coding = {"name": "coding", "valueCoding": {"system": SHOUTED["url"], "code": code}}
        valid = values_of(posted(engine, "ValueSet/$validate-code", given, coding))["result"]
        assert valid is (code.upper() in codes), code


STANDARDS = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"
DRAFT_BY_EXTENSION = {"extension": [{"url": STANDARDS, "valueCode": "draft"}]}


@pytest.mark.parametrize("draft", [{"status": "draft"}, DRAFT_BY_EXTENSION])
def test_a_draft_of_a_value_set_may_use_a_draft_of_a_code_system(draft: dict[str, Any]) -> None:
    engine = Engine([Shelf([ANIMALS | {"status": "draft"}])])
    dog = {"name": "coding", "valueCoding": {"system": SYSTEM, "code": "dog"}}
    for own, warned in ((draft, False), ({}, True)):
        given = {"name": "valueSet", "resource": PETS | own}
        used = [one["name"] for one in posted(engine, "ValueSet/$expand", given).resource["expansion"]["parameter"]]
        assert ("warning-draft" in used) is warned, own
        assert ("issues" in values_of(posted(engine, "ValueSet/$validate-code", given, dog))) is warned, own


def test_what_only_groups_others_is_left_out_of_an_expansion_that_is_not_for_people() -> None:
    engine, whole = Engine([Shelf([SHOUTED])]), ("url", f"{SHOUTED['url']}?fhir_vs")
    assert codes_of(got(engine, "ValueSet/$expand", whole)) == ["A", "AB", "AC"]
    assert codes_of(got(engine, "ValueSet/$expand", whole, ("excludeNotForUI", "true"))) == ["AB", "AC"]


def test_a_code_system_is_left_out_on_request(engine: Engine) -> None:
    compose = {"include": [{"system": "http://nothing.org"}, {"system": SYSTEM, "concept": [{"code": "dog"}]}]}
    given = {"name": "valueSet", "resource": {"resourceType": "ValueSet", "status": "active", "compose": compose}}
    assert posted(engine, "ValueSet/$expand", given).status == 422
    without = {"name": "exclude-system", "valueCanonical": "http://nothing.org"}
    found = posted(engine, "ValueSet/$expand", given, without)
    assert codes_of(found) == ["dog"]
    echoed = {"name": "exclude-system", "valueCanonical": "http://nothing.org"}
    assert echoed in found.resource["expansion"]["parameter"]
    other = {"name": "exclude-system", "valueCanonical": f"{SYSTEM}|77"}
    assert codes_of(posted(engine, "ValueSet/$expand", given, without, other)) == ["dog"], "another version stays"


@pytest.mark.parametrize(
    ("part", "codes"),
    [("", ["LL1-1", "LA1-1"]), ("/LL1-1", ["LA1-1"]), ("/LL9-9", None), ("ion", None), ("/LL1-1/x", None)],
)
def test_the_implicit_value_sets_of_loinc(part: str, codes: list[str] | None) -> None:
    loinc = {
        "resourceType": "CodeSystem", "url": "http://loinc.org", "status": "active", "content": "complete",
        "concept": [{"code": "LL1-1", "concept": [{"code": "LA1-1"}]}],
    }  # fmt: skip
    flat = ("excludeNested", "true")
    found = got(Engine([Shelf([loinc])]), "ValueSet/$expand", ("url", f"http://loinc.org/vs{part}"), flat)
    assert (found.status, None if found.status == 404 else codes_of(found)) == (404 if codes is None else 200, codes)


def test_pages_are_exact_and_stable(engine: Engine) -> None:
    whole = ("url", f"{SYSTEM}?fhir_vs")
    pages = [got(engine, "ValueSet/$expand", whole, ("count", "2"), ("offset", str(at))) for at in (0, 2, 4)]
    assert [page.resource["expansion"]["total"] for page in pages] == [4, 4, 4]
    assert [code for page in pages for code in codes_of(page)] == ["mammal", "dog", "cat", "bird"]


def test_too_many_codes_must_be_asked_for_in_pages() -> None:
    engine = Engine([Shelf([ANIMALS])], most_codes=3)
    refused = got(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs"))
    assert (refused.status, refused.resource["issue"][0]["code"]) == (422, "too-costly")
    assert len(codes_of(got(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs"), ("count", "2")))) == 2


class Large:
    """A terminology of a million concepts, of which each filter admits all."""

    url, version, content, nested = "http://example.org/large", "", "fragment", False
    supplements = ()
    facts = MappingProxyType({"content": "fragment"})

    def __len__(self) -> int:
        return 1_000_000

    def present(self) -> Mask:
        return np.ones(len(self), bool)

    def select(self, *_: object) -> Mask:
        return self.present()


@pytest.mark.parametrize("more", [{}, {"filter": [{"property": "concept", "op": "is-a", "value": "top"}]}])
def test_one_request_does_not_gather_a_large_terminology_again_and_again(more: dict[str, Any]) -> None:
    engine = Engine([Shelf(systems=[Large()])])  # type: ignore[list-item]
    value_set = {
        "resourceType": "ValueSet",
        "status": "active",
        "compose": {"include": [{"system": Large.url, **more}] * 90},
    }
    refused = posted(engine, "ValueSet/$expand", {"name": "valueSet", "resource": value_set})
    assert (refused.status, message_of(refused)) == (422, "TOO_COSTLY")
