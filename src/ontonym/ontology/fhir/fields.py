"""Fields of FHIR JSON: ``value[x]``, Codings, translations, and names in designations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ontonym.files.jsontext import JsonObject, object_of, objects_of, text_of
from ontonym.jsonbytes import json_bytes
from ontonym.ontology.obo.flat import SYNONYM_SCOPES
from ontonym.types import Kind, Scope, Status, Term


def value_of(element: JsonObject) -> tuple[str, Any]:
    """The type (``Code``, ``Boolean``) and the value of an element with ``value[x]``; ``("", None)`` without one."""
    for key, value in element.items():
        if key.startswith("value") and len(key) > 5 and value is not None:
            return key[5:], value
    return "", None


def written(value: Any) -> str:
    """A ``value[x]`` as text: codes, strings and dates as they are, booleans and numbers as in JSON, a Coding in the
    syntax of FHIR Shorthand (``system|version#code "display"``), any other object as JSON.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("code"), str):
        return coding_text(value)
    return json_bytes(value).decode()


def code_in(value: Any) -> str:
    """The code in a value of type code or Coding; any other value as text."""
    code = value.get("code") if isinstance(value, dict) else None
    return code if isinstance(code, str) else written(value)


def coding_text(coding: JsonObject) -> str:
    """A Coding as FHIR Shorthand writes it; a code with white space is quoted."""
    system, version, code = text_of(coding, "system"), text_of(coding, "version"), text_of(coding, "code")
    quoted = f'"{code}"' if any(c.isspace() for c in code) else code
    display = text_of(coding, "display")
    return f"{system}{'|' + version if version else ''}#{quoted}" + (
        f" {json_bytes(display).decode()}" if display else ""
    )


def translations(parent: JsonObject, key: str) -> Iterator[tuple[str, str]]:
    """Language and text of every translation of the primitive ``key`` (extension ``translation`` on ``_key``)."""
    beside = f"_{key}"
    for extension in objects_of(object_of(parent, beside), "extension") if beside in parent else ():
        if extension.get("url") == "http://hl7.org/fhir/StructureDefinition/translation":
            parts = {text_of(part, "url"): value_of(part)[1] for part in objects_of(extension, "extension")}
            language, content = parts.get("lang"), parts.get("content")
            if isinstance(language, str) and isinstance(content, str) and language and content.strip():
                yield language, content.strip()


TEXT_DEFINITION = "900000000000550004"

USES = MappingProxyType[str, tuple[Kind, Scope]](
    {
        "900000000000003001": ("fsn", "exact"), "900000000000013009": ("synonym", "exact"),
        "900000000000548007": ("preferred", "exact"), "preferredForLanguage": ("preferred", "exact"),
        "display": ("preferred", "exact"), "OMO:0003003": ("lay", "exact"), "OMO:0003000": ("abbreviation", "exact"),
        "entry": ("entry", "exact"), **{name: ("synonym", scope) for name, scope in SYNONYM_SCOPES.items()},
    }
)  # fmt: skip
"""Code of a designation's use to kind and scope: SNOMED CT's description types and acceptability, HL7's and OBO's."""

ADDITIONAL_USE = "http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.concept.designation.additionalUse"
"""The extension with which R4 may represent R5's ``additionalUse``."""
STANDARDS_STATUS = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"


@dataclass(frozen=True, slots=True)
class DesignatedNames:
    """The terms of a concept, preferred first, and definitions found among the designations."""

    terms: tuple[Term, ...]
    definitions: tuple[str, ...]


def names_of(item: JsonObject, display: str, language: str) -> DesignatedNames:
    """The names of a concept in a CodeSystem, a value set or an expansion.

    ``display`` is the key of its display, whose language is ``language``. A designation without a use is suitable for
    display (FHIR R4, 4.8.16 "ConceptDefinition.designation.use"): the first of a language that has no preferred term
    yet becomes it, and so does a translation of the display.
    """
    terms: dict[Term, None] = {}
    definitions: dict[str, None] = {}
    shown = text_of(item, display)
    if shown:
        terms[Term(shown, "preferred", language=language)] = None
    for tag, text in translations(item, display):
        terms.setdefault(Term(text, "preferred", language=tag))
    for designation in objects_of(item, "designation") if "designation" in item else ():
        text = text_of(designation, "value")
        uses = [use for use in map(_use, _uses(designation)) if use]
        if not text:
            continue
        if uses[:1] == [TEXT_DEFINITION]:
            definitions[text] = None
            continue
        spoken = text_of(designation, "language") or language
        terms.setdefault(_term(text, spoken, uses, _status(designation), terms))
    return DesignatedNames(tuple(sorted(terms, key=lambda term: term.kind != "preferred")), tuple(definitions))


def _term(text: str, language: str, uses: list[str], status: Status, known: dict[Term, None]) -> Term:
    """The term: the first known use gives its kind, any of them its scope, and an unknown use its source."""
    if not uses:
        free = all(term.language != language or term.kind != "preferred" for term in known)
        return Term(text, "preferred" if free and status == "active" else "synonym", language=language, status=status)
    meant = [USES[use] for use in uses if use in USES]
    kind: Kind = meant[0][0] if meant else "synonym"
    scope: Scope = next((scope for _, scope in meant if scope != "exact"), "exact")
    return Term(text, kind, scope, language, status, next((use for use in uses if use not in USES), ""))


def _uses(designation: JsonObject) -> Iterator[JsonObject]:
    """The Codings of the use and of the additional uses."""
    yield object_of(designation, "use")
    yield from objects_of(designation, "additionalUse") if "additionalUse" in designation else ()
    for extension in objects_of(designation, "extension") if "extension" in designation else ():
        if extension.get("url") == ADDITIONAL_USE:
            yield object_of(extension, "valueCoding")


def _use(use: JsonObject) -> str:
    """The code of the use, or its text if it has no code."""
    return text_of(use, "code") or text_of(use, "display")


def _status(designation: JsonObject) -> Status:
    """Retired where HL7's extension for the status of an element says withdrawn or deprecated."""
    for extension in objects_of(designation, "extension") if "extension" in designation else ():
        if extension.get("url") == STANDARDS_STATUS and value_of(extension)[1] in {"withdrawn", "deprecated"}:
            return "retired"
    return "active"
