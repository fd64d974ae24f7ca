"""Names of an index by the roots of their words: which names a handful of words of a text could mean, whatever their
order, endings, and the small words between them."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy

import numpy as np

from ontonym.arrays import Hashes, Ints, Mask, distinct
from ontonym.index.names import Names
from ontonym.text.strings import hash64
from ontonym.text.wordlists import FILLERS
from ontonym.text.wordroots import root
from ontonym.types import KINDS, Kind

MOST_ROOTS = 9
"""Names of more different roots are not found by them."""

_MARKS = 2
"""The first bits of forms are marked in four to eight places for each form: two, and those of the number of forms."""


class RootForms:
    """The names of one part of an index by the set of their roots, those of some kinds (`ontonym.types.KINDS`)."""

    def __init__(self, names: Names, of_kind: Collection[Kind] = KINDS) -> None:
        rows, hashes, _, is_first = roots_of_names(names)
        repeating = np.zeros(len(names), dtype=np.bool_)
        repeating[rows[~is_first]] = True
        rows, hashes = rows[is_first], hashes[is_first]
        self.vocabulary: Hashes = distinct(hashes)
        counts = np.bincount(rows, minlength=len(names))
        sums = np.zeros(len(names), dtype=np.uint64)
        np.add.at(sums, rows, hashes)
        wanted = (counts > 0) & (counts <= MOST_ROOTS) & ~repeating
        if len(of_kind) < len(KINDS):
            wanted &= np.isin(names.kinds, [KINDS.index(kind) for kind in of_kind])
        (named,) = np.nonzero(wanted)
        named = named[np.argsort(sums[named], kind="stable")]
        self._keep(named, sums[named])

    def _keep(self, rows: Ints, forms: Hashes) -> None:
        self._rows, self._forms = rows, forms
        self._shift = np.uint64(64 - _MARKS - len(self._forms).bit_length())
        self._marked = np.zeros(1 << (64 - int(self._shift)), dtype=np.bool_)
        self._marked[self._forms >> self._shift] = True

    def only(self, wanted: Mask) -> RootForms:
        """Those of the names of a bitmap over names alone."""
        kept = wanted[self._rows]
        fewer = copy(self)
        fewer._keep(self._rows[kept], self._forms[kept])
        return fewer

    def has(self, forms: Hashes) -> Mask:
        """Whether some name has each of these forms, shape ``(forms,)``."""
        found: Mask = self._marked[forms >> self._shift]  # by their first bits: few are left to be looked up
        (some,) = np.nonzero(found)
        if len(some):
            places = np.minimum(np.searchsorted(self._forms, forms[some]), len(self._forms) - 1)
            found[some] = self._forms[places] == forms[some]
        return found

    def rows_of(self, form: np.uint64) -> list[int]:
        """The rows of the names with this form."""
        start, stop = np.searchsorted(self._forms, [form, form + np.uint64(1)])
        found: list[int] = self._rows[start:stop].tolist()
        return found


def roots_of_names(names: Names, wanted: Mask | None = None) -> tuple[Ints, Hashes, Ints, Mask]:
    """The roots of names, by name and root: of each the name row, the hash, the number of its word, and whether it is
    the first of its kind there. Words of `SMALL` are left out; ``wanted`` is a bitmap over names.
    """
    rows, words = np.repeat(np.arange(len(names)), np.diff(names.word_bounds)), names.words.astype(np.int64)
    hashes = names.facts.root_hashes[words]
    kept = hashes != 0 if wanted is None else (hashes != 0) & wanted[rows]
    rows, hashes, words = rows[kept], hashes[kept], words[kept]
    order = np.lexsort((hashes, rows))
    rows, hashes = rows[order], hashes[order]
    is_first = np.ones(len(rows), dtype=np.bool_)
    is_first[1:] = (rows[1:] != rows[:-1]) | (hashes[1:] != hashes[:-1])
    return rows, hashes, words[order], is_first


def root_hash(word: str) -> int:
    """The hash of the root of a normalized word of a text, 0 for a word that may stand between those of a name."""
    return 0 if word in FILLERS else hash64(root(word))
