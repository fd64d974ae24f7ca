"""The ``triplets`` recipe: Ngo's Algorithm 1, a name's synonym is nearer than its parent's, and that than others'."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints32
from ontonym.learning.recipes.combining import within
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.others import Names, OtherLabels, ParentLabels
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.store.hierarchy import Edges

_BLOCK = 1 << 19
"""Pairs of labels that are given their triplets at once."""


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """For every two different labels of a concept: (l1, l2, parent's), (l1, l2, other's), (l1, parent's, other's).

    Ngo, Algorithm 1. What the paper leaves open, and how it is read here:

    - Two labels are an unordered pair, l1 the one that the terminology lists first: with both orders SNOMED CT and HPO
      would give about twice the "nearly 4 millions entries" of the paper.
    - A random label is drawn anew for each pair, evenly from all labels of the direct parents, or of the others. The
      others are the siblings and the parents' siblings, as a set without the direct parents (two parents of a concept
      may be siblings of each other) and the concept itself.
    - No label is drawn that would contradict: a parent's label that means the same as the concept or is spelled like
      one of its labels, an other's label that means the same as the concept or a parent of it, or is spelled so.
    - Where no parent's or no other's label is left, the triplets that need it are skipped. ``told`` counts these pairs.

    The split is by concept, not by triplet. In train all labels are of training concepts. In dev and test, where few
    concepts have their neighbours beside them, parents' and others' labels may be of any concept.
    """
    tables: dict[Split, Ints32] = {}
    told: dict[Split, dict[str, int]] = {}
    above, below = pool.parents(), pool.children()
    for number, split in enumerate(SPLITS):
        rng = np.random.default_rng((options.seed, number))
        tables[split], told[split] = _triplets(pool, above, below, split, rng)
    return Made(tables, told={"label_pairs": told})


def _triplets(
    pool: Pool, above: Edges, below: Edges, split: Split, rng: np.random.Generator
) -> tuple[Ints32, dict[str, int]]:
    own = Names(*pool.usable(split))
    near = own if split == "train" else Names(np.arange(pool.name_count), pool.bounds)
    pairs = within(own.rows, own.bounds)[:, ::-1]
    concepts = np.flatnonzero(own.counts > 1)
    parents = ParentLabels(pool, above, near, concepts)
    others = OtherLabels(pool, above, below, near, concepts)
    parts = [np.zeros((0, 3), dtype=np.int32)]
    without_parent = without_other = without_both = 0
    for start in range(0, len(pairs), _BLOCK):
        block = pairs[start : start + _BLOCK]
        of = pool.concepts[block[:, 0]].astype(np.int64)
        parent, other = parents.draw(rng, of), others.draw(rng, of)
        no_parent, no_other = parent < 0, other < 0
        without_both += int((no_parent & no_other).sum())
        without_parent += int((no_parent & ~no_other).sum())
        without_other += int((no_other & ~no_parent).sum())
        parts.append(_three(block, parent, other))
    return np.concatenate(parts), {
        "pairs": len(pairs),
        "without_parents_label": without_parent,
        "without_others_label": without_other,
        "without_either": without_both,
    }


def _three(pairs: Ints32, parent: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> Ints32:
    """The triplets of each pair one after another, those left out that have no label (-1) in them."""
    first, second = pairs.astype(np.int64).T
    rows = [(first, second, parent), (first, second, other), (first, parent, other)]
    table: Ints32 = np.stack([np.stack(row, axis=1) for row in rows], axis=1).reshape(-1, 3).astype(np.int32)
    return table[(table >= 0).all(axis=1)]
