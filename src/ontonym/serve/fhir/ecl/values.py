"""What expression constraints ask of a code system beside its hierarchy: values, reference sets, history."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.ontology.rf2.ids import ASSOCIATIONS, MEMBER_OF
from ontonym.ragged import owners_of
from ontonym.serve.fhir.budget import Budget
from ontonym.serve.fhir.concepts import CodeSystemContent
from ontonym.serve.fhir.outcomes import FhirError, refused
from ontonym.serve.fhir.regexes import wildcard_matcher
from ontonym.serve.fhir.termproperties import TermProperties
from ontonym.serve.fhir.termrelations import TermRelations
from ontonym.store import Terminology

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

_SAME = ("SAME AS",)
_LIKELY = (*_SAME, "REPLACED BY", "WAS A", "PARTIALLY EQUIVALENT TO")
_EVERY = tuple(ASSOCIATIONS.values())
HISTORY: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "min": (_SAME, ()),
    "mod": (_LIKELY, ("replaced_by",)),
    "max": (_EVERY, ("replaced_by", "consider")),
}
"""The historical associations of each profile (ECL 2.2, 6.11), and the lists of other terminologies like them."""


class Constrained(CodeSystemContent, Protocol):
    """A code system with the relations that refinements need, and its names by the beginnings of their words."""

    terminology: Terminology
    relations: TermRelations
    properties: TermProperties

    def begun(self, text: str, within: Mask | None) -> Ints:
        """The rows with a name that has, for every word of the text, a word that begins with it."""


def unsupported(what: str) -> FhirError:
    """The error of something that ECL has and this server does not support."""
    return refused(422, "not-supported", "ECL_NOT_SUPPORTED", detail="vs-invalid", what=what)


def fits_number(comparison: str, text: str) -> Callable[[str], bool]:
    """Whether the text of a value is a number that compares so with another one."""
    wanted, compare = float(text.removeprefix("#")), COMPARISONS[comparison]

    def fits(value: str) -> bool:
        try:
            return compare(float(value), wanted)
        except ValueError:
            return False

    return fits


def fits_text(comparison: str, texts: Iterable[tuple[str, str]]) -> Callable[[str], bool]:
    """Whether the text of a value is one of some (``""``), or has one's pattern (``wild``) or words (``match``)."""
    if comparison not in ("=", "!="):
        raise unsupported(f"the comparison {comparison} of texts")
    each = [_fits_one(how, text) for how, text in texts]
    return lambda value: any(fits(value) for fits in each) == (comparison == "=")


def _fits_one(how: str, text: str) -> Callable[[str], bool]:
    if how == "wild":
        return wildcard_matcher(text)
    if how == "match":
        typed = text.casefold().split()
        return lambda value: all(any(word.startswith(one) for word in value.casefold().split()) for one in typed)
    return text.__eq__


def with_history(
    terminology: Terminology, relations: TermRelations, rows: Mask, profile: str, associations: frozenset[int] | None
) -> Mask:
    """The concepts, and the retired ones that they took the place of.

    ``profile`` is of `HISTORY`; ``associations`` are predicates that take the place of those of a profile.
    """
    lists: tuple[str, ...] = ()
    if associations is None:
        names, lists = HISTORY[profile]
        known = (relations.predicates(name) for name in names)
        associations = frozenset(number for found in known if found for number in found)
    retired = ~terminology.active
    found = relations.sources(associations, rows) & retired if associations else np.zeros(len(rows), bool)
    for name in lists:
        values = terminology.lists(name)
        ends = terminology.find_rows(values.values.strings())
        starts = owners_of(np.diff(np.asarray(values.bounds)))
        kept = (ends >= 0) & rows[np.maximum(ends, 0)]
        found[starts[kept]] = True
    return rows | (found & retired)


def members(system: Constrained, sets: Mask | None, budget: Budget) -> Mask:
    """The members of the reference sets that some concepts are (None: of all): simple ones, associations and maps."""
    terminology, properties, relations = system.terminology, system.properties, system.relations

    def is_wanted(value: str) -> bool:
        return sets is None or _is_among(system.row(value), sets)

    found = properties.fitting([MEMBER_OF], is_wanted, budget)
    if sets is not None:
        found |= relations.sources(associations_of(terminology, relations, sets), None)
        found |= _mapped(terminology, sets)
    if not properties.has(MEMBER_OF) and not found.any():
        raise unsupported(
            "reference sets (^): this terminology keeps none. Import a SNOMED CT release again to have them"
        )
    return found


def associations_of(terminology: Terminology, relations: TermRelations, sets: Mask) -> frozenset[int]:
    """The predicates of the association reference sets that some concepts are."""
    rows = np.flatnonzero(sets).tolist()
    codes = [terminology.id(row).rpartition(":")[2] for row in rows]
    known = (relations.predicates(ASSOCIATIONS.get(int(code), "")) for code in codes if code.isdigit())
    return relations.predicates_of(rows).union(*(one for one in known if one))


def _is_among(row: int | None, rows: Mask) -> bool:
    return row is not None and bool(rows[row])


def _mapped(terminology: Terminology, sets: Mask) -> Mask:
    """The concepts with a mapping of a map that one of some concepts is."""
    part = terminology.part("mappings")
    sources = part.coded["mapping_source"]
    names = {terminology.preferred(int(row)).partition(" (")[0] for row in np.flatnonzero(sets)} - {""}
    found = np.zeros(len(terminology), bool)
    found[owners_of(part.counts)[sources.among(names)]] = True
    return found
