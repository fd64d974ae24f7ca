"""Designations: which kind of name each is, by its language and its use."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from ontonym.ontology.fhir.fields import Json, object_of, objects_of, text_of, translations, value_of
from ontonym.types import Kind, Scope, Status, Term

TEXT_DEFINITION = "900000000000550004"

USES = MappingProxyType[str, tuple[Kind, Scope]](
    {
        "900000000000003001": ("fsn", "exact"),
        "900000000000013009": ("synonym", "exact"),
        "900000000000548007": ("preferred", "exact"),
        "preferredForLanguage": ("preferred", "exact"),
        "display": ("preferred", "exact"),
        "hasExactSynonym": ("synonym", "exact"),
        "hasNarrowSynonym": ("synonym", "narrow"),
        "hasBroadSynonym": ("synonym", "broad"),
        "hasRelatedSynonym": ("synonym", "related"),
        "OMO:0003003": ("lay", "exact"),
        "OMO:0003000": ("abbreviation", "exact"),
        "entry": ("entry", "exact"),
    }
)
"""Code of a designation's use to kind and scope: SNOMED CT's description types and acceptability, HL7's and OBO's."""

STANDARDS_STATUS = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"


@dataclass(frozen=True, slots=True)
class Names:
    """The terms of a concept, preferred first, and the definitions that came among the designations."""

    terms: tuple[Term, ...]
    definitions: tuple[str, ...]


def names_of(item: Json, display: str, language: str) -> Names:
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
        use = _use(designation)
        if not text:
            continue
        if use == TEXT_DEFINITION:
            definitions[text] = None
            continue
        spoken = text_of(designation, "language") or language
        terms.setdefault(_term(text, spoken, use, _status(designation), terms))
    return Names(tuple(sorted(terms, key=lambda term: term.kind != "preferred")), tuple(definitions))


def _term(text: str, language: str, use: str, status: Status, known: dict[Term, None]) -> Term:
    if not use:
        free = all(term.language != language or term.kind != "preferred" for term in known)
        return Term(text, "preferred" if free and status == "active" else "synonym", language=language, status=status)
    if use not in USES:
        return Term(text, language=language, status=status, source=use)
    kind, scope = USES[use]
    return Term(text, kind, scope, language, status)


def _use(designation: Json) -> str:
    """The code of the use, or its words where it has no code."""
    use = object_of(designation, "use")
    return text_of(use, "code") or text_of(use, "display")


def _status(designation: Json) -> Status:
    """Retired where HL7's extension for the status of an element says withdrawn or deprecated."""
    for extension in objects_of(designation, "extension") if "extension" in designation else ():
        if extension.get("url") == STANDARDS_STATUS and value_of(extension)[1] in {"withdrawn", "deprecated"}:
            return "retired"
    return "active"
