"""How a request names a code system: by its url, its version apart or behind it, or by the path of the request."""

from __future__ import annotations

from typing import Any

import pytest

from ontonym.serve.fhir.engine import Engine, Request
from ontonym.serve.fhir.library import Shelf

URL = "http://example.org/wards"


def _wards(version: str, display: str) -> dict[str, Any]:
    heart = {"code": "heart", "display": display, "concept": [{"code": "rhythm", "display": "Rhythm"}]}
    return {
        "resourceType": "CodeSystem", "id": f"wards-{version}", "url": URL, "version": version, "name": "Wards",
        "status": "active", "content": "complete", "hierarchyMeaning": "is-a", "concept": [heart],
    }  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine([Shelf([_wards("1", "Heart ward"), _wards("2", "Cardiology")])])


def _answer(engine: Engine, path: str, *query: tuple[str, str]) -> tuple[int, dict[str, Any]]:
    found = engine.answer(Request("GET", path, query, {}, None, "http://x/r5"))
    values = {
        one["name"]: next((value for name, value in one.items() if name.startswith("value")), None)
        for one in found.resource.get("parameter", ())
    }
    return found.status, values


@pytest.mark.parametrize(
    ("system", "version", "display"),
    [
        (URL, "", "Cardiology"),
        (URL, "1", "Heart ward"),
        (f"{URL}|1", "", "Heart ward"),
        (f"{URL}|2", "1", "Heart ward"),
    ],
)
def test_the_version_of_a_code_system_may_stand_behind_its_url(engine, system, version, display):
    asked = [("system", system), ("version", version), ("code", "heart")]
    status, found = _answer(engine, "CodeSystem/$lookup", *asked)
    assert (status, found["display"]) == (200, display)
    status, found = _answer(engine, "CodeSystem/$validate-code", ("url", system), *asked[1:])
    assert (status, found["result"], found["system"], found["display"]) == (200, True, URL, display)
    sides = [("codeA", "heart"), ("codeB", "rhythm")]
    status, found = _answer(engine, "CodeSystem/$subsumes", *asked[:2], *sides)
    assert (status, found["outcome"]) == (200, "subsumes")


def test_a_version_that_is_not_there_is_told_wherever_it_stands(engine):
    assert _answer(engine, "CodeSystem/$lookup", ("system", f"{URL}|9"), ("code", "heart"))[0] == 404
    assert _answer(engine, "CodeSystem/$validate-code", ("url", f"{URL}|9"), ("code", "heart"))[1]["result"] is False


def test_a_coding_has_no_version_behind_its_system(engine):
    coding = {"name": "coding", "valueCoding": {"system": f"{URL}|1", "code": "heart"}}
    body = {"resourceType": "Parameters", "parameter": [coding]}
    found = engine.answer(Request("POST", "CodeSystem/$validate-code", (), {}, body)).resource["parameter"]
    assert {"name": "result", "valueBoolean": False} in found


@pytest.mark.parametrize(
    ("path", "common", "own"),
    [
        ("CodeSystem/$batch-validate-code", [{"name": "url", "valueUri": URL}], []),
        ("CodeSystem/$batch-validate-code", [], [{"name": "url", "valueUri": f"{URL}|1"}]),
        ("CodeSystem/wards-1/$batch-validate-code", [], []),
    ],
)
def test_several_codes_of_a_code_system_are_validated_at_once(engine, path, common, own):
    questions = [
        {"name": "validation", "resource": {"resourceType": "Parameters",
                                            "parameter": [*own, {"name": "code", "valueCode": code}]}}
        for code in ("rhythm", "lung")
    ]  # fmt: skip
    body = {"resourceType": "Parameters", "parameter": [*common, *questions]}
    found = engine.answer(Request("POST", path, (), {}, body)).resource["parameter"]
    results = [one["resource"]["parameter"][0] for one in found]
    assert [(one["name"], one["valueBoolean"]) for one in results] == [("result", True), ("result", False)]
