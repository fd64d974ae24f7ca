"""The code that says all that the query says before the one above it that leaves it open: *Tinnitus, bilateral* before
*Tinnitus* for "ringing in both ears".

A classification tells the side, the course or which encounter it is in the codes below a finding, which differ by
nothing else. The finding itself has more of the words that people say, but it is too little to record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from itertools import chain
from operator import or_
from types import MappingProxyType
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import Choice, RankedCandidates, Readings
from ontonym.index.query import Query
from ontonym.tasks.duplicates import concepts_above
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import axis_bits, axis_masks
from ontonym.text.wordlists import LIGHT
from ontonym.text.wordroots import root, roots_of

_LOOKED_AT = 10
"""How many of the candidates of a terminology are compared with the first."""

_LEFT = 0.1
"""What is left of the confidence of a candidate that leaves open what the query says."""

_SHORT = MappingProxyType({"lt": "left", "rt": "right"})
"""What people write for a side; where it means another thing, no codes below a finding differ by it."""

_UNSPECIFIED = root("unspecified")
_FILLING = LIGHT | {_UNSPECIFIED, root("encounter")}
"""Words that come and go with what a code says on an axis."""


class SaidBelow:
    """What a query says on the axes of `ontonym.text.qualifiers` where it says one thing, and the candidates that say
    the same.

    The query says what any of its readings does: "RT" may be read as radiation therapy and mean the right side.
    """

    def __init__(self, index: Index, query: Query, readings: Readings) -> None:
        asked = {*query.words, *chain.from_iterable(read.query.words for _, read in readings)}
        values = _values(asked) | _values(_SHORT[word] for word in asked & _SHORT.keys())
        told = (_Said(values & axis, axis) for axis in axis_masks() if values & axis) if values else ()
        self._index, self._told = index, [said for said in told if said.value.bit_count() == 1]

    def below(self, concepts: Sequence[int]) -> dict[int, int]:
        """For the first of some concepts, best first, of each terminology: where it leaves open what the query says, the
        concept below or beside it that says so, and differs from others there by nothing else; both by number."""
        if not self._told:
            return {}
        firsts = {self._index.place(concept): concept for concept in reversed(concepts)}.values()
        below = {first: reduce(partial(_below, self._index), self._told, first) for first in firsts}
        return {first: one for first, one in below.items() if one != first}

    def first_of_part(self, part: Sequence[Choice], whole: Sequence[Choice]) -> Sequence[Choice]:
        """The choices for a part of the query that does not say it, each terminology's first one after what is below
        it, if that is among those for the whole."""
        below, known = self.below([one.concept for one in part]), {one.concept: one for one in whole}
        meant = {first: known[one] for first, one in below.items() if one in known}
        if not meant:
            return part
        taken = {one.concept for one in meant.values()}
        several = [
            [meant[one.concept].with_confidence(one.confidence), one.with_confidence(one.confidence * _LEFT)]
            if one.concept in meant
            else [one]
            for one in part
            if one.concept not in taken
        ]
        return [one for some in several for one in some]

    def first_in(self, found: RankedCandidates, below: Mapping[int, int]) -> RankedCandidates:
        """The candidates, each terminology's first one with what is ``below`` it in its place, if that is a candidate.

        What is above that one, or differs from it only in leaving open what the query says, is no rival to it.
        """
        if not self._told:
            return found
        sure = list(found.confidences)
        for place in set(found.terminologies):
            own = [number for number, one in enumerate(found.terminologies) if one == place]
            meant = below.get(found.concepts[own[0]])
            first = found.concepts.index(meant) if meant in found.concepts else own[0]
            for other in own[: _LOOKED_AT + 1]:
                if other != first and self._is_open(found.concepts[other], found.concepts[first]):
                    sure[first] += sure[other] * (1 - _LEFT)
                    sure[other] *= _LEFT
        return found if sure == found.confidences else found.with_confidences(sure)

    def _is_open(self, concept: int, first: int) -> bool:
        """Whether a concept leaves open what the first one says as the query does, and says nothing else."""
        ours, theirs = (tokens(self._index.preferred(one)) for one in (first, concept))
        for said in self._told:
            if said.by(ours) == said.value and not said.by(theirs):
                return said.rest(ours) == said.rest(theirs) or concept in concepts_above(self._index, first)
        return False


class _Said(NamedTuple):
    """What is said on one axis: its ``value`` among those of the ``axis``, all as bits."""

    value: int
    axis: int

    def by(self, words: Sequence[str]) -> int:
        """The values that words say on the axis."""
        return _values(words) & self.axis

    def rest(self, words: Sequence[str]) -> frozenset[str]:
        """The roots of the words that say something else."""
        bits = axis_bits()
        return roots_of(tuple(word for word in words if not bits.get(word, 0) & self.axis)) - _FILLING


def _below(index: Index, concept: int, said: _Said) -> int:
    """The concept that says it one level below one that is silent, or beside or below that which leaves all open; the
    concept itself where there is none."""
    own = tokens(index.preferred(concept))
    if said.by(own):
        return concept
    below = _children(index, concept)
    unsaid = [one for one in below if _is_unspecified(index, one)]
    found = [
        _telling(index, _siblings(index, concept), said, said.rest(own)) if _is_unspecified(index, concept) else None,
        _telling(index, below, said),
        _telling(index, _children(index, *unsaid), said) if len(unsaid) == 1 else None,
    ]
    return next((one for one in found if one is not None), concept)


def _telling(index: Index, some: Sequence[int], said: _Said, rest: frozenset[str] | None = None) -> int | None:
    """The one among concepts that says it, where another one says something else on the axis and the same besides, and
    this is the ``rest`` if one is given; None where none or several do."""
    words = {one: tokens(index.preferred(one)) for one in some}
    telling = [one for one in some if said.by(words[one]) == said.value]
    if len(telling) != 1:
        return None
    (found,) = telling
    same = said.rest(words[found])
    others = [said.rest(words[one]) for one in some if said.by(words[one]) not in (0, said.value)]
    is_same = rest is None or same == rest
    return found if is_same and any(same <= other or other <= same for other in others) else None


def _is_unspecified(index: Index, concept: int) -> bool:
    return _UNSPECIFIED in roots_of(tuple(tokens(index.preferred(concept))))


def _values(words: Iterable[str]) -> int:
    """The values that words say on all axes, as bits."""
    bits = axis_bits()
    return reduce(or_, (bits.get(word, 0) for word in words), 0)


def _children(index: Index, concept: int) -> list[int]:
    terminology, row = index.locate(concept)
    return [concept - row + one for one in terminology.hierarchy.children(row).tolist()]


def _siblings(index: Index, concept: int) -> list[int]:
    terminology, row = index.locate(concept)
    return [concept - row + one for one in terminology.hierarchy.siblings(row).tolist()]
