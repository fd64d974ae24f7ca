"""Expression constraints over the concepts of a terminology: each part of the expression is a set of concepts."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.budget import RELATION, Budget
from ontonym.serve.fhir.ecl.filters import Filters
from ontonym.serve.fhir.ecl.parse import bounds, operator_of, parse, unquoted
from ontonym.serve.fhir.ecl.values import (
    Constrained,
    fits_number,
    fits_text,
    members,
    unsupported,
)
from ontonym.serve.fhir.outcomes import refused


def evaluate(system: Constrained, text: str, budget: Budget) -> Mask:
    """The concepts that an expression constraint selects, as a set of rows.

    Raises FhirError (422) where the text is no expression constraint, names an unknown concept, or uses what is not
    supported here: several attributes in one group, some filters, and reference sets of a terminology that keeps none.
    """
    return _Evaluation(system, budget).of(parse(text))


class _Evaluation:
    """One evaluation; trees go in, sets of concepts come out."""

    def __init__(self, system: Constrained, budget: Budget) -> None:
        self.system = system
        self.budget = budget
        self.hierarchy = system.terminology.hierarchy
        self.filters = Filters(system, self.of, budget)
        self.all = system.present() & ~system.inactive()

    def of(self, tree: Any) -> Mask:
        """The concepts of a whole expression, or of one in parentheses."""
        constraint = tree.children[0] if tree.data == "start" else tree
        parts = [part for part in constraint.children if hasattr(part, "data")]
        found = self.sub(parts[0])
        kind = constraint.data
        if kind == "refined":
            return found & self.refinement(parts[1])
        if kind == "every":
            return reduce(np.logical_and, (self.sub(part) for part in parts[1:]), found)
        if kind == "some":
            return reduce(np.logical_or, (self.sub(part) for part in parts[1:]), found)
        if kind == "minus":
            return found & ~self.sub(parts[1])
        for name in parts[1:] if kind == "dotted" else ():
            self.budget.spend(RELATION * len(self.system.relations))
            found = self.system.relations.targets(self.predicates(name), found)
        return found

    def sub(self, tree: Any) -> Mask:
        """The concepts of a focus with its operator and filters."""
        operator, member, focus, *filters = tree.children
        inner = focus.children[0]
        if getattr(inner, "data", "") == "code":
            found = self._concept(inner)
        elif hasattr(inner, "data"):
            found = self.of(inner)
        else:
            found = self.all
        if member is not None:
            found = members(self.system, found if hasattr(inner, "data") else None, self.budget)
        found = self._related(operator_of(operator), found)
        for one in filters:
            found = self.filters.passed(found, one)
        self.budget.spend_on(found)
        return found

    def _concept(self, tree: Any) -> Mask:
        code = str(tree.children[0])
        row = self.system.row(code)
        if row is None:
            raise refused(422, "not-found", "ECL_UNKNOWN", detail="vs-invalid", code=code, system=self.system.url)
        found = np.zeros(len(self.system), bool)
        found[row] = True
        return found

    def _related(self, operator: str, rows: Mask) -> Mask:
        """The concepts below or above some concepts, as an operator says."""
        if not operator:
            return rows
        if operator.startswith("!!"):
            inner = self._strictly("<" if operator == "!!>" else ">", rows)
            return rows & ~inner
        step = operator.strip("!")
        if operator.endswith("!"):
            edges = self.hierarchy.child_edges if step[0] == "<" else self.hierarchy.parent_edges
            found = np.zeros(len(self.system), bool)
            found[edges.of_all(np.flatnonzero(rows))] = True
            return found | rows if len(step) == 2 else found
        found = self._strictly(step[0], rows)
        return found | rows if len(step) == 2 else found

    def _strictly(self, direction: str, rows: Mask) -> Mask:
        """Everything strictly below (``<``) or above (``>``) at least one of the concepts."""
        edges = self.hierarchy.child_edges if direction == "<" else self.hierarchy.parent_edges
        found = np.zeros(len(self.system), bool)
        frontier = np.flatnonzero(rows)
        while len(frontier):
            reached = np.zeros(len(found), bool)
            reached[edges.of_all(frontier)] = True
            reached &= ~found
            found |= reached
            frontier = np.flatnonzero(reached)
        return found & self.all

    def refinement(self, tree: Any) -> Mask:
        """The concepts that fit a refinement."""
        if tree.data == "attribute":
            return self._attribute(tree)
        if tree.data == "group":
            return self._group(tree)
        join: Callable[..., Mask] = np.logical_or if tree.data == "some" else np.logical_and
        return reduce(join, (self.refinement(part) for part in tree.children if hasattr(part, "data")))

    def _group(self, tree: Any) -> Mask:
        cardinality, inner = tree.children
        if cardinality is not None and bounds(cardinality) != (1, None):  # at least one is what braces alone say
            raise unsupported("a cardinality of attribute groups")
        if inner.data != "alone" or inner.children[0].data != "attribute":
            raise unsupported(
                "several attributes in one group { }, since ontonym's terminologies do not keep the groups"
            )
        return self.refinement(inner)

    def _attribute(self, tree: Any) -> Mask:
        cardinality, reverse, name, comparison, value = tree.children
        if value.data != "among":
            return self._valued(cardinality, reverse, name, str(comparison), value)
        if comparison not in ("=", "!="):
            raise unsupported(f"the comparison {comparison} of concepts")
        predicates = self.predicates(name)
        targets = self.sub(value.children[0])
        if comparison == "!=":
            targets = self.system.present() & ~targets
        relations = self.system.relations
        self.budget.spend(RELATION * len(relations))
        if reverse is not None:
            if cardinality is not None:
                raise unsupported("a cardinality of reversed attributes")
            return relations.targets(predicates, targets)
        if cardinality is None:
            return relations.sources(predicates, targets)
        least, most = bounds(str(cardinality))
        counts = relations.counts(predicates, targets)
        return (counts >= least) & ((counts <= most) if most is not None else True) & self.system.present()

    def _valued(self, cardinality: Any, reverse: Any, name: Any, comparison: str, value: Any) -> Mask:
        """The concepts with a concrete value."""
        if cardinality is not None or reverse is not None:
            raise unsupported("a cardinality or reversal of concrete values")
        if value.data == "number":
            fits = fits_number(comparison, str(value.children[0]))
        elif value.data == "truth":
            fits = fits_text(comparison, [("", str(value.children[0]).lower())])
        else:
            fits = fits_text(
                comparison,
                [
                    (str(how or "").lower(), unquoted(str(text)))
                    for how, text in (one.children for one in value.children)
                ],
            )
        return self.system.properties.fitting(self._names(name), fits, self.budget) & self.system.present()

    def _names(self, name: Any) -> list[str]:
        """What the attributes are called that a name means."""
        operator, focus = name.children
        if not hasattr(focus, "data"):
            raise unsupported("concrete values of any attribute (*)")
        code = str(focus.children[0])
        if operator is None and self.system.properties.has(code):
            return [code]
        terminology = self.system.terminology
        rows = np.flatnonzero(self._related(operator_of(operator), self._concept(focus)))
        return [text for row in rows.tolist() for text in (terminology.id(row), *terminology.names(row))]

    def predicates(self, name: Any) -> frozenset[int] | None:
        """The predicates that an attribute name means; None for any."""
        operator, focus = name.children
        if not hasattr(focus, "data"):
            return None
        code = str(focus.children[0])
        named = self.system.relations.predicates(code)
        if named is not None and operator is None:
            return named
        rows = self._related(operator_of(operator), self._concept(focus))
        return self.system.relations.predicates_of(int(row) for row in np.flatnonzero(rows))
