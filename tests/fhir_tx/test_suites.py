"""HL7's terminology tests against the engine: a test that passed before and fails now fails here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import orjson
import pytest

from fhir_tx.runner import Answer, Runner, cases, folder
from ontonym.serve.fhir.engine import Engine, Request
from ontonym.serve.fhir.r4 import from_r4, to_r4
from ontonym.serve.fhir.wire import Asked, answer

PLACE = folder()
HERE = Path(__file__).parent
BASELINE = json.loads((HERE / "baseline.json").read_text(encoding="utf-8"))
EXTERNALS = json.loads((HERE / "externals.json").read_text(encoding="utf-8"))
r5 = pytest.importorskip("fhir.resources")
r4b = pytest.importorskip("fhir.resources.R4B")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PLACE is None, reason="HL7's tests are not there: set ONTONYM_DATA"),
]


def _send(engine: Engine) -> Any:
    def send(method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]) -> Answer:
        place, _, query = path.partition("?")
        lower = {name.lower(): value for name, value in headers.items()}
        found = engine.answer(Request(method, place, parse_qsl(query), lower, body, "http://localhost/r5"))
        r5.get_fhir_model_class(found.resource["resourceType"]).model_validate(found.resource)
        return found.status, found.resource

    return send


def _judge(runner: Runner, least: float) -> None:
    assert PLACE is not None
    listed = {name: reason for reason, names in BASELINE.items() for name in names}
    problems = {case.name: runner.problem(case) for case in cases(PLACE)}
    lost = {name: problem for name, problem in problems.items() if problem is not None and name not in listed}
    gained = sorted(name for name in listed if problems.get(name) is None)
    assert not lost, lost
    assert not gained, f"these pass now: take them out of baseline.json: {gained}"
    share = 1 - len(listed) / len(problems)
    assert share >= least, f"{share:.1%} of {len(problems)}"


def test_r5_with_our_own_texts() -> None:
    assert PLACE is not None
    _judge(Runner(PLACE, _send(Engine()), EXTERNALS), 0.90)


def test_r5_with_fragments_of_texts() -> None:
    assert PLACE is not None
    _judge(Runner(PLACE, _send(Engine())), 0.80)


def _send_r4(engine: Engine) -> Any:
    """Sends what R4 clients send: R4 resources as bytes, and reads R4 resources that fhir.resources takes for valid."""

    def send(method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]) -> Answer:
        place, _, query = path.partition("?")
        lower = {name.lower(): value for name, value in headers.items()} | {"content-type": "application/fhir+json"}
        data = b"" if body is None else orjson.dumps(body)
        sent = answer(engine, Asked(method, place, parse_qsl(query), lower, data, "http://localhost/r4", "r4"))
        resource = orjson.loads(sent.body)
        r4b.get_fhir_model_class(resource["resourceType"]).model_validate(resource)
        return sent.status, resource

    return send


def _restored(resource: dict[str, Any]) -> dict[str, Any]:
    """An answer in R5; ``source`` is R4's name of ``originMap``, which the tests want in R4 too."""
    for match in (one for one in resource.get("parameter", ()) if one["name"] == "match"):
        match["part"] = [one for one in match["part"] if not (one["name"] == "source" and "valueUri" in one)]
    return from_r4(resource)


def test_r4_by_conversion() -> None:
    assert PLACE is not None
    engine = Engine()
    runner = Runner(PLACE, _send_r4(engine), EXTERNALS, version="4.0.1", convert=to_r4, restore=_restored)
    _judge(runner, 0.85)
