"""What the words of names say of a query: the words they share, its numbers, opposites, and other qualifiers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import accumulate, product
from operator import or_
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.index.names import Names
from ontonym.index.query import Query
from ontonym.index.wordfacts import WEIGHT_OF_LIGHT
from ontonym.ragged import boundaries, check_ranges, end_to_end
from ontonym.text.denials import DENIED, NEGATOR, PLAIN, asserted_root, denies, signs, signs_in
from ontonym.text.qualifiers import axis_bits, axis_masks, numbers_in
from ontonym.text.wordlists import LIGHT

_AXIS_BITS, _AXIS_MASKS = axis_bits(), axis_masks().values()
_OTHER = "other"
_FEW = 16
"""Up to so many values are looked for one by one, which is faster than `np.isin`."""

_OVERLAP = ("words", "query_share", "name_share", "number_missing", "number_extra")
_QUALIFIERS = ("contradicted", "qualifier_missing", "qualifier_extra", "residual")

# An axis has neighbouring bits, one for each of its values. Its first one also stands for the axis itself.
_FIRST_VALUES = reduce(or_, (mask & -mask for mask in _AXIS_MASKS))
"""The bits of the first values of all axes."""
_SHIFTED = [
    reduce(or_, (mask & ~((mask & -mask) * ((1 << step) - 1)) for mask in _AXIS_MASKS))
    for step in range(1, max(mask.bit_count() for mask in _AXIS_MASKS))
]
"""For 1, 2, … places the bits that can be moved down so far without leaving their axis."""


class JoinedFacts:
    """The facts of the words of several parts, their vocabularies end to end: those of part p begin at ``firsts[p]``.

    A word of two parts has two numbers, since its rarity is looked up in each.
    """

    def __init__(self, parts: Sequence[Names]) -> None:
        self._parts = parts
        self.firsts = [0, *accumulate(len(names.vocabulary) for names in parts)]

    def __len__(self) -> int:
        return self.firsts[-1]

    @cached_property
    def weights(self) -> npt.NDArray[np.float32]:
        """See `WordFacts.weights`."""
        return end_to_end([names.facts.weights for names in self._parts])

    @cached_property
    def axes(self) -> Ints:
        """See `WordFacts.axes`."""
        return end_to_end([names.facts.axes for names in self._parts])

    @cached_property
    def axes_said(self) -> Ints:
        """See `WordFacts.axes_said`."""
        return end_to_end([names.facts.axes_said for names in self._parts])

    @cached_property
    def negation(self) -> npt.NDArray[np.uint8]:
        """See `WordFacts.negation`."""
        return end_to_end([names.facts.negation for names in self._parts])

    @cached_property
    def is_number(self) -> Mask:
        """Which words begin with a digit."""
        return end_to_end([names.is_number for names in self._parts])

    @cached_property
    def is_short(self) -> Mask:
        """Which words have up to five letters."""
        return end_to_end([names.is_short for names in self._parts])

    def roots(self, part: int, numbers: Collection[int]) -> dict[int, str]:
        """See `WordFacts.roots`, for words of one part."""
        first = self.firsts[part]
        found = self._parts[part].facts.roots([number - first for number in numbers])
        return {number + first: root for number, root in found.items()} if first else found


@dataclass(frozen=True, slots=True)
class NameWords:
    """The words of names, end to end (`ontonym.ragged`).

    The names are those of several ``parts``, one after another, in each of them those of several ``queries``: a run is
    the names of one query in one part.

    - by run, with the end: ``edges`` and ``word_edges``, where its names and where its words begin
    - by name: ``starts``, where its words begin, and ``lengths``, how many there are
    - by word: ``words`` are its numbers in ``facts``, which has those of all parts, ``places`` where in its name it
      stands, ``cells`` its places in a table of shape ``(queries, len(facts))`` that is read as one row

    Of two queries in one part, the first with the names "heart attack" and "angina", the second with "acute heart
    failure", ``edges`` are 0, 2, 3 and ``word_edges`` 0, 3, 6; ``starts`` are 0, 2, 3 and ``lengths`` 2, 1, 3;
    ``places`` are 0, 1, 0, 0, 1, 2.
    """

    parts: Sequence[Names]
    facts: JoinedFacts
    queries: Sequence[Query]
    edges: Ints
    words: Ints
    starts: Ints
    lengths: Ints
    places: Ints
    word_edges: Ints
    cells: Ints

    @classmethod
    def of(
        cls, parts: Sequence[Names], facts: JoinedFacts, queries: Sequence[Query], rows: Sequence[Ints], edges: Ints
    ) -> NameWords:
        """The words of the names in these rows of each part; ``edges`` as above."""
        some = [names.word_bounds.take(own) for names, own in zip(parts, rows, strict=True)]
        sizes = [names.word_bounds.take(own + 1) - first for names, own, first in zip(parts, rows, some, strict=True)]
        for names, first, own in zip(parts, some, sizes, strict=True):
            check_ranges(first, own, len(names.words))
        firsts, lengths = end_to_end(some), end_to_end(sizes)
        bounds = boundaries(lengths)
        starts = bounds[:-1]
        places = np.arange(bounds[-1]) - starts.repeat(lengths)
        at = places + firsts.repeat(lengths)
        stops = bounds[edges[:: len(queries)]].tolist()
        words = np.empty(len(at), dtype=np.int64)
        for names, start, stop, number in zip(parts, stops, stops[1:], facts.firsts, strict=False):
            words[start:stop] = names.words.take(at[start:stop])
            words[start:stop] += number
        word_edges = bounds[edges]
        cells = words
        if len(queries) > 1:
            rows_begin = np.tile(np.arange(len(queries)) * len(facts), len(parts))
            cells = words + rows_begin.repeat(word_edges[1:] - word_edges[:-1])
        return cls(parts, facts, queries, edges, words, starts, lengths, places, word_edges, cells)

    def firsts(self) -> Ints:
        """The first word of each name."""
        return self.words.take(self.starts)

    def valued(self, tables: Sequence[Doubles]) -> Doubles:
        """A value of each word, from a table by query and word for each part: tables joined would be a copy of all."""
        if len(tables) == 1:
            return tables[0].ravel().take(self.cells)
        values, count = np.empty(len(self.cells)), len(self.queries)
        for part, table in enumerate(tables):
            edges = self.word_edges[part * count : (part + 1) * count + 1]
            here = slice(int(edges[0]), int(edges[-1]))
            rows = np.arange(count) * table.shape[1] - self.facts.firsts[part]
            values[here] = table.ravel().take(self.words[here] + rows.repeat(edges[1:] - edges[:-1]))
        return values

    def _slices(self, run: int) -> tuple[slice, slice]:
        """The slices of the names of a run, and of their words."""
        return (
            slice(int(self.edges[run]), int(self.edges[run + 1])),
            slice(int(self.word_edges[run]), int(self.word_edges[run + 1])),
        )

    def _for_names(self, values: Sequence[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Values by run as values by name."""
        return np.array(values, dtype=dtype).repeat(self.edges[1:] - self.edges[:-1])

    def overlap(self) -> dict[str, npt.NDArray[Any]]:
        """How the words of queries and of their names overlap: three shares, a number missing, a number too many."""
        theirs, starts = self.words, self.starts
        missing = np.zeros(len(starts), dtype=np.bool_)
        size, weights = len(self.facts), self.facts.weights
        asked = np.zeros(len(self.queries) * size, dtype=np.bool_)
        totals = []
        for run, (part, place) in enumerate(product(range(len(self.parts)), range(len(self.queries)))):
            names, first, words = self.parts[part], self.facts.firsts[part], self.queries[place].words
            numbers = numbers_in(self.queries[place].text)
            total = 0.0
            for word, number in zip(words, names.word_ids(words), strict=True):
                if number is None:
                    total += names.unseen_idf * (WEIGHT_OF_LIGHT if word in LIGHT else 1)
                else:
                    total += float(weights[first + number])
                    asked[place * size + first + number] = True
                if word in numbers:
                    here, of_words = self._slices(run)
                    missing[here] |= number is None or ~self._have(first + number, here, of_words)
            totals.append(max(total, 1e-6))
        if not len(starts):
            return dict.fromkeys(_OVERLAP, missing)
        shared = asked.take(self.cells)
        query_total = self._for_names(totals, np.float32)
        rarity = weights.take(theirs)
        name_total = np.add.reduceat(rarity, starts)
        common = np.add.reduceat(rarity * shared, starts)
        extra = np.logical_or.reduceat(self.facts.is_number.take(theirs) & ~shared, starts)
        found = (
            np.minimum(2 * common / (query_total + name_total), 1),
            np.minimum(common / query_total, 1),
            common / np.maximum(name_total, 1e-6),
            missing,
            extra,
        )
        return dict(zip(_OVERLAP, found, strict=True))

    def _have(self, number: int, here: slice, of_words: slice) -> Mask:
        """Which names of a run have a word."""
        holders = np.searchsorted(
            self.starts[here], of_words.start + np.flatnonzero(self.words[of_words] == number), "right"
        )
        found = np.zeros(here.stop - here.start, dtype=np.bool_)
        found[holders - 1] = True
        return found

    def qualifiers(self) -> dict[str, npt.NDArray[Any]]:
        """Which names contradict the query, on how many axes each is silent or says more, and which are residual."""
        facts, theirs, starts, parts = self.facts, self.words, self.starts, len(self.parts)
        if not len(starts):
            return dict.fromkeys(_QUALIFIERS, np.zeros(0, dtype=np.bool_))
        said = np.bitwise_or.reduceat(facts.axes_said.take(theirs), starts)
        asked = [reduce(or_, (_AXIS_BITS.get(word, 0) for word in query.words), 0) for query in self.queries] * parts
        contradicted = self._denied()
        if any(asked):
            bits = np.bitwise_or.reduceat(facts.axes.take(theirs), starts)
            ours, meant = (self._for_names(one, np.int64) for one in (asked, axes_of(np.array(asked)).tolist()))
            contradicted |= (said & meant & ~axes_of(bits & ours)) != 0
            silent, extra = np.bitwise_count(meant & ~said), np.bitwise_count(said & ~meant)
        else:
            silent, extra = np.zeros(len(starts), dtype=np.uint8), np.bitwise_count(said)
        numbers = [names.word_ids([_OTHER])[0] for names in self.parts]
        others = [first + number for first, number in zip(facts.firsts, numbers, strict=False) if number is not None]
        residual = np.zeros(len(starts), dtype=np.bool_)
        if others:
            residual = np.logical_or.reduceat(is_one_of(theirs, np.array(others)), starts)
            residual &= self._for_names([_OTHER not in query.words for query in self.queries] * parts, np.bool_)
        return dict(zip(_QUALIFIERS, (contradicted, silent, extra, residual), strict=True))

    def _denied(self) -> Mask:
        """Which names deny a word that the query asserts, or assert one that it denies; words of one root are equal."""
        classes = self.facts.negation.take(self.words)
        denying_names = np.logical_or.reduceat((classes == NEGATOR) | (classes == DENIED), self.starts)
        before = boundaries(denying_names)[self.edges]
        denying_runs = (before[1:] > before[:-1]).tolist()
        asked_by_run = [
            _roots_said(query.text) if is_denying or denies(query.words) else {}
            for query, is_denying in zip([*self.queries] * len(self.parts), denying_runs, strict=True)
        ]
        is_query_denying = any(-1 in asked for asked in asked_by_run)
        if not any(denying_runs) and not is_query_denying:
            return np.zeros(len(self.starts), dtype=np.bool_)
        words_by_sign = self._words_by_sign(classes, denying_names, with_asserted=is_query_denying)
        opposed = np.zeros(len(self.words), dtype=np.bool_)
        for run, asked in enumerate(asked_by_run):
            for sign, roots in asked.items():
                opposed[self._of_roots(run, words_by_sign[-sign], roots)] = True
        contradicted: Mask = np.logical_or.reduceat(opposed, self.starts)
        return contradicted

    def _words_by_sign(
        self, classes: npt.NDArray[np.uint8], denying_names: Mask, *, with_asserted: bool
    ) -> dict[int, Ints]:
        """Where the words stand that names deny (-1) and assert (1). Of the latter there are many, so they are only
        looked for if a query denies something."""
        (within,) = denying_names.repeat(self.lengths).nonzero()
        signs_within = signs(classes.take(within), self.places.take(within))
        found = {-1: within[signs_within == -1]}
        if with_asserted:
            signed = (classes == PLAIN).astype(np.int8)  # right where a name has no negator
            signed[within] = signs_within
            (found[1],) = (signed == 1).nonzero()
        return found

    def _of_roots(self, run: int, places: Ints, wanted: Collection[str]) -> Ints:
        """Those of some places of words, which ascend, that are in a run and have one of the wanted roots."""
        at = places[slice(*places.searchsorted(self.word_edges[run : run + 2]).tolist())]
        if not len(at):
            return at
        words = self.words.take(at)
        roots = self.facts.roots(run // len(self.queries), set(words.tolist()))
        same = [word for word, root in roots.items() if root in wanted]
        return at[is_one_of(words, np.asarray(same))] if same else at[:0]


@lru_cache(maxsize=1 << 8)  # each part of an index asks for those of the same query
def _roots_said(text: str) -> Mapping[int, frozenset[str]]:
    """The roots of the words that a text asserts (1) and of those that it denies (-1), where there are any."""
    said = [(asserted_root(word), sign) for word, sign in signs_in(text).items()]
    found = {sign: frozenset(one for one, its in said if its == sign) for sign in (1, -1)}
    return {sign: roots for sign, roots in found.items() if roots}


def axes_of(bits: Ints) -> Ints:
    """For each number the axes that it has values of as bits, each as the bit of its first value: of *bilateral*, the
    third value of the side, the first bit."""
    found = bits.copy()
    for step, within in enumerate(_SHIFTED, 1):
        found |= (bits & within) >> step
    return found & _FIRST_VALUES


def is_one_of(values: Ints, few: Ints) -> Mask:
    """``np.isin``, several times as fast when ``few`` is short."""
    if len(few) > _FEW:
        return np.isin(values, few)
    found: Mask = np.zeros(len(values), dtype=np.bool_)
    for value in few.tolist():  # one by one takes a third of the time of all in a table
        found |= values == value
    return found
