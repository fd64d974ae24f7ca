"""The ``annotated`` recipe: texts that annotators gave a concept to, with the preferred name of that concept."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32
from ontonym.learning.recipes.combining import spelled_apart
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Each annotated text as anchor with the first name of its concept: the primary task of Kong, section 6.3.

    Texts that are spelled as that name, and those whose concept has no name in the split, give no example; ``told``
    counts what is left.
    """
    tables: dict[Split, Ints32] = {}
    for split in SPLITS:
        names, bounds = pool.usable(split)
        rows = pool.annotated_of(split)
        starts = bounds[pool.concepts[rows]]
        named = bounds[pool.concepts[rows] + 1] > starts
        pairs = np.stack([rows[named], names[starts[named]]], axis=1).astype(np.int32)
        tables[split] = spelled_apart(pairs, pool.spellings)
    return Made(tables, told={"annotated_texts": {split: len(table) for split, table in tables.items()}})
