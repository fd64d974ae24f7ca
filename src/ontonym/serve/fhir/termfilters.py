"""The filters of a value set over the concepts of a terminology (FHIR R5, ValueSet.compose.include.filter)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from ontonym.arrays import Bytes, Mask
from ontonym.ontology.rf2.ids import MEMBER_OF
from ontonym.serve.fhir.budget import MATCH, RELATION, Budget
from ontonym.serve.fhir.canonicals import SNOMED
from ontonym.serve.fhir.ecl import evaluate
from ontonym.serve.fhir.ecl.values import Constrained
from ontonym.serve.fhir.regexes import matcher
from ontonym.serve.fhir.resourcefilters import beside, having_relatives, hierarchical, listed
from ontonym.store.export.fhirproperties import code_of

MOST_KEPT = 200
"""Filters of which the concepts are kept, one bit for each concept; before one more all are dropped."""
LONGEST_KEPT = 2000
"""Most characters of the value of such a filter."""


class FilteredTerminology(Constrained, Protocol):
    """A terminology as a code system, with the names of the attributes that codes stand for."""

    def attribute(self, code: str) -> list[str]:
        """The names of the attribute with that code; the code itself where it is none."""


class TermFilters:
    """The filters over one terminology. What they admitted is kept: a search box asks again with each letter."""

    def __init__(self, system: FilteredTerminology) -> None:
        self._system = system
        self._kept: dict[tuple[str, str, str], tuple[Bytes, float]] = {}

    def select(self, name: str, op: str, value: str, budget: Budget) -> Mask | None:
        """The concepts that a filter admits; None where it is not understood.

        What is kept takes as much from the budget as before, so that the same request always has the same answer.
        """
        asked = (name, op, value)
        known = self._kept.get(asked)
        if known is not None:
            bits, cost = known
            budget.spend(cost)
            return np.unpackbits(bits, count=len(self._system)).view(bool)
        before = budget.spent
        found = self._selected(name, op, value, budget)
        if found is not None and len(value) <= LONGEST_KEPT:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[asked] = np.packbits(found), budget.spent - before
        return found

    def _selected(self, name: str, op: str, value: str, budget: Budget) -> Mask | None:
        system = self._system
        if name in ("concept", "code"):
            found = hierarchical(system, op, value)
            return found if found is not None else self._by_code(op, value, budget)
        if name in ("constraint", "expression") and op == "=":
            return evaluate(system, value, budget)
        if name == "display" and op in ("=", "regex"):
            return self._by_display(op, value, budget)
        special = _SPECIAL.get((name, op))
        found = special(system, op, value) if special else self._related(name, op, value, budget)
        return found if found is not None else self._valued(name, op, value, budget)

    def _by_code(self, op: str, value: str, budget: Budget) -> Mask | None:
        system = self._system
        if op == "regex":
            budget.spend(MATCH * len(system))
            fits = matcher(value)
            return np.fromiter((fits(code_of(text)) for text in system.terminology.ids()), bool, len(system))
        if op not in ("=", "in", "not-in"):
            return None
        if op == "in" and system.url == SNOMED and value.strip().isdigit():
            return evaluate(system, f"^ {value}", budget)  # SNOMED CT's own meaning: the members of a reference set
        found = listed(system, value.split(",") if op != "=" else [value])
        return ~found if op == "not-in" else found

    def _by_display(self, op: str, value: str, budget: Budget) -> Mask:
        terminology = self._system.terminology
        found = np.zeros(len(terminology), bool)
        bounds = terminology.term_bounds()
        texts = terminology.term_texts()
        if op == "=":
            terms = np.asarray([row for row in terminology.rows_named(value).tolist() if texts[row] == value], np.int64)
            concepts = terminology.term_concepts()[terms]
            found[concepts[bounds[concepts] == terms]] = True
            return found
        budget.spend(MATCH * len(terminology))
        fits = matcher(value)
        rows = np.flatnonzero(bounds[:-1] < bounds[1:])
        found[rows] = np.fromiter(map(fits, texts.take(bounds[rows])), bool, len(rows))
        return found

    def _related(self, name: str, op: str, value: str, budget: Budget) -> Mask | None:
        system = self._system
        relations = system.relations
        predicates = frozenset[int]().union(*(relations.predicates(one) or () for one in system.attribute(name)))
        if not predicates or op not in ("=", "in", "exists"):
            return None
        budget.spend(RELATION * len(relations))
        if op == "exists":
            found = relations.sources(predicates, None)
            return found if value.lower() == "true" else ~found
        return relations.sources(predicates, listed(system, value.split(",") if op == "in" else [value]))

    def _valued(self, name: str, op: str, value: str, budget: Budget) -> Mask | None:
        """The concepts with a property of that value."""
        properties = self._system.properties
        names = [one for one in self._system.attribute(name) if properties.has(one)]
        if not names:
            return None
        if op == "exists":
            found = properties.fitting(names, lambda _: True, budget)
            return found if value.lower() == "true" else ~found
        fits: Callable[[str], bool] | None = None
        if op == "regex":
            return properties.fitting(names, matcher(value), budget, MATCH)
        if op in ("=", "in", "not-in"):
            wanted = {value} if op == "=" else {part.strip() for part in value.split(",")}
            fits = wanted.__contains__
        if fits is None:
            return None
        found = properties.fitting(names, fits, budget)
        return ~found if op == "not-in" else found


def _inactive(system: FilteredTerminology, _: str, value: str) -> Mask:
    return system.inactive() if value.lower() == "true" else ~system.inactive()


def _tagged(system: FilteredTerminology, op: str, value: str) -> Mask:
    found = np.zeros(len(system), bool)
    for tag in (tag.strip() for tag in (value.split(",") if op == "in" else [value])):
        if tag in system.terminology.tags:
            found |= system.terminology.tagged(tag)
    return found


def _reference_sets(system: FilteredTerminology, _: str, value: str) -> Mask:
    """The concepts that are simple reference sets with members here, or with ``false`` the others."""
    found = listed(system, dict.fromkeys(system.properties.values(MEMBER_OF)[1]))
    return found if value.lower() == "true" else ~found


def _parents(system: FilteredTerminology, _: str, value: str) -> Mask:
    return beside(system, "parent", value.split(","))


def _children(system: FilteredTerminology, _: str, value: str) -> Mask:
    return beside(system, "child", value.split(","))


_SPECIAL: Mapping[tuple[str, str], Callable[[FilteredTerminology, str, str], Mask]] = {
    ("parent", "="): _parents,
    ("parent", "in"): _parents,
    ("child", "="): _children,
    ("child", "in"): _children,
    ("parent", "exists"): lambda system, _, value: having_relatives(system, "parent", value),
    ("child", "exists"): lambda system, _, value: having_relatives(system, "child", value),
    ("referenceSet", "exists"): _reference_sets,
    ("inactive", "="): _inactive,
    **{
        (name, op): _tagged
        for name in ("domain", "domain-id", "domain_id", "concept-class", "concept-class-id", "concept_class_id")
        for op in ("=", "in")
    },  # OMOP's, which are tags here
    ("tag", "="): _tagged,
    ("tag", "in"): _tagged,
}
"""What filters select that are neither about codes nor about relations, by property and operator."""
