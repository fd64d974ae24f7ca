"""The inverted file: for every word of the vocabulary the names that have it; for the lexical and char signals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Doubles, Ints, Rows32
from ontonym.store.columns import load_bounds, load_numbers, save_numbers
from ontonym.text.strings import boundaries, spread

Times = npt.NDArray[np.uint16]

K1, B = 1.2, 0.75
"""BM25's constants: how soon a word said again counts no more, and how much it counts less in a long name."""

_FILES = ("word_name", "word_name.rows", "word_worth", "name_worth")
_CHUNK = 1 << 23
_DENSE = 16


@dataclass(frozen=True, slots=True)
class Postings:
    """Names by word: those that have word w are ``rows[bounds[w]:bounds[w + 1]]``, ascending.

    ``worths`` are BM25's term weights without the inverse frequency, ``t (k1 + 1) / (t + k1 (1 - b + b l))`` where the
    name has the word ``t`` times and is ``l`` times as long as the mean name. ``most`` is by name: its highest term
    weight.
    """

    rows: Rows32
    bounds: Ints
    worths: npt.NDArray[np.float32]
    most: npt.NDArray[np.float32]

    @classmethod
    def open(cls, folder: Path, words: int, names: int) -> Postings:
        """Opens the files of `save` for so many words and names, memory-mapped; ValueError if they do not fit."""
        rows, bounds, worths, most = _FILES
        rows_of: Rows32 = load_numbers(folder, rows, np.uint32)
        return cls(
            rows_of,
            load_bounds(folder, bounds, len(rows_of), words),
            load_numbers(folder, worths, np.float32, count=len(rows_of)),
            load_numbers(folder, most, np.float32, count=names),
        )

    def save(self, folder: Path) -> None:
        """Writes the postings into ``folder``."""
        arrays: tuple[npt.NDArray[Any], ...] = (self.rows, self.bounds, self.worths, self.most)
        for name, array in zip(_FILES, arrays, strict=True):
            save_numbers(folder, name, array)

    def of(self, word: int) -> slice:
        """The slice of ``rows`` and ``worths`` that belongs to a word."""
        return slice(int(self.bounds[word]), int(self.bounds[word + 1]))

    def counts(self, words: AnyInts) -> Ints:
        """The number of names that have each of these words."""
        return self.bounds[1:][words] - self.bounds[:-1][words]

    def places(self, words: AnyInts) -> Ints:
        """The positions in ``rows`` and ``worths`` that belong to these words, concatenated."""
        return spread(self.bounds[:-1][words], self.counts(words), len(self.rows))


def invert(words: Rows32, word_bounds: Ints, vocabulary: int) -> tuple[Postings, Times]:
    """The postings of names, and for each posting how many times the name has the word.

    ``words`` are the words of all names, concatenated, as numbers below ``vocabulary``; ``word_bounds`` says where each
    name's words begin.
    """
    lengths = np.zeros(vocabulary, dtype=np.int64)
    for start in range(0, len(words), _CHUNK):
        lengths += np.bincount(words[start : start + _CHUNK], minlength=vocabulary)
    bounds = boundaries(lengths)
    rows = np.empty(len(words), dtype=np.uint32)
    cursor = bounds[:-1].copy()
    for start in range(0, len(words), _CHUNK):  # in chunks, so that the memory for sorting does not grow with the index
        part = words[start : start + _CHUNK]
        first, last = np.searchsorted(word_bounds, (start, start + len(part) - 1), side="right") - 1
        edges: Ints = np.clip(word_bounds[first : last + 2], start, start + len(part))
        holders = np.repeat(np.arange(first, last + 1, dtype=np.uint32), edges[1:] - edges[:-1])
        _, ordered = sorted_pairs(part, holders)
        if len(part) == len(words):
            rows = ordered
            break
        counts = np.bincount(part, minlength=vocabulary)
        (held,) = np.nonzero(counts)
        rows[spread(cursor[held], counts[held])] = ordered
        cursor += counts
    rows, bounds, times = without_repeats(rows, bounds)
    lengths = np.diff(word_bounds)
    norms = (K1 * (1 - B) + K1 * B / max(float(lengths.mean()), 1) * lengths).astype(np.float32)
    worths = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _CHUNK):
        here = slice(start, start + _CHUNK)
        worths[here] = _worth(times[here], norms[rows[here]])
    often = np.ones(len(lengths), dtype=np.uint16)
    (several,) = np.nonzero(times > 1)
    np.maximum.at(often, rows[several], times[several])
    return Postings(rows, bounds, worths, _worth(often, norms)), times


def _worth(times: Times, norms: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    count = times.astype(np.float32)
    return count * np.float32(K1 + 1) / (count + norms)


def without_repeats(values: Rows32, bounds: Ints) -> tuple[Rows32, Ints, Times]:
    """Removes repeats within sorted, concatenated lists: the values, their bounds, and how often each occurred."""
    again = np.flatnonzero(values[1:] == values[:-1]) + 1
    again = again[bounds[np.searchsorted(bounds, again, side="right") - 1] != again]
    kept = np.ones(len(values), dtype=np.bool_)
    kept[again] = False
    times = np.ones(len(values) - len(again), dtype=np.uint16)
    places, more = np.unique(again - np.arange(1, len(again) + 1), return_counts=True)
    times[places] += more.astype(np.uint16)
    return values[kept], bounds - np.searchsorted(again, bounds), times


def sorted_pairs(keys: Rows32, values: Rows32) -> tuple[Rows32, Rows32]:
    """Pairs of 32-bit numbers sorted by key, then by value; several times as fast as ``argsort``."""
    pairs = keys.astype(np.uint64)
    pairs <<= np.uint64(32)
    pairs |= values
    pairs.sort()
    return (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32)  # the cast keeps the lower half


class Scratch:
    """Arrays of zeros, one value for each name, that are used again; any thread may take one and give it back clean."""

    def __init__(self, names: int, dtype: npt.DTypeLike) -> None:
        self._names, self._dtype = names, dtype
        self._free: list[npt.NDArray[Any]] = []

    def take(self) -> npt.NDArray[Any]:
        """An array of zeros; one that is not given back, after an error, is forgotten."""
        try:
            return self._free.pop()
        except IndexError:
            return np.zeros(self._names, dtype=self._dtype)

    def give_back(self, array: npt.NDArray[Any], used: AnyInts) -> None:
        """Gives an array back of which only the values at ``used`` are not 0."""
        array[used] = 0
        self._free.append(array)


def summed(rows: AnyInts, weights: Doubles, names: int, places: Scratch | None = None) -> tuple[Ints, Doubles]:
    """Every row once, in any order, with the sum of its weights. Weights must be above 0, rows below ``names``.

    ``places`` are arrays of 32-bit numbers for ``names``; with them the time does not depend on their number.
    """
    if len(rows) and rows.max() >= names:  # from a file: memory would be taken up to the highest
        raise ValueError(f"row {int(rows.max())} of {names}")
    if len(rows) * _DENSE > names or places is None:
        sums: Doubles = np.bincount(rows, weights=weights, minlength=names).astype(np.float64, copy=False)
        (held,) = np.nonzero(sums > 0)  # eight times as fast as on the sums themselves
        return held, sums[held]
    if not len(rows):
        return np.empty(0, dtype=np.int64), np.empty(0)
    place, numbers, at = places.take(), np.arange(len(rows), dtype=np.int32), rows.astype(np.int64)
    place[at] = numbers
    found = at[place[at] == numbers]  # where a row was written last
    place[found] = numbers[: len(found)]
    totals = np.bincount(place[at], weights=weights, minlength=len(found)).astype(np.float64, copy=False)
    places.give_back(place, found)
    return found, totals
