"""CodeSystem/$lookup and $subsumes."""

from __future__ import annotations

from collections.abc import Iterator

from ontonym.serve.fhir.canonicals import split
from ontonym.serve.fhir.concepts import (
    CodedConcept,
    CodeSystemContent,
    ConceptProperty,
    all_properties,
    canonical,
    display_of,
)
from ontonym.serve.fhir.expand import unknown_system
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.outcomes import FhirError, FhirJson, missing, refused
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.values import Arguments, parameter, parameters, part, stated


def found_system(
    library: Library, arguments: Arguments, settings: Settings, url: str, version: str
) -> CodeSystemContent:
    """The code system of an operation. Raises FhirError where there is none, or a required supplement is missing."""
    own = arguments.resource("codeSystem", "CodeSystem")
    url = url or (own or {}).get("url", "")
    if not url:
        raise missing("a code with its system, or a coding")
    wanted, _ = settings.version("system", url, version)
    system = library.system(url, wanted, settings.supplements)
    if system is None:
        other = library.any_system(url, wanted)
        if other is not None and other.content not in ("complete", "fragment", "example"):
            raise refused(
                422,
                "not-supported",
                "CODESYSTEM_NO_CONTENT",
                detail="not-found",
                canonical=canonical(other),
                content=other.content,
            )
        raise unknown_system(library, url, wanted, 404)
    absent = ", ".join(s for s in settings.supplements if not any(_same(s, have) for have in system.supplements))
    if absent:
        raise refused(422, "not-found", "VALUESET_SUPPLEMENT_MISSING", detail="not-found", supplements=absent)
    return system


def _same(wanted: str, have: str) -> bool:
    url, version = split(wanted)
    other, other_version = split(have)
    return url == other and version in ("", other_version)


def row_of(system: CodeSystemContent, code: str) -> int:
    """The row of a code. Raises FhirError (404) where the code system does not have it."""
    row = system.row(code)
    if row is None:
        raise unknown_code(system, code)
    return row


def unknown_code(system: CodeSystemContent, code: str) -> FhirError:
    """The error of a code that the code system does not have."""
    return refused(
        404,
        "not-found",
        "UNKNOWN_CODE",
        detail="invalid-code",
        expression="code",
        code=code,
        canonical=canonical(system),
    )


def lookup(library: Library, arguments: Arguments, settings: Settings) -> FhirJson:
    """The Parameters that answer $lookup.

    Raises FhirError where the code system or the code is unknown, or both a code and a coding are given.
    """
    coding = arguments.coding("coding")
    code = arguments.code("code")
    if (coding is None) == (not code):
        raise refused(400, "invalid", "REPEATED_CODES", what="$lookup", names="code and coding")
    if coding is None:
        url, version = arguments.system("system", "version")
        coding = {"code": code, "system": url, "version": version}
    system = found_system(library, arguments, settings, coding.get("system", ""), coding.get("version", ""))
    row = row_of(system, str(coding.get("code", "")))
    concept = system.concept(row)
    wanted = set(settings.properties)
    display = display_of(concept.names, settings.languages, system.language)
    entries: list[FhirJson | None] = [
        parameter("name", "String", system.name or system.url),
        parameter("code", "Code", concept.code),
        parameter("system", "Uri", system.url),
        stated("version", "String", system.version),
        stated("display", "String", display),
        stated("definition", "String", concept.definition if _asked("definition", wanted) else ""),
        parameter("abstract", "Boolean", concept.abstract) if _asked("abstract", wanted) else None,
    ]
    if _asked("designation", wanted):
        entries.extend(_designations(system, concept))
    entries.extend(_property(entry) for entry in all_properties(system, row, concept) if _asked(entry.code, wanted))
    entries.extend(parameter("used-supplement", "Canonical", name) for name in concept.supplements)
    return parameters(*entries)


def _asked(name: str, wanted: set[str]) -> bool:
    return not wanted or "*" in wanted or name in wanted


def _designations(system: CodeSystemContent, concept: CodedConcept) -> Iterator[FhirJson]:
    for name in concept.names:
        shown = name.resource()
        language = name.language or (system.language if name.base else "")
        yield part(
            "designation",
            stated("language", "Code", language),
            stated("use", "Coding", shown.get("use")),
            parameter("value", "String", name.value),
            stated("source", "Canonical", name.source),
        )


def _property(entry: ConceptProperty) -> FhirJson:
    return part(
        "property",
        parameter("code", "Code", entry.code),
        {"name": "value", entry.type: entry.value},
        stated("description", "String", entry.display),
        stated("source", "Canonical", entry.source),
    )


def subsumes(library: Library, arguments: Arguments, settings: Settings) -> FhirJson:
    """The Parameters that answer $subsumes: equivalent, subsumes, subsumed-by or not-subsumed.

    Raises FhirError where a code is unknown, or the two are of different code systems.
    """
    codings = [arguments.coding(name) for name in ("codingA", "codingB")]
    system, version = arguments.system("system", "version")
    sides = []
    for coding, name in zip(codings, ("codeA", "codeB"), strict=True):
        code = arguments.code(name) if coding is None else str(coding.get("code", ""))
        url = system if coding is None else str(coding.get("system", ""))
        if not code:
            raise missing("codeA and codeB, or codingA and codingB")
        sides.append((url or system, version if coding is None else coding.get("version", version), code))
    (url, version, one), (other_url, _, two) = sides
    if url != other_url:
        raise refused(400, "invalid", "TWO_SYSTEMS", first=url, second=other_url)
    found = found_system(library, arguments, settings, url, version)
    first, second = row_of(found, one), row_of(found, two)
    return parameters(parameter("outcome", "Code", relation(found, first, second)))


def relation(system: CodeSystemContent, first: int, second: int) -> str:
    """How two concepts of one code system are related."""
    if first == second:
        return "equivalent"
    if system.above(second)[first]:
        return "subsumes"
    return "subsumed-by" if system.above(first)[second] else "not-subsumed"
