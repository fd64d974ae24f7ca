"""Read and search of CodeSystem, ValueSet and ConceptMap."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from ontonym.serve.fhir.canonicals import joined, version_fits
from ontonym.serve.fhir.capability import SEARCHED
from ontonym.serve.fhir.elements import check_id
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.outcomes import FhirJson, refused
from ontonym.serve.fhir.values import bad
from ontonym.serve.fhir.words import words

TYPES = ("CodeSystem", "ValueSet", "ConceptMap")
PAGE = 50
MOST_PAGE = 1000
CONTROLS = frozenset({"_format", "_pretty", "_summary", "_elements", "_sort", "_total"})


def all_of(library: Library, kind: str) -> Iterator[FhirJson]:
    """Every resource of a type; a code system that is a terminology is shown without its concepts."""
    if kind == "CodeSystem":
        for system in library.systems():
            yield with_id(system.facts)
        for shelf in library.shelves:
            yield from (with_id(resource) for resource in shelf.supplements)
        return
    for shelf in library.shelves:
        yield from (with_id(resource) for resource in shelf.resources if resource["resourceType"] == kind)


def with_id(resource: FhirJson) -> FhirJson:
    """The resource with an id: its own, or one made from its canonical."""
    if resource.get("id"):
        return resource
    name = joined(resource.get("url", ""), resource.get("version"))
    tail = re.sub(r"[^A-Za-z0-9\-.]+", "-", name.rsplit("/", 1)[-1])[:40].strip("-")
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return {**resource, "id": f"{tail}-{digest}" if tail else digest}


def read(library: Library, kind: str, identifier: str) -> FhirJson:
    """The resource with that id. Raises FhirError (404) where there is none."""
    check_id(identifier)
    for resource in all_of(library, kind):
        if resource["id"] == identifier:
            return resource
    raise refused(404, "not-found", "NOT_FOUND", detail="not-found", what=f"{kind}/{identifier}")


def search(library: Library, kind: str, query: Sequence[tuple[str, str]], base: str) -> FhirJson:
    """The Bundle of the resources that fit all search parameters, in pages.

    Raises FhirError where a search parameter is not supported.
    """
    found = list(all_of(library, kind))
    count, offset = PAGE, 0
    kept = []
    for key, value in query:
        name, _, modifier = key.partition(":")
        if key in ("_count", "_offset"):
            number = _number(key, value)
            count, offset = (min(number, MOST_PAGE), offset) if key == "_count" else (count, number)
            continue
        kept.append((key, value))
        if name in CONTROLS:
            continue
        if name not in SEARCHED or modifier not in ("", "exact", "contains", "below"):
            raise refused(400, "not-supported", "SEARCH_PARAMETER", name=key, type=kind, names=", ".join(SEARCHED))
        found = [resource for resource in found if _fits(resource, name, modifier, value.split(","))]
    links = [{"relation": "self", "url": _url(base, kind, kept, count, offset)}]
    if offset + count < len(found) and count:
        links.append({"relation": "next", "url": _url(base, kind, kept, count, offset + count)})
    entries = [
        {"fullUrl": f"{base}/{kind}/{resource['id']}", "resource": resource, "search": {"mode": "match"}}
        for resource in found[offset : offset + count]
    ]
    bundle: FhirJson = {"resourceType": "Bundle", "type": "searchset", "total": len(found), "link": links}
    return {**bundle, "entry": entries} if entries else bundle


def _url(base: str, kind: str, kept: Sequence[tuple[str, str]], count: int, offset: int) -> str:
    return f"{base}/{kind}?{urlencode([*kept, ('_count', count), ('_offset', offset)])}"


def _number(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise bad(name, "a number", value)
    return int(value)


def _fits(resource: FhirJson, name: str, modifier: str, wanted: Sequence[str]) -> bool:
    have = str(resource.get("id" if name == "_id" else name, ""))
    return any(_fits_one(have, name, modifier, value) for value in wanted)


def _fits_one(have: str, name: str, modifier: str, wanted: str) -> bool:
    if modifier == "exact":
        return have == wanted
    if name in ("name", "title"):
        if modifier == "contains":
            return wanted.casefold() in have.casefold()
        folded, start = " ".join(words(have)), " ".join(words(wanted))
        return folded.startswith(start)
    if name == "url":
        return have.startswith(wanted) if modifier == "below" else have == wanted.partition("|")[0]
    if name == "version":
        return version_fits(wanted, have)
    return have == wanted.rpartition("|")[2]
