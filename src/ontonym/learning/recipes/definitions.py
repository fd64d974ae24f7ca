"""The ``definitions`` recipe: every name of a concept with each of its definitions."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32
from ontonym.learning.recipes.combining import across, spelled_apart
from ontonym.learning.recipes.extra import further_texts
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.text.strings import Strings, boundaries


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Pairs (name, definition): the anchor is a name, the positive a definition of its concept.

    A store does not say in which language a definition is, so that all of a concept with a wanted name are taken.
    """
    texts, owners = [], [np.zeros(0, dtype=np.int64)]
    for terminology, first in zip(pool.terminologies, pool.firsts.tolist(), strict=False):
        lists = terminology.lists("definitions")
        texts.append(lists.values.strings())
        owners.append(first + np.repeat(np.arange(len(terminology)), np.diff(np.asarray(lists.bounds))))
    concepts = np.concatenate(owners)
    named = np.flatnonzero(np.diff(pool.bounds)[concepts] > 0)
    further = further_texts(pool, Strings.joined(texts).take(named), concepts[named])
    tables: dict[Split, Ints32] = {}
    for place, split in enumerate(SPLITS):
        usable = np.flatnonzero(further.splits == place)
        bounds = boundaries(np.bincount(further.concepts[usable], minlength=pool.concept_count))
        (defined,) = np.nonzero(np.diff(bounds))
        same = np.stack([defined, defined], axis=1)
        pairs = across(same, pool.usable(split), (len(pool.texts) + usable, bounds))
        tables[split] = spelled_apart(pairs, further.spellings)
    told = {"definitions": {"of_named_concepts": len(named), "excluded": further.excluded}}
    return Made(tables, further.texts, further.concepts, further.spellings, told)
