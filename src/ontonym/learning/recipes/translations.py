"""The ``translations`` recipe: names of one concept in different languages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints32, Rows
from ontonym.learning.recipes.combining import across, spelled_apart, within
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.text.strings import Strings


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Every two names of a concept in different languages, the earlier one, so the preferred, as the positive.

    Dialects (``en-GB``) are one language. Concepts of two terminologies with the same id are one concept, as where a
    translation was imported by itself; the names of the terminology given first are the positives. The pool must be of
    several languages, or of all.
    """
    column = pool.column("language")
    bases = [name.partition("-")[0].casefold() for name in column.names]
    numbers = np.array([bases.index(base) for base in bases], dtype=np.int64)
    languages = numbers[column.codes] if bases else np.zeros(0, dtype=np.int64)
    same = _same_ids(pool)[:, ::-1]
    tables: dict[Split, Ints32] = {}
    for split in SPLITS:
        names = pool.usable(split)
        pairs = [_apart(table, languages) for table in (within(*names), across(same, names, names))]
        tables[split] = spelled_apart(np.concatenate(pairs), pool.spellings)
    counts = np.bincount(languages, minlength=len(bases)).tolist()
    return Made(tables, told={"languages": {bases[number]: count for number, count in enumerate(counts) if count}})


def _apart(table: Ints32, languages: npt.NDArray[np.int64]) -> Ints32:
    """The pairs of names in different languages."""
    kept: Ints32 = table[languages[table[:, 0]] != languages[table[:, 1]]]
    return kept


def _same_ids(pool: Pool) -> Rows:
    """The linked concepts that have the same id in two terminologies."""
    ids = Strings.joined([terminology.ids().strings() for terminology in pool.terminologies])
    first, second = ids.take(pool.links[:, 0]), ids.take(pool.links[:, 1])
    same: Rows = pool.links[first.equal(second)]
    return same
