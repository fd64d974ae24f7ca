"""The lexical signal: BM25 over the normalized words of names, exact, from the inverted file.

The words of a query are taken heaviest first. Once the remaining words cannot bring another name among the best, they
only add to the names found so far, so very common words cost little (MaxScore: Turtle and Flood 1995).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.index.inverted import K1, InvertedLists, Zeros, length_norms, term_weights
from ontonym.index.names import Names
from ontonym.index.nearest import NOTHING_NEAR, Nearest, nearest_in_any_order, nearest_of
from ontonym.memo import Memo
from ontonym.ragged import spread

_AT_ONCE = 30_000
"""Postings that are added before it is asked whether the words that are left can bring another name; first, then three
times as many.
"""

_FEW = 2_000
"""A filter that leaves no more names: these are scored, and no list is read."""

_MANY = 200
"""From so many names on it pays to leave out those that cannot be among the nearest any more."""

_FEW_NAMES, _SOME_WORDS = 256, 3
"""For so few names and so many words or more, the names' own words are faster read than the lists of the words."""

_BLOCKS = 20
"""Blocks, for each of the ``k`` names, of which the best are looked for: a bound, quickly."""

_MOST_WORDS = 1 << 15
"""Words whose highest term weight is kept."""

_SLACK = 1 + 1e-6
"""What rounding may do to a bound."""

_MOST = (K1 + 1) * _SLACK
"""What no term weight reaches."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The known words of a query, heaviest first."""

    numbers: Ints
    weights: Doubles


class _Bounds(NamedTuple):
    """What the words of a query from the n-th on can add to the score of a name, for every n: ``most`` to any, and
    ``left``, the sum of their weights, as a multiple of the highest term weight of a name."""

    most: Sequence[float]
    left: Sequence[float]


def _no_bounds(words: int) -> _Bounds:
    """Those of so many words of which all names are looked at."""
    return _Bounds([np.inf] * (words + 1), [0.0] * (words + 1))


class _Brought(NamedTuple):
    """Names with the scores that they have by the first words, how many words were ``taken``, and the ``least`` score
    of a name that may be among the nearest."""

    rows: Ints
    scores: Doubles
    taken: int
    least: float


class LexicalSignal:
    """Searches names by their words."""

    def __init__(self, names: Names, postings: InvertedLists) -> None:
        self._names = names
        self._postings = postings
        self._scores = Zeros(len(names), np.float64)
        self._highest = Memo(postings.highest, _MOST_WORDS)
        """The highest term weight that a word has in any name, by its number."""

    def nearest(self, words: Sequence[str], k: int, wanted: Mask | None = None) -> Nearest:
        """The ``k`` names with the highest BM25 similarity (0 upward, unbounded) to the words, ties by lower row.

        ``wanted`` is a bitmap of the names to search.
        """
        (found,) = self.nearest_to_each([words], k, wanted)
        return nearest_of(*found, k)

    def nearest_to_each(
        self,
        asked: Sequence[Sequence[str]],
        k: int,
        wanted: Mask | None = None,
        leasts: Sequence[float] | None = None,
        share: float = 1.0,
    ) -> list[Nearest]:
        """The `nearest` names to the words of each query, in any order.

        Names of a lower similarity than a query's own in ``leasts`` may be missing, which saves the time for them. Of
        each query the words count that have this ``share`` of the weight of all, the heaviest ones.
        """
        few = None if wanted is None or np.count_nonzero(wanted) > _FEW else np.flatnonzero(wanted)
        found = []
        every = [self._words(words, share) for words in asked]
        if every:
            self._postings.read_ahead(np.concatenate([read.numbers for read in every]))
        for read, least in zip(every, leasts or [0.0] * len(every), strict=True):
            if not len(read.numbers):
                found.append(NOTHING_NEAR)
                continue
            if few is None:
                rows, scores = self._scored(read, k, wanted, least / _SLACK)
            else:
                rows, scores = few, self._added(few, np.zeros(len(few)), read, slice(None))
                rows, scores = rows[scores > 0], scores[scores > 0]
            found.append(nearest_in_any_order(rows, scores.astype(np.float32), k))
        return found

    def similarities(self, words: Sequence[str], rows: Ints) -> Doubles:
        """The BM25 similarity of the words to the names in ``rows``, same shape; 0 if they share no word."""
        return self._added(rows, np.zeros(len(rows)), self._words(words), slice(None))

    def _words(self, words: Sequence[str], share: float = 1.0) -> _Words:
        counts = Counter(number for number in self._names.word_ids(words) if number is not None)
        idf = self._names.idf
        heaviest = sorted((-float(idf[number]) * times, number) for number, times in counts.items())
        numbers, weights = [number for _, number in heaviest], [-weight for weight, _ in heaviest]
        sums = list(accumulate(weights, initial=0.0))
        kept = bisect_left(sums, share * sums[-1])
        return _Words(np.array(numbers[:kept], dtype=np.int64), np.array(weights[:kept], dtype=np.float64))

    def _scored(self, words: _Words, k: int, wanted: Mask | None, least: float) -> tuple[Ints, Doubles]:
        """Names with their similarities above 0; those of the ``k`` nearest that reach ``least`` are among them.

        First, the lists of the heaviest words bring names, until no name with only the other words can be among the
        nearest. Then the other words only add to the scores of these names, which grow fewer.
        """
        sizes: list[int] = self._postings.counts(words.numbers).tolist()
        bounds = self._bounds(words) if least > 0 or sum(sizes) > _AT_ONCE else _no_bounds(len(sizes))
        return self._finished(self._brought(words, sizes, bounds, k, wanted, least), words, bounds)

    def _bounds(self, words: _Words) -> _Bounds:
        weights, numbers = words.weights.tolist(), words.numbers.tolist()
        most = [weight * self._highest[number] for weight, number in zip(weights, numbers, strict=True)]
        return _Bounds(_left(most), _left(weights))

    def _brought(
        self, words: _Words, sizes: Sequence[int], bounds: _Bounds, k: int, wanted: Mask | None, least: float
    ) -> _Brought:
        """The names that the lists of the heaviest words bring, of which there are so many in ``sizes``."""
        rows, scores, taken = np.empty(0, dtype=np.int64), np.empty(0), 0
        is_bound, every, seen = least > 0, self._scores.take(), [rows]
        while taken < len(sizes) and bounds.most[taken] >= least:  # otherwise no other name can be among the nearest
            start, taken = taken, taken + 1
            limit = _AT_ONCE if start == 0 else 3 * _AT_ONCE  # often the rarest words are enough
            while taken < len(sizes) and bounds.most[taken] >= least and sum(sizes[start : taken + 1]) <= limit:
                taken += 1
            fresh = [self._add(every, words, place, wanted) for place in range(start, taken)]
            seen += fresh
            rows = np.concatenate([rows, *fresh])
            scores = every.take(rows)
            if taken < len(sizes) and len(rows) > k and not is_bound:
                best = _among_the_best(scores, k)
                least = max(least, float(self._completed(rows[best], scores[best], words, taken).min()))
            if taken < len(sizes) and least > 0:
                (kept,) = (scores >= least - bounds.left[taken] * _MOST).nonzero()  # without a look at each name's own
                rows, scores = self._reaching(rows.take(kept), scores.take(kept), bounds.left[taken], least)
        self._scores.give_back(every, np.concatenate(seen))
        return _Brought(rows, scores, taken, least)

    def _finished(self, brought: _Brought, words: _Words, bounds: _Bounds) -> tuple[Ints, Doubles]:
        """The names that were brought, with what the words that brought none add to their scores."""
        rows, scores, taken, least = brought
        for place in range(taken, len(words.numbers) if len(rows) else taken):
            if len(rows) <= _FEW_NAMES:
                return rows, self._completed(rows, scores, words, place)
            scores = self._added(rows, scores, words, slice(place, place + 1))
            if len(rows) > _MANY:
                rows, scores = self._reaching(rows, scores, bounds.left[place + 1], least)
        return rows, scores

    def _reaching(self, rows: Ints, scores: Doubles, left: float, least: float) -> tuple[Ints, Doubles]:
        """The names that can reach a score of ``least`` with words whose weights add up to ``left``."""
        (kept,) = (scores + left * self._postings.most[rows] >= least).nonzero()
        return rows.take(kept), scores.take(kept)

    def _add(self, scores: Doubles, words: _Words, place: int, wanted: Mask | None) -> Ints:
        """Adds what a word contributes to the scores of all names; returns those that had none."""
        one = slice(place, place + 1)
        holders, parts = self._postings.weighted(words.numbers[one], words.weights[one])
        rows = holders.astype(np.int64)
        if wanted is not None:
            (kept,) = wanted[rows].nonzero()
            rows, parts = rows.take(kept), parts.take(kept)
        if place == 0:  # no name has a score yet
            scores[rows] = parts
            return rows
        before = scores.take(rows)
        scores[rows] = before + parts
        fresh: Ints = rows.compress(before == 0)
        return fresh

    def _completed(self, rows: Ints, scores: Doubles, words: _Words, place: int) -> Doubles:
        """The scores of names after adding what the words from a place on contribute."""
        numbers, names = words.numbers[place:], self._names
        if len(rows) > _FEW_NAMES or len(numbers) < _SOME_WORDS:
            return self._added(rows, scores, words, slice(place, None))
        first = names.word_bounds.take(rows)
        lengths = names.word_bounds.take(rows + 1) - first
        own = names.words.take(spread(first, lengths, len(names.words)))
        by_number = numbers.argsort()
        ascending = numbers.take(by_number)
        at = ascending.searchsorted(own)
        (held,) = (ascending.take(at, mode="clip") == own).nonzero()
        owners = np.arange(len(rows)).repeat(lengths).take(held)
        cells = by_number.take(at.take(held)) * len(rows) + owners
        times = np.bincount(cells, minlength=len(numbers) * len(rows)).reshape(len(numbers), len(rows))
        parts = words.weights[place:, None] * term_weights(times, length_norms(lengths, names.mean_length))
        completed: Doubles = np.add.accumulate(np.concatenate((scores[None], parts)))[-1]  # in the order of `_added`
        return completed

    def _added(self, rows: Ints, scores: Doubles, words: _Words, which: slice) -> Doubles:
        """The scores of names after adding what some of the words contribute."""
        for number, weight in zip(words.numbers[which].tolist(), words.weights[which], strict=True):
            scores = scores + weight * self._postings.worths_in(number, rows)
        return scores


def _left(values: Sequence[float]) -> list[float]:
    """What all but the first n values add up to, for every n; a little more, since sums are rounded."""
    return [one * _SLACK for one in accumulate(reversed(values), initial=0.0)][::-1]


def _among_the_best(scores: Doubles, k: int) -> Ints:
    """Where ``k`` high scores are: such as reach the ``k``-th of the highest of blocks."""
    blocks = _BLOCKS * k
    size = len(scores) // blocks
    if size < 2:
        best: Ints = np.argpartition(scores, -k)[-k:]
        return best
    highest = scores[: blocks * size].reshape(size, blocks).max(axis=0)
    highest.partition(-k)
    found: Ints = (scores >= highest[-k]).nonzero()[0]
    return found[:k]
