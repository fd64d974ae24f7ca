"""A code system, a value set and a map of animals, and requests of a FHIR engine that has them."""

from __future__ import annotations

from typing import Any

from ontonym.serve.fhir.engine import Engine, Request, Response

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


def got(engine: Engine, path: str, *query: tuple[str, str], **headers: str) -> Response:
    return engine.answer(Request("GET", path, query, headers, None, "http://x/r5"))


def posted(engine: Engine, path: str, *parameters: dict[str, Any]) -> Response:
    body = {"resourceType": "Parameters", "parameter": list(parameters)}
    return engine.answer(Request("POST", path, (), {}, body, "http://x/r5"))


def codes_of(response: Response) -> list[str]:
    assert response.status == 200, response.resource
    found: list[str] = []
    waiting = list(response.resource["expansion"].get("contains", []))
    while waiting:
        entry = waiting.pop(0)
        found.append(entry["code"])
        waiting[:0] = entry.get("contains", [])
    return found


def values_of(response: Response) -> dict[str, Any]:
    return {
        entry["name"]: next((value for name, value in entry.items() if name.startswith("value")), entry.get("resource"))
        for entry in response.resource["parameter"]
    }


def message_of(response: Response) -> str:
    return response.resource["issue"][0]["extension"][0]["valueString"]
