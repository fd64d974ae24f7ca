"""Implicit value sets: all codes of a code system, SNOMED CT's ``?fhir_vs``, LOINC's answer lists (FHIR R5, 4.9.3)."""

from __future__ import annotations

from urllib.parse import unquote

from ontonym.serve.fhir.canonicals import IMPLICIT_VALUE_SET, LOINC, SNOMED
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.outcomes import FhirJson


def found_value_set(library: Library, url: str, version: str = "") -> FhirJson | None:
    """The value set with that url, or the one that the url means by itself, or None."""
    return library.value_set(url, version) or implicit_value_set(library, url, version)


def implicit_value_set(library: Library, url: str, version: str) -> FhirJson | None:
    """The value set that a url means by itself, or None; a part below a code that is not known is none.

    ``SYSTEM?fhir_vs`` is every code of a code system, ``?fhir_vs=isa/CODE``, ``=ecl/EXPRESSION`` and ``=refset/CODE``
    its parts, and ``http://loinc.org/vs`` every code of LOINC; the first two work for any code system of the server. A
    SNOMED CT edition or version may stand before the question mark.
    """
    system, mark, rest = url.partition(IMPLICIT_VALUE_SET)
    if url == f"{LOINC}/vs" or url.startswith(f"{LOINC}/vs/"):
        return _loinc(library, url, version)
    if not mark:
        return None
    base, asked = edition_of(system)
    found = library.system(base, asked or version)
    if found is None:
        return None
    include: FhirJson = {"system": base}
    if asked or version:
        include["version"] = asked or version
    if rest:
        if not rest.startswith("="):
            return None
        kind, _, value = unquote(rest[1:]).partition("/")
        if kind == "isa" and found.row(value) is not None:
            include["filter"] = [{"property": "concept", "op": "is-a", "value": value}]
        elif kind == "refset" and base == SNOMED:
            include["filter"] = (
                [{"property": "constraint", "op": "=", "value": f"^ {value}"}]
                if value
                else [{"property": "referenceSet", "op": "exists", "value": "true"}]
            )
        elif kind == "ecl" and value:
            include["filter"] = [{"property": "constraint", "op": "=", "value": value}]
        else:
            return None
    return _value_set(url, found.title, include)


def edition_of(system: str) -> tuple[str, str]:
    """The code system and version of what stands before the question mark: ``http://snomed.info/sct/EDITION/version/DATE``."""
    return (SNOMED, system) if system.startswith(SNOMED + "/") else (system, "")


def _loinc(library: Library, url: str, version: str) -> FhirJson | None:
    found = library.system(LOINC, version)
    if found is None:
        return None
    include: FhirJson = {"system": LOINC}
    code = url.removeprefix(f"{LOINC}/vs").strip("/")
    if code and found.row(code) is None:
        return None
    if code:
        include["filter"] = [{"property": "concept", "op": "descendent-of", "value": code}]
    return _value_set(url, found.title, include)


def _value_set(url: str, title: str, include: FhirJson) -> FhirJson:
    return {
        "resourceType": "ValueSet",
        "url": url,
        "name": "Implicit",
        "title": f"Implicit value set of {title}",
        "status": "active",
        "compose": {"include": [include]},
    }
