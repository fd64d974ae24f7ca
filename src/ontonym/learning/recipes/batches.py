"""The ``batches`` recipe: Xu's, every concept text once an epoch as anchor with one random positive of its concept."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32, Rows
from ontonym.learning.recipes.combining import spelled_apart
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.text.strings import boundaries


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Each text of T(c) as anchor with a random other text of T(c), another one each epoch (Xu, sections 3 and 3.1).

    T(c) are the names O(c) of concept c and, where annotated texts are given, those too, D(c); the positive is drawn
    evenly from the texts of T(c) that are spelled otherwise. With annotated texts these are repeated "such that
    |D|/|O| = 1/3" (section 4.2; ``ratio``): each as often as any other, and some drawn ones once more, so that the
    share is met; where there are more of them to begin with, each comes once. |O| and |D| count the anchors of a split.
    A text whose concept has no other is no anchor; ``told`` counts these.
    """
    tables: dict[Split, Ints32] = {}
    told: dict[Split, dict[str, int]] = {}
    for number, split in enumerate(SPLITS):
        rng = np.random.default_rng((options.seed, epoch, number))
        rows, _ = pool.usable(split)
        annotated = pool.annotated_of(split)
        groups = _Groups(pool, np.concatenate([rows, annotated]))
        of_ontology, of_corpus = groups.paired(rows), groups.paired(annotated)
        repeated = _repeated(rng, of_corpus, len(of_ontology), options.ratio)
        tables[split] = groups.pairs(rng, np.concatenate([of_ontology, repeated]))
        told[split] = {
            "of_ontology": len(of_ontology),
            "of_corpus": len(of_corpus),
            "of_corpus_repeated": len(repeated),
            "without_positive": len(rows) + len(annotated) - len(of_ontology) - len(of_corpus),
        }
    return Made(tables, told={"anchors": told})


def _repeated(rng: np.random.Generator, texts: Rows, of_ontology: int, ratio: float) -> Rows:
    """The texts repeated to ``ratio`` times those of the ontology, each at least once."""
    if not len(texts):
        return texts
    times, more = divmod(max(round(ratio * of_ontology), len(texts)), len(texts))
    return np.concatenate([np.repeat(texts, times), rng.permutation(texts)[:more]])


class _Groups:
    """The texts of a split by concept, those of one spelling together, so that another spelling can be drawn."""

    def __init__(self, pool: Pool, texts: Rows) -> None:
        self._spellings = pool.spellings
        concepts = pool.concepts[texts]
        order = np.lexsort((pool.spellings[texts], concepts))
        self._texts = texts[order]
        of = concepts[order]
        self._places = np.full(len(pool.texts), -1, dtype=np.int64)
        self._places[self._texts] = np.arange(len(texts))
        spelled = pool.spellings[self._texts]
        new = np.ones(len(texts), dtype=np.bool_)
        new[1:] = (of[1:] != of[:-1]) | (spelled[1:] != spelled[:-1])
        runs = np.append(np.flatnonzero(new), len(texts))
        run = np.cumsum(new) - 1
        self._run_start, self._run_end = runs[run], runs[run + 1]
        bounds = boundaries(np.bincount(of, minlength=pool.concept_count))
        self._start, self._end = bounds[:-1][of], bounds[1:][of]

    def paired(self, texts: Rows) -> Rows:
        """Those of the texts whose concept has a text that is spelled otherwise."""
        places = self._places[texts]
        return texts[self._others(places) > 0]

    def _others(self, places: Rows) -> Rows:
        others: Rows = self._end[places] - self._start[places] - (self._run_end[places] - self._run_start[places])
        return others

    def pairs(self, rng: np.random.Generator, anchors: Rows) -> Ints32:
        """Each anchor with one of the texts of its concept that are spelled otherwise."""
        places = self._places[anchors]
        drawn = self._start[places] + (rng.random(len(places)) * self._others(places)).astype(np.int64)
        # those behind the anchor's own spelling are reached by leaping over it
        own = self._run_end[places] - self._run_start[places]
        drawn += np.where(drawn >= self._run_start[places], own, 0)
        table = np.stack([anchors, self._texts[drawn]], axis=1).astype(np.int32)
        return spelled_apart(table, self._spellings)
