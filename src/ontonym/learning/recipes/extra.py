"""Texts that a recipe brings and the pool has not, and which split may use each: nothing of dev and test in train."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Bytes, Ints32, Rows
from ontonym.learning.recipes.pool import Pool, excluded
from ontonym.learning.recipes.split import OUT
from ontonym.text.folding import folded
from ontonym.text.strings import Strings


@dataclass(frozen=True, slots=True, eq=False)
class Further:
    """Texts beside the pool's, the concept each speaks of, and the split that may use it, or `OUT`.

    ``spellings`` are those of the pool's texts followed by these. ``excluded`` counts those left out as such.
    """

    texts: Strings
    concepts: Ints32
    splits: Bytes
    spellings: Ints32
    excluded: int


def further_texts(pool: Pool, texts: Strings, concepts: Rows, own: Bytes | None = None) -> Further:
    """The texts with their splits: ``own`` (the split of their concept by default), or `OUT`.

    A text is `OUT` where it is to be excluded, where a concept of another split is spelled so, or where another text
    beside it, of a later split, is.
    """
    own = pool.splits[concepts] if own is None else own
    spellings = _numbered(pool, texts)
    size = int(max(spellings.max(initial=-1), pool.spellings.max(initial=-1))) + 1
    lowest, highest = np.full(size, OUT, dtype=np.uint8), np.zeros(size, dtype=np.uint8)
    of_texts = pool.splits[pool.concepts]
    np.minimum.at(lowest, pool.spellings, of_texts)
    np.maximum.at(highest, pool.spellings, of_texts)
    later = np.zeros(size, dtype=np.uint8)
    np.maximum.at(later, spellings, np.where(own == OUT, 0, own))
    known = lowest[spellings] != OUT
    alone = ~known | ((lowest[spellings] == own) & (highest[spellings] == own))
    unwanted = excluded(texts, pool.options)
    splits = np.where(alone & (later[spellings] == own) & ~unwanted, own, OUT).astype(np.uint8)
    together = np.concatenate([pool.spellings, spellings])
    return Further(texts, concepts.astype(np.int32), splits, together, int(unwanted.sum()))


def _numbered(pool: Pool, texts: Strings) -> Ints32:
    """The number of each text's spelling: the pool's own where it has it, else one beyond them."""
    hashes = folded(texts).hashes()
    new, inverse = np.unique(hashes, return_inverse=True)
    place = np.minimum(np.searchsorted(pool.folds, new), max(len(pool.folds) - 1, 0))
    known = pool.folds[place] == new if len(pool.folds) else np.zeros(len(new), dtype=np.bool_)
    numbers = np.where(known, place, len(pool.folds) + np.arange(len(new)))
    return numbers[inverse].astype(np.int32)
