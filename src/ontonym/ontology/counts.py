"""What is counted while a release is read: rows, concepts, and names by their kinds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ontonym.errors import OntonymError
from ontonym.files.counts import RowCounts
from ontonym.ontology.batch import Batch
from ontonym.types import Concept


@dataclass(slots=True)
class Counts(RowCounts):
    """Counts of one pass over a release, complete when all concepts have been read.

    A row is the format's record: an OBO stanza, a JSON node, an XML element or list line of a code, a line of a table.
    ``rows == kept + sum(skipped) + malformed``. Several rows may make one concept, so ``concepts`` and ``terms`` are
    counted separately: ``terms_read == sum(terms) + sum(terms_skipped)``.
    """

    concepts: Counter[str] = field(default_factory=Counter)
    terms_read: int = 0
    terms: Counter[str] = field(default_factory=Counter)
    terms_skipped: Counter[str] = field(default_factory=Counter)
    prefixes: Counter[str] = field(default_factory=Counter)

    def skip_term(self, rule: str, count: int = 1) -> None:
        """Counts names that the named rule leaves out of kept concepts."""
        if count:
            self.terms_read += count
            self.terms_skipped[rule] += count

    def add_concept(self, concept: Concept) -> None:
        """Counts a concept that leaves the reader, without its names."""
        self.concepts[concept.status] += 1
        self.prefixes[concept.id.partition(":")[0] if ":" in concept.id else ""] += 1

    def add_terms(self, concept: Concept, dropped: dict[str, int]) -> None:
        """Counts the names of a concept, or of what adds to one, and the names the options dropped."""
        self.terms_read += len(concept.terms)
        for term in concept.terms:
            self.terms[term.kind] += 1
        for rule, number in dropped.items():
            self.skip_term(rule, number)

    def add_batch(self, batch: Batch) -> None:
        """Counts many concepts that leave the reader, and their terms."""
        retired = int(np.count_nonzero(batch.retired))
        for status, number in (("active", len(batch) - retired), ("retired", retired)):
            self.concepts[status] += number
        starts = batch.ids.take(np.unique(np.linspace(0, len(batch) - 1, min(len(batch), 100)).astype(np.int64)))
        self.prefixes.update(concept_id.rpartition(":")[0] for concept_id in starts)
        terms = batch.parts.get("terms")
        if terms is not None:
            kinds = terms.coded["term_kind"]
            for name, count in zip(kinds.names, np.bincount(kinds.codes, minlength=len(kinds.names)), strict=True):
                if count:
                    self.terms[name] += int(count)
            self.terms_read += int(terms.counts.sum())

    def verify(self) -> None:
        """Raises ``OntonymError`` if the counts do not add up, which would be a bug in the reader."""
        RowCounts.verify(self)
        if self.terms_read != self.terms.total() + self.terms_skipped.total():
            raise OntonymError(f"reader counts do not add up: {self.to_dict()['terms']}")

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain JSON values, for a manifest."""
        return {
            "rows": self.row_figures(),
            "concepts": {"active": self.concepts["active"], "retired": self.concepts["retired"]},
            "terms": {
                "read": self.terms_read,
                "kept": dict(sorted(self.terms.items())),
                "skipped": dict(sorted(self.terms_skipped.items())),
            },
            "malformed_examples": self.example_figures(),
        }
