"""Which of the spans that overlap are the mentions of a text: the longest, the best, and what lies in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ontonym.arrays import Mask
from ontonym.text.pieces import Piece


@dataclass(frozen=True, slots=True)
class Span:
    """A mention's position in a text, and the words to look up.

    These are its own with abbreviations expanded, or the name that a proposal means, with how near its words are
    (``closeness``, in (0, 1]) and ``stated``, as in `Proposal`. ``nested``: it lies in a longer mention or overlaps
    it.
    """

    start: int
    end: int
    lookup: str
    closeness: float = 1.0
    stated: bool = False
    nested: bool = False


RankedSpan: TypeAlias = tuple[tuple[float, ...], tuple[int, ...], Span, bool]
"""A span with its rank, higher is better, the numbers of its pieces, and whether an enumeration joins these."""


def free_pieces(row: Sequence[Piece], taken: Collection[tuple[int, int]]) -> Mask:
    """Which pieces of a text lie in no taken place (in characters), shape ``(pieces,)``."""
    free = np.ones(len(row), dtype=np.bool_)
    starts = np.array([piece.start for piece in row])
    for start, end in taken:
        first, last = np.searchsorted(starts, [start, end]).tolist()
        free[max(first - 1, 0) if first and row[first - 1].end > start else first : last] = False
    return free


def nested(others: Iterable[Span], chosen: Sequence[Span]) -> list[Span]:
    """Those that overlap one that was chosen, in another place; of one place the nearest to its name."""
    taken = {(span.start, span.end) for span in chosen}
    found: dict[tuple[int, int], Span] = {}
    for span in sorted(others, key=lambda one: (-one.closeness, one.lookup)):
        place = (span.start, span.end)
        if place not in taken and any(span.start < one.end and one.start < span.end for one in chosen):
            found.setdefault(place, replace(span, nested=True))
    return list(found.values())


def placed(ranked: list[RankedSpan], pieced: Sequence[Piece]) -> list[Span]:
    """The best spans without overlaps; one that shares words in an enumeration has the place of its own words."""
    taken: set[int] = set()
    used_up: set[int] = set()
    kept: list[Span] = []
    for _, used, spanned, joined in sorted(
        ranked, key=lambda one: (one[0], -one[2].start, one[2].lookup), reverse=True
    ):
        fresh = [place for place in used if place not in used_up]
        if not fresh or (len(fresh) < len(used)) != joined:
            continue
        span, whole = spanned, range(used[0], used[-1] + 1)
        if joined or not taken.isdisjoint(whole):
            own = _first_run([place for place in fresh if place not in taken])
            if not own:
                continue
            span, whole = replace(spanned, start=pieced[own[0]].start, end=pieced[own[-1]].end), own
        taken.update(whole)
        used_up.update(used)
        kept.append(span)
    return kept


def _first_run(places: Sequence[int]) -> range:
    """The first places that follow each other."""
    end = 0
    while end < len(places) and places[end] == places[0] + end:
        end += 1
    return range(places[0], places[0] + end) if places else range(0)


def longest(candidates: Iterable[Span], size: int) -> list[Span]:
    """Of overlapping spans the longest, of equally long ones the first."""
    taken = np.zeros(size + 1, dtype=np.bool_)
    kept: list[Span] = []
    for span in sorted(candidates, key=lambda span: (span.start - span.end, span.start, span.lookup)):
        if not taken[span.start : span.end].any():
            taken[span.start : span.end] = True
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)
