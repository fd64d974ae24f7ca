"""The lexical signal: BM25 over the normalized words of names, exact, from the inverted file.

The words of a query are taken heaviest first. Once the remaining words cannot bring another name among the best, they
only add to the names found so far, so very common words cost little (MaxScore: Turtle and Flood 1995).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.index.inverted import Postings, summed
from ontonym.index.names import Names
from ontonym.index.protocol import Nearest, nearest_of

_AT_ONCE = 30_000
_FEW = 2_000
_SLACK = 1 + 1e-6


@dataclass(frozen=True, slots=True)
class _Words:
    """The known words of a query, heaviest first.

    ``most[n]`` is the most that all but the first n words can add to a name, ``left[n]`` the sum of their weights.
    """

    numbers: Ints
    weights: Doubles
    most: Doubles
    left: Doubles


class LexicalSignal:
    """Searches names by their words."""

    def __init__(self, names: Names, postings: Postings) -> None:
        self._names = names
        self._postings = postings

    def nearest(self, words: Sequence[str], k: int, wanted: Mask | None = None) -> Nearest:
        """The ``k`` names with the highest BM25 similarity (0 upward, unbounded) to the words, ties by lower row.

        ``wanted`` is a bitmap of the names to search.
        """
        rows, scores = self._scored(self._words(words), k, wanted)
        (held,) = np.nonzero(scores)
        return nearest_of(rows[held], scores[held].astype(np.float32), k)

    def nearest_to_each(self, asked: Sequence[Sequence[str]], k: int, wanted: Mask | None = None) -> list[Nearest]:
        """The `nearest` names to the words of each query."""
        return [self.nearest(words, k, wanted) for words in asked]

    def similarities(self, words: Sequence[str], rows: Ints) -> Doubles:
        """The BM25 similarity of the words to the names in ``rows``, same shape; 0 if they share no word."""
        return self._added(rows, np.zeros(len(rows)), self._words(words), slice(None))

    def _words(self, words: Sequence[str]) -> _Words:
        counts = Counter(number for number in self._names.word_ids(words) if number is not None)
        numbers = np.asarray(sorted(counts), dtype=np.int64)
        weights = self._names.idf[numbers] * np.asarray([counts[number] for number in numbers.tolist()], dtype=float)
        order = np.argsort(-weights, kind="stable")
        numbers, weights = numbers[order], weights[order]
        most = weights * [self._postings.worths[self._postings.of(number)].max() for number in numbers.tolist()]
        most, left = (np.append(np.cumsum(given[::-1])[::-1], 0) * _SLACK for given in (most, weights))
        return _Words(numbers, weights, most, left)

    def _scored(self, words: _Words, k: int, wanted: Mask | None) -> tuple[Ints, Doubles]:
        """Names with their similarities; the ``k`` nearest are among them."""
        if wanted is not None and np.count_nonzero(wanted) <= _FEW:
            rows = np.flatnonzero(wanted)
            return rows, self._added(rows, np.zeros(len(rows)), words, slice(None))
        sizes = self._postings.counts(words.numbers)
        rows, scores, taken, least = np.empty(0, dtype=np.int64), np.empty(0), 0, 0.0
        while taken < len(sizes) and words.most[taken] >= least:  # otherwise no other name can be among the nearest
            start, taken = taken, taken + 1
            most = _AT_ONCE if start == 0 else 3 * _AT_ONCE  # often the rarest words are enough
            while taken < len(sizes) and sizes[start : taken + 1].sum() <= most:
                taken += 1
            places = self._postings.places(words.numbers[start:taken])
            more = self._postings.rows[places]
            parts = np.repeat(words.weights[start:taken], sizes[start:taken]) * self._postings.worths[places]
            if wanted is not None:
                kept = wanted[more]
                more, parts = more[kept], parts[kept]
            rows, scores = summed(np.append(rows, more), np.append(scores, parts), len(self._names))
            if len(rows) > k:
                best = np.argpartition(scores, -k)[-k:]
                least = max(least, float(self._added(rows[best], scores[best], words, slice(taken, None)).min()))
                kept = scores + words.left[taken] * self._postings.most[rows] >= least
                rows, scores = rows[kept], scores[kept]
        for place in range(taken, len(sizes)):
            scores = self._added(rows, scores, words, slice(place, place + 1))
            kept = scores + words.left[place + 1] * self._postings.most[rows] >= least
            rows, scores = rows[kept], scores[kept]
        return rows, scores

    def _added(self, rows: Ints, scores: Doubles, words: _Words, which: slice) -> Doubles:
        """The scores of names after adding what some of the words contribute."""
        for number, weight in zip(words.numbers[which].tolist(), words.weights[which], strict=True):
            here = self._postings.of(number)
            holders, worths = self._postings.rows[here], self._postings.worths[here]
            places = np.minimum(np.searchsorted(holders, rows.astype(np.uint32)), len(holders) - 1)
            scores = scores + np.where(holders[places] == rows, weight * worths[places].astype(np.float64), 0)
        return scores
