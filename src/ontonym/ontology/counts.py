"""What became of every row of a release: kept, skipped by a named rule, or malformed. Nothing is lost silently."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ontonym.errors import OntonymError
from ontonym.ontology.batch import Batch
from ontonym.types import Concept

MAX_EXAMPLES = 5
EXCERPT = 120


@dataclass(frozen=True, slots=True)
class MalformedRow:
    """One malformed row: file name, 1-based line (None where the format has no lines), problem, and its beginning."""

    file: str
    line: int | None
    problem: str
    excerpt: str


@dataclass(slots=True)
class Counts:
    """Counts of one reading, complete once all concepts were taken.

    A row is what the format has one of per record: an OBO stanza, a JSON node, an XML element or list line of a code,
    a line of a table. ``rows == kept + sum(skipped) + malformed``. Several rows may make one concept, so ``concepts``
    and ``terms`` count apart: ``terms_read == sum(terms) + sum(terms_skipped)``.
    """

    rows: int = 0
    kept: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    examples: list[MalformedRow] = field(default_factory=list)
    concepts: Counter[str] = field(default_factory=Counter)
    terms_read: int = 0
    terms: Counter[str] = field(default_factory=Counter)
    terms_skipped: Counter[str] = field(default_factory=Counter)
    prefixes: Counter[str] = field(default_factory=Counter)

    def skip(self, rule: str) -> None:
        """Counts one row that the named rule leaves out."""
        self.rows += 1
        self.skipped[rule] += 1

    def keep(self) -> None:
        """Counts one row that became part of a concept."""
        self.rows += 1
        self.kept += 1

    def skip_term(self, rule: str) -> None:
        """Counts one name that the named rule leaves out of a kept concept."""
        self.terms_read += 1
        self.terms_skipped[rule] += 1

    def add_malformed(self, row: MalformedRow) -> None:
        """Counts one malformed row, and keeps the first five to show."""
        self.rows += 1
        self.malformed += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(row)

    def add_concept(self, concept: Concept) -> None:
        """Counts a concept that leaves the reader, without its names."""
        self.concepts[concept.status] += 1
        self.prefixes[concept.id.partition(":")[0] if ":" in concept.id else ""] += 1

    def add_terms(self, concept: Concept, dropped: dict[str, int]) -> None:
        """Counts the names of a concept, or of what adds to one, and the names the options dropped."""
        self.terms_read += len(concept.terms)
        for term in concept.terms:
            self.terms[term.kind] += 1
        for rule, count in dropped.items():
            self.terms_read += count
            self.terms_skipped[rule] += count

    def add_batch(self, batch: Batch) -> None:
        """Counts many concepts that leave the reader, and their terms."""
        retired = int(np.count_nonzero(batch.retired))
        for status, count in (("active", len(batch) - retired), ("retired", retired)):
            self.concepts[status] += count
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
        """Raises ``OntonymError`` where the counts do not add up, which would be a mistake of the reader's."""
        if self.rows != self.kept + self.skipped.total() + self.malformed:
            raise OntonymError(f"reader counts do not add up: {self.to_dict()['rows']}")
        if self.terms_read != self.terms.total() + self.terms_skipped.total():
            raise OntonymError(f"reader counts do not add up: {self.to_dict()['terms']}")

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain JSON values, for a manifest or for ``--json``."""
        return {
            "rows": {
                "read": self.rows,
                "kept": self.kept,
                "skipped": dict(sorted(self.skipped.items())),
                "malformed": self.malformed,
            },
            "concepts": {"active": self.concepts["active"], "retired": self.concepts["retired"]},
            "terms": {
                "read": self.terms_read,
                "kept": dict(sorted(self.terms.items())),
                "skipped": dict(sorted(self.terms_skipped.items())),
            },
            "malformed_examples": [asdict(row) for row in self.examples],
        }
