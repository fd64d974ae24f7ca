"""A part of an index: names of one origin, the ontology's or a user's, with the signals on them.

The files of every signal are opened here; ``signalfiles.py`` writes them, ``evidence.py`` applies them to a query.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Hashes, Mask, Rows32
from ontonym.encoder.protocol import Vectors
from ontonym.index.char import CharSignal
from ontonym.index.dense import DenseSignal, Encoded, quantized
from ontonym.index.inverted import InvertedLists, Postings
from ontonym.index.lexical import LexicalSignal
from ontonym.index.names import Forms, Names
from ontonym.index.partialforms import PartialForms
from ontonym.index.prefixes import PrefixWords
from ontonym.index.query import Query
from ontonym.index.rootforms import RootForms
from ontonym.store.columns import load_numbers
from ontonym.store.lookup import HashLookup
from ontonym.types import Kind

_CONCEPTS = 1 << 14
"""Concepts whose mean vectors are computed together."""


class Backend(Protocol):
    """What holds the large files of a part, and answers for them: the folder itself (`Files`), or a database.

    All else that is read of a part (words, concepts, n-grams) comes from its folder.
    """

    def forms(self, folder: Path, names: int) -> Forms:
        """Finds so many names by their words."""
        ...

    def postings(self, folder: Path, words: int, names: int) -> InvertedLists:
        """The inverted lists of so many words; a list may be read when it is first asked for."""
        ...

    def dense(self, folder: Path, names: int) -> DenseSignal:
        """The dense signal over so many names."""
        ...

    def prepare(self, queries: Sequence[Query], signals: Collection[str], k: int, wanted: Mask | None) -> None:
        """Says what will be asked next, so that it can be asked together; ``wanted`` is a bitmap over names."""
        ...

    def close(self) -> None:
        """Lets go of what is open."""
        ...


class Files:
    """The files of a folder, memory-mapped."""

    def forms(self, folder: Path, names: int) -> Forms:
        """See `Backend`."""
        return HashLookup.open(folder, "form", names)

    def postings(self, folder: Path, words: int, names: int) -> Postings:
        """See `Backend`."""
        return Postings.open(folder, words, names)

    def dense(self, folder: Path, names: int) -> DenseSignal:
        """See `Backend`."""
        return DenseSignal(Encoded.open(folder, names))

    def prepare(self, queries: Sequence[Query], signals: Collection[str], k: int, wanted: Mask | None) -> None:
        """See `Backend`: nothing is read in advance."""

    def close(self) -> None:
        """See `Backend`: maps are closed when nothing refers to them."""


_FILES = Files()


class IndexPart:
    """Names and signals, memory-mapped, or with the large files in a database.

    ``rarity_among`` is the number of names from which the rarity of words is computed, if not the part's own.
    ``counts`` say how often each name was added; None for the ontology's part.
    """

    def __init__(
        self,
        folder: Path,
        *,
        rarity_among: int | None = None,
        counts: Rows32 | None = None,
        backend: Backend = _FILES,
    ) -> None:
        self.backend = backend
        self.names = Names(folder, rarity_among, backend.forms)
        postings = backend.postings(folder, len(self.names.vocabulary), len(self.names))
        self._postings = postings
        self.lexical = LexicalSignal(self.names, postings)
        self.char = CharSignal(folder, self.names, postings)
        self.dense = backend.dense(folder, len(self.names))
        self.counts = counts
        words = len(self.names.vocabulary)
        self._order: Rows32 = load_numbers(folder, "word_order", np.uint32, count=words)
        self.word_letters: Hashes = load_numbers(folder, "word_letters", np.uint64, count=words)
        self._root_forms: dict[frozenset[Kind], RootForms] = {}
        self.word_sizes: npt.NDArray[np.uint16] = load_numbers(folder, "word_size", np.uint16, count=words)

    def close(self) -> None:
        """Lets go of the files and of the backend, whoever still holds the part; closing twice is fine."""
        if self.__dict__:
            self.backend.close()
            self.names.close()
            self.__dict__.clear()

    if not TYPE_CHECKING:  # so that mypy still finds misspelt attributes

        def __getattr__(self, name: str) -> Any:
            # only called for what is not there: after close() that is everything
            if not self.__dict__:
                raise ValueError("the index is closed")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @cached_property
    def mean_vectors(self) -> DenseSignal:
        """The mean vector of each concept's names in this part; computed when first needed."""
        return mean_vectors_of((self,))

    @cached_property
    def prefixes(self) -> PrefixWords:
        """The names by the beginnings of their words; a few numbers for each word are computed when first needed."""
        return PrefixWords(self.names, self._postings, self._order, self.word_sizes)

    @cached_property
    def partial_forms(self) -> PartialForms:
        """The names by the roots of nearly all their words; computed when first needed, as in `root_forms`."""
        return PartialForms(self.names)

    def words_beside(self, words: Sequence[str]) -> frozenset[str]:
        """The words of the names that have all of these words and one word more: that word, and these."""
        names, numbers = self.names, self.names.word_ids(words)
        known = [number for number in numbers if number is not None]
        if not known:
            return frozenset() if numbers else self._lone_words
        if len(known) < len(numbers):
            return frozenset()
        rarest = max(known, key=names.idf.__getitem__)
        return self._words_of(self._postings.rows_of(np.array([rarest])), known)

    @cached_property
    def _lone_words(self) -> frozenset[str]:
        """The words that are names by themselves; found when first needed."""
        (rows,) = (np.diff(self.names.word_bounds) == 1).nonzero()
        return self._words_of(rows, ())

    def _words_of(self, rows: AnyInts, held: Sequence[int]) -> frozenset[str]:
        """The words of those of some names that have all words ``held``, by number, and one word more."""
        names, size = self.names, len(held) + 1
        first = names.word_bounds.take(rows)
        words = names.words.take(first[names.word_bounds[1:].take(rows) - first == size][:, None] + np.arange(size))
        for number in held:
            words = words[(words == number).any(axis=1)]
        return frozenset(names.vocabulary.take(np.unique(words)))

    def root_forms(self, of_kind: frozenset[Kind]) -> RootForms:
        """The names of some kinds by the roots of all their words, for texts; a second or two for a million names."""
        if of_kind not in self._root_forms:
            self._root_forms[of_kind] = RootForms(self.names, of_kind=of_kind)
        return self._root_forms[of_kind]


def mean_vectors_of(parts: Sequence[IndexPart]) -> DenseSignal:
    """The mean vector of each concept's names in all ``parts``, by concept number (Xu equation 8).

    Each has unit length; a concept without names has zeros. Takes about a second for a million names.
    """
    count = len(parts[0].names.bounds) - 1
    made = [quantized(_means(parts, start, min(start + _CONCEPTS, count))) for start in range(0, count, _CONCEPTS)]
    return DenseSignal(Encoded(tuple(np.concatenate(arrays) for arrays in zip(*made, strict=True))))


def _means(parts: Sequence[IndexPart], start: int, stop: int) -> Vectors:
    """The mean vectors of the concepts from ``start`` to before ``stop``, of unit length or zero."""
    total = np.zeros((stop - start, 1), dtype=np.float32)
    for part in parts:
        bounds = part.names.bounds[start : stop + 1]
        vectors = part.dense.vectors(slice(int(bounds[0]), int(bounds[-1])))
        sums = np.zeros((stop - start, vectors.shape[1]), dtype=np.float32)
        (held,) = np.nonzero(np.diff(bounds))
        if len(held):
            sums[held] = np.add.reduceat(vectors, (bounds[:-1] - bounds[0])[held], axis=0)
        total = total + sums
    lengths: Vectors = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)
    return np.divide(total, lengths, dtype=np.float32)
