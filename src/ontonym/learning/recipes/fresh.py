"""The recipes that draw new pairs in every epoch: ``drawn``, ontonym's own, and ``batches``, Xu's."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32, Rows, begins
from ontonym.learning.recipes.combining import apart
from ontonym.learning.recipes.making import RecipeOptions, RecipeOutput
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.ragged import boundaries

_MOST_NAMES = 6
"""Only up to this many names and links raise the probability that a concept is drawn."""


def make_drawn(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Draws with replacement, in each epoch, as many pairs as there are drawable concepts."""
    tables: dict[Split, Ints32] = {}
    drawable: dict[str, int] = {}
    for number, split in enumerate(SPLITS):
        drawer = Drawer(pool, split, options)
        rng = np.random.default_rng((options.seed, epoch, number))
        tables[split] = drawer.pairs(rng, drawer.concepts(rng, len(drawer.drawable)))
        drawable[split] = len(drawer.drawable)
    return RecipeOutput(tables, described={"drawable": drawable})


class Drawer:
    """Draws pairs from the names of one split; ``drawable`` concepts have two names, own or linked."""

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
        weights = np.minimum(self._own + linked, _MOST_NAMES)[self.drawable].astype(np.float64) ** options.favour
        self._chances = np.cumsum(weights) / weights.sum() if len(weights) else weights

    def concepts(self, rng: np.random.Generator, count: int) -> Rows:
        """Drawable concepts, drawn with replacement, shape ``(count,)``."""
        return self.drawable[np.searchsorted(self._chances, rng.random(count), side="right")]

    def pairs(self, rng: np.random.Generator, concepts: Rows) -> Ints32:
        """Anchor and positive for each concept that has two texts, as rows in the pool; never of one spelling."""
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


def make_batches(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Each text of T(c) as anchor with a random other text of T(c), another one in each epoch (Xu, sections 3 and 3.1).

    T(c) are the names O(c) of concept c and, if annotated texts are given, those too, D(c); the positive is drawn
    uniformly from the texts of T(c) with another spelling. Annotated texts are repeated "such that |D|/|O| = 1/3"
    (section 4.2; ``ratio``): each equally often, and some drawn ones once more to reach the share; if there are more of
    them to begin with, each comes once. |O| and |D| count the anchors of a split. A text whose concept has no other is
    no anchor; ``described`` counts these.
    """
    tables: dict[Split, Ints32] = {}
    described: dict[Split, dict[str, int]] = {}
    for number, split in enumerate(SPLITS):
        rng = np.random.default_rng((options.seed, epoch, number))
        rows, _ = pool.usable(split)
        annotated = pool.annotated_of(split)
        groups = _Groups(pool, np.concatenate([rows, annotated]))
        of_ontology, of_corpus = groups.paired(rows), groups.paired(annotated)
        repeated = _repeated(rng, of_corpus, len(of_ontology), options.ratio)
        tables[split] = groups.pairs(rng, np.concatenate([of_ontology, repeated]))
        described[split] = {
            "of_ontology": len(of_ontology),
            "of_corpus": len(of_corpus),
            "of_corpus_repeated": len(repeated),
            "without_positive": len(rows) + len(annotated) - len(of_ontology) - len(of_corpus),
        }
    return RecipeOutput(tables, described={"anchors": described})


def _repeated(rng: np.random.Generator, texts: Rows, of_ontology: int, ratio: float) -> Rows:
    """The texts repeated to ``ratio`` times the number of the ontology's, each at least once."""
    if not len(texts):
        return texts
    times, more = divmod(max(round(ratio * of_ontology), len(texts)), len(texts))
    return np.concatenate([np.repeat(texts, times), rng.permutation(texts)[:more]])


class _Groups:
    """The texts of a split by concept, grouped by spelling, so that another spelling can be drawn."""

    def __init__(self, pool: Pool, texts: Rows) -> None:
        self._spellings = pool.spellings
        concepts = pool.concepts[texts]
        order = np.lexsort((pool.spellings[texts], concepts))
        self._texts = texts[order]
        of = concepts[order]
        self._places = np.full(len(pool.texts), -1, dtype=np.int64)
        self._places[self._texts] = np.arange(len(texts))
        spelled = pool.spellings[self._texts]
        new = begins(of, spelled)
        runs = np.append(np.flatnonzero(new), len(texts))
        run = np.cumsum(new) - 1
        self._run_start, self._run_end = runs[run], runs[run + 1]
        bounds = boundaries(np.bincount(of, minlength=pool.concept_count))
        self._start, self._end = bounds[:-1][of], bounds[1:][of]

    def paired(self, texts: Rows) -> Rows:
        """The texts whose concept has a text with another spelling."""
        places = self._places[texts]
        return texts[self._others(places) > 0]

    def _others(self, places: Rows) -> Rows:
        others: Rows = self._end[places] - self._start[places] - (self._run_end[places] - self._run_start[places])
        return others

    def pairs(self, rng: np.random.Generator, anchors: Rows) -> Ints32:
        """Each anchor with a random text of its concept with another spelling."""
        places = self._places[anchors]
        drawn = self._start[places] + (rng.random(len(places)) * self._others(places)).astype(np.int64)
        # skip over the texts of the anchor's own spelling
        own = self._run_end[places] - self._run_start[places]
        drawn += np.where(drawn >= self._run_start[places], own, 0)
        table = np.stack([anchors, self._texts[drawn]], axis=1).astype(np.int32)
        return apart(table, self._spellings)
