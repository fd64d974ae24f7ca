"""Names of an index by the roots of nearly all their words: which names a phrase of a text has most of.

A name is found by its telling roots (without general words such as *disease* and *severe*), and by these without one of
them; a phrase is looked up likewise.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Floats, Hashes, Ints, Mask
from ontonym.index.names import Names
from ontonym.index.rootforms import roots_of_names
from ontonym.memo import Memo
from ontonym.ragged import boundaries, spread
from ontonym.text.phrasearrays import Phrases
from ontonym.text.strings import hash64
from ontonym.text.wordlists import FILLERS, GENERIC, MODIFIERS, SMALL
from ontonym.text.wordroots import root

MOST_NAMES = 60
"""A form that more names have says nothing."""

_LIGHT_WEIGHT = 0.3
_LEAST_SHARE, _LEAST_LEFT = 0.4, 0.5
_MOST_ROOTS = 6
_MOST_WORDS = 1 << 17
_ROOT = np.dtype([("hash", np.uint64), ("weight", np.float64), ("light", np.bool_)])


class PartialMatches(NamedTuple):
    """How much each of several phrases and the name nearest to it have in common: the shares of their words, weighted
    by rarity, that both have, in [0, 1], shape ``(phrases,)``. Both are 0 where no name is near.
    """

    of_phrase: Doubles
    of_name: Doubles

    @property
    def overlaps(self) -> Doubles:
        """The harmonic mean of both shares, in [0, 1]."""
        total = self.of_phrase + self.of_name
        return 2 * self.of_phrase * self.of_name / np.where(total > 0, total, 1)

    def best(self, phrases: Ints, count: int) -> PartialMatches:
        """Of several matches of each of ``count`` phrases the one with the most in common, the first of equal ones."""
        order = np.lexsort((-self.overlaps, phrases))
        of = phrases[order]
        first = order[np.append(True, of[1:] != of[:-1])] if len(of) else order
        found = np.zeros((2, count))
        found[:, phrases[first]] = self.of_phrase[first], self.of_name[first]
        return PartialMatches(*found)


class PartialForms:
    """The names of one part of an index by their partial forms, only of concepts that are ``allowed``.

    The name rows ``hidden`` are left out.
    """

    def __init__(self, names: Names, allowed: Mask | None = None, hidden: Ints | None = None) -> None:
        wanted = np.ones(len(names), dtype=np.bool_) if allowed is None else allowed[names.concepts]
        if hidden is not None:
            wanted = wanted & ~np.isin(np.arange(len(names)), hidden)
        rows, hashes, words, distinct = roots_of_names(names, wanted)
        rows, hashes, light = rows[distinct], hashes[distinct], _says_little(names)[words[distinct]]
        self._known, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
        self._unknown = float(np.log(len(names) + 2))
        self._rarity = np.log((len(names) + 2) / counts)
        weights = self._rarity[inverse] * np.where(light, _LIGHT_WEIGHT, 1.0)
        self._forms, self._shares = _forms(len(names), rows, hashes, weights, ~light)
        self._words = Memo(self._read, _MOST_WORDS)

    def nearest(self, phrases: Phrases) -> PartialMatches:
        """The match of each phrase with the name that has most in common with it."""
        count = len(phrases)
        read = np.array([self._words[word] for word in phrases.words], dtype=_ROOT)[phrases.numbers]
        of, read = _once(phrases.owners, read)
        hashes, weights, light = read["hash"], read["weight"], read["light"]
        total = np.bincount(of, weights, minlength=count)
        of, hashes, weights = of[~light], hashes[~light], weights[~light]
        sizes, told = np.bincount(of, minlength=count), np.bincount(of, weights, minlength=count)
        sums = np.zeros(count, dtype=np.uint64)
        np.add.at(sums, of, hashes)
        left = (told[of] - weights) / total[of]
        (some,) = np.nonzero((sizes[of] > 1) & (left > _LEAST_LEFT))
        (whole,) = np.nonzero(sizes)
        forms = np.append(sums[whole], (sums[of] - hashes)[some])
        shares = np.append(told[whole] / total[whole], left[some])
        return self._matches(forms, shares).best(np.append(whole, of[some]), count)

    def rarity(self, word: str) -> float:
        """How rare the root of a normalized word is among the names: the logarithm of one over its share of them."""
        return self._words[word][1]

    def _matches(self, forms: Hashes, of_phrase: Doubles) -> PartialMatches:
        """The matches of forms, each with the share of its phrase that it has."""
        starts = np.searchsorted(self._forms, forms)
        sizes = np.searchsorted(self._forms, forms, side="right") - starts
        (found,) = np.nonzero((sizes > 0) & (sizes <= MOST_NAMES))
        shares = np.zeros((2, len(forms)))
        if len(found):
            every = self._shares[spread(starts[found], sizes[found])]
            shares[0, found] = of_phrase[found]
            shares[1, found] = np.maximum.reduceat(every, boundaries(sizes[found])[:-1])
        return PartialMatches(*shares)

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


def _once(of: Ints, read: npt.NDArray[np.void]) -> tuple[Ints, npt.NDArray[np.void]]:
    """The roots of phrases, each once in a phrase and in the order given, without those of `FILLERS`."""
    hashes = read["hash"]
    order = np.lexsort((hashes, of))
    again = np.zeros(len(of), dtype=np.bool_)
    again[order[1:]] = (of[order[1:]] == of[order[:-1]]) & (hashes[order[1:]] == hashes[order[:-1]])
    (kept,) = np.nonzero(~again & (hashes != 0))
    return of[kept], read[kept]


def _forms(count: int, rows: Ints, hashes: Hashes, weights: Doubles, telling: Mask) -> tuple[Hashes, Floats]:
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
