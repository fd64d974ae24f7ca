"""The ``triplets`` recipe, Ngo's Algorithm 1: a name is nearer to its synonym than to its parent's, and to that than to
others'.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontonym.arrays import Ints, Ints32, Mask, Offsets, Rows, distinct, places_in
from ontonym.learning.recipes.combining import within
from ontonym.learning.recipes.making import RecipeOptions, RecipeOutput
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.ragged import boundaries, spread
from ontonym.store.hierarchy import Edges

_BLOCK = 1 << 19
"""Pairs of labels that get their triplets at once."""


def make_triplets(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """For every two different labels of a concept: (l1, l2, parent's), (l1, l2, other's), (l1, parent's, other's).

    Ngo, Algorithm 1. What the paper leaves open, and how it is read here:

    - Two labels are an unordered pair, l1 the one that the terminology lists first: with both orders SNOMED CT and HPO
      would give about twice the "nearly 4 millions entries" of the paper.
    - A random label is drawn anew for each pair, evenly from all labels of the direct parents, or of the others. The
      others are the siblings and the parents' siblings, as a set without the direct parents (two parents of a concept
      may be siblings of each other) and the concept itself.
    - No label is drawn that would contradict: a parent's label that means the same as the concept or is spelled like
      one of its labels, an other's label that means the same as the concept or a parent of it, or is spelled so.
    - Where no parent's or no other's label is left, the triplets that need it are skipped, and counted.

    The split is by concept, not by triplet. In train all labels are of training concepts. In dev and test, where few
    concepts have their neighbours beside them, parents' and others' labels may be of any concept.
    """
    tables: dict[Split, Ints32] = {}
    described: dict[Split, dict[str, int]] = {}
    above, below = pool.parents(), pool.children()
    for number, split in enumerate(SPLITS):
        rng = np.random.default_rng((options.seed, number))
        tables[split], described[split] = _triplets(pool, above, below, split, rng)
    return RecipeOutput(tables, described={"label_pairs": described})


def _triplets(
    pool: Pool, above: Edges, below: Edges, split: Split, rng: np.random.Generator
) -> tuple[Ints32, dict[str, int]]:
    """The triplets of a split, and counts of its pairs of labels and of those that lack a label."""
    own = TextsByConcept(*pool.usable(split))
    near = own if split == "train" else TextsByConcept(np.arange(pool.name_count), pool.bounds)
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


def _three(pairs: Ints32, parent: Ints, other: Ints) -> Ints32:
    """The triplets of each pair one after another, without those that lack a label (-1)."""
    first, second = pairs.astype(np.int64).T
    rows = [(first, second, parent), (first, second, other), (first, parent, other)]
    table: Ints32 = np.stack([np.stack(row, axis=1) for row in rows], axis=1).reshape(-1, 3).astype(np.int32)
    return table[(table >= 0).all(axis=1)]


_ROUNDS = 12
"""Draws that may be rejected before all labels of a concept's others are listed."""
_LABELS_AT_ONCE = 1 << 21
"""Labels listed at once."""


@dataclass(frozen=True, eq=False)
class TextsByConcept:
    """Rows of texts by concept: those of concept ``c`` are ``rows[bounds[c]:bounds[c + 1]]``."""

    rows: Rows
    bounds: Offsets

    @cached_property
    def counts(self) -> Offsets:
        """The number of rows of each concept."""
        return np.diff(self.bounds)


class ParentLabels:
    """The labels of the parents of concepts, without those with the meaning or a spelling of the concept itself."""

    def __init__(self, pool: Pool, above: Edges, names: TextsByConcept, concepts: Rows) -> None:
        children, parents = _each(above, concepts)
        apart = pool.meanings[children] != pool.meanings[parents]
        children, parents = children[apart], parents[apart]
        counts = names.counts[parents]
        labels = names.rows[spread(names.bounds[:-1][parents], counts)]
        owners = np.repeat(children, counts)
        fitting = ~pool.has_spelling(owners, labels)
        self._labels = labels[fitting]
        self._bounds = boundaries(np.bincount(owners[fitting], minlength=pool.concept_count))

    def draw(self, rng: np.random.Generator, concepts: Rows) -> Rows:
        """A row of a label for each concept, -1 if there is none."""
        starts = self._bounds[:-1][concepts]
        counts = self._bounds[1:][concepts] - starts
        places = starts + (rng.random(len(concepts)) * counts).astype(np.int64)
        drawn = np.full(len(concepts), -1, dtype=np.int64)
        some = counts > 0
        drawn[some] = self._labels[places[some]]
        return drawn


class OtherLabels:
    """The labels of the others of concepts: siblings and parents' siblings, without the parents themselves.

    An other is a child of a holder of the concept: of one of its parents or grandparents. Labels with the meaning or a
    spelling of the concept or a parent are left out. The sets are too large to store (a concept may have 100,000
    others), so a draw follows a random way down from a holder, all ways being equally likely, and is rejected if the
    label does not fit, or if an earlier holder leads to the same concept: so all labels that fit are equally likely.
    After repeated rejections, all labels of the concept are listed.
    """

    def __init__(self, pool: Pool, above: Edges, below: Edges, names: TextsByConcept, concepts: Rows) -> None:
        self._pool = pool
        self._names = names
        self._parents, self._children = above, below
        children, parents = _each(above, concepts)
        places, grandparents = _each(above, parents, np.arange(len(parents)))
        keys = np.concatenate([children << 32 | parents, children[places] << 32 | grandparents])
        self._ways = distinct(keys)  # concept, holder
        self._holders = self._ways & 0xFFFFFFFF
        self._parent_meanings = distinct(children << 32 | pool.meanings[parents])
        # the labels of all children of all concepts, concatenated
        self._labels = boundaries(names.counts[self._children.indices])
        ends = self._labels[self._children.indptr]
        self._starts = ends[:-1]
        self._reach = boundaries((ends[1:] - ends[:-1])[self._holders])
        self._bounds = np.searchsorted(self._ways >> 32, np.arange(pool.concept_count + 1))

    def draw(self, rng: np.random.Generator, concepts: Rows) -> Rows:
        """A row of a label for each concept, -1 if there is none."""
        begins = self._reach[self._bounds[:-1][concepts]]
        totals = self._reach[self._bounds[1:][concepts]] - begins
        drawn = np.full(len(concepts), -1, dtype=np.int64)
        left = np.flatnonzero(totals)
        for _ in range(_ROUNDS):
            places = begins[left] + (rng.random(len(left)) * totals[left]).astype(np.int64)
            others, labels, ways = self._at(places)
            fitting = self._fits(concepts[left], others, labels, ways)
            drawn[left[fitting]] = labels[fitting]
            left = left[~fitting]
            if not len(left):
                return drawn
        drawn[left] = self._draw_from_all(rng, concepts[left])
        return drawn

    def _at(self, places: Rows) -> tuple[Rows, Rows, Rows]:
        """Other, label and way at positions among all labels of all ways."""
        ways = np.searchsorted(self._reach, places, side="right") - 1
        places = self._starts[self._holders[ways]] + places - self._reach[ways]
        edges = np.searchsorted(self._labels, places, side="right") - 1
        others = self._children.indices[edges].astype(np.int64)
        labels = self._names.rows[self._names.bounds[:-1][others] + places - self._labels[edges]]
        return others, labels, ways

    def _fits(self, concepts: Rows, others: Rows, labels: Rows, ways: Rows) -> Mask:
        """Which labels fit as those of another concept: no spelling or meaning of the concept itself or its parents."""
        pool = self._pool
        meanings = pool.meanings
        fits: Mask = meanings[others] != meanings[concepts]
        fits &= places_in(self._parent_meanings, concepts << 32 | meanings[others]) < 0
        (rows,) = np.nonzero(fits)
        # a way from an earlier holder to the same concept
        of, holders = _each(self._parents, others[rows], np.arange(len(rows)))
        earlier = holders < self._holders[ways[rows]][of]
        earlier[earlier] = places_in(self._ways, concepts[rows][of[earlier]] << 32 | holders[earlier]) >= 0
        fits[rows[of[earlier]]] = False
        (rows,) = np.nonzero(fits)
        fits[rows[pool.has_spelling(concepts[rows], labels[rows])]] = False
        (rows,) = np.nonzero(fits)
        of, parents = _each(self._parents, concepts[rows], np.arange(len(rows)))
        fits[rows[of[pool.has_spelling(parents, labels[rows][of])]]] = False
        return fits

    def _draw_from_all(self, rng: np.random.Generator, concepts: Rows) -> Rows:
        """A label for each concept, drawn from a list of all that fit."""
        different, of = np.unique(concepts, return_inverse=True)
        begins = self._reach[self._bounds[:-1][different]]
        totals = self._reach[self._bounds[1:][different]] - begins
        ends = boundaries(totals)
        labels, counts = [np.zeros(0, dtype=np.int64)], np.zeros(len(different), dtype=np.int64)
        start = 0
        while start < len(different):
            stop = max(int(np.searchsorted(ends, ends[start] + _LABELS_AT_ONCE, side="right")) - 1, start + 1)
            owners = np.repeat(np.arange(start, stop), totals[start:stop])
            others, found, ways = self._at(spread(begins[start:stop], totals[start:stop]))
            fitting = self._fits(different[owners], others, found, ways)
            labels.append(found[fitting])
            counts += np.bincount(owners[fitting], minlength=len(different))
            start = stop
        every = np.concatenate([*labels, [-1]])
        places = boundaries(counts)[:-1]
        drawn = places[of] + (rng.random(len(concepts)) * counts[of]).astype(np.int64)
        return np.where(counts[of] > 0, every[drawn], -1)


def _each(edges: Edges, rows: Rows, named: Rows | None = None) -> tuple[Rows, Rows]:
    """Each of some rows, or its name in ``named``, with each of its neighbours."""
    degrees = edges.indptr[rows + 1] - edges.indptr[rows]
    return np.repeat(rows if named is None else named, degrees), edges.of_all(rows).astype(np.int64)
