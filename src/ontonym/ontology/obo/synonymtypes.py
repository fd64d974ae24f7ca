"""What the synonym types of OBO ontologies mean for a term: its kind, and whether the release still stands by it."""

from __future__ import annotations

from types import MappingProxyType

from ontonym.types import Kind, Scope, Status, Term

SYNONYM_KINDS = MappingProxyType[str, Kind](
    {
        "layperson": "lay",
        "layperson term": "lay",
        "layperson synonym": "lay",
        "omo:0003003": "lay",
        "consumer": "lay",
        "abbreviation": "abbreviation",
        "acronym": "abbreviation",
        "initialism": "abbreviation",
        "omo:0003000": "abbreviation",
        "omo:0003012": "abbreviation",
    }
)
"""Synonym type (id or label, lower case) to the kind of term; all others are plain synonyms."""

RETIRED_TYPES = frozenset({"obsolete_synonym", "discarded/obsoleted synonym", "deprecated", "omo:0003008"})
"""Synonym types of names that the release keeps only for the record."""


def typed_synonym(text: str, scope: Scope, synonym_type: str, label: str = "") -> Term:
    """The synonym as a term, its type as published in ``source``; ``label`` says the type in words."""
    if not synonym_type:
        return Term(text, "synonym", scope)
    names = (synonym_type.lower(), label.lower())
    kind: Kind = next((SYNONYM_KINDS[name] for name in names if name in SYNONYM_KINDS), "synonym")
    status: Status = "retired" if any(name in RETIRED_TYPES for name in names) else "active"
    return Term(text, kind, scope, status=status, source=synonym_type)
