"""The ``drawn`` recipe: each epoch one pair of two names of each concept, or of two concepts that are linked.

It is our own: where a concept has fifty names, all pairs of them (Kong's ``synonyms``) would outweigh everything else.
"""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32, Rows
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split

_MOST = 6
"""Names and links beyond this many do not make a concept likelier to be drawn."""


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """As many pairs in an epoch as there are concepts that can be drawn, drawn with replacement."""
    tables: dict[Split, Ints32] = {}
    drawable: dict[str, int] = {}
    for number, split in enumerate(SPLITS):
        drawer = Drawer(pool, split, options)
        rng = np.random.default_rng((options.seed, epoch, number))
        tables[split] = drawer.pairs(rng, drawer.concepts(rng, len(drawer.drawable)))
        drawable[split] = len(drawer.drawable)
    return Made(tables, told={"drawable": drawable})


class Drawer:
    """Draws pairs from the names of one split; ``drawable`` are the concepts that have two names, own or linked."""

    def __init__(self, pool: Pool, split: Split, options: RecipeOptions) -> None:
        self.names, self.bounds = pool.usable(split)
        self.linked_share = options.linked
        self._spellings = pool.spellings
        self._own = np.diff(self.bounds)
        links = pool.links[(self._own[pool.links] > 0).all(axis=1)]
        both = np.concatenate([links, links[:, ::-1]])
        order = np.lexsort((both[:, 1], both[:, 0]))
        self._linked = both[order, 1]
        self._linked_bounds = np.searchsorted(both[order, 0], np.arange(pool.concept_count + 1))
        linked = np.diff(self._linked_bounds)
        (self.drawable,) = np.nonzero((self._own > 1) | ((self._own > 0) & (linked > 0)))
        weights = np.minimum(self._own + linked, _MOST)[self.drawable].astype(np.float64) ** options.favour
        self._chances = np.cumsum(weights) / weights.sum() if len(weights) else weights

    def concepts(self, rng: np.random.Generator, count: int) -> Rows:
        """Drawable concepts, drawn with replacement, shape ``(count,)``."""
        return self.drawable[np.searchsorted(self._chances, rng.random(count), side="right")]

    def pairs(self, rng: np.random.Generator, concepts: Rows) -> Ints32:
        """Anchor and positive for each concept that has two texts, as places in the pool; never of one spelling."""
        own = self._own[concepts]
        starts = self.bounds[:-1][concepts]
        linked = np.diff(self._linked_bounds)[concepts]
        across = (linked > 0) & ((own < 2) | (rng.random(len(concepts)) < self.linked_share))
        picks = rng.random((4, len(concepts)))
        first = (picks[0] * own).astype(np.int64)
        # Another name of the same concept: an offset of 1 to own - 1, wrapped around.
        shift = 1 + (picks[1] * np.maximum(own - 1, 1)).astype(np.int64)
        second = starts + (first + shift) % np.maximum(own, 1)
        if len(self._linked):
            places = self._linked_bounds[:-1][concepts] + (picks[2] * linked).astype(np.int64)
            partners = self._linked[np.minimum(places, len(self._linked) - 1)]
            theirs = self.bounds[:-1][partners] + (picks[3] * self._own[partners]).astype(np.int64)
            second = np.where(across, theirs, second)
        anchors = starts + first
        pairs = self.names[np.stack([anchors, second], axis=1)]
        spellings = self._spellings[pairs]
        table: Ints32 = pairs[(own > 0) & (spellings[:, 0] != spellings[:, 1])].astype(np.int32)
        return table
