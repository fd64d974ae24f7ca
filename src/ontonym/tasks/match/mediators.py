"""Borrowed names: those that a third terminology (a mediator) has for a source concept.

A mediator knows a source concept if the two cross-reference each other, or else share a preferred name, and no other
concept of the mediator does. Then its exact names are searched for too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ontonym.store import Terminology
from ontonym.tasks.match.references import SharedReferences
from ontonym.text.normalization import key


class SourceName(NamedTuple):
    """A name that is searched for: its number and its language as in `SourceNames`, and its text."""

    number: int
    text: str
    language: str


@dataclass(frozen=True)
class SourceNames:
    """The names of a terminology's concepts, and those borrowed from ``mediators``.

    Names are numbered: the source's by its term rows, then those of each mediator by its own.
    """

    source: Terminology
    mediators: Sequence[Terminology] = ()

    def text(self, number: int) -> str:
        """The text of a name."""
        return self._of(number)[0]

    def lender(self, number: int) -> str:
        """The name of the mediator that a name is borrowed from; empty for the source's own."""
        return self._of(number)[1]

    def language(self, number: int) -> str:
        """The tag of the language of a name, without its region; empty for English, which names count as where nobody
        said what they are in."""
        terminology, row = self._place_of(number)
        language = terminology.term(row).language.partition("-")[0]
        return "" if language == "en" else language

    def _of(self, number: int) -> tuple[str, str]:
        terminology, row = self._place_of(number)
        return terminology.term_texts()[row], "" if number < self.source.term_count else terminology.name

    def _place_of(self, number: int) -> tuple[Terminology, int]:
        """The terminology that has a name, and its term row there."""
        if number < self.source.term_count:
            return self.source, number
        for first, mediator in zip(self.firsts(), self.mediators, strict=True):
            if number < first + mediator.term_count:
                return mediator, number - first
        raise IndexError(f"name {number}")

    def firsts(self) -> list[int]:
        """The number of the first name of each mediator: those of the source come before."""
        counts = [one.term_count for one in self.mediators]
        return [self.source.term_count + before for before in accumulate([0, *counts[:-1]])] if counts else []

    def of(self, row: int) -> tuple[SourceName, ...]:
        """The distinct active names of a concept, its own first, beginning with the preferred one; none if it has no
        own name.
        """
        source = self.source
        numbers: dict[str, int] = {}
        for number in source.terms_of(row):
            term = source.term(number)
            if term.status == "active":
                numbers.setdefault(term.text, number)
        if not numbers:
            return ()
        seen = set(map(key, numbers))
        for first, mediator, shared in zip(self.firsts(), self.mediators, self._shared, strict=True):
            known = _known_as(source.preferred(row), mediator, shared.of(row).tolist())
            for number in mediator.terms_of(known) if known is not None else ():
                term = mediator.term(number)
                if term.status == "active" and term.scope == "exact" and key(term.text) not in seen:
                    seen.add(key(term.text))
                    numbers.setdefault(term.text, first + number)
        return tuple(SourceName(number, text, self.language(number)) for text, number in numbers.items())

    @cached_property
    def _shared(self) -> list[SharedReferences]:
        """The references that the source shares with each mediator."""
        return [SharedReferences.between(self.source, [one]) for one in self.mediators]


def _known_as(preferred: str, mediator: Terminology, referenced: Sequence[int]) -> int | None:
    """The row of the only concept of a mediator that matches a source concept with this preferred name, or None."""
    if referenced:
        return referenced[0] if len(referenced) == 1 else None
    rows = {int(row) for row in mediator.term_concepts()[mediator.rows_named(preferred)]}
    alike = [row for row in rows if mediator.active[row] and key(mediator.preferred(row)) == key(preferred)]
    return alike[0] if len(alike) == 1 else None
