"""The ``translations`` recipe: names of one concept in different languages."""

from __future__ import annotations

import numpy as np

from ontonym.pairs.combining import spelled_apart, within
from ontonym.pairs.examples import Table
from ontonym.pairs.making import Made, RecipeOptions
from ontonym.pairs.pool import Pool
from ontonym.pairs.split import SPLITS, Split


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Every two names of a concept in different languages, the earlier one, so the preferred, as the positive.

    Dialects (``en-GB``) are one language. The pool must be of several languages, or of all.
    """
    column = pool.column("language")
    bases = [name.partition("-")[0].casefold() for name in column.names]
    numbers = np.array([bases.index(base) for base in bases], dtype=np.int64)
    languages = numbers[column.codes] if bases else np.zeros(0, dtype=np.int64)
    tables: dict[Split, Table] = {}
    for split in SPLITS:
        pairs = within(*pool.usable(split))
        tables[split] = spelled_apart(pairs[languages[pairs[:, 0]] != languages[pairs[:, 1]]], pool.spellings)
    counts = np.bincount(languages, minlength=len(bases)).tolist()
    return Made(tables, told={"languages": {bases[number]: count for number, count in enumerate(counts) if count}})
