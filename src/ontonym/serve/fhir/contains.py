"""One concept of an expansion, as FHIR writes it: its display, designations, extensions and properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ontonym.serve.fhir.canonicals import CONCEPT_PROPERTIES, CONFIDENCE, EXTENSIONS, MATCHED, REASON
from ontonym.serve.fhir.concepts import CodedConcept, CodeSystemContent, Designation, Found, all_properties, preferred
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.resourcecodes import designations
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.values import extension, has_extension
from ontonym.serve.fhir.words import begins, words
from ontonym.text.normalization import key

KEPT_FROM_SYSTEM = frozenset(
    EXTENSIONS + name for name in ("coding-sctdescid", "rendering-style", "rendering-xhtml", "codesystem-alternate")
)
KEPT_FROM_VALUE_SET = frozenset(
    EXTENSIONS + name
    for name in (
        "valueset-deprecated",
        "valueset-concept-definition",
        "coding-sctdescid",
        "rendering-style",
        "rendering-xhtml",
        "structuredefinition-standards-status",
        "valueset-supplement",
    )
)
# Extensions that an expansion shows as properties: their code, uri and type. Those of the value set win.
SHOWN_AS_PROPERTIES = (
    ("label", "label", "valueString", "codesystem-label", "valueset-label"),
    ("order", "order", "valueDecimal", "codesystem-conceptOrder", "valueset-conceptOrder"),
    ("weight", "itemWeight", "valueDecimal", "itemWeight", "itemWeight"),
)


@dataclass(frozen=True)
class ExpansionEntry:
    """One concept of the expansion: where it comes from, how the value set writes it, and how a search found it."""

    system: CodeSystemContent
    row: int
    listed: FhirJson | None
    found: Found | None


@dataclass
class ExpansionParts:
    """One expansion in the making: what it has used, and the properties that its concepts show."""

    settings: Settings
    parameters: list[FhirJson] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    with_version: bool = False

    def use(self, name: str, value: Any, kind: str = "valueUri") -> None:
        """Notes a parameter of the answer, once."""
        entry = {"name": name, kind: value}
        if entry not in self.parameters:
            self.parameters.append(entry)


def contained(made: ExpansionParts, entry: ExpansionEntry) -> FhirJson:
    """An element of `contains`; the properties that it shows are noted in the expansion."""
    concept = entry.system.concept(entry.row)
    settings = made.settings
    listed = entry.listed or {}
    shown: FhirJson = {}
    names = all_names(concept, listed)
    chosen = preferred(names, settings.languages, entry.system.language)
    extensions = list(_extensions(concept, listed, entry.found))
    if entry.found is not None:
        matched = _matched(entry.found, names, chosen, settings.filter)
        extensions += [{"url": MATCHED, "valueString": matched}] if matched else []
    if extensions:
        shown["extension"] = extensions
    shown["system"] = entry.system.url
    if concept.abstract:
        shown["abstract"] = True
    if concept.inactive:
        shown["inactive"] = True
    if made.with_version and entry.system.version:
        shown["version"] = entry.system.version
    shown["code"] = concept.code
    if chosen is not None:
        shown["display"] = chosen.value
    if settings.include_designations:
        others = [
            name for name in names if name is not chosen and not _repeats(name, chosen) and _wanted(name, settings)
        ]
        if others:
            shown["designation"] = [_named(name, entry.system.language, listed).resource() for name in others]
    properties = list(_properties(made, entry, concept, listed))
    if properties:
        shown["property"] = properties
    return shown


def all_names(concept: CodedConcept, listed: FhirJson) -> list[Designation]:
    """The names of a concept; a display that the value set gives stands for that of the code system."""
    names = list(concept.names)
    if listed.get("display"):
        base = next((name for name in names if name.base), None)
        own = Designation(listed["display"], base.language if base else "", base=True, source="value set")
        names = [own, *(name for name in names if name is not base)]
    return [*names, *designations(listed, "")]


def _repeats(name: Designation, chosen: Designation | None) -> bool:
    return chosen is not None and (name.value, name.language, name.use) == (chosen.value, chosen.language, chosen.use)


def _named(name: Designation, language: str, listed: FhirJson) -> Designation:
    if name.base and not name.language and language:
        return Designation(name.value, language, name.use, name.source, True, name.extensions)
    return name


def _wanted(name: Designation, settings: Settings) -> bool:
    if not settings.designations:
        return True
    for token in settings.designations:
        system, _, code = token.rpartition("|")
        if system == "urn:ietf:bcp:47" or (not system and not name.use):
            if name.language == code:
                return True
        elif name.use is not None and name.use.get("code") == code and name.use.get("system", "") == system:
            return True
    return False


def _extensions(concept: CodedConcept, listed: FhirJson, found: Found | None) -> Iterator[FhirJson]:
    for entry in concept.extensions:
        if entry.get("url") in KEPT_FROM_SYSTEM:
            yield entry
    for entry in listed.get("extension") or ():
        if entry.get("url") in KEPT_FROM_VALUE_SET:
            yield entry
    if found is not None and found.confidence is not None:
        yield {"url": CONFIDENCE, "valueDecimal": round(found.confidence, 4)}
    if found is not None and found.reason:
        yield {"url": REASON, "valueString": found.reason}


def _matched(found: Found, names: Sequence[Designation], chosen: Designation | None, typed: str) -> str:
    """The name by which a search found a concept; empty where the display is it, or shows what was typed as well."""
    shown = chosen.value if chosen is not None else ""
    if found.matched:
        return "" if key(found.matched) == key(shown) else found.matched
    begun = words(typed)
    if begins(begun, [shown]):
        return ""
    return next((name.value for name in names if begins(begun, [name.value])), "")


def _properties(
    made: ExpansionParts, place: ExpansionEntry, concept: CodedConcept, listed: FhirJson
) -> Iterator[FhirJson]:
    settings = made.settings
    if concept.status and concept.status.lower() != "active":
        yield _property(made, "status", CONCEPT_PROPERTIES + "status", "valueCode", concept.status)
    for code, name, kind, from_system, from_value_set in SHOWN_AS_PROPERTIES:
        value = extension(listed, EXTENSIONS + from_value_set)
        if value is None and has_extension({"extension": concept.extensions}, EXTENSIONS + from_system):
            value = extension({"extension": concept.extensions}, EXTENSIONS + from_system)
        if value is not None:
            yield _property(made, code, CONCEPT_PROPERTIES + name, kind, value)
    wanted = settings.properties
    if "definition" in wanted and concept.definition:
        yield _property(made, "definition", CONCEPT_PROPERTIES + "definition", "valueString", concept.definition)
    system = place.system
    for entry in all_properties(system, place.row, concept) if wanted else ():
        if entry.code in wanted or ("*" in wanted and entry.code != "status"):
            if entry.code == "status" and concept.status:
                continue
            yield _property(made, entry.code, system.property_uri(entry.code), entry.type, entry.value)


def _property(made: ExpansionParts, code: str, uri: str, kind: str, value: Any) -> FhirJson:
    made.properties.setdefault(code, uri)
    return {"code": code, kind: value}
