"""The operations of the FHIR engine on resources that a request or the server brings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ontonym.serve.fhir import closure, state
from ontonym.serve.fhir.engine import Engine, EngineMemory, Request, Response
from ontonym.serve.fhir.library import Shelf
from ontonym.serve.fhir.outcomes import FhirError
from ontonym.serve.fhir.wire import Asked, answer

ANIMALS = {
    "resourceType": "CodeSystem",
    "id": "animals",
    "url": "http://example.org/animals",
    "version": "2",
    "name": "Animals",
    "title": "Animals of the farm",
    "status": "active",
    "content": "complete",
    "caseSensitive": True,
    "concept": [
        {
            "code": "mammal",
            "display": "Mammal",
            "concept": [
                {"code": "dog", "display": "Dog", "designation": [{"language": "de", "value": "Hund"}]},
                {"code": "cat", "display": "Cat", "property": [{"code": "status", "valueCode": "retired"}]},
            ],
        },
        {"code": "bird", "display": "Bird", "property": [{"code": "legs", "valueInteger": 2}]},
    ],
}
PETS = {
    "resourceType": "ValueSet",
    "id": "pets",
    "url": "http://example.org/pets",
    "version": "1",
    "name": "Pets",
    "status": "active",
    "compose": {"include": [{"system": "http://example.org/animals", "concept": [{"code": "dog"}, {"code": "cat"}]}]},
}
MAP = {
    "resourceType": "ConceptMap",
    "id": "sounds",
    "url": "http://example.org/sounds",
    "version": "3",
    "name": "Sounds",
    "status": "active",
    "group": [
        {
            "source": "http://example.org/animals",
            "target": "http://example.org/sounds-of",
            "element": [
                {"code": "dog", "target": [{"code": "woof", "relationship": "equivalent"}]},
                {"code": "cat", "target": [{"code": "purr", "relationship": "source-is-broader-than-target"}]},
                {"code": "bird", "noMap": True},
            ],
            "unmapped": {"mode": "fixed", "code": "silence", "relationship": "related-to"},
        }
    ],
}
SYSTEM = "http://example.org/animals"


@pytest.fixture
def engine() -> Engine:
    return Engine([Shelf([ANIMALS, PETS, MAP])])


def _get(engine: Engine, path: str, *query: tuple[str, str], **headers: str) -> Response:
    return engine.answer(Request("GET", path, query, headers, None, "http://x/r5"))


def _post(engine: Engine, path: str, *parameters: dict[str, Any]) -> Response:
    body = {"resourceType": "Parameters", "parameter": list(parameters)}
    return engine.answer(Request("POST", path, (), {}, body, "http://x/r5"))


def _codes(response: Response) -> list[str]:
    assert response.status == 200, response.resource
    found: list[str] = []
    waiting = list(response.resource["expansion"].get("contains", []))
    while waiting:
        entry = waiting.pop(0)
        found.append(entry["code"])
        waiting[:0] = entry.get("contains", [])
    return found


def _values(response: Response) -> dict[str, Any]:
    return {
        entry["name"]: next((value for name, value in entry.items() if name.startswith("value")), entry.get("resource"))
        for entry in response.resource["parameter"]
    }


def _message(response: Response) -> str:
    return response.resource["issue"][0]["extension"][0]["valueString"]


def test_an_expansion_has_the_definition_where_it_is_asked_for(engine: Engine) -> None:
    for wanted in (True, False):
        shown = _get(engine, "ValueSet/pets/$expand", ("includeDefinition", str(wanted).lower())).resource
        assert shown.get("compose") == (PETS["compose"] if wanted else None)


def test_expansion_shows_the_hierarchy_or_a_flat_list(engine: Engine) -> None:
    whole = ("url", f"{SYSTEM}?fhir_vs")
    nested = _get(engine, "ValueSet/$expand", whole).resource["expansion"]["contains"]
    assert [entry["code"] for entry in nested] == ["mammal", "bird"]
    assert [entry["code"] for entry in nested[0]["contains"]] == ["dog", "cat"]
    flat = _get(engine, "ValueSet/$expand", whole, ("excludeNested", "true")).resource["expansion"]["contains"]
    assert [entry["code"] for entry in flat] == ["mammal", "dog", "cat", "bird"]


def test_the_part_below_a_code_that_is_not_known_is_no_value_set(engine: Engine) -> None:
    assert _codes(_get(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs=isa/mammal"))) == ["mammal", "dog", "cat"]
    response = _get(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs=isa/mamal"))
    assert (response.status, _message(response)) == (404, "Unable_to_resolve_value_Set_")


def test_a_count_that_is_none_says_what_it_must_be(engine: Engine) -> None:
    for count in ("-1", "x"):
        asked = _get(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs"), ("count", count))
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
    assert _codes(_post(engine, "ValueSet/$expand", given)) == codes
    for code in ("mammal", "dog", "cat", "bird"):
        coding = {"name": "coding", "valueCoding": {"system": SYSTEM, "code": code}}
        valid = _values(_post(engine, "ValueSet/$validate-code", given, coding))["result"]
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
    assert _codes(_post(engine, "ValueSet/$expand", given)) == codes
    for code in ("a", "Ab", "AC"):
        coding = {"name": "coding", "valueCoding": {"system": SHOUTED["url"], "code": code}}
        valid = _values(_post(engine, "ValueSet/$validate-code", given, coding))["result"]
        assert valid is (code.upper() in codes), code


def test_what_only_groups_others_is_left_out_of_an_expansion_that_is_not_for_people() -> None:
    engine, whole = Engine([Shelf([SHOUTED])]), ("url", f"{SHOUTED['url']}?fhir_vs")
    assert _codes(_get(engine, "ValueSet/$expand", whole)) == ["A", "AB", "AC"]
    assert _codes(_get(engine, "ValueSet/$expand", whole, ("excludeNotForUI", "true"))) == ["AB", "AC"]


def test_a_code_system_is_left_out_on_request(engine: Engine) -> None:
    compose = {"include": [{"system": "http://nothing.org"}, {"system": SYSTEM, "concept": [{"code": "dog"}]}]}
    given = {"name": "valueSet", "resource": {"resourceType": "ValueSet", "status": "active", "compose": compose}}
    assert _post(engine, "ValueSet/$expand", given).status == 422
    without = {"name": "exclude-system", "valueCanonical": "http://nothing.org"}
    found = _post(engine, "ValueSet/$expand", given, without)
    assert _codes(found) == ["dog"]
    echoed = {"name": "exclude-system", "valueCanonical": "http://nothing.org"}
    assert echoed in found.resource["expansion"]["parameter"]
    other = {"name": "exclude-system", "valueCanonical": f"{SYSTEM}|77"}
    assert _codes(_post(engine, "ValueSet/$expand", given, without, other)) == ["dog"], "another version stays"


def test_pages_are_exact_and_stable(engine: Engine) -> None:
    whole = ("url", f"{SYSTEM}?fhir_vs")
    pages = [_get(engine, "ValueSet/$expand", whole, ("count", "2"), ("offset", str(at))) for at in (0, 2, 4)]
    assert [page.resource["expansion"]["total"] for page in pages] == [4, 4, 4]
    assert [code for page in pages for code in _codes(page)] == ["mammal", "dog", "cat", "bird"]


def test_too_many_codes_must_be_asked_for_in_pages() -> None:
    engine = Engine([Shelf([ANIMALS])], most_codes=3)
    refused = _get(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs"))
    assert (refused.status, refused.resource["issue"][0]["code"]) == (422, "too-costly")
    assert len(_codes(_get(engine, "ValueSet/$expand", ("url", f"{SYSTEM}?fhir_vs"), ("count", "2")))) == 2


def test_lookup_in_the_language_that_is_asked_for(engine: Engine) -> None:
    asked = (("system", SYSTEM), ("code", "dog"))
    assert _values(_get(engine, "CodeSystem/$lookup", *asked))["display"] == "Dog"
    assert _values(_get(engine, "CodeSystem/$lookup", *asked, ("displayLanguage", "de")))["display"] == "Hund"
    parts = [
        {part["name"]: next(v for n, v in part.items() if n.startswith("value")) for part in entry["part"]}
        for entry in _get(engine, "CodeSystem/$lookup", *asked).resource["parameter"]
        if entry["name"] == "property"
    ]
    assert {"code": "parent", "value": "mammal", "description": "Mammal"} in parts
    unknown = _get(engine, "CodeSystem/$lookup", ("system", SYSTEM), ("code", "cow"))
    assert (unknown.status, _message(unknown)) == (404, "UNKNOWN_CODE")


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("mammal", "dog", "subsumes"),
        ("dog", "mammal", "subsumed-by"),
        ("dog", "dog", "equivalent"),
        ("dog", "bird", "not-subsumed"),
    ],
)
def test_subsumes(engine: Engine, first: str, second: str, outcome: str) -> None:
    query = (("system", SYSTEM), ("codeA", first), ("codeB", second))
    assert _values(_get(engine, "CodeSystem/$subsumes", *query)) == {"outcome": outcome}


def _matches(response: Response) -> list[tuple[str, str]]:
    found = []
    for entry in response.resource["parameter"]:
        if entry["name"] == "match":
            parts = {part["name"]: part for part in entry["part"]}
            found.append((parts["concept"]["valueCoding"]["code"], parts["relationship"]["valueCode"]))
    return found


def test_translate_by_a_map(engine: Engine) -> None:
    for code, matches, result in (
        ("dog", [("woof", "equivalent")], True),
        ("cat", [("purr", "source-is-broader-than-target")], True),
        ("bird", [], False),
        ("cow", [("silence", "related-to")], True),
    ):
        found = _get(engine, "ConceptMap/$translate", ("system", SYSTEM), ("sourceCode", code))
        assert (_matches(found), _values(found)["result"]) == (matches, result)
    back = _get(engine, "ConceptMap/$translate", ("targetCode", "woof"), ("url", "http://example.org/sounds"))
    source = next(p for p in back.resource["parameter"][1]["part"] if p["name"] == "source")
    assert source["valueCoding"] == {"system": SYSTEM, "code": "dog"}
    nothing = _get(engine, "ConceptMap/$translate", ("system", "http://example.org/other"), ("sourceCode", "dog"))
    assert _values(nothing)["result"] is False


def test_closure_grows(engine: Engine) -> None:
    def grown(*codes: str, version: str = "") -> dict[str, Any]:
        concepts = [{"name": "concept", "valueCoding": {"system": SYSTEM, "code": code}} for code in codes]
        since = [{"name": "version", "valueString": version}] if version else []
        return _post(engine, "$closure", {"name": "name", "valueString": "t"}, *concepts, *since).resource

    def pairs(found: dict[str, Any]) -> list[tuple[str, str]]:
        elements = [element for group in found.get("group", []) for element in group["element"]]
        return [(element["code"], target["code"]) for element in elements for target in element["target"]]

    assert _post(engine, "$closure", {"name": "name", "valueString": "x"},
                 {"name": "concept", "valueCoding": {"system": SYSTEM, "code": "dog"}}).status == 404  # fmt: skip
    assert pairs(grown()) == []
    assert pairs(grown("dog", "bird")) == []
    second = grown("mammal", "cat")
    assert (pairs(second), second["version"]) == ([("dog", "mammal"), ("cat", "mammal")], "2")
    assert pairs(grown(version="1")) == [("dog", "mammal"), ("cat", "mammal")]
    assert pairs(grown(version="2")) == []


@pytest.fixture
def workers(tmp_path: Path) -> list[Engine]:
    """Two engines that share what clients leave with them, as worker processes do."""
    return [Engine([Shelf([ANIMALS])], memory=EngineMemory(tmp_path)) for _ in range(2)]


def test_a_closure_table_grows_whichever_worker_is_asked(workers: list[Engine]) -> None:
    def asked(worker: int, *codes: str) -> Response:
        concepts = [{"name": "concept", "valueCoding": {"system": SYSTEM, "code": code}} for code in codes]
        return _post(workers[worker], "$closure", {"name": "name", "valueString": "t"}, *concepts)

    asked(0)
    assert asked(1, "dog").resource["version"] == "1"
    element = asked(0, "mammal").resource["group"][0]["element"]
    assert [(one["code"], one["target"][0]["code"]) for one in element] == [("dog", "mammal")]
    assert asked(1, "unknown").status == 404
    assert asked(1, "cat").resource["version"] == "3", "what failed left nothing behind"
    asked(1)
    assert asked(0, "mammal").resource["version"] == "1", "it was begun anew"


def test_closure_tables_that_are_too_many_or_too_large_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closure, "MOST_TABLES", 2)
    monkeypatch.setattr(closure, "MOST_CONCEPTS", 2)
    engine = Engine([Shelf([ANIMALS])])
    dog, cat, bird = ({"name": "concept", "valueCoding": {"system": SYSTEM, "code": c}} for c in ("dog", "cat", "bird"))

    def asked(name: str, *concepts: dict[str, Any]) -> int:
        return _post(engine, "$closure", {"name": "name", "valueString": name}, *concepts).status

    for name in ("a", "b"):
        asked(name)
    assert asked("a", dog) == 200
    asked("c")
    assert [asked("a", cat), asked("b", dog), asked("c", dog)] == [200, 404, 200]
    assert asked("a", bird) == 422


def test_what_a_client_caches_is_known_to_every_worker(workers: list[Engine]) -> None:
    name = {"name": "cache-id", "valueId": "c1"}
    fish = {**ANIMALS, "url": "http://example.org/fish", "concept": [{"code": "cod", "display": "Cod"}]}
    code = [{"name": "url", "valueUri": fish["url"]}, {"name": "code", "valueCode": "cod"}]
    path = "CodeSystem/$validate-code"
    assert _values(_post(workers[0], path, name, *code, {"name": "tx-resource", "resource": fish}))["result"] is True
    assert _values(_post(workers[1], path, name, *code))["result"] is True
    other = {"name": "tx-resource", "resource": {**fish, "concept": [{"code": "eel", "display": "Eel"}]}}
    _post(workers[1], path, name, *code, other)
    assert _values(_post(workers[0], path, name, *code))["result"] is False, "the later one took its place"
    assert _values(_post(workers[0], path, *code))["result"] is False, "without the cache-id it is not known"


def test_caches_that_are_too_many_or_too_large_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MOST_CACHES", 2)
    monkeypatch.setattr(state, "MOST_BYTES", 1500)
    caches = state.CachedResources()
    resource = {**ANIMALS, "url": "http://example.org/fish", "concept": [{"code": "x" * 500}]}

    def held(name: str, *resources: dict[str, Any]) -> int:
        return len(caches.shelf(name, resources).resources)

    assert [held("a", resource), held("a"), held("b"), held("a"), held("c"), held("b")] == [1, 1, 0, 1, 0, 0]
    assert held("d", resource) == 1
    with pytest.raises(FhirError, match="holds all that it may"):
        held("d", {**resource, "url": "http://example.org/2"}, {**resource, "url": "http://example.org/3"})
    assert held("d") == 1


def test_what_a_request_brings_hides_what_the_server_has(engine: Engine) -> None:
    own = {**ANIMALS, "version": "9", "concept": [{"code": "fish", "display": "Fish"}]}
    brought = {"name": "tx-resource", "resource": own}
    whole = {"name": "url", "valueUri": f"{SYSTEM}?fhir_vs"}
    assert _codes(_post(engine, "ValueSet/$expand", whole, brought)) == ["fish"]
    assert _codes(_post(engine, "ValueSet/$expand", whole)) == ["mammal", "dog", "cat", "bird"]
    cached = {"name": "cache-id", "valueId": "c1"}
    assert _codes(_post(engine, "ValueSet/$expand", whole, brought, cached)) == ["fish"]
    assert _codes(_post(engine, "ValueSet/$expand", whole, cached)) == ["fish"]


def test_batch_answers_every_entry(engine: Engine) -> None:
    entries: Sequence[dict[str, Any]] = [
        {"request": {"method": "GET", "url": f"CodeSystem/$lookup?system={SYSTEM}&code=dog"}},
        {"request": {"method": "GET", "url": "CodeSystem/nothing"}},
        {
            "request": {"method": "POST", "url": "ValueSet/$validate-code"},
            "resource": {
                "resourceType": "Parameters",
                "parameter": [
                    {"name": "url", "valueUri": "http://example.org/pets"},
                    {"name": "coding", "valueCoding": {"system": SYSTEM, "code": "dog"}},
                ],
            },
        },
    ]
    body = {"resourceType": "Bundle", "type": "batch", "entry": list(entries)}
    found = engine.answer(Request("POST", "", (), {}, body, "http://x/r5")).resource
    assert found["type"] == "batch-response"
    assert [entry["response"]["status"] for entry in found["entry"]] == ["200 OK", "404", "200 OK"]
    assert found["entry"][1]["response"]["outcome"]["resourceType"] == "OperationOutcome"


def test_validation_says_why_not(engine: Engine) -> None:
    def issues(*parameters: dict[str, Any]) -> list[str]:
        found = _values(_post(engine, "ValueSet/$validate-code", {"name": "url", "valueUri": PETS["url"]}, *parameters))
        return [i["extension"][0]["valueString"] for i in found.get("issues", {"issue": []})["issue"]]

    def coding(**facts: str) -> dict[str, Any]:
        return {"name": "coding", "valueCoding": {"system": SYSTEM, **facts}}

    assert issues(coding(code="dog", display="Dog")) == []
    assert issues(coding(code="dog", display="DOG")) == []
    assert issues(coding(code="dog", display="Hund")) == []
    assert issues(coding(code="dog", display="Cow")) == ["Display_Name_for__should_be_one_of__instead_of"]
    assert issues(coding(code="bird")) == ["None_of_the_provided_codes_are_in_the_value_set_one"]
    assert issues(coding(code="cow")) == [
        "Unknown_Code_in_Version",
        "None_of_the_provided_codes_are_in_the_value_set_one",
    ]
    assert issues(coding(code="cat")) == ["INACTIVE_CONCEPT_FOUND"]
    assert issues(coding(code="dog", version="7")) == ["VALUESET_VALUE_MISMATCH_DEFAULT", "UNKNOWN_CODESYSTEM_VERSION"]
    inferred = ({"name": "code", "valueCode": "dog"}, {"name": "inferSystem", "valueBoolean": True})
    assert issues(*inferred) == []


def test_several_validations_at_once(engine: Engine) -> None:
    questions = [
        {"name": "validation", "resource": {"resourceType": "Parameters", "parameter": [
            {"name": "url", "valueUri": "http://example.org/pets"},
            {"name": "coding", "valueCoding": {"system": SYSTEM, "code": code}}]}}
        for code in ("dog", "bird")
    ]  # fmt: skip
    answers = _post(engine, "ValueSet/$batch-validate-code", *questions).resource["parameter"]
    assert [answer["resource"]["parameter"][0]["valueBoolean"] for answer in answers] == [True, False]


def test_read_and_search(engine: Engine) -> None:
    assert _get(engine, "CodeSystem/animals").resource["title"] == "Animals of the farm"
    for query, total in (
        ((("url", SYSTEM),), 1),
        ((("title", "animals of"),), 1),
        ((("title:contains", "farm"),), 1),
        ((("name", "Cows"),), 0),
        ((("status", "active"), ("version", "2")), 1),
        ((("_id", "animals"),), 1),
    ):
        assert _get(engine, "CodeSystem", *query).resource["total"] == total, query
    refused = _get(engine, "CodeSystem", ("colour", "red"))
    assert (refused.status, _message(refused)) == (400, "SEARCH_PARAMETER")
    assert _get(engine, "CodeSystem", ("system", SYSTEM)).resource["total"] == 1
    assert _message(_get(engine, "ValueSet", ("system", SYSTEM))) == "SEARCH_PARAMETER"


def test_a_lenient_search_leaves_out_what_it_does_not_know(engine: Engine) -> None:
    asked = Request("GET", "CodeSystem", [("colour", "red"), ("url", SYSTEM)], {"prefer": "handling=lenient"})
    bundle = engine.answer(asked).resource
    assert bundle["total"] == 1
    assert "colour" not in bundle["link"][0]["url"]
    assert "url=" in bundle["link"][0]["url"]


def test_a_search_gives_the_elements_that_are_asked_for(engine: Engine) -> None:
    counted = _get(engine, "CodeSystem", ("_summary", "count")).resource
    assert (counted["total"], "entry" in counted) == (1, False)
    for query, left_out, kept in (
        (("_summary", "true"), {"concept"}, {"title", "version"}),
        (("_elements", "title,url"), {"concept", "name"}, {"title", "url", "id", "status", "content"}),
        (("_summary", "text"), {"concept", "title"}, {"id", "status"}),
        (("_summary", "data"), set(), {"concept"}),
    ):
        found = _get(engine, "CodeSystem", query).resource["entry"][0]["resource"]
        for one in (found, _get(engine, "CodeSystem/animals", query).resource):
            assert one["meta"]["tag"][0]["code"] == "SUBSETTED"
            assert not left_out & set(one)
            assert kept <= set(one)
    assert "meta" not in _get(engine, "CodeSystem/animals").resource
    assert _get(engine, "CodeSystem", ("_summary", "some")).status == 400
    links = _get(engine, "CodeSystem", ("_sort", "name"), ("status", "active")).resource["link"]
    assert links[0]["url"] == "http://x/r5/CodeSystem?status=active&_count=50&_offset=0"


def test_another_method_is_told_which_are_allowed(engine: Engine) -> None:
    for path, allowed in (("CodeSystem/animals", "GET, HEAD"), ("ValueSet/$expand", "GET, HEAD, POST"), ("", "POST")):
        found = engine.answer(Request("DELETE", path))
        assert (found.status, found.headers) == (405, {"Allow": allowed})
        sent = answer(engine, Asked("DELETE", path))
        assert (sent.status, sent.headers["Allow"]) == (405, allowed)


def test_capabilities_name_every_code_system(engine: Engine) -> None:
    listed = _get(engine, "metadata", ("mode", "terminology")).resource["codeSystem"]
    assert [(entry["uri"], [v["code"] for v in entry["version"]]) for entry in listed] == [(SYSTEM, ["2"])]
    operations = {
        entry["type"]: {operation["name"] for operation in entry["operation"]}
        for entry in _get(engine, "metadata").resource["rest"][0]["resource"]
    }
    assert operations["ValueSet"] == {"expand", "validate-code", "batch-validate-code"}
    assert operations["CodeSystem"] == {"lookup", "validate-code", "batch-validate-code", "subsumes"}
