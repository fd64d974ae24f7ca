"""A code system from a terminology of ontonym, with its index where there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.index import Index
from ontonym.serve.fhir.budget import Budget
from ontonym.serve.fhir.canonicals import CONCEPT_PROPERTIES, SNOMED
from ontonym.serve.fhir.concepts import CodedConcept, ConceptProperty, Designation, Found, OneStep, SearchResult
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.termfilters import TermFilters
from ontonym.serve.fhir.termmappings import TermMappings
from ontonym.serve.fhir.termproperties import TermProperties
from ontonym.serve.fhir.termrelations import TermRelations, folded
from ontonym.serve.fhir.typednames import IndexedNames, TypedNames
from ontonym.store import Terminology
from ontonym.store.export.fhir import designation_use
from ontonym.store.export.fhirproperties import Urls, code_of
from ontonym.store.mappings.iris import split_id
from ontonym.tasks.completing import unfinished_word
from ontonym.tasks.search import SearchOptions, found_hits
from ontonym.text.normalization import tokens
from ontonym.types import LONGEST_TEXT, Concept

INTERNATIONAL = "900000000000207008"
ATTRIBUTES = "106237007"
"""SNOMED CT's linkage concept, below which the concepts are that name the attributes."""
MOST_BY_MEANING = 50
SURE = 0.5
LEAST = 0.05


class TerminologyCodes:
    """The concepts of a terminology whose ids have one prefix; the protocol is ``CodeSystemContent``.

    With ``index`` (an index of this terminology) a filter text is searched by meaning too.
    """

    supplements: tuple[str, ...] = ()
    content = "complete"
    case_sensitive = True
    nested = False

    def __init__(self, terminology: Terminology, prefix: str, index: Index | None = None) -> None:
        self.terminology = terminology
        self.prefix = prefix
        self.index = index
        metadata = terminology.metadata
        self._urls = Urls(metadata.get("details", {}).get("systems", {}))
        self.url = self._urls.of(prefix)
        self.version = _version(self.url, terminology)
        self.name = re.sub(r"\W", "_", terminology.name or prefix, flags=re.ASCII)
        self.title = str(metadata.get("title") or terminology.name or prefix)
        languages: dict[str, int] = terminology.statistics.get("terms_by_language", {})
        self.language = max(languages, key=lambda tag: languages[tag], default="en")
        self.relations = TermRelations(terminology)
        self.properties = TermProperties(terminology, prefix)
        self.mappings = TermMappings(terminology)
        self._filters = TermFilters(self)
        facts = {
            "resourceType": "CodeSystem",
            "language": self.language,
            "url": self.url,
            "version": self.version,
            "name": self.name,
            "title": self.title,
            "status": "active",
            "copyright": metadata.get("licence"),
            "caseSensitive": True,
            "valueSet": f"{self.url}?fhir_vs",
            "hierarchyMeaning": "is-a",
            "content": "not-present",  # the resource lists no concept; the server has them all
            "count": int(self.present().sum()),
        }
        self.facts: FhirJson = {name: value for name, value in facts.items() if value not in ("", None)}

    def __len__(self) -> int:
        return len(self.terminology)

    @cached_property
    def _present(self) -> Mask:
        if len(self.terminology.manifest.content["prefixes"]) < 2:
            return np.ones(len(self), bool)
        ids = self.terminology.ids()
        return np.fromiter((split_id(text)[0] == self.prefix for text in ids), bool, len(self))

    def present(self) -> Mask:
        """The concepts whose ids have the prefix."""
        return self._present

    def row(self, code: str) -> int | None:
        """The row of a code, an alternative code, or an id with its prefix; None for an unknown one."""
        for text in (code, f"{self.prefix}:{code}") if self.prefix else (code,):
            row = self.terminology.find(text)
            if row is not None and self._present[row]:
                return row
        return None

    def concept(self, row: int) -> CodedConcept:
        """All that is known of a concept."""
        concept = self.terminology.concept(row)
        inactive = concept.status == "retired"
        return CodedConcept(
            code_of(concept.id),
            tuple(self._names(concept)),
            concept.definitions[0] if concept.definitions else "",
            tuple(self._properties(concept)),
            inactive=inactive,
            status="inactive" if inactive else "",
        )

    def label(self, row: int) -> tuple[str, str]:
        """The code of a concept and its display, empty where it has none."""
        terminology = self.terminology
        return code_of(terminology.id(row)), terminology.preferred(row) if terminology.terms_of(row) else ""

    def _names(self, concept: Concept) -> Iterator[Designation]:
        for at, term in enumerate(concept.terms):
            if at == 0:
                yield Designation(term.text, term.language, base=True)
            elif term.status == "active":
                yield Designation(term.text, term.language, designation_use(term))

    def _properties(self, concept: Concept) -> Iterator[ConceptProperty]:
        for name, ids in (("replacedBy", concept.replaced_by), ("consider", concept.consider)):
            yield from (self._linked(name, target) for target in ids)
        for relation in concept.relations:
            attribute = self._attributes.get(folded(relation.predicate), relation.predicate)
            yield self._linked(attribute, relation.target)
        for name, texts in (("xref", concept.xrefs), ("tag", concept.tags)):
            yield from (ConceptProperty(name, "valueString", text) for text in texts)
        for text in concept.alternative_ids:
            if split_id(text)[0] == self.prefix:
                yield ConceptProperty("alternateCode", "valueCode", code_of(text))
        for entry in concept.properties:
            name = self._attributes.get(folded(entry.name), entry.name)
            kind = SNOMED_TYPES.get(name, "valueString") if self.url == SNOMED else "valueString"
            yield ConceptProperty(name, kind, entry.value == "true" if kind == "valueBoolean" else entry.value)

    @cached_property
    def _attributes(self) -> dict[str, str]:
        """The codes of SNOMED CT's attributes, by their names as they are compared; none of another code system."""
        top = self.row(ATTRIBUTES) if self.url == SNOMED else None
        rows = [] if top is None else np.flatnonzero(self.below(top)).tolist()
        return {folded(name): code_of(self.terminology.id(row)) for row in rows for name in self.terminology.names(row)}

    def attribute(self, code: str) -> list[str]:
        """The names of the attribute of SNOMED CT with that code; the code itself where it is none."""
        return [name for name, known in self._attributes.items() if known == code] or [code]

    def coding_of(self, concept_id: str) -> FhirJson:
        """The system and code of any concept id, with a display where it is one of this terminology."""
        row = self.terminology.find(concept_id)
        display = self.terminology.preferred(row) if row is not None else ""
        coding = {"system": self._urls.of_id(concept_id), "code": code_of(concept_id)}
        return {**coding, "display": display} if display else coding

    def _linked(self, name: str, target: str) -> ConceptProperty:
        row = self.terminology.find(target)
        display = self.terminology.preferred(row) if row is not None else ""
        if split_id(target)[0] == self.prefix:
            return ConceptProperty(name, "valueCode", code_of(target), display)
        coding = {"system": self._urls.of_id(target), "code": code_of(target)}
        return ConceptProperty(name, "valueCoding", {**coding, "display": display} if display else coding, display)

    def parents(self, row: int) -> Sequence[int]:
        """The rows one step up."""
        return [int(r) for r in self.terminology.hierarchy.parents(row) if self._present[r]]

    def children(self, row: int) -> Sequence[int]:
        """The rows one step down."""
        return [int(r) for r in self.terminology.hierarchy.children(row) if self._present[r]]

    def having(self, near: OneStep) -> Mask:
        """The concepts with at least one parent, or child, of this code system."""
        hierarchy = self.terminology.hierarchy
        edges = hierarchy.parent_edges if near == "parent" else hierarchy.child_edges
        found = np.zeros(len(self), bool)
        found[edges.sources()[self._present[edges.indices]]] = True
        return found & self._present

    def below(self, row: int) -> Mask:
        """The concept and everything below it."""
        return self.terminology.hierarchy.descendants_mask([row])

    def above(self, row: int) -> Mask:
        """The concept and everything above it."""
        mask = np.zeros(len(self), bool)
        mask[self.terminology.hierarchy.ancestors(row)] = True
        mask[row] = True
        return mask

    def inactive(self) -> Mask:
        """The concepts that are retired."""
        return ~self.terminology.active

    def abstract(self) -> Mask:
        """The concepts that may not be selected: none."""
        return np.zeros(len(self), bool)

    def property_uri(self, code: str) -> str:
        """HL7's uri of a property that it names."""
        return CONCEPT_PROPERTIES + code if code in ("parent", "child", "inactive", "status", "alternateCode") else ""

    # Filters and search

    def select(self, property_code: str, op: str, value: str, budget: Budget) -> Mask | None:
        """The concepts that a filter admits; None where it is not understood."""
        return self._filters.select(property_code, op, value, budget)

    @cached_property
    def _typed(self) -> TypedNames | IndexedNames:
        if self.index is None:
            return TypedNames.of_terminology(self.terminology)
        _, part = self.index.signals.parts("O")[0]
        return IndexedNames(part, self._first, len(self))

    @cached_property
    def _first(self) -> int:
        """The number of the terminology's first concept in the index."""
        number = 0
        for one in self.index.terminologies if self.index is not None else ():
            if one.fingerprint == self.terminology.fingerprint:
                break
            number += len(one)
        return number

    def search(self, text: str, within: Mask | None) -> SearchResult:
        """The concepts that a text finds: surely meant ones first, then all whose names it begins, then likely ones.

        A text whose words are not whole yet is not searched by meaning, unless no name begins so.
        """
        text = text[:LONGEST_TEXT].strip()
        begun = self.begun(text, within)
        meant: list[Found] = []
        index = self.index
        if index is not None and len(text) > 2 and (not len(begun) or _is_whole(index, text)):
            meant = self._meant(index, text, within)
        sure = np.asarray([found.row for found in meant if (found.confidence or 0) >= SURE], np.int64)
        likely = np.asarray([found.row for found in meant if (found.confidence or 0) < SURE], np.int64)
        rows = [sure, begun[~np.isin(begun, sure)], likely[~np.isin(likely, begun)]]
        return SearchResult(np.concatenate(rows), {found.row: found for found in meant}, "prefix")

    def begun(self, text: str, within: Mask | None) -> Ints:
        """The rows with a name that has, for every word of the text, a word that begins with it, the best first."""
        if within is None and len(self.terminology.manifest.content["prefixes"]) > 1:
            within = self._present
        return self._typed.concepts(text, within)

    def _meant(self, index: Index, text: str, within: Mask | None) -> list[Found]:
        among = None
        if within is not None or not self._present.all() or index.concept_count > len(self):
            among = np.zeros(index.concept_count, bool)
            among[self._first : self._first + len(self)] = self._present if within is None else within
        options = SearchOptions(k=MOST_BY_MEANING, least=LEAST)
        hits = found_hits(index, index.signals.query(text), options, among)
        found: dict[int, Found] = {}
        for hit in hits:
            row = self.terminology.find(hit.id)
            if row is not None and (within is None or within[row]):
                why = f"{hit.reason.rule}: {hit.reason.detail}" if hit.reason.detail else hit.reason.rule
                found.setdefault(row, Found(row, hit.confidence, hit.matched, why))
        return list(found.values())


def _is_whole(index: Index, text: str) -> bool:
    """Whether all words of a text are words of names, and the last one not only the beginning of one."""
    return all(index.signals.is_known(tokens(text))) and not unfinished_word(index, text)


SNOMED_TYPES: Mapping[str, str] = {"sufficientlyDefined": "valueBoolean", "moduleId": "valueCode"}
"""The types of SNOMED CT's properties (FHIR, Using SNOMED CT) that are no strings."""


def _version(url: str, terminology: Terminology) -> str:
    if url == SNOMED and re.fullmatch(r"\d{8}", terminology.version):
        return f"{SNOMED}/{INTERNATIONAL}/version/{terminology.version}"
    return terminology.version


def code_systems(terminology: Terminology, index: Index | None = None) -> list[TerminologyCodes]:
    """The code systems of a terminology: one for each prefix of its ids."""
    return [TerminologyCodes(terminology, prefix, index) for prefix in terminology.manifest.content["prefixes"] or [""]]
