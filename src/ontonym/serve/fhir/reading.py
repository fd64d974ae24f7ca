"""Read and search of CodeSystem, ValueSet and ConceptMap."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from ontonym.serve.fhir.canonicals import joined, version_fits
from ontonym.serve.fhir.capability import SEARCHED
from ontonym.serve.fhir.elements import check_id
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.messages import listed as as_list
from ontonym.serve.fhir.outcomes import FhirJson, refused
from ontonym.serve.fhir.values import bad
from ontonym.serve.fhir.words import words

TYPES = ("CodeSystem", "ValueSet", "ConceptMap")
PAGE = 50
MOST_PAGE = 1000
CONTROLS = frozenset({"_format", "_summary", "_elements"})
IGNORED = frozenset({"_contained", "_pretty", "_sort", "_total"})
ALIASES = {("CodeSystem", "system"): "url"}
"""Search parameters that FHIR has beside others for the same element."""
SUMMARIES = ("true", "text", "data", "count", "false")
MANDATORY = frozenset({"resourceType", "id", "meta", "status", "content"})
NOT_IN_SUMMARY = frozenset(
    """text contained extension description purpose copyright copyrightLabel approvalDate lastReviewDate topic author
    editor reviewer endorser relatedArtifact concept compose expansion group""".split()
)
SUBSETTED = {"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", "code": "SUBSETTED"}


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


def subset(resource: FhirJson, query: Mapping[str, str]) -> FhirJson:
    """The elements of a resource that ``_elements`` or ``_summary`` asks for, marked as a subset where one does.

    Raises FhirError where there is no such summary.
    """
    names, summary = query.get("_elements", ""), query.get("_summary", "false")
    if summary not in SUMMARIES:
        raise bad("_summary", as_list(list(SUMMARIES)), summary)
    kept = set(resource)
    if names:
        kept &= MANDATORY | {name.strip() for name in names.split(",")}
    elif summary == "true":
        kept -= NOT_IN_SUMMARY
    elif summary == "text":
        kept &= MANDATORY | {"text"}
    elif summary == "data":
        kept -= {"text"}
    else:
        return resource
    meta = resource.get("meta") or {}
    shown = {name: value for name, value in resource.items() if name in kept}
    return {**shown, "meta": {**meta, "tag": [*(meta.get("tag") or ()), SUBSETTED]}}


def search(
    library: Library, kind: str, query: Sequence[tuple[str, str]], base: str, *, lenient: bool = False
) -> FhirJson:
    """The Bundle of the resources that fit all search parameters, in pages.

    With ``_summary=count`` only their number. Raises FhirError where a search parameter is not supported, or leaves it
    out, and out of the link to itself, if it is ``lenient``.
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
        if name in IGNORED:
            continue
        name = ALIASES.get((kind, name), name)
        known = name in CONTROLS or (name in SEARCHED and modifier in ("", "exact", "contains", "below"))
        if not known and lenient:
            continue
        kept.append((key, value))
        if name in CONTROLS:
            continue
        if not known:
            raise refused(400, "not-supported", "SEARCH_PARAMETER", name=key, type=kind, names=", ".join(SEARCHED))
        found = [resource for resource in found if _fits(resource, name, modifier, value.split(","))]
    controls = dict(query)
    if controls.get("_summary") == "count":
        count = 0
    links = [{"relation": "self", "url": _url(base, kind, kept, count, offset)}]
    if offset + count < len(found) and count:
        links.append({"relation": "next", "url": _url(base, kind, kept, count, offset + count)})
    entries = [
        {
            "fullUrl": f"{base}/{kind}/{resource['id']}",
            "resource": subset(resource, controls),
            "search": {"mode": "match"},
        }
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
