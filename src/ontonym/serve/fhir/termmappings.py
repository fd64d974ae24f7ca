"""The mappings and cross-references of a terminology as translations between codes, from either side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontonym.arrays import Hashes, Ints
from ontonym.ontology.rf2.ids import ASSOCIATIONS
from ontonym.ragged import owners_of
from ontonym.store import Terminology
from ontonym.text.strings import hash64

XREF = "xref"
RELATIONSHIPS: Mapping[str, str] = {
    "skos:exactMatch": "equivalent",
    "skos:broadMatch": "source-is-narrower-than-target",
    "skos:narrowMatch": "source-is-broader-than-target",
    "owl:equivalentClass": "equivalent",
    "SAME AS": "equivalent",
    "REPLACED BY": "equivalent",
}
"""FHIR's word for a predicate; all others are ``related-to``."""
TURNED: Mapping[str, str] = {
    "source-is-narrower-than-target": "source-is-broader-than-target",
    "source-is-broader-than-target": "source-is-narrower-than-target",
}


@dataclass(frozen=True)
class CodeTranslation:
    """A concept id on one side and one on the other; ``of`` is the map or reference set that says so, or empty."""

    source: str
    target: str
    relationship: str
    display: str = ""
    of: str = ""

    def turned(self) -> CodeTranslation:
        """The same from the other side."""
        return CodeTranslation(self.target, self.source, TURNED.get(self.relationship, self.relationship), of=self.of)


class TermMappings:
    """What the concepts of a terminology are mapped to. What maps to a concept of others is found by one pass, once."""

    def __init__(self, terminology: Terminology) -> None:
        self._terminology = terminology

    def of(self, row: int) -> Iterator[CodeTranslation]:
        """The translations that the record of a concept has: its mappings, then its cross-references."""
        terminology = self._terminology
        own = terminology.id(row)
        seen: set[str] = set()
        for one in terminology.mappings_of(row):
            if one.object_id:
                seen.add(one.object_id)
                relationship = RELATIONSHIPS.get(one.predicate_id, "related-to")
                yield CodeTranslation(own, one.object_id, relationship, one.object_label, one.source)
        for target in terminology.lists("xrefs")[row]:
            if target not in seen:
                yield CodeTranslation(own, target, "related-to", of=XREF)

    def history(self, row: int, association: int) -> Iterator[CodeTranslation]:
        """The concepts that took the place of a retired one, by an association reference set of SNOMED CT."""
        name = ASSOCIATIONS.get(association)
        for one in self._terminology.concept(row).relations:
            if one.predicate == name:
                yield CodeTranslation(
                    self._terminology.id(row), one.target, RELATIONSHIPS.get(name, "related-to"), of=str(association)
                )

    def to(self, ids: Iterable[str]) -> Iterator[CodeTranslation]:
        """The translations of which one of some ids is the target."""
        for text in ids:
            for row in self._rows_to(text):
                yield from (one for one in self.of(row) if one.target == text)

    def _rows_to(self, text: str) -> list[int]:
        hashes, rows = self._targets
        start, stop = (int(hashes.searchsorted(np.uint64(hash64(text)), side)) for side in ("left", "right"))
        return sorted(set(rows[start:stop].tolist()))

    @cached_property
    def _targets(self) -> tuple[Hashes, Ints]:
        """The hashes of all targets, ascending, and the row of the concept that has each."""
        terminology = self._terminology
        mappings, xrefs = terminology.part("mappings"), terminology.lists("xrefs")
        hashes = np.concatenate([mappings.texts["mapping_object"].hashes(), xrefs.values.strings().hashes()])
        rows = np.concatenate([owners_of(mappings.counts), owners_of(np.diff(np.asarray(xrefs.bounds)))])
        order = np.argsort(hashes, kind="stable")
        return hashes[order], rows[order]
