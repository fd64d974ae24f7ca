"""Which of the spans that overlap are the mentions of a text: the longest, the best, and what lies in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Mask
from ontonym.text.bodyparts import narrows
from ontonym.text.pieces import Piece


@dataclass(frozen=True, slots=True)
class Span:
    """A mention's position in a text, and the words to look up.

    These are its own with abbreviations expanded, or the name that a proposal means, with how near its words are
    (``closeness``, in (0, 1], as in `Proposal`). ``sure``, in (0, 1], is how likely it is a mention of what they mean,
    1 for a name. ``nested``: it lies in a longer mention or overlaps it. ``around``: it only resembles a name, and has
    another name in it, the *cancer* of "bowel cancer".
    """

    start: int
    end: int
    lookup: str
    closeness: float = 1.0
    nested: bool = False
    sure: float = 1.0
    around: bool = False

    def written(self, text: str) -> str:
        """What stands there in its text."""
        return text[self.start : self.end]


LEAST_LIKELY = 0.3
"""The confidence below which words that only resemble a name are hardly ever one."""

IN_OTHER_WORDS, EVERYDAY = 0.8, 0.65
"""How likely words that propose a name mean it, and everyday names that come with the package: of what was found so on
three corpora, right as often in proportion to what was found by name, or less (docs/decisions.md)."""


class RankedSpan(NamedTuple):
    """A span with its rank, higher is better, the numbers of its pieces, and whether an enumeration joins these."""

    rank: tuple[float, ...]
    pieces: tuple[int, ...]
    span: Span
    joined: bool = False


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
    """The best spans, none overlapping another. Those that share words in an enumeration have one place, all of it:
    both *breast cancer* and *ovarian cancer* that of "breast and ovarian cancer", unless another span lies in it.
    """
    users: dict[int, _Group] = {}  # by piece, the spans that use it, and those in whose place it lies
    owners: dict[int, _Group] = {}
    best_first = sorted(ranked, key=lambda one: (one.rank, -one.span.start, one.span.lookup), reverse=True)
    paired = _paired(best_first)
    for _, used, span, joined in best_first:
        sharing = list(dict.fromkeys(users[place] for place in used if place in users))
        fresh = [place for place in used if place not in users]
        if not fresh or ((len(fresh) < len(used)) != joined and not (joined and used in paired)):
            continue
        own = range(used[0], used[-1] + 1)
        if joined or any(place in owners for place in own):
            own = _first_run([place for place in fresh if place not in owners])
            if not own:
                continue
        group = _Group(
            {*used, *(place for one in sharing for place in one.used)},
            [*(member for one in sharing for member in one.members), _Member(span, own, frozenset(used))],
        )
        users.update(dict.fromkeys(group.used, group))
        owners.update(dict.fromkeys((place for member in group.members for place in member.own), group))
    return list(_in_place(list(dict.fromkeys(users.values())), owners, pieced))


def _paired(ranked: Sequence[RankedSpan]) -> set[tuple[int, ...]]:
    """The pieces of those that an enumeration joins, where another has other words between the same two: both members
    of "short middle and distal phalanges", neither of which is written without a gap."""
    between: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for one in ranked:
        if one.joined and len(one.pieces) > _SEVERAL:
            between.setdefault((one.pieces[0], one.pieces[-1]), set()).add(one.pieces)
    pairs = [tuple(some) for some in between.values() if len(some) == _SEVERAL]
    return {one for first, second in pairs if _differ(first, second) for one in (first, second)}


def _differ(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether each of two has pieces that the other lacks."""
    return bool({*one} - {*other} and {*other} - {*one})


_SEVERAL = 2


class _Member(NamedTuple):
    """A span with the pieces that only it has, and all that it uses."""

    span: Span
    own: range
    used: frozenset[int]


@dataclass(slots=True, eq=False)
class _Group:
    """Spans that share pieces, and the pieces that they use."""

    used: set[int]
    members: list[_Member]

    def in_order(self, *, apart: bool) -> Iterator[_Member]:
        """The members by their places; in one place without what several others say with more, the *clinodactyly* of
        "clinodactyly of the second and fifth fingers"."""
        for member in sorted(self.members, key=lambda one: one.own[0]):
            if apart or sum(member.used < other.used for other in self.members) < _SEVERAL:
                yield member


def _in_place(groups: Sequence[_Group], owners: Mapping[int, _Group], row: Sequence[Piece]) -> Iterator[Span]:
    for group in groups:
        first, last = min(group.used), max(group.used)
        others = (owners.get(place, group) is not group for place in range(first, last + 1))
        apart = len(group.members) == 1 or any(others)
        for member in group.in_order(apart=apart):
            start, end = (member.own[0], member.own[-1]) if apart else (first, last)
            yield replace(member.span, start=row[start].start, end=row[end].end)


def with_qualifiers(spans: Iterable[Span], text: str, row: Sequence[Piece]) -> list[Span]:
    """The spans, each with the words before it that say where in the body or in whom: "sporadic renal hamartomas"."""
    places = {piece.start: place for place, piece in enumerate(row)}
    found: list[Span] = []
    starts: dict[int, int] = {}
    end = 0
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if span.start not in starts:
            place = places.get(span.start)
            starts[span.start] = span.start if place is None else _qualified(text, row, place, end)
        found.append(replace(span, start=starts[span.start]))
        end = max(end, span.end)
    return found


def _qualified(text: str, row: Sequence[Piece], place: int, least: int) -> int:
    """Where the words before a piece begin that qualify it, after ``least``; its own start where there are none."""
    start = row[place].start
    while place and row[place - 1].start >= least and text[row[place - 1].end : start] == " ":
        if not narrows(row[place - 1].written(text)):
            break
        place -= 1
        start = row[place].start
    return start


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
