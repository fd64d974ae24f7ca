"""A code system with supplements: names, properties and extensions that other CodeSystem resources add to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.budget import Budget
from ontonym.serve.fhir.canonicals import joined
from ontonym.serve.fhir.concepts import CodedConcept, CodeSystemContent, Designation, OneStep, SearchResult
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.resourcecodes import ResourceCodes, designations, properties, walk


class SupplementedCodes:
    """A code system as it is, and what its supplements add; the protocol is ``CodeSystemContent``."""

    def __init__(self, system: CodeSystemContent, supplements: Sequence[FhirJson]) -> None:
        self.base = system
        self.url, self.version, self.name, self.title = system.url, system.version, system.name, system.title
        self.language, self.content, self.case_sensitive = system.language, system.content, system.case_sensitive
        self.nested, self.facts = system.nested, system.facts
        self.supplements = (*system.supplements, *(joined(s.get("url", ""), s.get("version")) for s in supplements))
        self._resources = tuple(supplements)
        self._added: dict[int, list[tuple[str, FhirJson]]] = {}
        for resource in supplements:
            name = joined(resource.get("url", ""), resource.get("version"))
            for concept, _ in walk(resource.get("concept") or ()):
                row = system.row(concept.get("code", ""))
                if row is not None:
                    self._added.setdefault(row, []).append((name, concept))

    def __len__(self) -> int:
        return len(self.base)

    def present(self) -> Mask:
        """The rows that are concepts of the code system."""
        return self.base.present()

    def row(self, code: str) -> int | None:
        """The row of a code, or None."""
        return self.base.row(code)

    def concept(self, row: int) -> CodedConcept:
        """All that is known of a concept, with what the supplements add."""
        concept = self.base.concept(row)
        for name, raw in self._added.get(row, ()):
            own = [Designation(raw["display"], source=name)] if raw.get("display") else []
            concept = replace(
                concept,
                names=(*concept.names, *own, *designations(raw, name)),
                properties=(*concept.properties, *properties(raw, name)),
                extensions=(*concept.extensions, *(raw.get("extension") or ())),
                supplements=(*concept.supplements, name),
            )
        return concept

    def label(self, row: int) -> tuple[str, str]:
        """The code of a concept and its display, empty where it has none."""
        return self.base.label(row)

    def parents(self, row: int) -> Sequence[int]:
        """The rows one step up."""
        return self.base.parents(row)

    def children(self, row: int) -> Sequence[int]:
        """The rows one step down."""
        return self.base.children(row)

    def having(self, near: OneStep) -> Mask:
        """The concepts with at least one parent, or child."""
        return self.base.having(near)

    def below(self, row: int) -> Mask:
        """The concept and everything below it."""
        return self.base.below(row)

    def above(self, row: int) -> Mask:
        """The concept and everything above it."""
        return self.base.above(row)

    def inactive(self) -> Mask:
        """The concepts that are not active."""
        return self.base.inactive()

    def abstract(self) -> Mask:
        """The concepts that may not be selected."""
        return self.base.abstract()

    def property_uri(self, code: str) -> str:
        """The uri of a property, of the code system or of a supplement."""
        for resource in self._resources:
            for entry in resource.get("property") or ():
                if entry.get("code") == code and entry.get("uri"):
                    return str(entry["uri"])
        return self.base.property_uri(code)

    def select(self, property_code: str, op: str, value: str, budget: Budget) -> Mask | None:
        """The concepts that a filter admits: by the code system, or by a property that a supplement adds."""
        found = self.base.select(property_code, op, value, budget)
        if found is not None:
            return found
        for resource in self._resources:
            own = ResourceCodes(resource)
            rows = own.select(property_code, op, value, budget) if own.has_property(property_code) else None
            if rows is not None:
                found = np.zeros(len(self), bool)
                of = [self.base.row(own.label(int(row))[0]) for row in np.flatnonzero(rows)]
                found[[row for row in of if row is not None]] = True
                return found
        return None

    def search(self, text: str, within: Mask | None) -> SearchResult:
        """The concepts that a text finds by the names of the code system itself."""
        return self.base.search(text, within)
