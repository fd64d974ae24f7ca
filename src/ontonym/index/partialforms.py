"""Names of an index by the roots of nearly all their words: which names a phrase of a text has most of.

A name is found by its telling roots (without general words such as *disease* and *severe*), and by these without one of
them; a phrase is looked up likewise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.index.names import Names
from ontonym.memo import Memo
from ontonym.text.strings import hash64
from ontonym.text.wording import GENERIC
from ontonym.text.wordroots import FILLERS, MODIFIERS, SMALL, root

MOST_NAMES = 60
"""A form that more names have says nothing."""

_LIGHT_WEIGHT = 0.3
_LEAST_SHARE = 0.4
_MOST_ROOTS = 6
_MOST_WORDS = 1 << 17
_BITS = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class PartialMatch:
    """How much a phrase and the name nearest to it have in common.

    ``of_phrase`` and ``of_name`` are the shares of their words, weighted by rarity, that both have, in [0, 1].
    ``rivals`` is the number of names that have the same form.
    """

    of_phrase: float
    of_name: float
    rivals: int

    @property
    def overlap(self) -> float:
        """The harmonic mean of both shares, in [0, 1]."""
        total = self.of_phrase + self.of_name
        return 2 * self.of_phrase * self.of_name / total if total else 0.0


NO_MATCH = PartialMatch(0.0, 0.0, 0)


class PartialForms:
    """The names of one part of an index by their partial forms, only of concepts that are ``allowed``.

    The name rows ``hidden`` are left out.
    """

    def __init__(self, names: Names, allowed: Mask | None = None, hidden: Ints | None = None) -> None:
        roots, light = names.facts.root_hashes, _says_little(names)
        rows = np.repeat(np.arange(len(names)), np.diff(names.word_bounds))
        words = names.words.astype(np.int64)
        wanted = roots[words] != 0
        if allowed is not None:
            wanted &= allowed[names.concepts][rows]
        if hidden is not None:
            wanted &= ~np.isin(rows, hidden)
        rows, hashes, light_ones = rows[wanted], roots[words[wanted]], light[words[wanted]]
        order = np.lexsort((hashes, rows))
        rows, hashes, light_ones = rows[order], hashes[order], light_ones[order]
        distinct = np.ones(len(rows), dtype=np.bool_)
        distinct[1:] = (rows[1:] != rows[:-1]) | (hashes[1:] != hashes[:-1])
        rows, hashes, light_ones = rows[distinct], hashes[distinct], light_ones[distinct]
        self._known, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
        self._unknown = float(np.log(len(names) + 2))
        self._rarity = np.log((len(names) + 2) / counts)
        weights = self._rarity[inverse] * np.where(light_ones, _LIGHT_WEIGHT, 1.0)
        self._forms, self._shares = _forms(len(names), rows, hashes, weights, ~light_ones)
        self._sorted = self._forms.data  # single values of it cost a tenth of those of the array
        self._words = Memo(self._read, _MOST_WORDS)

    def nearest(self, words: Sequence[str]) -> PartialMatch:
        """The match of normalized words with the name that has most in common with them."""
        found = {hash_: (weight, light) for hash_, weight, light in map(self._words.__getitem__, words) if hash_}
        telling = {hash_: weight for hash_, (weight, light) in found.items() if not light}
        total, told = sum(weight for weight, _ in found.values()), sum(telling.values())
        if not telling or total <= 0:
            return NO_MATCH
        form = sum(telling) & _BITS
        best = self._match(form, told / total)
        if len(telling) > 1:
            for hash_, weight in telling.items():
                if (told - weight) / total > max(best.overlap / 2, 0.5):
                    other = self._match((form - hash_) & _BITS, (told - weight) / total)
                    best = max(best, other, key=lambda one: one.overlap)
        return best

    def rarity(self, word: str) -> float:
        """How rare the root of a normalized word is among the names: the logarithm of one over its share of them."""
        return self._words[word][1]

    def _match(self, form: int, of_phrase: float) -> PartialMatch:
        start = bisect_left(self._sorted, form)
        stop = bisect_left(self._sorted, form + 1, start, min(start + MOST_NAMES + 1, len(self._sorted)))
        if not 0 < stop - start <= MOST_NAMES:
            return NO_MATCH
        return PartialMatch(of_phrase, float(self._shares[start:stop].max()), stop - start)

    def _read(self, word: str) -> tuple[int, float, bool]:
        """The hash of a normalized word's root, 0 for `FILLERS`; its weight; and whether the root says little."""
        if word in FILLERS:
            return 0, 0.0, True
        base = root(word)
        hash_ = hash64(base)
        place = int(np.searchsorted(self._known, np.uint64(hash_)))
        known = place < len(self._known) and int(self._known[place]) == hash_
        light = base in _light_roots()
        return (
            hash_,
            (float(self._rarity[place]) if known else self._unknown) * (_LIGHT_WEIGHT if light else 1.0),
            light,
        )


def _forms(
    count: int, rows: Ints, hashes: np.typing.NDArray[np.uint64], weights: Doubles, telling: Mask
) -> tuple[np.typing.NDArray[np.uint64], np.typing.NDArray[np.float32]]:
    """All forms, sorted, each with the share of its name's weight that it has."""
    totals = np.bincount(rows, weights, minlength=count)
    rows, hashes, weights = rows[telling], hashes[telling], weights[telling]
    sums = np.zeros(count, dtype=np.uint64)
    np.add.at(sums, rows, hashes)
    sizes, told = np.bincount(rows, minlength=count), np.bincount(rows, weights, minlength=count)
    (whole,) = np.nonzero(sizes)
    shared = (sizes[rows] > 1) & (sizes[rows] <= _MOST_ROOTS)
    less, gone = rows[shared], weights[shared]
    shares = (told[less] - gone) / totals[less]
    kept = shares >= _LEAST_SHARE
    forms = np.concatenate([sums[whole], (sums[less] - hashes[shared])[kept]])
    every = np.concatenate([told[whole] / totals[whole], shares[kept]]).astype(np.float32)
    order = np.argsort(forms, kind="stable")
    return forms[order], every[order]


def _says_little(names: Names) -> Mask:
    """By word number: whether its root is one of `_light_roots`."""
    light = np.array([hash64(one) for one in _light_roots()], dtype=np.uint64)
    return np.isin(names.facts.root_hashes, light)


@cache
def _light_roots() -> frozenset[str]:
    return frozenset(map(root, GENERIC | MODIFIERS | SMALL))
