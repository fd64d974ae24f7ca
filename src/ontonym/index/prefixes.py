"""Names by the beginnings of their words: what a person means who is still typing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Ints, Mask, Rows32
from ontonym.index.inverted import Postings
from ontonym.index.names import Names
from ontonym.text.normalization import key, tokens
from ontonym.text.strings import spread

MOST_NAMES = 20_000
"""Up to how many names are looked at for one typed text: of more, those whose words are rarest begin it."""

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
    """The vocabulary of some names in alphabetical order, so that a beginning of a word is a range of words."""

    def __init__(self, names: Names, postings: Postings) -> None:
        self._names = names
        self._postings = postings
        texts = [text.encode() for text in names.vocabulary]
        self._order: Ints = np.asarray(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
        self._sorted = [texts[number] for number in self._order.tolist()]
        self._places = np.empty(len(texts), dtype=np.uint32)
        self._places[self._order] = np.arange(len(texts), dtype=np.uint32)
        self._sums = np.concatenate([[0], np.cumsum(np.diff(postings.bounds)[self._order])])

    def matches(self, typed: Sequence[str], wanted: Mask | None = None) -> PrefixMatches:
        """The names for typed words (`typed_words`); none without a word. ``wanted`` is a bitmap over concepts."""
        ranges = [self._ranges(word) for word in typed]
        if not ranges or not all(ranges):
            none = np.empty(0, dtype=np.int64)
            return PrefixMatches(none, none, none, np.empty(0, dtype=np.bool_))
        sizes = [sum(int(self._sums[stop] - self._sums[start]) for start, stop in one) for one in ranges]
        rows = self._rows_of(wanted) if wanted is not None else None
        if rows is None:
            rows = self._rows(ranges[int(np.argmin(sizes))])
            if wanted is not None:
                rows = rows[wanted[self._names.concepts[rows]]]
        return self._checked(rows, typed, ranges)

    def _rows_of(self, wanted: Mask) -> Ints | None:
        """The names of the concepts of a bitmap; None where these are more than `MOST_NAMES`."""
        (concepts,) = np.nonzero(wanted)
        bounds = self._names.bounds
        counts = bounds[concepts + 1] - bounds[concepts]
        return None if int(counts.sum()) > MOST_NAMES else spread(bounds[concepts], counts, len(self._names))

    def _ranges(self, word: str) -> _Ranges:
        """The ranges of places of the words that begin with a typed word, as it is written or as names have it."""
        beginnings = dict.fromkeys([word, *(tokens(word) if len(word) > 2 else ())])
        found = [(self._place(text.encode()), self._place(text.encode() + b"\xff")) for text in beginnings if text]
        return sorted((start, stop) for start, stop in found if start < stop)

    def _place(self, text: bytes) -> int:
        low, high = 0, len(self._sorted)
        while low < high:
            middle = (low + high) // 2
            if self._sorted[middle] < text:
                low = middle + 1
            else:
                high = middle
        return low

    def _rows(self, ranges: _Ranges) -> Ints:
        """The names with a word of some ranges, ascending; of more than `MOST_NAMES` those of the first words."""
        numbers = np.unique(np.concatenate([self._order[start:stop] for start, stop in ranges]))
        counts = self._postings.counts(numbers)
        if int(counts.sum()) > MOST_NAMES:
            lengths = np.asarray([len(self._sorted[place]) for place in self._places[numbers].tolist()])
            order = np.argsort(lengths, kind="stable")
            taken = max(int(np.searchsorted(np.cumsum(counts[order]), MOST_NAMES)), 1)
            numbers = np.sort(numbers[order[:taken]])
        rows: Rows32 = self._postings.rows[self._postings.places(numbers)][: 4 * MOST_NAMES]
        return np.unique(rows).astype(np.int64)

    def _checked(self, rows: Ints, typed: Sequence[str], ranges: Sequence[_Ranges]) -> PrefixMatches:
        """Those of some names that have every typed word's beginning."""
        bounds = self._names.word_bounds
        whole = np.zeros(len(rows), dtype=np.int64)
        for word, one in zip(typed, ranges, strict=True):
            flat, starts = self._words(rows)
            inside = np.zeros(len(flat), dtype=np.bool_)
            for start, stop in one:
                inside |= (flat >= start) & (flat < stop)
            kept = np.logical_or.reduceat(inside, starts) if len(rows) else np.empty(0, dtype=np.bool_)
            same = [start for start, _ in one if self._sorted[start] in (word.encode(), *map(str.encode, tokens(word)))]
            equal = np.isin(flat, same)
            whole = (whole + (np.logical_or.reduceat(equal, starts) if len(rows) else 0))[kept]
            rows = rows[kept]
        first = self._places[self._names.words[bounds[rows]]]
        leads = np.zeros(len(rows), dtype=np.bool_)
        for start, stop in ranges[0]:
            leads |= (first >= start) & (first < stop)
        return PrefixMatches(rows, bounds[rows + 1] - bounds[rows], whole, leads)

    def _words(self, rows: Ints) -> tuple[Ints, Ints]:
        """The places of the words of names end to end, and where each name's begin."""
        bounds = self._names.word_bounds
        lengths = bounds[rows + 1] - bounds[rows]
        starts = np.cumsum(lengths) - lengths
        flat = spread(bounds[rows], lengths, len(self._names.words))
        return self._places[self._names.words[flat]].astype(np.int64), starts


def typed_words(text: str) -> list[str]:
    """The words of a text that is still being typed: folded as names are, but none taken for another form."""
    return list(dict.fromkeys(key(text).split()))[:16]
