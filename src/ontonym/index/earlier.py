"""The words and vectors of an earlier index, kept so that a text is not normalized or encoded twice.

Texts are looked up by a 64-bit hash of the exact text. Vectors are reused only if the encoder is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ontonym.arrays import AnyInts, Hashes, Ints32, Offsets, Rows, Rows32, distinct
from ontonym.encoder.protocol import Encoder
from ontonym.index.dense import EarlierVectors
from ontonym.index.shards import encoded_in
from ontonym.ragged import check_ranges, ranges_of, runs
from ontonym.store.columns import StringColumn, load_bounds, load_numbers, save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.text.strings import Strings

_FACTOR = 0x9E3779B97F4A7C15
"""An odd number by which hashes are spread over a table (Fibonacci hashing)."""

_SHORTER = (("shorter_name", np.uint32), ("shorter_form", np.uint64), ("shorter_term", np.int32))
NO_FORM = np.uint64(0)
"""The form of a name of which nothing is left."""


@dataclass(frozen=True, slots=True)
class WordLists:
    """Words of texts as numbers: those of text i are ``words[bounds[i]:bounds[i + 1]]``."""

    words: Rows32
    bounds: Offsets

    @classmethod
    def open(cls, folder: Path, name: str) -> WordLists:
        """Opens the word lists that an index keeps under this name, memory-mapped."""
        words: Rows32 = load_numbers(folder, f"{name}_words", np.uint32)
        return cls(words, load_bounds(folder, f"{name}_words.rows", len(words)))

    def lengths(self, rows: AnyInts) -> Offsets:
        """The number of words of each of these texts."""
        return self.bounds[1:][rows] - self.bounds[:-1][rows]

    def take(self, rows: AnyInts) -> Rows32:
        """The words of these texts, concatenated."""
        starts, lengths = self.bounds[:-1][rows], self.lengths(rows)
        check_ranges(starts, lengths, len(self.words))
        (words,) = ranges_of([self.words], *runs(starts, lengths))
        return words


class ShorterForms(NamedTuple):
    """The names that say what may be left out: their rows, ascending, the hash of the words that are left (`NO_FORM`
    where there are none), and the place of the shorter name among the extra terms of the index, -1 where it is none.

    An update reads only the texts that are new.
    """

    rows: Rows32
    forms: Hashes
    places: Ints32

    @classmethod
    def open(cls, folder: Path, names: int) -> ShorterForms | None:
        """Those of an index of so many names; None where it has none."""
        first = _SHORTER[0][0]
        if not (folder / f"{first}.npy").exists():
            return None
        rows: Rows32 = load_numbers(folder, first, np.uint32)
        if len(rows) and int(rows[-1]) >= names:  # they ascend
            raise ValueError(f"{first}.npy has a name beyond the {names}")
        forms, places = (load_numbers(folder, name, dtype, count=len(rows)) for name, dtype in _SHORTER[1:])
        return cls(rows, forms, places)

    def save(self, folder: Path) -> None:
        """Writes them into the folder of their index."""
        for (name, dtype), column in zip(_SHORTER, self, strict=True):
            save_numbers(folder, name, np.asarray(column, dtype=dtype))


@dataclass(frozen=True, slots=True)
class EarlierIndex:
    """The texts of an earlier index with their words and vectors: first its names, then the terms that repeat a name of
    their concept.

    ``vocabulary`` has the words by number, and ``lookup`` finds their numbers. ``encoded`` holds the vectors of the
    names, made by the encoder whose fingerprint is ``encoder``; ``shorter`` are the shorter forms
    of the names, None where they were not kept. ``folder`` is where it is, None where there is no earlier index.
    """

    names: Hashes
    repeats: Hashes
    of_names: WordLists
    of_repeats: WordLists
    vocabulary: Strings
    word_hashes: Hashes
    lookup: HashLookup
    encoded: EarlierVectors | None
    encoder: str
    shorter: ShorterForms | None = None
    folder: Path | None = None

    @classmethod
    def nothing(cls) -> EarlierIndex:
        """An index without texts, for a build without an earlier one."""
        none = np.zeros(0, dtype=np.uint64)
        lists = WordLists(np.zeros(0, dtype=np.uint32), np.zeros(1, dtype=np.int64))
        lookup = HashLookup(none, np.zeros(0, dtype=np.uint32))
        return cls(none, none, lists, lists, Strings.of(()), none, lookup, None, "")

    @classmethod
    def of(cls, folder: Path, encoder: str, shards: int = 1) -> EarlierIndex:
        """The index in ``folder``, of so many ``shards``, made with an encoder of this fingerprint."""
        hashes = load_numbers(folder, "word_hash", np.uint64)
        rows = load_numbers(folder, "word_row", np.uint32, count=len(hashes))
        word_hashes = np.empty_like(hashes)
        word_hashes[rows] = hashes
        names = load_numbers(folder, "name_hash", np.uint64)
        return cls(
            names,
            load_numbers(folder, "repeat_hash", np.uint64),
            WordLists.open(folder, "name"),
            WordLists.open(folder, "repeat"),
            StringColumn.open(folder, "word").strings(),
            word_hashes,
            HashLookup(hashes, rows),
            encoded_in(folder, shards),
            encoder,
            ShorterForms.open(folder, len(names)),
            folder,
        )

    def vectors(self, encoder: Encoder) -> EarlierVectors | None:
        """The vectors of the names if this encoder made them, else None."""
        return self.encoded if encoder.fingerprint == self.encoder else None

    def find(self, hashes: Hashes) -> Rows:
        """The place of each text: a name's row, or the number of names plus a repeat's row, or -1 if unknown."""
        places = matched(self.names, hashes)
        (missing,) = np.nonzero(places < 0)
        found = matched(self.repeats, hashes[missing])
        places[missing] = np.where(found < 0, -1, found + len(self.names))
        return places

    def count_dropped(self, rows: Rows) -> int:
        """The number of distinct name texts that are in none of ``rows``; -1 in ``rows`` is ignored."""
        kept = np.zeros(len(self.names), dtype=np.bool_)
        kept[rows[rows >= 0]] = True
        left = distinct(self.names[~kept])  # another row with the same text may be kept
        again = matched(left, self.names[kept]) if len(left) else left
        return len(left) - len(distinct(again[again >= 0])) if len(left) else 0

    def words(self, places: Rows) -> tuple[Rows32, Offsets]:
        """The words of the texts at ``places`` (from `find`, 0 upward), concatenated, and the number of words of each
        text.
        """
        if not len(places) or int(places.max()) < len(self.names):
            return self.of_names.take(places), self.of_names.lengths(places)
        named = places < len(self.names)
        lengths = np.empty(len(places), dtype=np.int64)
        parts = ((self.of_names, named, 0), (self.of_repeats, ~named, len(self.names)))
        for lists, here, first in parts:
            lengths[here] = lists.lengths(places[here] - first)
        words = np.empty(int(lengths.sum()), dtype=np.uint32)
        for lists, here, first in parts:
            words[np.repeat(here, lengths)] = lists.take(places[here] - first)
        return words, lengths


def matched(known: Hashes, wanted: Hashes) -> Rows:
    """For each wanted hash a row of ``known`` that has it, or -1. Hash tables are faster here than sorting both."""
    rows = np.full(len(wanted), -1, dtype=np.int64)
    numbers, asked = np.arange(len(known)), np.arange(len(wanted))
    factor = _FACTOR
    while len(numbers) and len(asked):
        bits = max((2 * len(numbers) - 1).bit_length(), 4)
        places, sought = (
            (hashes * np.uint64(factor) >> np.uint64(64 - bits)).astype(np.int64)
            for hashes in (known[numbers], wanted[asked])
        )
        table = np.full(1 << bits, -1, dtype=np.int32)
        table[places] = numbers
        found = table[sought]
        held = found >= 0
        asked, found = asked[held], found[held].astype(np.int64)  # a lost slot: into the next table
        hit = known[found] == wanted[asked]
        rows[asked[hit]] = found[hit]
        asked = asked[~hit]
        numbers = numbers[known[table[places]] != known[numbers]]  # the others go into the next table
        factor = factor * _FACTOR % (1 << 64)
    return rows
