"""A terminology for the writers: one concept in memory at a time, in as many passes as needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ontonym.store.open import Terminology
from ontonym.types import Concept, Progress

_STEP = 1000


class Walk:
    """Passes over one terminology; ``url`` is the user's canonical URL for FHIR, or empty.

    ``raw``: cells of tables are not guarded from spreadsheets.
    """

    def __init__(
        self, terminology: Terminology, progress: Progress | None = None, url: str = "", *, raw: bool = False
    ) -> None:
        self.terminology = terminology
        self.metadata: dict[str, Any] = terminology.metadata | {
            "name": terminology.name,
            "version": terminology.version,
        }
        self.url = url
        self.raw = raw
        self._progress = progress

    def __len__(self) -> int:
        return len(self.terminology)

    def concepts(self, stage: str = "writing", rows: Iterable[int] | None = None) -> Iterator[Concept]:
        """The concepts of these rows, or every concept in the order of the release."""
        total = len(self)
        for number, row in enumerate(range(total) if rows is None else rows, start=1):
            yield self.terminology.concept(row)
            if self._progress is not None and number % _STEP == 0:
                self._progress(stage, number, total)
