"""What became of every row of a file: kept, skipped by a named rule, or malformed. Nothing is lost silently."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ontonym.arrays import Mask
from ontonym.errors import OntonymError
from ontonym.files.source import Source
from ontonym.text.visible import cut_to
from ontonym.types import Progress, no_progress

MAX_EXAMPLES = 5
EXCERPT = 120


class BadRow(Exception):
    """A row or record that cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class MalformedRow:
    """One malformed row: file name, 1-based line (None where the format has no lines), problem, and its beginning."""

    file: str
    line: int | None
    problem: str
    excerpt: str


@dataclass(slots=True)
class RowCounts:
    """Counts of rows: ``rows == kept + sum(skipped) + malformed``."""

    rows: int = 0
    kept: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    examples: list[MalformedRow] = field(default_factory=list)

    def skip(self, rule: str, count: int = 1) -> None:
        """Counts rows that the named rule leaves out."""
        if count:
            self.rows += count
            self.skipped[rule] += count

    def keep(self, count: int = 1, rule: str = "") -> None:
        """Counts rows as kept, or as left out by ``rule`` if one is given."""
        if rule:
            self.skip(rule, count)
        else:
            self.rows += count
            self.kept += count

    def drop(self, rule: str, count: int) -> None:
        """Moves rows from kept to left out by the named rule."""
        if count:
            self.kept -= count
            self.skipped[rule] += count

    def add_malformed(self, row: MalformedRow) -> None:
        """Counts one malformed row, and keeps the first five to show."""
        self.rows += 1
        self.malformed += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(row)

    def add_alike(self, count: int) -> None:
        """Counts more rows that are malformed as those before are, beyond those that are shown."""
        self.rows += count
        self.malformed += count

    def verify(self) -> None:
        """Raises ``OntonymError`` where the counts do not add up, which would be a bug in the reader."""
        if self.rows != self.kept + self.skipped.total() + self.malformed:
            raise OntonymError(f"reader counts do not add up: {self.row_figures()}")

    def row_figures(self) -> dict[str, Any]:
        """The counts of rows as plain JSON values."""
        return {
            "read": self.rows,
            "kept": self.kept,
            "skipped": dict(sorted(self.skipped.items())),
            "malformed": self.malformed,
        }

    def example_figures(self) -> list[dict[str, Any]]:
        """The first malformed rows as plain JSON values."""
        return [asdict(row) for row in self.examples]


class RowLog:
    """Where a reader reports what became of each row, and its progress."""

    def __init__(self, counts: RowCounts, *, strict: bool = False, progress: Progress | None = None) -> None:
        """With ``strict``, the first malformed row raises."""
        self.counts = counts
        self.strict = strict
        self.progress: Progress = progress or no_progress

    def skip(self, rule: str, rows: Mask) -> None:
        """Counts the rows marked True as left out by the named rule."""
        self.counts.skip(rule, int(np.count_nonzero(rows)))

    def keep(self, rows: Mask) -> None:
        """Counts the rows marked True as kept."""
        self.counts.keep(int(np.count_nonzero(rows)))

    def malformed(self, source: Source, line: int | None, problem: str, text: str = "") -> None:
        """Counts a malformed row; raises ``FormatError`` under ``strict``."""
        if self.strict:
            source.fail(line, problem, "Fix the file, or import without strict to skip such rows")
        excerpt = cut_to(text, EXCERPT)
        self.counts.add_malformed(MalformedRow(source.name, line, problem, excerpt))
