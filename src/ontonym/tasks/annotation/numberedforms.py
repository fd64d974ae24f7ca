"""Abbreviations with the number of a type or a stage behind them: the "DM II" and "CKD 3b" of notes, which are not
*DM* and *CKD* alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.memo import Memo
from ontonym.tasks.annotation.overlaps import Span
from ontonym.tasks.annotation.shorthand import LEAST_CONFIDENCE
from ontonym.text.pieces import Piece
from ontonym.text.timeunits import UNITS

_CAPITALS = re.compile(r"[A-Za-z]*[A-Z][A-Za-z]*[A-Z]")
_NUMBER = re.compile(r"[IVX]{1,3}[ab]?|[1-9][a-e]?")
_COUNTED = re.compile(
    rf"[/.:%-]\S|\s?(?:{UNITS})s?\b|\s(?:d|w|m|mo|y|x|episodes|events|mg|ml|of|times|units)\b", re.IGNORECASE
)
"""What follows a number that counts and is no stage: "TIA 2 years ago", "DM 3/12"."""
_MOST_KNOWN = 1 << 15


class NumberedForms:
    """Finds the abbreviations of which the number behind them makes another concept, by the ``best`` candidate of an
    index for each text."""

    def __init__(self, index: Index, best: Callable[[str], Choice | None]) -> None:
        self._index, self._best = index, best
        self._is_kind = Memo(self._is_another, _MOST_KNOWN)

    def with_numbers(self, text: str, row: Sequence[Piece], spans: Iterable[Span]) -> Iterator[Span]:
        """The mentions of a text, those in capitals with the number of a type or stage behind them that makes another
        concept of them."""
        places = {(piece.start, piece.end): place for place, piece in enumerate(row)}
        for span in spans:
            place = places.get((span.start, span.end), len(row))
            written, after = span.written(text), row[place + 1 : place + 2]
            if not after or not after[0].continues or not _CAPITALS.fullmatch(written):
                yield span
                continue
            end, number = after[0].end, after[0].written(text)
            numbered = f"{written} {number}"
            is_kind = _NUMBER.fullmatch(number) and not _COUNTED.match(text, end)
            yield replace(span, end=end, lookup=numbered) if is_kind and self._is_kind[numbered, span.lookup] else span

    def _is_another(self, asked: tuple[str, str]) -> bool:
        """Whether the first of two texts likely means a concept that shares no name with what the second means."""
        numbered, whole = map(self._best, asked)
        if numbered is None or numbered.confidence < LEAST_CONFIDENCE:
            return False
        return whole is None or self._named(numbered).isdisjoint(self._named(whole))

    def _named(self, choice: Choice) -> set[tuple[str, ...]]:
        return set(map(tuple, self._index.signals.names_of(choice.concept)))
