"""The table of FHIR's elements with their order and types, and the check of a body against it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ontonym.serve.fhir.outcomes import FhirError, FhirJson, refused

DEEPEST = 64
MOST_ELEMENTS = 500_000
PRIMITIVES: dict[str, tuple[Any, str]] = {
    "string": (str, "a string"),
    "boolean": (bool, "true or false"),
    "integer": (int, "an integer"),
    "decimal": (int | float, "a number"),
}
TAKEN = ("Parameters", "ValueSet", "CodeSystem", "ConceptMap", "Bundle")
"""The resources that clients send."""
_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")


@dataclass(frozen=True)
class Element:
    """One element; its type is ``string``, ``boolean``, ``integer``, ``decimal``, one of the table, or ``Resource``."""

    name: str
    type: str
    repeats: bool


@cache
def table() -> dict[str, dict[str, Element]]:
    """All types with their elements, in the order of XML."""
    lines = [line for line in files(__package__).joinpath("elements.txt").read_text("utf-8").split("\n") if line]
    rows = [line.split(" ") for line in lines if not line.startswith("#")]
    choice = [_element(word) for word in rows[0][1:]]
    types: dict[str, dict[str, Element]] = {}
    for name, *words in rows[1:]:
        elements = [e for word in words for e in (choice if word == "value[x]" else [_element(word)])]
        types[name] = {element.name: element for element in elements}
    return types


def _element(word: str) -> Element:
    name, _, kind = word.removesuffix("*").partition(":")
    return Element(name, kind or "string", word.endswith("*"))


def checked(resource: Any, *kinds: str, most: int = MOST_ELEMENTS) -> FhirJson:
    """The resource, where it has the shape that FHIR gives it, so that the rest of the server need not look again.

    Elements that are unknown here are kept as they are. Raises FhirError (400) where the type is not among ``kinds``
    (any known type where none is named), an element has the wrong type, the nesting is deeper than 64 levels, or (413)
    there are more than ``most`` elements.
    """
    if not isinstance(resource, dict):
        raise _bad("The body", "an object with a resourceType is expected")
    kind = resource.get("resourceType")
    known = kinds or tuple(name for name in table() if name[0].isupper())
    if not isinstance(kind, str) or kind not in known:
        raise refused(
            400,
            "invalid",
            "WRONG_RESOURCE",
            wanted=" or ".join(kinds or TAKEN),
            given="one without a resourceType" if kind is None else str(kind)[:60],
        )
    _check(kind, resource, kind, 0, [most])
    return resource


def _check(kind: str, value: dict[str, Any], path: str, depth: int, left: list[int]) -> None:
    if depth > DEEPEST:
        raise refused(400, "structure", "TOO_DEEP", limit=DEEPEST)
    left[0] -= 1 + len(value)
    if left[0] < 0:
        raise refused(413, "too-costly", "TOO_COSTLY")
    elements = table()[kind]
    for name, part in value.items():
        element = elements.get(name)
        if element is None:
            continue
        where = f"{path}.{name}"
        if not element.repeats:
            _check_one(element.type, part, where, depth, left)
            continue
        if not isinstance(part, list) or not part:
            raise _bad(where, "an array with at least one entry is expected")
        for row, entry in enumerate(part):
            if entry is None and element.type in PRIMITIVES:
                continue
            _check_one(element.type, entry, f"{where}[{row}]", depth, left)


def _check_one(kind: str, value: Any, path: str, depth: int, left: list[int]) -> None:
    if kind in PRIMITIVES:
        python, wanted = PRIMITIVES[kind]
        if not isinstance(value, python) or (isinstance(value, bool) and kind != "boolean"):
            raise _bad(path, f"{wanted} is expected")
    elif not isinstance(value, dict):
        raise _bad(path, "an object is expected")
    elif kind == "Resource":
        inner = value.get("resourceType")
        if isinstance(inner, str) and inner in table():
            _check(inner, value, inner, depth + 1, left)
        elif not isinstance(inner, str):
            raise _bad(path, "a resource is expected")
    else:
        _check(kind, value, path, depth + 1, left)


def check_id(value: str) -> str:
    """The id, where FHIR allows it; raises FhirError (404) otherwise."""
    if not _ID.fullmatch(value):
        raise refused(404, "not-found", "BAD_ID", id=value[:64])
    return value


def _bad(what: str, problem: str) -> FhirError:
    return refused(400, "structure", "BAD_RESOURCE", what=what, problem=problem)
