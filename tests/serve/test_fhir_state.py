"""What clients leave with a FHIR engine: closure tables and cached resources, shared by its workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from fhiranimals import ANIMALS, PETS, SYSTEM, posted, values_of

from ontonym.serve.fhir import closure, state
from ontonym.serve.fhir.engine import Engine, EngineMemory, Response
from ontonym.serve.fhir.library import Shelf
from ontonym.serve.fhir.outcomes import FhirError
from ontonym.serve.fhir.wire import Asked, answer


def test_closure_grows(engine: Engine) -> None:
    def grown(*codes: str, version: str = "") -> dict[str, Any]:
        concepts = [{"name": "concept", "valueCoding": {"system": SYSTEM, "code": code}} for code in codes]
        since = [{"name": "version", "valueString": version}] if version else []
        return posted(engine, "$closure", {"name": "name", "valueString": "t"}, *concepts, *since).resource

    def pairs(found: dict[str, Any]) -> list[tuple[str, str]]:
        elements = [element for group in found.get("group", []) for element in group["element"]]
        return [(element["code"], target["code"]) for element in elements for target in element["target"]]

    assert posted(engine, "$closure", {"name": "name", "valueString": "x"},
                 {"name": "concept", "valueCoding": {"system": SYSTEM, "code": "dog"}}).status == 404  # fmt: skip
    assert pairs(grown()) == []
    assert pairs(grown("dog", "bird")) == []
    second = grown("mammal", "cat")
    assert (pairs(second), second["version"]) == ([("dog", "mammal"), ("cat", "mammal")], "2")
    assert pairs(grown(version="1")) == [("dog", "mammal"), ("cat", "mammal")]
    assert pairs(grown(version="2")) == []


def test_closure_in_r4_says_what_subsumes(engine: Engine) -> None:
    codes = [{"name": "concept", "valueCoding": {"system": SYSTEM, "code": code}} for code in ("dog", "mammal")]
    name = {"name": "name", "valueString": "t"}

    def sent(path: str, resource: dict[str, Any], version: str) -> dict[str, Any]:
        asked = Asked("POST", path, body=orjson.dumps(resource), base="http://x", version=version)
        found: dict[str, Any] = orjson.loads(answer(engine, asked).body)
        return found

    def batch(*resources: dict[str, Any]) -> dict[str, Any]:
        request = {"method": "POST", "url": "$closure"}
        return {"resourceType": "Bundle", "type": "batch",
                "entry": [{"request": request, "resource": one} for one in resources]}  # fmt: skip

    start, grow = ({"resourceType": "Parameters", "parameter": [name, *some]} for some in ((), codes))
    sent("$closure", start, "r4")
    alone = sent("$closure", grow, "r4")
    together = sent("", batch(start, grow), "r4")["entry"][1]["resource"]
    for found in (alone, together):
        (element,) = found["group"][0]["element"]
        assert element == {"code": "dog", "target": [{"code": "mammal", "equivalence": "subsumes"}]}
    (newer,) = sent("", batch(start, grow), "r5")["entry"][1]["resource"]["group"][0]["element"]
    assert newer["target"] == [{"code": "mammal", "relationship": "source-is-narrower-than-target"}]


@pytest.fixture
def workers(tmp_path: Path) -> list[Engine]:
    """Two engines that share what clients leave with them, as worker processes do."""
    return [Engine([Shelf([ANIMALS])], memory=EngineMemory(tmp_path)) for _ in range(2)]


def test_a_closure_table_grows_whichever_worker_is_asked(workers: list[Engine]) -> None:
    def asked(worker: int, *codes: str) -> Response:
        concepts = [{"name": "concept", "valueCoding": {"system": SYSTEM, "code": code}} for code in codes]
        return posted(workers[worker], "$closure", {"name": "name", "valueString": "t"}, *concepts)

    asked(0)
    assert asked(1, "dog").resource["version"] == "1"
    element = asked(0, "mammal").resource["group"][0]["element"]
    assert [(one["code"], one["target"][0]["code"]) for one in element] == [("dog", "mammal")]
    assert asked(1, "unknown").status == 404
    assert asked(1, "cat").resource["version"] == "3", "what failed left nothing behind"
    asked(1)
    assert asked(0, "mammal").resource["version"] == "1", "it was begun anew"


def test_a_closure_table_is_extended_while_another_client_writes(
    workers: list[Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(worker: int, *codes: str) -> dict[str, Any]:
        concepts = [{"name": "concept", "valueCoding": {"system": SYSTEM, "code": code}} for code in codes]
        return posted(workers[worker], "$closure", {"name": "name", "valueString": "t"}, *concepts).resource

    meanwhile = iter(["mammal"])
    relations = closure._relations

    def slow(*given: Any) -> Any:
        for code in meanwhile:
            asked(1, code)  # another worker, which would wait in vain for a lock
        return relations(*given)

    asked(0)
    monkeypatch.setattr(closure, "_relations", slow)
    last = asked(0, "dog")
    element = last["group"][0]["element"]
    assert [(one["code"], one["target"][0]["code"]) for one in element] == [("dog", "mammal")]
    assert last["version"] == "2"
    assert "group" not in asked(0, "dog")


def test_concepts_that_are_sent_again_do_not_fill_a_closure_table(
    workers: list[Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closure, "MOST_CONCEPTS", 2)
    dog, cat = ({"name": "concept", "valueCoding": {"system": SYSTEM, "code": code}} for code in ("dog", "cat"))
    for concepts in ((), (dog, cat), (dog, cat)):
        assert posted(workers[0], "$closure", {"name": "name", "valueString": "t"}, *concepts).status == 200


def test_closure_tables_that_are_too_many_or_too_large_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closure, "MOST_TABLES", 2)
    monkeypatch.setattr(closure, "MOST_CONCEPTS", 2)
    engine = Engine([Shelf([ANIMALS])])
    dog, cat, bird = ({"name": "concept", "valueCoding": {"system": SYSTEM, "code": c}} for c in ("dog", "cat", "bird"))

    def asked(name: str, *concepts: dict[str, Any]) -> int:
        return posted(engine, "$closure", {"name": "name", "valueString": name}, *concepts).status

    for name in ("a", "b"):
        asked(name)
    assert asked("a", dog) == 200
    asked("c")
    assert [asked("a", cat), asked("b", dog), asked("c", dog)] == [200, 404, 200]
    assert asked("a", bird) == 422


def test_a_resource_that_is_sent_again_takes_the_place_of_the_one_before(
    workers: list[Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "MOST_CACHED", 2)

    def valid(worker: int, code: str) -> bool:
        included = {"system": SYSTEM, "concept": [{"code": code}]}
        only = {**PETS, "compose": {"include": [included]}}
        coding = {"name": "coding", "valueCoding": {"system": SYSTEM, "code": "dog"}}
        name = {"name": "cache-id", "valueId": "c1"}
        posted(workers[worker], "ValueSet/$validate-code", name, coding, {"name": "valueSet", "resource": only})
        url = {"name": "url", "valueUri": PETS["url"]}
        found = posted(workers[1 - worker], "ValueSet/$validate-code", name, coding, url)
        return bool(values_of(found)["result"])

    assert [valid(turn % 2, "dog" if turn < 3 else "cat") for turn in range(6)] == [True] * 3 + [False] * 3


def test_what_a_client_caches_is_known_to_every_worker(workers: list[Engine]) -> None:
    name = {"name": "cache-id", "valueId": "c1"}
    fish = {**ANIMALS, "url": "http://example.org/fish", "concept": [{"code": "cod", "display": "Cod"}]}
    code = [{"name": "url", "valueUri": fish["url"]}, {"name": "code", "valueCode": "cod"}]
    path = "CodeSystem/$validate-code"
    assert values_of(posted(workers[0], path, name, *code, {"name": "tx-resource", "resource": fish}))["result"] is True
    assert values_of(posted(workers[1], path, name, *code))["result"] is True
    other = {"name": "tx-resource", "resource": {**fish, "concept": [{"code": "eel", "display": "Eel"}]}}
    posted(workers[1], path, name, *code, other)
    assert values_of(posted(workers[0], path, name, *code))["result"] is False, "the later one took its place"
    assert values_of(posted(workers[0], path, *code))["result"] is False, "without the cache-id it is not known"


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
