"""The other operations of the FHIR engine on resources that a request or the server brings, read and search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from fhiranimals import ANIMALS, PETS, SYSTEM, codes_of, got, message_of, posted, values_of

from ontonym.serve.fhir.engine import Engine, Request, Response
from ontonym.serve.fhir.wire import Asked, answer


def test_lookup_in_the_language_that_is_asked_for(engine: Engine) -> None:
    asked = (("system", SYSTEM), ("code", "dog"))
    assert values_of(got(engine, "CodeSystem/$lookup", *asked))["display"] == "Dog"
    assert values_of(got(engine, "CodeSystem/$lookup", *asked, ("displayLanguage", "de")))["display"] == "Hund"
    parts = [
        {part["name"]: next(v for n, v in part.items() if n.startswith("value")) for part in entry["part"]}
        for entry in got(engine, "CodeSystem/$lookup", *asked).resource["parameter"]
        if entry["name"] == "property"
    ]
    assert {"code": "parent", "value": "mammal", "description": "Mammal"} in parts
    unknown = got(engine, "CodeSystem/$lookup", ("system", SYSTEM), ("code", "cow"))
    assert (unknown.status, message_of(unknown)) == (404, "UNKNOWN_CODE")


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
    assert values_of(got(engine, "CodeSystem/$subsumes", *query)) == {"outcome": outcome}


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
        found = got(engine, "ConceptMap/$translate", ("system", SYSTEM), ("sourceCode", code))
        assert (_matches(found), values_of(found)["result"]) == (matches, result)
    back = got(engine, "ConceptMap/$translate", ("targetCode", "woof"), ("url", "http://example.org/sounds"))
    source = next(p for p in back.resource["parameter"][1]["part"] if p["name"] == "source")
    assert source["valueCoding"] == {"system": SYSTEM, "code": "dog"}
    nothing = got(engine, "ConceptMap/$translate", ("system", "http://example.org/other"), ("sourceCode", "dog"))
    assert values_of(nothing)["result"] is False


def test_what_a_request_brings_hides_what_the_server_has(engine: Engine) -> None:
    own = {**ANIMALS, "version": "9", "concept": [{"code": "fish", "display": "Fish"}]}
    brought = {"name": "tx-resource", "resource": own}
    whole = {"name": "url", "valueUri": f"{SYSTEM}?fhir_vs"}
    assert codes_of(posted(engine, "ValueSet/$expand", whole, brought)) == ["fish"]
    assert codes_of(posted(engine, "ValueSet/$expand", whole)) == ["mammal", "dog", "cat", "bird"]
    cached = {"name": "cache-id", "valueId": "c1"}
    assert codes_of(posted(engine, "ValueSet/$expand", whole, brought, cached)) == ["fish"]
    assert codes_of(posted(engine, "ValueSet/$expand", whole, cached)) == ["fish"]


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
        found = values_of(
            posted(engine, "ValueSet/$validate-code", {"name": "url", "valueUri": PETS["url"]}, *parameters)
        )
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
    answers = posted(engine, "ValueSet/$batch-validate-code", *questions).resource["parameter"]
    assert [answer["resource"]["parameter"][0]["valueBoolean"] for answer in answers] == [True, False]


def test_read_and_search(engine: Engine) -> None:
    assert got(engine, "CodeSystem/animals").resource["title"] == "Animals of the farm"
    for query, total in (
        ((("url", SYSTEM),), 1),
        ((("title", "animals of"),), 1),
        ((("title:contains", "farm"),), 1),
        ((("name", "Cows"),), 0),
        ((("status", "active"), ("version", "2")), 1),
        ((("_id", "animals"),), 1),
    ):
        assert got(engine, "CodeSystem", *query).resource["total"] == total, query
    refused = got(engine, "CodeSystem", ("colour", "red"))
    assert (refused.status, message_of(refused)) == (400, "SEARCH_PARAMETER")
    assert got(engine, "CodeSystem", ("system", SYSTEM)).resource["total"] == 1
    assert message_of(got(engine, "ValueSet", ("system", SYSTEM))) == "SEARCH_PARAMETER"


def test_a_lenient_search_leaves_out_what_it_does_not_know(engine: Engine) -> None:
    asked = Request("GET", "CodeSystem", [("colour", "red"), ("url", SYSTEM)], {"prefer": "handling=lenient"})
    bundle = engine.answer(asked).resource
    assert bundle["total"] == 1
    assert "colour" not in bundle["link"][0]["url"]
    assert "url=" in bundle["link"][0]["url"]


def test_a_search_gives_the_elements_that_are_asked_for(engine: Engine) -> None:
    counted = got(engine, "CodeSystem", ("_summary", "count")).resource
    assert (counted["total"], "entry" in counted) == (1, False)
    for query, left_out, kept in (
        (("_summary", "true"), {"concept"}, {"title", "version"}),
        (("_elements", "title,url"), {"concept", "name"}, {"title", "url", "id", "status", "content"}),
        (("_summary", "text"), {"concept", "title"}, {"id", "status"}),
        (("_summary", "data"), set(), {"concept"}),
    ):
        found = got(engine, "CodeSystem", query).resource["entry"][0]["resource"]
        for one in (found, got(engine, "CodeSystem/animals", query).resource):
            assert one["meta"]["tag"][0]["code"] == "SUBSETTED"
            assert not left_out & set(one)
            assert kept <= set(one)
    assert "meta" not in got(engine, "CodeSystem/animals").resource
    assert got(engine, "CodeSystem", ("_summary", "some")).status == 400
    links = got(engine, "CodeSystem", ("_sort", "name"), ("status", "active")).resource["link"]
    assert links[0]["url"] == "http://x/r5/CodeSystem?status=active&_count=50&_offset=0"


def test_another_method_is_told_which_are_allowed(engine: Engine) -> None:
    for path, allowed in (("CodeSystem/animals", "GET, HEAD"), ("ValueSet/$expand", "GET, HEAD, POST"), ("", "POST")):
        found = engine.answer(Request("DELETE", path))
        assert (found.status, found.headers) == (405, {"Allow": allowed})
        said = found.resource["issue"][0]["details"]["text"]
        assert said == f"DELETE is not allowed here, only {allowed}; what this server does is at metadata"
        sent = answer(engine, Asked("DELETE", path))
        assert (sent.status, sent.headers["Allow"]) == (405, allowed)


def test_capabilities_name_every_code_system(engine: Engine) -> None:
    listed = got(engine, "metadata", ("mode", "terminology")).resource["codeSystem"]
    assert [(entry["uri"], [v["code"] for v in entry["version"]]) for entry in listed] == [(SYSTEM, ["2"])]
    operations = {
        entry["type"]: {operation["name"] for operation in entry["operation"]}
        for entry in got(engine, "metadata").resource["rest"][0]["resource"]
    }
    assert operations["ValueSet"] == {"expand", "validate-code", "batch-validate-code"}
    assert operations["CodeSystem"] == {"lookup", "validate-code", "batch-validate-code", "subsumes"}
