"""The code that says all that the query says before the one above it that leaves it open: *Tinnitus, bilateral* before
*Tinnitus* for "ringing in both ears".

A classification tells the side, the course or which encounter it is in the codes below a finding, which differ by
nothing else. The finding itself has more of the words that people say, but it is too little to record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import chain
from operator import or_
from types import MappingProxyType
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import Choice, RankedCandidates, Readings
from ontonym.index.query import Query
from ontonym.memo import kept_for_owner
from ontonym.tasks.duplicates import concepts_above
from ontonym.text.denials import NEGATORS
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import axis_bits, axis_masks
from ontonym.text.wordlists import LIGHT
from ontonym.text.wordroots import root, roots_of

_LOOKED_AT = 10
"""How many of the candidates of a terminology are compared with the first."""

_LEFT = 0.1
"""What is left of the confidence of a candidate that leaves open what the query says."""

_MOST_BELOW, _MOST_LEVELS, _MOST_KNOWN = 64, 3, 1 << 13
"""The most concepts directly below one that is too little to record, the most levels below it, and the preferred terms
whose words are kept."""

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
        self._index, self._query, self._told = index, query, [said for said in told if said.value.bit_count() == 1]

    def below(self, firsts: Iterable[Choice]) -> dict[int, int]:
        """For the first candidate of each terminology that leaves open what the query says, the concept below or beside
        it that says so, and differs from others there by nothing else, or has just further words of the query; both by
        number."""
        below = {one.concept: self._below(one) for one in firsts}
        return {first: one for first, one in below.items() if one != first}

    def _below(self, first: Choice) -> int:
        """What is below one candidate, or its own concept."""
        concept = reduce(partial(_below, self._index), self._told, first.concept)
        name = self._index.signals.words_of(first.read.name_row(first.place))
        left = roots_of((*self._query.words, *first.read.query.words)) - roots_of(name) - LIGHT
        return _narrower(self._index, concept, left) if left else concept

    def first_of_part(self, part: list[Choice], whole: Sequence[Choice]) -> list[Choice]:
        """The choices for a part of the query, each terminology's first one after what says more as the query does, if
        that is among those for the whole."""
        firsts, wholes = ({self._index.place(one.concept): one for one in reversed(some)} for some in (part, whole))
        below, known = self.below(firsts.values()), {one.concept: one for one in whole}
        meant = {first: known[one] for first, one in below.items() if one in known}
        for place, first in firsts.items():
            narrower = wholes.get(place, first)
            if first.concept not in below and self._says_more(narrower.concept, first.concept):
                meant[first.concept] = narrower
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

    def _says_more(self, concept: int, above: int) -> bool:
        """Whether a concept is below another one and what it says more is in words of the query."""
        further = _words(self._index, concept) - _words(self._index, above) - _FILLING
        is_said = bool(further) and further <= roots_of(self._query.words)
        return is_said and above in concepts_above(self._index, concept)

    def first_in(self, found: RankedCandidates, below: Mapping[int, int]) -> RankedCandidates:
        """The candidates, each terminology's first one with what is ``below`` it in its place, if that is a candidate.

        What is above that one, or differs from it only in leaving open what the query says, is no rival to it.
        """
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
        if self._says_more(first, concept):
            return True
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
    """The concept that says it below one that is silent, or beside one that is called unspecified; the concept itself
    where there is none."""
    own = tokens(index.preferred(concept))
    if said.by(own):
        return concept
    if _is_unspecified(index, concept):
        beside = _telling(index, _siblings(index, concept), said, said.rest(own))
        if beside is not None:
            return beside
    found = (_telling(index, some, said) for some in _levels_below(index, concept))
    return next((one for one in found if one is not None), concept)


def _levels_below(index: Index, concept: int) -> Iterator[list[int]]:
    """The concepts directly below one, and those below the one of these that says no more or leaves all open; and so
    on."""
    for _ in range(_MOST_LEVELS):
        own, below = _words(index, concept), _children(index, concept)
        yield below
        open_ones = [one for one in below if _words(index, one) == own]
        open_ones = open_ones or [one for one in below if _is_unspecified(index, one)]
        if len(open_ones) != 1:
            return
        (concept,) = open_ones


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


def _narrower(index: Index, concept: int, left: frozenset[str]) -> int:
    """The one concept below whose preferred term has most further words, all of them by their roots among what is
    ``left`` of the query; the concept itself where there is none."""
    own = _words(index, concept)
    below = chain.from_iterable(_levels_below(index, concept))
    further = {one: _words(index, one) - own for one in below if own - _FILLING <= _words(index, one)}
    told = {one: words - _FILLING for one, words in further.items() if _UNSPECIFIED not in words}
    said = {one: words for one, words in told.items() if words and words <= left}
    most = max(map(len, said.values()), default=0)
    narrower = [one for one, words in said.items() if len(words) == most]
    is_denied = any(told[one].isdisjoint(NEGATORS) for one in narrower) and not left.isdisjoint(NEGATORS)
    return narrower[0] if len(narrower) == 1 and not is_denied else concept


@kept_for_owner(_MOST_KNOWN)
def _words(index: Index, concept: int) -> frozenset[str]:
    """The roots of the preferred term of a concept."""
    return roots_of(tuple(tokens(index.preferred(concept))))


def _is_unspecified(index: Index, concept: int) -> bool:
    return _UNSPECIFIED in _words(index, concept)


def _values(words: Iterable[str]) -> int:
    """The values that words say on all axes, as bits."""
    bits = axis_bits()
    return reduce(or_, (bits.get(word, 0) for word in words), 0)


def _children(index: Index, concept: int) -> list[int]:
    """The concepts directly below one, where these are few: a classification has many below a chapter."""
    terminology, row = index.locate(concept)
    rows = terminology.hierarchy.children(row)
    return [concept - row + one for one in rows.tolist()] if len(rows) <= _MOST_BELOW else []


def _siblings(index: Index, concept: int) -> list[int]:
    terminology, row = index.locate(concept)
    return [
        one for above in terminology.hierarchy.parents(row).tolist() for one in _children(index, concept - row + above)
    ]
