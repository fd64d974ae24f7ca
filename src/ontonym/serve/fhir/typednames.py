"""Names found by the beginnings of their words, all of them: what a search box shows while somebody types.

Those of an index are found by its own words; those of a terminology without one are read into memory once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.index.part import IndexPart
from ontonym.store import Terminology
from ontonym.text.normalization import key, tokens
from ontonym.types import KINDS

MOST_WORDS = 16
PREFERRED = KINDS.index("preferred")


class IndexedNames:
    """The names that an index has for one of its terminologies: ``count`` concepts from number ``first``."""

    def __init__(self, part: IndexPart, first: int, count: int) -> None:
        self._part = part
        self._first = first
        self._count = count
        self._total = len(part.names.bounds) - 1

    def concepts(self, text: str, within: Mask | None) -> Ints:
        """The rows of concepts as in `TypedNames.concepts`."""
        typed = list(dict.fromkeys(key(text).split()))[:MOST_WORDS]
        wanted: Mask | None = None
        if within is not None or self._count < self._total:
            wanted = np.zeros(self._total, bool)
            wanted[self._first : self._first + self._count] = True if within is None else within
        found = self._part.prefixes.matches(typed, wanted, most=None)
        is_preferred = np.asarray(self._part.names.kinds[found.rows]) == PREFERRED
        concepts = self._part.names.concepts[found.rows].astype(np.int64) - self._first
        return _ordered(concepts, found.lengths - len(typed), found.leads, is_preferred)


class TypedNames:
    """The words of some names as numbers, and their vocabulary in alphabetical order.

    ``words`` are the words of all names, one name after the other, as places in ``vocabulary``; ``bounds`` says where
    each name's words begin; ``concepts`` and ``preferred`` are by name.
    """

    def __init__(self, vocabulary: Sequence[str], words: Ints, bounds: Ints, concepts: Ints, preferred: Mask) -> None:
        encoded = [word.encode() for word in vocabulary]
        order = np.asarray(sorted(range(len(encoded)), key=encoded.__getitem__), dtype=np.int64)
        self._vocabulary = [encoded[number] for number in order.tolist()]
        places = np.empty(len(encoded), np.int64)
        places[order] = np.arange(len(encoded))
        full = np.diff(bounds) > 0
        self._words = places[words] if len(words) else words
        self._starts = bounds[:-1][full]
        self._lengths = np.diff(bounds)[full]
        self._concepts = concepts[full]
        self._preferred = preferred[full]

    @classmethod
    def of_terminology(cls, terminology: Terminology) -> TypedNames:
        """The active names of a terminology without an index, read once."""
        table: dict[str, int] = {}
        words: list[int] = []
        bounds = [0]
        for text in terminology.term_texts():
            words.extend(table.setdefault(word, len(table)) for word in key(text).split())
            bounds.append(len(words))
        kinds = terminology.term_kinds()
        preferred = np.asarray([name == "preferred" for name in kinds.names])[np.asarray(kinds.codes)]
        concepts = np.asarray(terminology.term_concepts(), np.int64)
        return cls(list(table), np.asarray(words, np.int64), np.asarray(bounds, np.int64), concepts, preferred)

    def concepts(self, text: str, within: Mask | None) -> Ints:
        """The rows of all concepts with a name that has, for every typed word, a word that begins with it.

        First come names with the fewest further words, then those that begin with the first typed word, then preferred
        terms; ties by row. Empty for a text without words.
        """
        typed = list(dict.fromkeys(key(text).split()))[:MOST_WORDS]
        if not typed or not len(self._starts):
            return np.empty(0, np.int64)
        kept = np.ones(len(self._starts), bool)
        leads = kept
        for at, word in enumerate(typed):
            begins = self._begins(word)[self._words]
            kept = kept & np.logical_or.reduceat(begins, self._starts)
            if at == 0:
                leads = begins[self._starts]
        if within is not None:
            kept &= within[self._concepts]
        (names,) = np.nonzero(kept)
        further = self._lengths[names] - len(typed)
        return _ordered(self._concepts[names], further, leads[names], self._preferred[names])

    def _begins(self, word: str) -> Mask:
        """The words of the vocabulary that begin with a typed word, as it is written or as names have it."""
        found = np.zeros(len(self._vocabulary), bool)
        for text in {word, *(tokens(word) if len(word) > 2 else ())}:
            start = bisect_left(self._vocabulary, text.encode())
            found[start : bisect_left(self._vocabulary, text.encode() + b"\xff")] = True
        return found


def _ordered(concepts: Ints, further: Ints, leads: Mask, is_preferred: Mask) -> Ints:
    """The concepts of some names, each once: those with the fewest further words first."""
    costs = further - 0.5 * leads - 0.25 * is_preferred
    concepts = concepts[np.lexsort((concepts, costs))]
    _, first = np.unique(concepts, return_index=True)
    return concepts[np.sort(first)]
