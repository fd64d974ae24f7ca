"""The names that an index searches: one row for each spelling of each concept, with its words, over all its
terminologies.

Terms of a concept that differ only in what text normalization removes share a row. The row points to the first of them,
which is the preferred term if that is among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Hashes, Ints, Mask, Offsets, Rows32
from ontonym.index.wordfacts import WordFacts
from ontonym.memo import Memo, MemoOfMany
from ontonym.store import Terminology
from ontonym.store.columns import StringColumn, load_bounds, load_numbers, save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.text.strings import Strings, hash64, mixed, mixed64

CHUNK = 1 << 16
"""Names or terms that are read together."""
_MOST_WORDS, _MOST_SPELLED, _MOST_READ = 1 << 14, 1 << 10, 1 << 13
"""Words of which the number is kept, queries of which the names are, and names of which the words are."""


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Which names are indexed: ``languages`` are two-letter codes, empty for all; ``retired`` includes retired concepts
    and terms; ``everyday`` adds the everyday English names that come with the package (`ontonym.index.everyday`).
    The large files are in so many ``shards`` (`ontonym.index.shards`), 1 to 256, which changes no answer.
    """

    languages: tuple[str, ...] = ()
    retired: bool = False
    everyday: bool = True
    shards: int = 1


def word_forms(word_hashes: Hashes, words: Rows32, bounds: Offsets) -> Hashes:
    """A hash of each name's words in any order: the sum of the words' hashes, mixed with the number of words."""
    forms = np.empty(len(bounds) - 1, dtype=np.uint64)
    for start in range(0, len(forms), CHUNK):
        edges = bounds[start : start + CHUNK + 1]
        sums = np.zeros(int(edges[-1] - edges[0]) + 1, dtype=np.uint64)
        np.cumsum(word_hashes[words[edges[0] : edges[-1]]], out=sums[1:])
        sums = sums[edges - edges[0]]
        forms[start : start + CHUNK] = mixed((sums[1:] - sums[:-1]).view(np.int64), np.diff(edges))
    return forms


def write_idf(folder: Path, counts: Ints, names: int) -> None:
    """Writes the rarity of each word, which n of the names have: BM25's ``ln(1 + (N - n + 0.5) / (n + 0.5))``."""
    save_numbers(folder, "word_idf", np.log1p((names - counts + 0.5) / (counts + 0.5)).astype(np.float32))


def wanted_terms(terminology: Terminology, options: IndexOptions) -> Mask:
    """A bitmap over the term rows of a terminology: True for the terms that the options select."""
    wanted = np.ones(terminology.term_count, dtype=np.bool_)
    if not options.retired:
        wanted &= terminology.term_statuses().among(("active",))
        wanted &= terminology.active[terminology.term_concepts()]
    if options.languages:
        languages = terminology.term_languages()
        wanted &= languages.among([name for name in languages.names if name.split("-")[0] in options.languages])
    return wanted


class Forms(Protocol):
    """Finds name rows by the hash of their words (`forms_of`)."""

    def rows_of(self, wanted: np.uint64) -> Rows32:
        """The rows with this hash, ascending."""
        ...

    def first(self, hashes: Hashes) -> Ints:
        """For each hash the first row with it, or -1."""
        ...

    def each(self, hashes: Hashes) -> tuple[Rows32, Ints]:
        """The rows with each hash, end to end, and how many each has."""
        found = [self.rows_of(one) for one in hashes]
        counts = np.array([*map(len, found)], dtype=np.int64)
        return np.concatenate([np.empty(0, dtype=np.uint32), *found]), counts


def _forms_in(folder: Path, names: int) -> Forms:
    return HashLookup.open(folder, "form", names)


class Names:
    """The name rows of an index, memory-mapped.

    By name row: ``concepts`` (numbered through all terminologies in their order), ``terms`` (term row in its own
    terminology), ``kinds`` and ``scopes`` (positions in ``types.KINDS`` and ``types.SCOPES``). The names of concept c
    are rows ``bounds[c]`` to before ``bounds[c + 1]``; the words of name n are numbers ``word_bounds[n]`` to before
    ``word_bounds[n + 1]`` of ``words``, places in the ``vocabulary``. By word number: ``idf``, ``is_short`` (up to five
    letters) and ``is_number`` (begins with a digit). ``forms`` opens what finds rows by the hash of their words.
    ``rarity_among`` is the number of names from which ``idf`` was computed, if not the rows' own.
    """

    def __init__(
        self, folder: Path, rarity_among: int | None = None, forms: Callable[[Path, int], Forms] = _forms_in
    ) -> None:
        self._rarity_among = rarity_among
        self.concepts: Rows32 = load_numbers(folder, "name_concept", np.uint32)
        count = len(self.concepts)
        self.terms: Rows32 = load_numbers(folder, "name_term", np.uint32, count=count)
        self.kinds: npt.NDArray[np.uint8] = load_numbers(folder, "name_kind", np.uint8, count=count)
        self.scopes: npt.NDArray[np.uint8] = load_numbers(folder, "name_scope", np.uint8, count=count)
        self.words: Rows32 = load_numbers(folder, "name_words", np.uint32)
        self.word_bounds: Ints = load_bounds(folder, "name_words.rows", len(self.words), count)
        self.bounds: Ints = load_bounds(folder, "concept_names.rows", count)
        if count and not int(self.concepts[-1]) < len(self.bounds) - 1:  # they ascend
            raise ValueError(f"name_concept.npy has a concept beyond the {len(self.bounds) - 1}")
        self.vocabulary = StringColumn.open(folder, "word")
        words = len(self.vocabulary)
        self.idf: npt.NDArray[np.float32] = load_numbers(folder, "word_idf", np.float32, count=words)
        self.is_short: Mask = load_numbers(folder, "word_short", np.bool_, count=words)
        self.is_number: Mask = load_numbers(folder, "word_number", np.bool_, count=words)
        self._lookup = lookup = HashLookup.open(folder, "word", words)
        self._numbers = MemoOfMany[str, int | None](lambda some: _numbers_in(lookup, some), _MOST_WORDS)
        self.forms = found = forms(folder, count)
        # Each step of a search asks for the same words. No methods of its own: the files close with the last reference.
        self._spelled = Memo[tuple[str, ...], Rows32](lambda some: found.rows_of(_form(some)), _MOST_SPELLED)
        read = partial(_words_in, self.vocabulary, self.words, self.word_bounds)
        self._read = Memo[int, tuple[str, ...]](read, _MOST_READ)

    def __len__(self) -> int:
        return len(self.concepts)

    @property
    def rarity_among(self) -> int:
        """The number of names from which the rarity of words and n-grams was computed."""
        return len(self) if self._rarity_among is None else self._rarity_among

    @property
    def mean_length(self) -> float:
        """The mean number of words of a name."""
        return len(self.words) / max(len(self), 1)

    @property
    def unseen_idf(self) -> float:
        """The inverse name frequency of a word that no name has."""
        return float(np.log1p((self.rarity_among + 0.5) / 0.5))

    def word_ids(self, words: Sequence[str]) -> list[int | None]:
        """The number of each word in the vocabulary, None for an unknown word."""
        return self._numbers.of(words)

    def rarity(self, word: str) -> float:
        """The inverse name frequency of a normalized word, `unseen_idf` for an unknown word."""
        (number,) = self.word_ids([word])
        return self.unseen_idf if number is None else float(self.idf[number])

    def idf_of(self, words: Strings) -> npt.NDArray[np.float32]:
        """The inverse name frequency of each word, `unseen_idf` for an unknown word."""
        numbers = self._lookup.first(words.hashes())
        return np.where(numbers < 0, np.float32(self.unseen_idf), self.idf[numbers])

    @cached_property
    def facts(self) -> WordFacts:
        """What is known of the words of the vocabulary, read when first needed."""
        return WordFacts(self.vocabulary, self.idf, self._numbers.of)

    def uses_of(self, word: str) -> tuple[int, int]:
        """How many words of all names a normalized word is, and how many of these are the last of several."""
        (number,) = self.word_ids([word])
        every, last = self._uses
        return (0, 0) if number is None else (int(every[number]), int(last[number]))

    @cached_property
    def _uses(self) -> tuple[Ints, Ints]:
        """By word number what `uses_of` says."""
        size = len(self.vocabulary)
        ends = self.words[self.word_bounds[1:][np.diff(self.word_bounds) > 1] - 1]
        return np.bincount(self.words, minlength=size), np.bincount(ends, minlength=size)

    def words_of(self, row: int) -> tuple[str, ...]:
        """The normalized words of a name, in order."""
        return self._read[row]

    def spelled(self, words: Sequence[str]) -> Rows32:
        """The name rows with exactly these words, in any order."""
        return self._spelled[tuple(words)]

    def namesakes(self, row: int) -> Rows32:
        """The name rows with exactly the words of a name, in any order; itself among them."""
        words = self.words[self.word_bounds[row] : self.word_bounds[row + 1]]
        return self.forms.rows_of(np.uint64(mixed64(int(self._word_hashes[words].sum()), len(words))))  # as `_form`

    @cached_property
    def _word_hashes(self) -> Hashes:
        """By word number the hash of the word."""
        return self._lookup.by_row()

    def close(self) -> None:
        """Lets go of the files, whoever still holds the names."""
        self.__dict__.clear()


@lru_cache(maxsize=1 << 10)  # each part of an index asks for the same words
def _form(words: tuple[str, ...]) -> np.uint64:
    return np.uint64(mixed64(sum(map(hash64, words)), len(words)))  # as `word_forms`


def _words_in(vocabulary: StringColumn, words: Rows32, bounds: Ints, row: int) -> tuple[str, ...]:
    return tuple(vocabulary.take(words[bounds[row] : bounds[row + 1]]))


def forms_of(names: Sequence[Sequence[str]]) -> Hashes:
    """For each name, given as its normalized words, the hash that names of the same words in any order share."""
    words = [word for name in names for word in name]
    bounds = np.cumsum([0, *map(len, names)])
    return word_forms(_hashes(words), np.arange(len(words), dtype=np.uint32), bounds)


def _numbers_in(lookup: HashLookup, words: Sequence[str]) -> list[int | None]:
    return [None if number < 0 else number for number in lookup.first(_hashes(words)).tolist()]


def _hashes(words: Sequence[str]) -> Hashes:
    return np.fromiter(map(hash64, words), dtype=np.uint64, count=len(words))


def name_texts(names: Names, terminologies: Sequence[Terminology]) -> Iterator[str]:
    """The text of every name row, in order, as a stream."""
    offsets = np.cumsum([0, *map(len, terminologies)])
    edges = pairwise(np.searchsorted(names.concepts, offsets).tolist())
    for terminology, (start, stop) in zip(terminologies, edges, strict=True):
        column = terminology.term_texts()
        for first in range(start, stop, CHUNK):
            yield from column.take(names.terms[first : min(first + CHUNK, stop)])
