"""A code system from a CodeSystem resource, with its supplements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.budget import Budget
from ontonym.serve.fhir.canonicals import CONCEPT_PROPERTIES, STANDARDS_STATUS
from ontonym.serve.fhir.concepts import CodedConcept, ConceptProperty, Designation, OneStep, SearchResult, same_case
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.resourcefilters import select
from ontonym.serve.fhir.values import extension, typed
from ontonym.serve.fhir.words import begins, words

INACTIVE = frozenset({"inactive", "retired"})


class ResourceCodes:
    """The concepts of a CodeSystem resource; the protocol is ``CodeSystemContent``."""

    nested = True

    supplements: tuple[str, ...] = ()

    def __init__(self, resource: FhirJson) -> None:
        self.facts = resource
        self.url = resource.get("url", "")
        self.version = resource.get("version", "")
        self.name = resource.get("name") or resource.get("id") or ""
        self.title = resource.get("title") or self.name
        self.language = resource.get("language", "")
        self.content = resource.get("content", "complete")
        self.case_sensitive = resource.get("caseSensitive", True)
        self._raw: list[FhirJson] = []
        self._parent: list[int] = []
        for concept, parent in walk(resource.get("concept") or ()):
            self._raw.append(concept)
            self._parent.append(parent)
        self._rows: dict[str, int] = {}
        for row, concept in enumerate(self._raw):
            self._rows.setdefault(same_case(self, concept.get("code", "")), row)
        self._declared = {entry.get("code", ""): entry.get("uri", "") for entry in resource.get("property") or ()}

    def __len__(self) -> int:
        return len(self._raw)

    def present(self) -> Mask:
        """All rows."""
        return np.ones(len(self), bool)

    def row(self, code: str) -> int | None:
        """The row of a code, in whatever case where the code system does not care."""
        return self._rows.get(same_case(self, code))

    @cached_property
    def _links(self) -> tuple[list[list[int]], list[list[int]]]:
        up: list[list[int]] = [[] if parent < 0 else [parent] for parent in self._parent]
        parent_codes = self._codes_of("parent")
        child_codes = self._codes_of("child")
        for row, concept in enumerate(self._raw):
            for entry in concept.get("property") or ():
                other = self._rows.get(same_case(self, str(typed(entry)[1])))
                if other is None or other == row:
                    continue
                if entry.get("code") in parent_codes and other not in up[row]:
                    up[row].append(other)
                elif entry.get("code") in child_codes and row not in up[other]:
                    up[other].append(row)
        down: list[list[int]] = [[] for _ in self._raw]
        for row, parents in enumerate(up):
            for parent in parents:
                down[parent].append(row)
        return up, down

    def parents(self, row: int) -> Sequence[int]:
        """The rows one step up."""
        return self._links[0][row]

    def children(self, row: int) -> Sequence[int]:
        """The rows one step down."""
        return self._links[1][row]

    def having(self, near: OneStep) -> Mask:
        """The concepts with at least one parent, or child."""
        beside = self.parents if near == "parent" else self.children
        return np.fromiter((len(beside(row)) > 0 for row in range(len(self))), bool, len(self))

    def below(self, row: int) -> Mask:
        """The concept and everything below it."""
        return self._reached(row, self._links[1])

    def above(self, row: int) -> Mask:
        """The concept and everything above it."""
        return self._reached(row, self._links[0])

    def _reached(self, row: int, links: list[list[int]]) -> Mask:
        seen = np.zeros(len(self), bool)
        seen[row] = True
        waiting = [row]
        while waiting:
            for other in links[waiting.pop()]:
                if not seen[other]:
                    seen[other] = True
                    waiting.append(other)
        return seen

    def _codes_of(self, name: str) -> frozenset[str]:
        """The codes of the properties that stand for one of HL7's concept properties, whatever they are called here."""
        return frozenset({name, *(code for code, uri in self._declared.items() if uri == CONCEPT_PROPERTIES + name)})

    @cached_property
    def _roles(self) -> dict[str, frozenset[str]]:
        return {name: self._codes_of(name) for name in ("status", "inactive", "notSelectable", "deprecated")}

    def concept(self, row: int) -> CodedConcept:
        """All that is known of a concept."""
        raw = self._raw[row]
        names = [Designation(raw["display"], self.language, base=True)] if raw.get("display") else []
        status, inactive = self._status(raw)
        return CodedConcept(
            raw.get("code", ""),
            (*names, *designations(raw, "")),
            raw.get("definition", ""),
            tuple(properties(raw, "")),
            self._flag(raw, "notSelectable"),
            inactive,
            status,
            tuple(raw.get("extension") or ()),
        )

    def label(self, row: int) -> tuple[str, str]:
        """The code of a concept and its display, empty where it has none."""
        raw = self.raw(row)
        return str(raw.get("code", "")), str(raw.get("display") or "")

    def _flag(self, raw: FhirJson, role: str) -> bool:
        codes = self._roles[role]
        return any(e.get("code") in codes and typed(e)[1] in (True, "true") for e in raw.get("property") or ())

    def _status(self, raw: FhirJson) -> tuple[str, bool]:
        found = ""
        for entry in raw.get("property") or ():
            if entry.get("code") in self._roles["status"]:
                found = str(typed(entry)[1])
        inactive = found in INACTIVE or self._flag(raw, "inactive")
        if not found and inactive:
            found = "inactive"
        if not found:
            found = str(extension(raw, STANDARDS_STATUS) or "")
            if found == "withdrawn":
                inactive = True
        if not found and self._flag(raw, "deprecated"):
            found = "deprecated"
        return found, inactive

    @cached_property
    def _inactive(self) -> Mask:
        return np.fromiter((self._status(raw)[1] for raw in self._raw), bool, len(self))

    def inactive(self) -> Mask:
        """The concepts that are not active."""
        return self._inactive

    def abstract(self) -> Mask:
        """The concepts that may not be selected."""
        return np.fromiter((self._flag(raw, "notSelectable") for raw in self._raw), bool, len(self))

    def property_uri(self, code: str) -> str:
        """The uri of a property: what the code system declares, or HL7's for its own."""
        return self._declared.get(code) or (CONCEPT_PROPERTIES + code if code in HL7_PROPERTIES else "")

    def has_property(self, code: str) -> bool:
        """Whether the code system declares a property or any concept has it."""
        return code in self._declared or code in self._used

    @cached_property
    def _used(self) -> frozenset[str]:
        return frozenset(e.get("code", "") for raw in self._raw for e in raw.get("property") or ())

    def select(self, property_code: str, op: str, value: str, budget: Budget) -> Mask | None:
        """The concepts that a filter admits; None where it is not understood."""
        return select(self, property_code, op, value)

    def search(self, text: str, within: Mask | None) -> SearchResult:
        """The concepts with a name or code that has every typed word, or a word that begins with it."""
        typed_words = words(text)
        found = [
            row
            for row, raw in enumerate(self._raw)
            if (within is None or within[row]) and begins(typed_words, self._texts(row, raw))
        ]
        return SearchResult(np.asarray(found, np.int64))

    def _texts(self, row: int, raw: FhirJson) -> Iterable[str]:
        yield raw.get("code", "")
        for name in self.concept(row).names:
            yield name.value

    def raw(self, row: int) -> FhirJson:
        """The concept as the resource writes it."""
        return self._raw[row]


HL7_PROPERTIES = frozenset(
    """status inactive notSelectable deprecated parent child partOf synonym comment itemWeight label order definition
    effectiveDate retirementDate deprecationDate alternateCode""".split()
)


def designations(raw: FhirJson, source: str) -> Iterator[Designation]:
    """The designations that a concept of a CodeSystem or ValueSet resource lists."""
    for entry in raw.get("designation") or ():
        if entry.get("value"):
            extensions = tuple(entry.get("extension") or ())
            yield Designation(entry["value"], entry.get("language", ""), entry.get("use"), source, False, extensions)


def properties(raw: FhirJson, source: str) -> Iterator[ConceptProperty]:
    """The properties that a concept of a CodeSystem resource lists."""
    for entry in raw.get("property") or ():
        kind, value = typed(entry)
        if value is not None:
            yield ConceptProperty(entry.get("code", ""), kind, value, source=source)


def walk(concepts: Iterable[FhirJson]) -> Iterator[tuple[FhirJson, int]]:
    """Every concept and the row of its parent (-1: none), parents before children, in the order of the resource."""
    count = 0
    waiting = [(concept, -1) for concept in reversed(list(concepts))]
    while waiting:
        concept, parent = waiting.pop()
        row, count = count, count + 1
        yield concept, parent
        waiting.extend((child, row) for child in reversed(concept.get("concept") or ()))
