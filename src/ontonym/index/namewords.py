"""What the words of names say of a query: the words they share, its numbers, opposites, and other qualifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Ints, Mask
from ontonym.index.names import Names
from ontonym.index.query import Query
from ontonym.index.wordfacts import WEIGHT_OF_LIGHT
from ontonym.text.qualifiers import LIGHT, NEGATOR, OTHER, axis_bits, axis_masks, signs, signs_in
from ontonym.text.strings import boundaries, spread
from ontonym.text.wordroots import root

_AXIS_BITS, _AXIS_MASKS = axis_bits(), axis_masks()
_OTHER = "other"
_FEW = 16


@dataclass(frozen=True, slots=True)
class NameWords:
    """The words of names end to end: their numbers, where each name starts, and the place of each in its name.

    The names are those of several ``queries``, one after another; ``edges`` are where the names of each begin, with the
    end, and ``word_edges`` where their words do.
    """

    names: Names
    queries: Sequence[Query]
    edges: Ints
    words: Ints
    starts: Ints
    places: Ints
    word_edges: Ints

    @classmethod
    def of(cls, names: Names, queries: Sequence[Query], rows: Sequence[Ints]) -> NameWords:
        """The words of the names in these rows of each query."""
        every = np.concatenate(rows)
        edges = boundaries(np.array([*map(len, rows)]))
        lengths = names.word_bounds[every + 1] - names.word_bounds[every]
        bounds = boundaries(lengths)
        words = names.words[spread(names.word_bounds[every], lengths, len(names.words))].astype(np.int64)
        starts = bounds[:-1]
        return cls(names, queries, edges, words, starts, np.arange(len(words)) - starts.repeat(lengths), bounds[edges])

    def _by_query(self) -> Iterator[tuple[Query, slice, slice]]:
        """Each query with the slices of its names and of their words."""
        spans = ([slice(*span) for span in pairwise(edges.tolist())] for edges in (self.edges, self.word_edges))
        return zip(self.queries, *spans, strict=True)

    def _for_names(self, values: Sequence[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Values by query as values by name."""
        return np.array(values, dtype=dtype).repeat(self.edges[1:] - self.edges[:-1])

    def overlap(self) -> tuple[Floats, Floats, Floats, Mask, Mask]:
        """How the words of queries and of their names overlap: three shares, a number missing, a number too many."""
        names, theirs, starts = self.names, self.words, self.starts
        if not len(starts):
            none, no = np.empty(0, dtype=np.float32), np.empty(0, dtype=np.bool_)
            return none, none, none, no, no
        shared, missing = np.zeros(len(theirs), dtype=np.bool_), np.zeros(len(starts), dtype=np.bool_)
        totals = []
        for query, here, of_words in self._by_query():
            numbers = names.word_ids(query.words)
            weights = np.asarray([
                names.facts.weights[number] if number is not None
                else names.unseen_idf * (WEIGHT_OF_LIGHT if word in LIGHT else 1)
                for word, number in zip(query.words, numbers, strict=True)
            ])  # fmt: skip
            totals.append(max(float(weights.sum()), 1e-6))
            known = np.asarray([number for number in numbers if number is not None], dtype=np.int64)
            shared[of_words] = is_one_of(theirs[of_words], known)
            for word, number in zip(query.words, numbers, strict=True):
                if word[:1].isdigit():
                    missing[here] |= number is None or ~self._have(number, here, of_words)
        query_total = self._for_names(totals, np.float32)
        rarity = names.facts.weights[theirs]
        common = np.add.reduceat(rarity * shared, starts)
        name_total = np.add.reduceat(rarity, starts)
        return (
            np.minimum(2 * common / (query_total + name_total), 1),
            np.minimum(common / query_total, 1),
            np.asarray(common / np.maximum(name_total, 1e-6)),
            missing,
            np.add.reduceat(names.is_number[theirs] & ~shared, starts) > 0,
        )

    def _have(self, number: int, here: slice, of_words: slice) -> Mask:
        """Which names of a query have a word."""
        holders = np.searchsorted(
            self.starts[here], of_words.start + np.flatnonzero(self.words[of_words] == number), "right"
        )
        found = np.zeros(here.stop - here.start, dtype=np.bool_)
        found[holders - 1] = True
        return found

    def qualifiers(self) -> tuple[Mask, Floats, Floats, Mask]:
        """Which names contradict the query, on how many axes each is silent or says more, and which are residual."""
        names, theirs, starts = self.names, self.words, self.starts
        if not len(starts):
            none, no = np.empty(0, dtype=np.float32), np.empty(0, dtype=np.bool_)
            return no, none, none, no
        by_query = [reduce(or_, (_AXIS_BITS.get(word, 0) for word in query.words), 0) for query in self.queries]
        ours, asked = self._for_names(by_query, np.int64), reduce(or_, by_query)
        bits = np.bitwise_or.reduceat(names.facts.axes[theirs], starts)
        contradicted = self._denied()
        silent, extra = np.zeros(len(starts), dtype=np.float32), np.zeros(len(starts), dtype=np.float32)
        said = asked | int(np.bitwise_or.reduce(bits))
        for axis in _AXIS_MASKS:
            if not said & axis:
                continue
            values = bits & axis
            if asked & axis:
                is_asked = (ours & axis) != 0
                contradicted |= is_asked & (values != 0) & (values & ours == 0)
                silent += is_asked & (values == 0)
                extra += ~is_asked & (values != 0)
            else:
                extra += values != 0
        (other,) = names.word_ids([_OTHER])
        if other is None:
            return contradicted, silent, extra, np.zeros(len(starts), dtype=np.bool_)
        residual = np.logical_or.reduceat(theirs == other, starts)
        residual &= self._for_names([_OTHER not in query.words for query in self.queries], np.bool_)
        return contradicted, silent, extra, residual

    def _denied(self) -> Mask:
        """Which names deny a word that the query asserts, or assert one that it denies; words of one root are equal."""
        names, theirs, starts = self.names, self.words, self.starts
        classes = names.facts.negation[theirs]
        negators = classes == NEGATOR
        said = [signs_in(query.text) for query in self.queries]
        if not negators.any() and not any(-1 in signs.values() for signs in said):
            return np.zeros(len(starts), dtype=np.bool_)
        signed = (classes == OTHER).astype(np.int8)  # right where a name has no negator
        (here,) = np.nonzero(np.repeat(np.logical_or.reduceat(negators, starts), np.diff(starts, append=len(theirs))))
        signed[here] = signs(classes[here], self.places[here])
        opposed = np.zeros(len(theirs), dtype=np.bool_)
        for own, (_, _, of_words) in zip(said, self._by_query(), strict=True):
            for sign in set(own.values()) - {0}:
                otherwise = signed[of_words] == -sign
                few = set(theirs[of_words][otherwise].tolist())
                if not few:
                    continue
                asked = {root(word) for word, one in own.items() if one == sign}
                same = [number for number, its in names.facts.roots(few).items() if its in asked]
                if same:
                    opposed[of_words] |= otherwise & is_one_of(theirs[of_words], np.asarray(same))
        contradicted: Mask = np.logical_or.reduceat(opposed, starts)
        return contradicted


def is_one_of(values: Ints, few: Ints) -> Mask:
    """``np.isin``, several times as fast when ``few`` is short."""
    if len(few) > _FEW:
        return np.isin(values, few)
    found: Mask = np.zeros(len(values), dtype=np.bool_)
    for value in few.tolist():  # one by one takes a third of the time of all in a table
        found |= values == value
    return found
