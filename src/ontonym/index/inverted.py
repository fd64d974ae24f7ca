"""The inverted file: for every word of the vocabulary the names that have it; for the lexical and char signals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Column, Doubles, Hashes, Ints, Rows32
from ontonym.ragged import boundaries, spread
from ontonym.store.columns import NumberWriter, load_bounds, load_numbers, save_numbers
from ontonym.store.scratch import Scratch, scratch

Times = npt.NDArray[np.uint16]

K1, B = 1.2, 0.75
"""BM25's constants: how soon a word said again counts no more, and how much it counts less in a long name."""

_ROWS, _BOUNDS, _WORTHS = "word_name", "word_name.rows", "word_worth"
"""The files of the lists: the names of each word, where those of each word begin, and the word's weight in each."""

NAME_WORTH = "name_worth"
"""The file of the highest term weight of each name."""

_CHUNK = 1 << 23
"""Words of names, or postings, that are sorted together."""

_DENSE = 8
"""From one row in so many names on, counting all names is faster than sorting out the rows."""


class InvertedLists(Protocol):
    """Names by word, in one file (`Postings`) or in several shards; both give the same answers."""

    @property
    def most(self) -> npt.NDArray[np.float32]:
        """The highest term weight of each name."""
        ...

    @property
    def words(self) -> int:
        """The number of words."""
        ...

    def counts(self, words: AnyInts) -> Ints:
        """The number of names that have each of these words."""
        ...

    def read_ahead(self, words: AnyInts) -> None:
        """Says which words' lists are needed next, so that a database is asked for all of them at once."""
        ...

    def rows_of(self, words: AnyInts) -> Rows32:
        """The names that have these words, word after word, those of each ascending."""
        ...

    def valued(self, words: AnyInts, values: Doubles) -> tuple[Rows32, Doubles]:
        """The names that have these words, each with the value of the word: those of one name in the order of words."""
        ...

    def weighted(self, words: AnyInts, weights: Doubles) -> tuple[Rows32, Doubles]:
        """As `valued`, each value times the term weight of the word in the name."""
        ...

    def highest(self, word: int) -> float:
        """The highest term weight that a word has in a name."""
        ...

    def worths_in(self, word: int, rows: Ints) -> Doubles:
        """The term weight of a word in each of these names, 0 where the name does not have it."""
        ...


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
        """Opens the files of `invert` for so many words and names, memory-mapped; ValueError if they do not fit."""
        rows: Rows32 = load_numbers(folder, _ROWS, np.uint32)
        return cls(
            rows,
            load_bounds(folder, _BOUNDS, len(rows), words),
            load_numbers(folder, _WORTHS, np.float32, count=len(rows)),
            load_numbers(folder, NAME_WORTH, np.float32, count=names),
        )

    def of(self, word: int) -> slice:
        """The slice of ``rows`` and ``worths`` that belongs to a word."""
        return slice(int(self.bounds[word]), int(self.bounds[word + 1]))

    def blocks(self) -> Iterator[slice]:
        """The words in blocks of some million postings."""
        return _word_blocks(self.bounds)

    @property
    def words(self) -> int:
        """The number of words."""
        return len(self.bounds) - 1

    def counts(self, words: AnyInts) -> Ints:
        """The number of names that have each of these words."""
        return self.bounds[1:].take(words) - self.bounds.take(words)

    def read_ahead(self, words: AnyInts) -> None:
        """See `InvertedLists`: a map needs nothing."""

    def rows_of(self, words: AnyInts) -> Rows32:
        """See `InvertedLists`."""
        return self.rows.take(self.placed(words)[0])

    def valued(self, words: AnyInts, values: Doubles) -> tuple[Rows32, Doubles]:
        """See `InvertedLists`."""
        places, sizes = self.placed(words)
        return self.rows.take(places), values.repeat(sizes)

    def weighted(self, words: AnyInts, weights: Doubles) -> tuple[Rows32, Doubles]:
        """See `InvertedLists`."""
        if len(words) == 1:
            here = self.of(int(words[0]))
            return self.rows[here], weights[0] * self.worths[here]
        places, sizes = self.placed(words)
        return self.rows.take(places), weights.repeat(sizes) * self.worths.take(places)

    def highest(self, word: int) -> float:
        """See `InvertedLists`."""
        return float(self.worths[self.of(word)].max())

    def worths_in(self, word: int, rows: Ints) -> Doubles:
        """See `InvertedLists`."""
        here = self.of(word)
        holders, worths = self.rows[here], self.worths[here]
        if not len(holders):
            return np.zeros(len(rows))
        wanted = rows.astype(np.uint32)
        places = holders.searchsorted(wanted)
        return np.where(holders.take(places, mode="clip") == wanted, worths.take(places, mode="clip"), 0.0)

    def placed(self, words: AnyInts) -> tuple[Ints, Ints]:
        """The positions in ``rows`` and ``worths`` that belong to these words, concatenated, and how many each has."""
        starts = self.bounds.take(words)
        sizes = self.bounds[1:].take(words) - starts
        return spread(starts, sizes, len(self.rows)), sizes


def invert(
    folder: Path,
    words: Rows32,
    word_bounds: Ints,
    vocabulary: int,
    *,
    mean_length: float | None = None,
    numbers: Rows32 | None = None,
) -> tuple[Postings, Times]:
    """Writes the postings of names into ``folder``; returns them, and how many times the name of each has the word.

    ``words`` are the words of all names, concatenated, as numbers below ``vocabulary``; ``word_bounds`` says where each
    name's words begin; ``mean_length`` is their mean number, if not that of these names. ``numbers`` are the rows of
    the names, ascending, if not 0 upward.
    """
    rows, repeated = _names_by_word(folder, words, word_bounds, vocabulary)
    lengths = np.diff(word_bounds)
    mean = float(lengths.mean()) if mean_length is None else mean_length
    norms = length_norms(lengths, mean)
    often = np.ones(len(lengths), dtype=np.uint16)
    writers = [NumberWriter(folder, _ROWS, np.uint32), NumberWriter(folder, _WORTHS, np.float32)]
    every, bounds = Scratch(folder, np.uint16), np.zeros(vocabulary + 1, dtype=np.int64)
    for here in _word_blocks(repeated):
        own = repeated[here.start : here.stop + 1]
        held_rows, ends, times = without_repeats(rows[own[0] : own[-1]], own - own[0])
        bounds[here.start + 1 : here.stop + 1] = bounds[here.start] + ends[1:]
        (several,) = np.nonzero(times > 1)
        np.maximum.at(often, held_rows[several], times[several])
        columns: tuple[Column, ...] = (
            held_rows if numbers is None else numbers[held_rows],
            term_weights(times, norms[held_rows]),
        )
        for writer, values in zip(writers, columns, strict=True):
            writer.extend(values)
        every.append(times)
    for writer in writers:
        writer.close()
    save_numbers(folder, _BOUNDS, bounds)
    save_numbers(folder, NAME_WORTH, term_weights(often, norms))
    return Postings.open(folder, vocabulary, len(lengths)), every.numbers()


def _names_by_word(folder: Path, words: Rows32, word_bounds: Ints, vocabulary: int) -> tuple[Rows32, Ints]:
    """The names that have each word, word after word, those of each ascending and as often as they have it; and where
    those of each word begin, with the end.

    In chunks, so that the memory for sorting does not grow with the index.
    """
    counts = np.zeros(vocabulary, dtype=np.int64)
    for start in range(0, len(words), _CHUNK):
        counts += np.bincount(words[start : start + _CHUNK], minlength=vocabulary)
    bounds = boundaries(counts)
    rows = scratch(folder, len(words), np.uint32)
    cursor = bounds[:-1].copy()
    for start in range(0, len(words), _CHUNK):
        part = words[start : start + _CHUNK]
        first, last = np.searchsorted(word_bounds, (start, start + len(part) - 1), side="right") - 1
        edges: Ints = np.clip(word_bounds[first : last + 2], start, start + len(part))
        holders = np.repeat(np.arange(first, last + 1, dtype=np.uint32), edges[1:] - edges[:-1])
        ordered = _in_order(part, holders).astype(np.uint32)  # the cast keeps the lower half
        if len(part) == len(words):
            return ordered, bounds
        counts = np.bincount(part, minlength=vocabulary)
        (held,) = np.nonzero(counts)
        rows[spread(cursor[held], counts[held])] = ordered
        cursor += counts
    return rows, bounds


def _word_blocks(bounds: Ints) -> Iterator[slice]:
    """The words in blocks of about `_CHUNK` postings."""
    start, count = 0, len(bounds) - 1
    while start < count:
        stop = int(np.searchsorted(bounds, bounds[start] + _CHUNK, side="right")) - 1
        yield slice(start, min(max(stop, start + 1), count))
        start = min(max(stop, start + 1), count)


def length_norms(lengths: Ints, mean: float) -> npt.NDArray[np.float32]:
    """What BM25 adds to the count of a word in names of these lengths, where names have ``mean`` words."""
    return (K1 * (1 - B) + K1 * B / max(mean, 1) * lengths).astype(np.float32)


def term_weights(times: AnyInts, norms: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The term weights of words that names of these `length_norms` have so many times."""
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
    pairs = _in_order(keys, values)
    values = pairs.astype(np.uint32)  # the cast keeps the lower half
    pairs >>= np.uint64(32)
    return pairs.astype(np.uint32), values


def _in_order(keys: Rows32, values: Rows32) -> Hashes:
    """Pairs of 32-bit numbers as one number each, ascending."""
    pairs = keys.astype(np.uint64)
    pairs <<= np.uint64(32)
    pairs |= values
    pairs.sort()
    return pairs


class Zeros:
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


def summed(rows: AnyInts, weights: Doubles, names: int, places: Zeros | None = None) -> tuple[Ints, Doubles]:
    """Every row once, in any order, with the sum of its weights. Weights must be above 0, rows below ``names``.

    ``places`` are arrays of 32-bit numbers for ``names``; with them the time does not depend on their number.
    """
    if len(rows) and rows.max() >= names:  # from a file: memory would be taken up to the highest
        raise ValueError(f"row {int(rows.max())} of {names}")
    if len(rows) * _DENSE > names or places is None:
        sums: Doubles = np.bincount(rows, weights=weights, minlength=names).astype(np.float64, copy=False)
        (held,) = (sums > 0).nonzero()  # eight times as fast as on the sums themselves
        return held, sums.take(held)
    if not len(rows):
        return np.empty(0, dtype=np.int64), np.empty(0)
    place, numbers, at = places.take(), np.arange(len(rows), dtype=np.int32), rows.astype(np.int64)
    place[at] = numbers
    found = at[place[at] == numbers]  # where a row was written last
    place[found] = numbers[: len(found)]
    totals = np.bincount(place[at], weights=weights, minlength=len(found)).astype(np.float64, copy=False)
    places.give_back(place, found)
    return found, totals
