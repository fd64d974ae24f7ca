"""Names by the beginnings of their words: what a person means who is still typing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints, Mask, Rows32
from ontonym.index.inverted import InvertedLists
from ontonym.index.names import Names
from ontonym.ragged import spread
from ontonym.text.normalization import key, tokens

MOST_NAMES = 20_000
"""Up to how many names are looked at for one typed text: of more, those whose words are rarest begin it."""

_SPARSE = 16
"""A bitmap over all names is cheaper than to sort, or to read the words of names, from so many."""

_Ranges = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class PrefixMatches:
    """Names that have for every typed word a word that begins with it.

    ``rows`` are name rows, ascending. ``lengths`` count their words, ``whole`` the typed words that are a word of the
    name as they are; ``leads`` says whether the first word of the name begins with the first typed word.
    """

    rows: Ints
    lengths: Ints
    whole: Ints
    leads: Mask


class PrefixWords:
    """The vocabulary of some names in alphabetical order, so that a beginning of a word is a range of words.

    ``order`` has the numbers of the words in that order, ``sizes`` their letters by number.
    """

    def __init__(self, names: Names, postings: InvertedLists, order: Rows32, sizes: npt.NDArray[np.uint16]) -> None:
        self._names = names
        self._postings = postings
        self._order, self._sizes = order, sizes
        if len(order) and int(order.max()) >= len(names.vocabulary):
            raise ValueError(f"word {int(order.max())} of {len(names.vocabulary)}")
        self._places = np.empty(len(order), dtype=np.uint32)
        self._places[order] = np.arange(len(order), dtype=np.uint32)
        self._sums = np.concatenate([[0], np.cumsum(postings.counts(order))])

    def matches(
        self, typed: Sequence[str], wanted: Mask | None = None, *, most: int | None = MOST_NAMES
    ) -> PrefixMatches:
        """The names for typed words (`typed_words`); none without a word. ``wanted`` is a bitmap over concepts.

        Of the names that have the rarest beginning, only about ``most`` are looked at; None for all.
        """
        ranges = self._every_range(typed)
        rows = self._beginning(ranges, wanted, most)
        if not len(rows):
            return PrefixMatches(rows, rows, rows, np.empty(0, dtype=np.bool_))
        whole = np.zeros(len(rows), dtype=np.int64)
        for word, one in zip(typed, ranges, strict=True):
            whole += self._whole(rows, word, one)
        bounds = self._names.word_bounds
        first = self._places[self._names.words[bounds[rows]]]
        return PrefixMatches(rows, bounds[rows + 1] - bounds[rows], whole, _inside(first, ranges[0]))

    def rows(self, typed: Sequence[str]) -> Ints:
        """The rows of the `matches` of typed words."""
        return self._beginning(self._every_range(typed), None, MOST_NAMES)

    def _every_range(self, typed: Sequence[str]) -> list[_Ranges]:
        """The ranges of each typed word; empty where no word begins with one of them."""
        ranges = [*takewhile(bool, map(self._ranges, typed))]
        return ranges if len(ranges) == len(typed) else []

    def _beginning(self, ranges: Sequence[_Ranges], wanted: Mask | None, most: int | None) -> Ints:
        """The names, ascending, that have a word of each of some ranges; none without a range."""
        if not ranges:
            return np.empty(0, dtype=np.int64)
        sizes = [sum(int(self._sums[stop] - self._sums[start]) for start, stop in one) for one in ranges]
        order = sorted(range(len(ranges)), key=sizes.__getitem__)
        rows = self._rows_of(wanted, most) if wanted is not None and most is not None else None
        if rows is None:
            rows = self._rows(ranges[order.pop(0)], most)
            if wanted is not None:
                rows = rows[wanted[self._names.concepts[rows]]]
        for number in order:
            rows = self._having(rows, ranges[number], sizes[number])
        return rows

    def having_whole(self, rows: Ints, word: str) -> Mask:
        """Which of some names, ascending, have a typed word as it is, not only as a beginning."""
        return self._whole(rows, word, self._ranges(word))

    def begins(self, word: str) -> tuple[bool, bool]:
        """Whether some word begins with a typed word, and whether some word is it."""
        ranges = self._ranges(word)
        forms = (word.encode(), *map(str.encode, tokens(word)))
        return bool(ranges), any(self._word(start) in forms for start, _ in ranges)

    def _rows_of(self, wanted: Mask, most: int) -> Ints | None:
        """The names of the concepts of a bitmap; None where these are more than ``most``."""
        (concepts,) = np.nonzero(wanted)
        bounds = self._names.bounds
        counts = bounds[concepts + 1] - bounds[concepts]
        return None if int(counts.sum()) > most else spread(bounds[concepts], counts, len(self._names))

    def _ranges(self, word: str) -> _Ranges:
        """The ranges of places of the words that begin with a typed word, as it is written or as names have it."""
        beginnings = dict.fromkeys([word, *(tokens(word) if len(word) > 2 else ())])
        found = [(self._place(text.encode()), self._place(text.encode() + b"\xff")) for text in beginnings if text]
        return sorted((start, stop) for start, stop in found if start < stop)

    def _place(self, text: bytes) -> int:
        return bisect_left(range(len(self._order)), text, key=self._word)

    def _word(self, place: int) -> bytes:
        return self._names.vocabulary.encoded(int(self._order[place]))

    def _rows(self, ranges: _Ranges, most: int | None) -> Ints:
        """The names with a word of some ranges, ascending; of more than ``most`` those of the shortest words."""
        numbers = self._numbers(ranges)
        counts = self._postings.counts(numbers)
        if most is not None and int(counts.sum()) > most:
            lengths = self._sizes[numbers]
            order = np.lexsort((numbers, lengths))
            numbers = np.sort(numbers[order[: max(int(np.searchsorted(np.cumsum(counts[order]), most)), 1)]])
        rows = self._postings.rows_of(numbers)
        if most is not None:
            rows = rows[: 4 * most]
        return self._ascending(rows)

    def _numbers(self, ranges: _Ranges) -> Ints:
        """The numbers of the words of some ranges, each once."""
        if len(ranges) == 1:
            return self._order[slice(*ranges[0])].astype(np.int64)
        return np.unique(np.concatenate([self._order[start:stop] for start, stop in ranges])).astype(np.int64)

    def _ascending(self, rows: Rows32) -> Ints:
        """Name rows, each once, ascending."""
        if len(rows) * _SPARSE > len(self._names):
            return np.flatnonzero(self._marked(rows))
        sorted_rows = np.sort(rows).astype(np.int64)
        return sorted_rows[np.diff(sorted_rows, prepend=-1) > 0]

    def _marked(self, rows: Rows32) -> Mask:
        marks = np.zeros(len(self._names), dtype=np.bool_)
        marks[rows] = True
        return marks

    def _having(self, rows: Ints, ranges: _Ranges, size: int) -> Ints:
        """Those of some names with a word of the ranges, which ``size`` postings have."""
        if size < _SPARSE * len(rows):
            marks = self._marked(self._postings.rows_of(self._numbers(ranges)))
            return rows[marks[rows]]
        bounds = self._names.word_bounds
        lengths = bounds[rows + 1] - bounds[rows]
        rows, lengths = rows[lengths > 0], lengths[lengths > 0]
        if not len(rows):
            return rows
        flat = spread(bounds[rows], lengths, len(self._names.words))
        inside = _inside(self._places[self._names.words[flat]], ranges)
        return rows[np.logical_or.reduceat(inside, np.cumsum(lengths) - lengths)]

    def _whole(self, rows: Ints, word: str, ranges: _Ranges) -> Mask:
        """Which of some names, ascending, have a typed word as it is."""
        forms = (word.encode(), *map(str.encode, tokens(word)))
        found = np.zeros(len(rows), dtype=np.bool_)
        for place in {start for start, _ in ranges if self._word(start) in forms}:
            having = self._postings.rows_of(self._order[place : place + 1])
            if len(having):
                found |= having[np.minimum(having.searchsorted(rows), len(having) - 1)] == rows
        return found


def _inside(places: Rows32, ranges: _Ranges) -> Mask:
    """Which places of words are within some ranges."""
    found = np.zeros(len(places), dtype=np.bool_)
    for start, stop in ranges:
        found |= (places >= start) & (places < stop)
    return found


def typed_words(text: str) -> list[str]:
    """The words of a text that is still being typed: folded as names are, but none taken for another form."""
    return list(dict.fromkeys(key(text).split()))[:16]
