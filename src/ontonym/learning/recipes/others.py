"""Labels around a concept: evenly drawn labels of its parents, and of its siblings and its parents' siblings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontonym.arrays import Mask, Offsets, Rows
from ontonym.learning.recipes.combining import ascending
from ontonym.learning.recipes.pool import Pool
from ontonym.store.hierarchy import Edges
from ontonym.text.strings import boundaries, spread

_ROUNDS = 12
"""Draws that may be refused before all labels of a concept's others are looked at."""
_BLOCK = 1 << 21
"""Labels looked at at once."""


@dataclass(frozen=True, eq=False)
class Names:
    """Rows of texts by concept: those of concept ``c`` are ``rows[bounds[c]:bounds[c + 1]]``."""

    rows: Rows
    bounds: Offsets

    @cached_property
    def counts(self) -> Offsets:
        """How many each concept has."""
        return np.diff(self.bounds)


class ParentLabels:
    """The labels of the parents of some concepts that neither mean the same as the concept nor are spelled so."""

    def __init__(self, pool: Pool, above: Edges, names: Names, concepts: Rows) -> None:
        children, parents = _each(above, concepts)
        apart = pool.meanings[children] != pool.meanings[parents]
        children, parents = children[apart], parents[apart]
        counts = names.counts[parents]
        labels = names.rows[spread(names.bounds[:-1][parents], counts)]
        owners = np.repeat(children, counts)
        fitting = ~pool.said(owners, labels)
        self._labels = labels[fitting]
        self._bounds = boundaries(np.bincount(owners[fitting], minlength=pool.concept_count))

    def draw(self, rng: np.random.Generator, concepts: Rows) -> Rows:
        """A row of a label for each concept, -1 where there is none."""
        starts = self._bounds[:-1][concepts]
        counts = self._bounds[1:][concepts] - starts
        places = starts + (rng.random(len(concepts)) * counts).astype(np.int64)
        drawn = np.full(len(concepts), -1, dtype=np.int64)
        some = counts > 0
        drawn[some] = self._labels[places[some]]
        return drawn


class OtherLabels:
    """The labels of the others of some concepts: siblings, and parents' siblings, without the parents themselves.

    An other is a child of a holder of the concept: of one of its parents or grandparents. Left out is what means the
    same as the concept or a parent of it, or is spelled so. The sets are too large to be written down (a concept may
    have 100,000 others), so that a draw takes a way down from a holder, all ways being as likely, and is refused where
    the label does not fit, or where another holder leads to the same concept and comes before: so every label that
    fits is as likely as any other. Where draws were refused again and again, all labels of the concept are looked at.
    """

    def __init__(self, pool: Pool, above: Edges, below: Edges, names: Names, concepts: Rows) -> None:
        self._pool = pool
        self._names = names
        self._parents, self._children = above, below
        children, parents = _each(above, concepts)
        places, grandparents = _each(above, parents, np.arange(len(parents)))
        keys = np.concatenate([children << 32 | parents, children[places] << 32 | grandparents])
        self._ways = ascending(keys)  # concept, holder
        self._holders = self._ways & 0xFFFFFFFF
        self._parent_meanings = ascending(children << 32 | pool.meanings[parents])
        # the labels of all children of all concepts, laid end to end
        self._labels = boundaries(names.counts[self._children.indices])
        ends = self._labels[self._children.indptr]
        self._starts = ends[:-1]
        self._reach = boundaries((ends[1:] - ends[:-1])[self._holders])
        self._bounds = np.searchsorted(self._ways >> 32, np.arange(pool.concept_count + 1))

    def draw(self, rng: np.random.Generator, concepts: Rows) -> Rows:
        """A row of a label for each concept, -1 where there is none."""
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
        """Other, label and way at places among all labels of all ways."""
        ways = np.searchsorted(self._reach, places, side="right") - 1
        places = self._starts[self._holders[ways]] + places - self._reach[ways]
        edges = np.searchsorted(self._labels, places, side="right") - 1
        others = self._children.indices[edges].astype(np.int64)
        labels = self._names.rows[self._names.bounds[:-1][others] + places - self._labels[edges]]
        return others, labels, ways

    def _fits(self, concepts: Rows, others: Rows, labels: Rows, ways: Rows) -> Mask:
        pool = self._pool
        meanings = pool.meanings
        fits: Mask = meanings[others] != meanings[concepts]
        fits &= ~_among(concepts << 32 | meanings[others], self._parent_meanings)
        (rows,) = np.nonzero(fits)
        # a way from an earlier holder to the same concept
        of, holders = _each(self._parents, others[rows], np.arange(len(rows)))
        earlier = holders < self._holders[ways[rows]][of]
        earlier[earlier] = _among(concepts[rows][of[earlier]] << 32 | holders[earlier], self._ways)
        fits[rows[of[earlier]]] = False
        (rows,) = np.nonzero(fits)
        fits[rows[pool.said(concepts[rows], labels[rows])]] = False
        (rows,) = np.nonzero(fits)
        of, parents = _each(self._parents, concepts[rows], np.arange(len(rows)))
        fits[rows[of[pool.said(parents, labels[rows][of])]]] = False
        return fits

    def _draw_from_all(self, rng: np.random.Generator, concepts: Rows) -> Rows:
        """A label for each concept, all that fit being known."""
        distinct, of = np.unique(concepts, return_inverse=True)
        begins = self._reach[self._bounds[:-1][distinct]]
        totals = self._reach[self._bounds[1:][distinct]] - begins
        ends = boundaries(totals)
        labels, counts = [np.zeros(0, dtype=np.int64)], np.zeros(len(distinct), dtype=np.int64)
        start = 0
        while start < len(distinct):
            stop = max(int(np.searchsorted(ends, ends[start] + _BLOCK, side="right")) - 1, start + 1)
            owners = np.repeat(np.arange(start, stop), totals[start:stop])
            others, found, ways = self._at(spread(begins[start:stop], totals[start:stop]))
            fitting = self._fits(distinct[owners], others, found, ways)
            labels.append(found[fitting])
            counts += np.bincount(owners[fitting], minlength=len(distinct))
            start = stop
        every = np.concatenate([*labels, [-1]])
        places = boundaries(counts)[:-1]
        drawn = places[of] + (rng.random(len(concepts)) * counts[of]).astype(np.int64)
        return np.where(counts[of] > 0, every[drawn], -1)


def _each(edges: Edges, rows: Rows, named: Rows | None = None) -> tuple[Rows, Rows]:
    """Each of some rows, or what it is ``named``, with each of its neighbours."""
    degrees = edges.indptr[rows + 1] - edges.indptr[rows]
    return np.repeat(rows if named is None else named, degrees), edges.of_all(rows).astype(np.int64)


def _among(keys: Rows, known: Rows) -> Mask:
    """Which of the keys are in a sorted array."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_)
    found: Mask = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    return found
