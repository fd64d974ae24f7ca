"""JSON, XML, R4 and R5 on the wire, and bodies that no client of good will sends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import orjson
import pytest
from fhiranimals import ANIMALS, MAP, PETS, SYSTEM

from ontonym.serve.fhir import library, r4, xml
from ontonym.serve.fhir.budget import MOST_WORK, Budget
from ontonym.serve.fhir.elements import table
from ontonym.serve.fhir.engine import Engine
from ontonym.serve.fhir.library import Shelf
from ontonym.serve.fhir.outcomes import FhirError
from ontonym.serve.fhir.wire import Asked, Sent, answer

ENGINE = Engine([Shelf([ANIMALS, PETS, MAP])])


def _send(
    body: bytes, path: str = "ValueSet/$expand", kind: str = "application/fhir+json", version: str = "r5"
) -> Sent:
    return answer(ENGINE, Asked("POST", path, [], {"content-type": kind}, body, "http://x", version))


def _get(path: str, *query: tuple[str, str], version: str = "", **headers: str) -> Sent:
    return answer(ENGINE, Asked("GET", path, list(query), headers, b"", "http://x", version))


@pytest.mark.parametrize("resource", [ANIMALS, PETS, MAP])
def test_xml_gives_back_what_json_says(resource: dict[str, Any]) -> None:
    assert xml.parsed(xml.written(resource)) == resource


def test_xml_has_extensions_of_primitives_and_narratives() -> None:
    resource = {
        "resourceType": "ValueSet",
        "id": "x",
        "text": {"status": "generated", "div": '<div xmlns="http://www.w3.org/1999/xhtml"><p>a &amp; b</p></div>'},
        "status": "active",
        "_title": {"extension": [{"url": "http://example.org/lang", "valueCode": "de"}]},
        "contained": [{"resourceType": "ValueSet", "id": "inner", "status": "draft"}],
        "expansion": {"timestamp": "2026-01-01", "total": 1, "contains": [{"abstract": True, "code": "<\"'&>"}]},
    }
    assert xml.parsed(xml.written(resource)) == resource


@pytest.mark.oracle
def test_elements_are_those_of_the_specification_in_its_order() -> None:
    resources = pytest.importorskip("fhir.resources")
    for kind, elements in table().items():
        wanted = list(resources.get_fhir_model_class(kind).elements_sequence())
        ours = list(elements)
        assert ours[: len(wanted)] == wanted, kind


@pytest.mark.parametrize(
    ("query", "headers", "kind"),
    [
        ((), {}, "application/fhir+json"),
        ((), {"accept": "application/fhir+xml"}, "application/fhir+xml"),
        ((), {"accept": "text/html, application/xml;q=0.5, application/json;q=0.4"}, "application/fhir+xml"),
        ((("_format", "json"),), {"accept": "application/fhir+xml"}, "application/fhir+json"),
        ((("_format", "application/fhir xml"),), {}, "application/fhir+xml"),
        ((), {"accept": "text/html, */*;q=0.1"}, "application/fhir+json"),
    ],
)
def test_the_client_chooses_the_format(query: tuple[Any, ...], headers: dict[str, str], kind: str) -> None:
    sent = _get("metadata", *query, **headers)
    assert (sent.status, sent.headers["content-type"].partition(";")[0]) == (200, kind)


@pytest.mark.parametrize("accept", ["application/pdf", "text/html", "application/fhir+json;q=0"])
def test_what_cannot_be_written_is_not_acceptable(accept: str) -> None:
    sent = _get("metadata", accept=accept)
    assert (sent.status, orjson.loads(sent.body)["issue"][0]["code"]) == (406, "not-supported")


@pytest.mark.parametrize("version", ["r4", "r5"])
def test_a_resource_that_no_operation_takes_is_refused_with_those_that_are(version: str) -> None:
    sent = _send(b'{"resourceType": "Patient"}', version=version)
    said = orjson.loads(sent.body)["issue"][0]["details"]["text"]
    wanted = (
        "Parameters or ValueSet or CodeSystem or ConceptMap or Bundle" if version == "r4" else "ValueSet or Parameters"
    )
    assert (sent.status, said) == (400, f"A resource of type {wanted} is expected, not Patient")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_wrong_method_is_refused_whatever_the_body_is(method: str) -> None:
    for body in (b"", b"{}", b"no JSON"):
        sent = answer(ENGINE, Asked(method, "CodeSystem/animals", body=body))
        assert (sent.status, sent.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("accept", ["application/fhir+json", "application/fhir+xml"])
def test_pretty_answers_have_lines(accept: str) -> None:
    flat, pretty = (_get("metadata", ("_pretty", value), accept=accept).body for value in ("false", "true"))
    assert pretty.count(b"\n") > 100 > flat.count(b"\n")
    assert b"".join(pretty.split()) == b"".join(flat.split())


def test_accept_chooses_the_version_where_the_path_does_not() -> None:
    four = _get("metadata", accept="application/fhir+json; fhirVersion=4.0")
    assert orjson.loads(four.body)["fhirVersion"] == "4.0.1"
    assert orjson.loads(_get("metadata").body)["fhirVersion"] == "5.0.0"


def test_r4_has_its_own_words() -> None:
    map_ = r4.to_r4(MAP)
    elements = map_["group"][0]["element"]
    assert [element["target"][0]["equivalence"] for element in elements] == ["equivalent", "narrower", "unmatched"]
    assert r4.from_r4(map_)["group"][0]["element"] == MAP["group"][0]["element"]
    query = (("code", "cat"), ("system", SYSTEM))
    found = orjson.loads(_get("ConceptMap/$translate", *query, version="r4").body)
    assert {"name": "equivalence", "valueCode": "narrower"} in found["parameter"][1]["part"]


def test_r4_carries_what_it_has_no_element_for() -> None:
    value_set = {
        "resourceType": "ValueSet",
        "status": "active",
        "compose": {"include": [{"system": "s", "filter": [{"property": "p", "op": "child-of", "value": "v"}]}]},
        "expansion": {
            "timestamp": "2026",
            "property": [{"code": "status", "uri": "http://hl7.org/fhir/concept-properties#status"}],
            "contains": [{"code": "a", "property": [{"code": "status", "valueCode": "retired"}]}],
        },
    }
    four = r4.to_r4(value_set)
    assert "op" not in four["compose"]["include"][0]["filter"][0]
    assert "property" not in four["expansion"]
    assert r4.from_r4(four) == value_set


def test_forms_and_other_media() -> None:
    form = b"url=http%3A%2F%2Fexample.org%2Fpets"
    sent = _send(form, kind="application/x-www-form-urlencoded")
    assert orjson.loads(sent.body)["expansion"]["total"] == 2
    assert _send(b"x", kind="image/png").status == 415
    assert _get("metadata", ("_format", "turtle")).status == 406
    assert b"is expected, not one without a resourceType" in _send(b'{"x": 1}').body


# Hostile bodies


def _expand(value_set: dict[str, Any], system: dict[str, Any] = ANIMALS) -> bytes:
    parameters = [
        {"name": "valueSet", "resource": {"resourceType": "ValueSet", "status": "active", **value_set}},
        {"name": "tx-resource", "resource": system},
    ]
    return orjson.dumps({"resourceType": "Parameters", "parameter": parameters})


def _imports(levels: int) -> bytes:
    sets = [
        {"resourceType": "ValueSet", "url": f"http://x/{n}", "status": "active",
         "compose": {"include": [{"valueSet": [f"http://x/{n + 1}", f"http://x/{n + 1}"]}]}}
        for n in range(levels)
    ]  # fmt: skip
    parameters = [{"name": "tx-resource", "resource": one} for one in sets]
    return orjson.dumps(
        {"resourceType": "Parameters", "parameter": [{"name": "url", "valueUri": "http://x/0"}, *parameters]}
    )


LARGE = {**ANIMALS, "concept": [{"code": f"c{n}"} for n in range(5000)]}
XML = "application/fhir+xml"
HEAD = b'<Parameters xmlns="http://hl7.org/fhir">'
REGEX = {"property": "code", "op": "regex", "value": "((((a{100}){100}){100}){100})"}
BACKTRACKING = [{"property": "code", "op": "regex", "value": f"(c+)+{n}$"} for n in range(200)]
DEEP = b'{"resourceType":"Parameters","parameter":[{"name":"a","extension":%s}]}' % (
    b'[{"url":"x","extension":' * 300 + b"[]" + b"}]" * 300
)
SLOW = {"compose": {"include": [{"system": SYSTEM, "filter": BACKTRACKING}]}}
BOMB = b'<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>' + HEAD + b'<id value="&b;"/></Parameters>'
HOSTILE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"{}", "json"),
    "no JSON": (b"{", "json"),
    "not UTF-8": (b'{"resourceType": "\xff"}', "json"),
    "an array": (b"[]", "json"),
    "deep arrays": (b"[" * 100_000, "json"),
    "deep extensions": (DEEP, "json"),
    "another resource": (b'{"resourceType":"Patient"}', "json"),
    "a type that is none": (b'{"resourceType":["Parameters"]}', "json"),
    "a wrong type": (b'{"resourceType":"Parameters","parameter":{"name":"url"}}', "json"),
    "a wrong type inside": (_expand({"compose": {"include": [{"system": 1}]}}), "json"),
    "a circle": (orjson.dumps({"resourceType": "Parameters", "parameter": [
        {"name": "url", "valueUri": "http://x/a"}, {"name": "tx-resource", "resource": {
            "resourceType": "ValueSet", "url": "http://x/a", "status": "active",
            "compose": {"include": [{"valueSet": ["http://x/a"]}]}}}]}), "json"),
    "imports that double": (_imports(40), "json"),
    "many includes": (_expand({"compose": {"include": [{"system": SYSTEM}] * 20_000}}), "json"),
    "many excludes": (
        _expand({"compose": {"include": [{"system": SYSTEM}] * 300, "exclude": [{"system": SYSTEM}] * 300}}), "json"),
    "a large expression": (_expand({"compose": {"include": [{"system": SYSTEM, "filter": [REGEX]}]}}), "json"),
    "expressions that backtrack": (_expand(SLOW, LARGE), "json"),
    "a backward reference": (_expand({"compose": {"include": [
        {"system": SYSTEM, "filter": [{"property": "code", "op": "regex", "value": r"(a)\1"}]}]}}), "json"),
    "languages": (orjson.dumps({"resourceType": "Parameters", "parameter": [
        {"name": "url", "valueUri": PETS["url"]}, {"name": "displayLanguage", "valueCode": "en," * 9999}]}), "json"),
    "an XML bomb": (BOMB, XML),
    "an external entity": (b'<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + HEAD + b"&a;</Parameters>", XML),
    "deep XML": (HEAD + b"<parameter>" + b"<part>" * 200 + b"</part>" * 200 + b"</parameter></Parameters>", XML),
    "other XML": (b"<html/>", XML),
    "half of an XML": (HEAD, XML),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("version", ["r5", "r4"])
def test_hostile_bodies_are_refused(name: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "Budget", lambda: Budget(MOST_WORK / 10))  # as when served, but sooner
    body, kind = HOSTILE[name]
    sent = _send(body, kind=kind if kind == XML else "application/fhir+json", version=version)
    assert 400 <= sent.status < 500, sent.body[:300]
    assert orjson.loads(sent.body)["resourceType"] == "OperationOutcome"
    assert _get("metadata").status == 200


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[step], (*path, step))


JUNK: tuple[Any, ...] = (None, True, -1, 1e308, "", "x" * 3000, "\x00", [], {}, [[]], [{}], {"a": 1}, "a|b|c", "(a+)+$")
QUESTIONS = (
    ("ValueSet/$expand", _expand({"compose": {"include": [{"system": SYSTEM}]}})),
    ("ValueSet/$validate-code", orjson.dumps({"resourceType": "Parameters", "parameter": [
        {"name": "valueSet", "resource": PETS},
        {"name": "codeableConcept", "valueCodeableConcept": {"coding": [{"system": SYSTEM, "code": "dog"}]}}]})),
    ("ConceptMap/$translate", orjson.dumps({"resourceType": "Parameters", "parameter": [
        {"name": "conceptMap", "resource": MAP},
        {"name": "sourceCoding", "valueCoding": {"system": SYSTEM, "code": "dog"}}]})),
    ("", orjson.dumps({"resourceType": "Bundle", "type": "batch", "entry": [
        {"request": {"method": "GET", "url": f"CodeSystem/$lookup?system={SYSTEM}&code=dog"}}]})),
)  # fmt: skip


def test_random_changes_of_good_bodies_never_break_the_server() -> None:
    draw = random.Random(7)  # noqa: S311 - nothing secret is drawn
    for _ in range(300):
        path, body = draw.choice(QUESTIONS)
        resource = orjson.loads(body)
        for _ in range(draw.choice((1, 1, 3))):
            place = draw.choice(list(_places(resource))[1:])
            holder = resource
            for step in place[:-1]:
                holder = holder[step]
            if draw.random() < 0.2:
                del holder[place[-1]]
            else:
                holder[place[-1]] = deepcopy(draw.choice(JUNK))
            if not resource or len(list(_places(resource))) < 2:
                break
        for version in ("r5", "r4"):
            sent = _send(orjson.dumps(resource), path, version=version)
            assert sent.status < 500, resource
            if sent.status >= 400:
                assert orjson.loads(sent.body)["issue"][0]["details"]["text"], resource


def _validating(**concept: Any) -> dict[str, Any]:
    coding = {"system": SYSTEM, "code": "dog"}
    given = {"name": "codeableConcept", "valueCodeableConcept": {"coding": [coding], **concept}}
    return {"resourceType": "Parameters", "parameter": [{"name": "valueSet", "resource": PETS}, given]}


@pytest.mark.parametrize(
    "concept",
    [
        {"_id": {"id": "x"}},
        {"id": "a\u0001b"},
        {"extension": [{"_url": {"id": "x"}}]},
        {"_coding": [{"id": "x"}, {"id": "y"}]},
        {"extension": [{"url": "http://example.org/x", "_valueCoding": {"id": "x"}}]},
    ],
)
def test_what_xml_cannot_hold_is_left_out_of_an_answer(concept: dict[str, Any]) -> None:
    asked = Asked("POST", "ValueSet/$validate-code", [("_format", "xml")], {}, orjson.dumps(_validating(**concept)))
    sent = answer(ENGINE, asked)
    assert sent.status == 200
    assert xml.parsed(sent.body)["parameter"][0] == {"name": "result", "valueBoolean": True}


def test_a_wrong_entry_of_a_batch_does_not_end_the_others() -> None:
    good = f"?system={SYSTEM}&code=dog"
    urls = ("http://[bad/CodeSystem/$lookup", f"CodeSystem/$lookup{good}", f"CodeSystem/%24lookup{good}")
    entries = [{"request": {"method": "GET", "url": url}} for url in urls]
    sent = _send(orjson.dumps({"resourceType": "Bundle", "type": "batch", "entry": entries}), "")
    assert [one["response"]["status"] for one in orjson.loads(sent.body)["entry"]] == ["400", "200 OK", "200 OK"]
    assert _get("CodeSystem/%24lookup").status == 404, "the path of a request has come without its percents"


def test_a_wrong_validation_does_not_end_the_others() -> None:
    questions = [
        {"name": "validation", "resource": {"resourceType": "Something", "parameter": "x"}},
        {"name": "validation", "resource": _validating()},
    ]
    body = {"resourceType": "Parameters", "parameter": questions}
    first, second = orjson.loads(_send(orjson.dumps(body), "ValueSet/$batch-validate-code").body)["parameter"]
    assert first["resource"]["resourceType"] == "OperationOutcome"
    assert second["resource"]["parameter"][0] == {"name": "result", "valueBoolean": True}


def test_a_missing_name_among_the_value_sets_of_an_include_is_none() -> None:
    compose = {"include": [{"system": SYSTEM, "valueSet": [None, PETS["url"]]}]}
    body = {"resourceType": "ValueSet", "status": "active", "compose": compose}
    found = orjson.loads(_send(orjson.dumps(body)).body)
    assert [one["code"] for one in found["expansion"]["contains"]] == ["dog", "cat"]


def test_the_error_of_xml_says_what_is_wrong() -> None:
    with pytest.raises(FhirError, match="no element colour"):
        xml.parsed(HEAD + b'<colour value="red"/></Parameters>')
