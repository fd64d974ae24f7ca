"""The narrower concept that has the qualifiers of the query, before the one above it that leaves them open: *Tinnitus,
bilateral* before *Tinnitus* for "ringing in both ears".

A classification has the side, the course or the encounter in the codes below a finding, which differ by nothing else.
The finding itself has more of the words that people use, but it is not specific enough to record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import Choice, RankedCandidates
from ontonym.index.interpretation import Readings
from ontonym.index.query import Query
from ontonym.index.scan import Scan
from ontonym.tasks.duplicates import concepts_above
from ontonym.text.denials import NEGATORS
from ontonym.text.qualifiers import axis_masks, qualifier_bits
from ontonym.text.wordlists import LIGHT
from ontonym.text.wordroots import root, roots_of

_COMPARED = 10
"""How many of the candidates of a terminology are compared with the first."""

_LEFT = 0.1
"""The share of its confidence that a candidate keeps where it leaves open what the query says."""

_RIVAL = 1e-3
"""The least confidence of a rival: less changes no answer."""

_MOST_CHILDREN, _MOST_LEVELS = 64, 3
"""The most children of a concept that are compared, and the most levels below it."""

_SIDES = MappingProxyType({"lt": "left", "rt": "right"})
"""Short forms of sides. They may mean another thing, but then no concepts below a finding differ by it."""

_UNSPECIFIED = root("unspecified")
_FILLING = LIGHT | {_UNSPECIFIED, root("encounter")}
"""Roots of words that come and go with a qualifier in preferred terms."""


def narrower_first(
    index: Index,
    query: Query,
    found: RankedCandidates,
    scan: Scan,
    readings_of: Callable[[Sequence[Query], Scan], Sequence[Readings]],
) -> RankedCandidates:
    """The candidates, with the concept that has the qualifiers of the query in the place of each terminology's first
    one, where that leaves them open.

    It is scored even where no signal brings it: ``readings_of`` reads the query again for a scan. A candidate that is
    called just what the query says stays first.
    """
    if scan.verbatim:
        return found
    narrower, allowed = NarrowerConcepts(index, query, found.readings), scan.allowed
    numbers = dict(reversed([*zip(found.terminologies, range(len(found)), strict=True)])).values()
    firsts = map(found.choice, numbers)
    open_ones = [one for one in firsts if not one.is_spelled or one.read.query.words != query.words]
    below = {first: one for first, one in narrower.below(open_ones).items() if allowed is None or allowed[one]}
    if not set(below.values()) <= set(found.concepts):
        (readings,) = readings_of([query], replace(scan, also=(*scan.also, *below.values())))
        found = RankedCandidates.of(readings)
    return narrower.before_broader(found, below)


class NarrowerConcepts:
    """The concepts below the candidates of a query that have its qualifiers, those of the axes of
    `ontonym.text.qualifiers`.

    A qualifier of any reading is one of the query: "RT" may be read as radiation therapy and mean the right side. Where
    a query has several on one axis ("left and right"), none counts.
    """

    def __init__(self, index: Index, query: Query, readings: Readings) -> None:
        asked = {*query.words, *chain.from_iterable(read.query.words for _, read in readings)}
        bits = qualifier_bits((*asked, *(_SIDES[word] for word in asked & _SIDES.keys())))
        found = (_Qualifier(bits & axis, axis) for axis in axis_masks().values()) if bits else ()
        self._index, self._query = index, query
        self._qualifiers = [one for one in found if one.value.bit_count() == 1]

    def below(self, firsts: Iterable[Choice]) -> dict[int, int]:
        """The concepts narrower than the first candidates of each terminology, by the number of the broader one.

        Such a concept has a qualifier of the query that the candidate leaves open, and differs from others beside it by
        nothing else, or its preferred term has just further words of the query.
        """
        below = {one.concept: self._narrower(one) for one in firsts}
        return {first: one for first, one in below.items() if one != first}

    def _narrower(self, first: Choice) -> int:
        """The concept that is narrower than a candidate, or its own."""
        concept = reduce(partial(_with_qualifier, self._index), self._qualifiers, first.concept)
        name = self._index.signals.words_of(first.read.name_row(first.place))
        further = roots_of((*self._query.words, *first.read.query.words)) - roots_of(name) - LIGHT
        return _with_words(self._index, concept, further) if further else concept

    def before_broader(self, found: RankedCandidates, below: Mapping[int, int]) -> RankedCandidates:
        """The candidates, with the narrower concept in the place of each terminology's first one, if it is a candidate.

        ``below`` are the narrower concepts by the number of the broader one. A candidate that is above the first one,
        or differs from it only in leaving open a qualifier of the query, is no rival to it: it keeps `_LEFT` of its
        confidence.
        """
        sure = list(found.confidences)
        for terminology in set(found.terminologies):
            own = [number for number, one in enumerate(found.terminologies) if one == terminology]
            meant = below.get(found.concepts[own[0]])
            first = found.concepts.index(meant) if meant in found.concepts else own[0]
            for other in own[: _COMPARED + 1]:
                if (
                    other != first
                    and sure[other] >= _RIVAL
                    and self._is_open(found.concepts[other], found.concepts[first])
                ):
                    sure[first] += sure[other] * (1 - _LEFT)
                    sure[other] *= _LEFT
        if sure == found.confidences:
            return found
        broader = {one: first for first, one in below.items() if first in found.concepts and one in found.concepts}
        return replace(found.with_confidences(sure), broader=broader)

    def before_part(self, part: list[Choice], whole: Sequence[Choice]) -> list[Choice]:
        """The choices for a part of the query, with the narrower choice for the whole query before each terminology's
        first one, where there is such a choice."""
        firsts, firsts_of_whole = (
            {self._index.place(one.concept): one for one in reversed(some)} for some in (part, whole)
        )
        below, known = self.below(firsts.values()), {one.concept: one for one in whole}
        meant = {first: known[one] for first, one in below.items() if one in known}
        for terminology, first in firsts.items():
            narrower = firsts_of_whole.get(terminology, first)
            if first.concept not in below and self._is_narrower(narrower.concept, first.concept):
                meant[first.concept] = narrower
        before = {one.concept for one in meant.values()}
        several: list[Choice] = []
        for one in part:
            if one.concept in meant:
                several += [
                    meant[one.concept].with_confidence(one.confidence),
                    one.with_confidence(one.confidence * _LEFT),
                ]
            elif one.concept not in before:
                several.append(one)
        return several

    def _is_narrower(self, concept: int, broader: int) -> bool:
        """Whether a concept is below another one, and its further words are words of the query."""
        further = self._index.signals.preferred_roots(concept) - self._index.signals.preferred_roots(broader) - _FILLING
        is_said = bool(further) and further <= roots_of(self._query.words)
        return is_said and broader in concepts_above(self._index, concept)

    def _is_open(self, concept: int, first: int) -> bool:
        """Whether a concept leaves open a qualifier of the query that the first one has, and says nothing else."""
        if self._is_narrower(first, concept):
            return True
        ours, theirs = map(self._index.signals.preferred_words, (first, concept))
        for one in self._qualifiers:
            if one.of(ours) == one.value and not one.of(theirs):
                return one.roots_beside(ours) == one.roots_beside(theirs) or concept in concepts_above(
                    self._index, first
                )
        return False


class _Qualifier(NamedTuple):
    """A qualifier of a query: its ``value`` among those of the ``axis``, all as `qualifier_bits`."""

    value: int
    axis: int

    def of(self, words: Sequence[str]) -> int:
        """The values on the axis that words have."""
        return qualifier_bits(words) & self.axis

    def roots_beside(self, words: Sequence[str]) -> frozenset[str]:
        """The roots of the words that have no value on the axis."""
        return roots_of(tuple(word for word in words if not self.of((word,)))) - _FILLING


def _with_qualifier(index: Index, concept: int, qualifier: _Qualifier) -> int:
    """The concept with a qualifier below one that leaves it open, or beside one that is called unspecified; the concept
    itself where there is none."""
    own = index.signals.preferred_words(concept)
    if qualifier.of(own):
        return concept
    if _is_unspecified(index, concept):
        beside = _only_one(index, _siblings(index, concept), qualifier, qualifier.roots_beside(own))
        if beside is not None:
            return beside
    found = (_only_one(index, some, qualifier) for some in _levels_below(index, concept))
    return next((one for one in found if one is not None), concept)


def _only_one(
    index: Index, some: Sequence[int], qualifier: _Qualifier, beside: frozenset[str] | None = None
) -> int | None:
    """The only one of some concepts that has a qualifier, if another one has another value on the axis and the same
    words ``beside`` it, and these are the given ones; None where none or several have it."""
    words = {one: index.signals.preferred_words(one) for one in some}
    having = [one for one in some if qualifier.of(words[one]) == qualifier.value]
    if len(having) != 1:
        return None
    (found,) = having
    same = qualifier.roots_beside(words[found])
    others = [
        qualifier.roots_beside(words[one]) for one in some if qualifier.of(words[one]) not in (0, qualifier.value)
    ]
    is_same = beside is None or same == beside
    return found if is_same and any(same <= other or other <= same for other in others) else None


def _with_words(index: Index, concept: int, further: frozenset[str]) -> int:
    """The one concept below whose preferred term has most further words, all of them by their roots among ``further``;
    the concept itself where there is none, or where the query denies something and the preferred term does not."""
    own = index.signals.preferred_roots(concept)
    roots = {one: index.signals.preferred_roots(one) for one in chain.from_iterable(_levels_below(index, concept))}
    added = {one: words - own for one, words in roots.items() if own - _FILLING <= words}
    told = {one: words - _FILLING for one, words in added.items() if _UNSPECIFIED not in words}
    most = max((len(words) for words in told.values() if words <= further), default=0)
    narrower = [one for one, words in told.items() if most and len(words) == most and words <= further]
    is_denied = any(told[one].isdisjoint(NEGATORS) for one in narrower) and not further.isdisjoint(NEGATORS)
    return narrower[0] if len(narrower) == 1 and not is_denied else concept


def _levels_below(index: Index, concept: int) -> Iterator[list[int]]:
    """The children of a concept, then those of the child that has the same words or is called unspecified, and so on;
    they end where there is no such child, or several."""
    for _ in range(_MOST_LEVELS):
        own, children = index.signals.preferred_roots(concept), _children(index, concept)
        yield children
        open_ones = [one for one in children if index.signals.preferred_roots(one) == own]
        open_ones = open_ones or [one for one in children if _is_unspecified(index, one)]
        if len(open_ones) != 1:
            return
        (concept,) = open_ones


def _is_unspecified(index: Index, concept: int) -> bool:
    return _UNSPECIFIED in index.signals.preferred_roots(concept)


def _children(index: Index, concept: int) -> list[int]:
    """The children of a concept, if they are few: a chapter of a classification has many."""
    terminology, row = index.locate(concept)
    rows = terminology.hierarchy.children(row)
    return [concept - row + one for one in rows.tolist()] if len(rows) <= _MOST_CHILDREN else []


def _siblings(index: Index, concept: int) -> list[int]:
    terminology, row = index.locate(concept)
    parents = (concept - row + one for one in terminology.hierarchy.parents(row).tolist())
    return [*chain.from_iterable(_children(index, parent) for parent in parents)]
