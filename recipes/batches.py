"""The batches that the contextual encoder learns from, drawn from clusters in arrays: the same for a seed and step."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from clusters import DEFINITION, GROUPS, LAY, WORDNET, Clusters
from ontonym.arrays import Rows

SHARES = MappingProxyType({"terminology": 0.55, "everyday": 0.18, "wordnet": 0.20, "abbreviation": 0.07})
"""What part of the drawn clusters comes from each group."""
DEFINED = 0.25
"""How often the second text of a cluster that has a definition is that definition."""
LAY_WEIGHT = 3.0
"""How much likelier a name of patients is drawn than another name of its cluster."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The ``places`` of the texts of a step, by cluster; ``owners`` is the cluster of each.

    ``partners`` are pairs of positions in the batch, shape ``(m, 2)``: a text that is asked for, and the other text of
    its cluster. ``related``, shape ``(k, 2)``, are positions of a text and of one whose cluster is a parent of its own.
    ``general`` are positions of texts of general language: words and glosses of WordNet, and definitions.
    """

    places: Rows
    owners: Rows
    partners: Rows
    related: Rows
    general: Rows


class Batches:
    """Draws the batch of any step.

    ``seeds`` clusters are drawn, with ``near`` of the nearest of each that is of no synset. `nearest` holds them, shape
    ``(clusters, kept)``, -1 for none; before it is set none are added.
    """

    def __init__(self, clusters: Clusters, seed: int, seeds: int, near: int) -> None:
        self.clusters, self.seed, self.near = clusters, seed, near
        count = len(clusters)
        self.starts = np.searchsorted(clusters.owners, np.arange(count + 1))
        self.first = np.where(np.diff(self.starts) > 0, self.starts[:-1], -1)
        """The place of the first text of each cluster, -1 for none."""
        self._is_definition = clusters.kinds == DEFINITION
        self._names = np.bincount(clusters.owners[~self._is_definition], minlength=count)
        self._definitions = np.bincount(clusters.owners[self._is_definition], minlength=count)
        several = np.where(clusters.groups == WORDNET, self._names > 1, self._names + self._definitions > 1)
        several &= self._names > 0
        self.pools = [np.flatnonzero(several & (clusters.groups == group)) for group in range(len(GROUPS))]
        """The clusters that can be drawn, of each group."""
        self._sizes = [
            min(round(seeds * share), len(pool)) for share, pool in zip(SHARES.values(), self.pools, strict=True)
        ]
        self.nearest = np.full((count, 0), -1, dtype=np.int32)
        self._weights = np.where(clusters.kinds == LAY, LAY_WEIGHT, 1.0)
        self._parent_starts = np.searchsorted(clusters.related[:, 0], np.arange(count + 1))

    def draw(self, step: int) -> Batch:
        """The batch of a step."""
        rng = np.random.default_rng((self.seed, step))
        chosen = np.concatenate(
            [rng.choice(pool, size, replace=False) for pool, size in zip(self.pools, self._sizes, strict=True)]
        )
        chosen = np.unique(np.concatenate([chosen, self._neighbours(chosen, rng)]))
        chosen = chosen[self._names[chosen] > 0]
        places = self._drawn_texts(chosen, rng)
        owners = self.clusters.owners[places].astype(np.int64)
        first = np.flatnonzero(owners[1:] == owners[:-1])
        pairs = np.stack([first, first + 1], axis=1)
        general = (self.clusters.groups[owners] == WORDNET) | self._is_definition[places]
        return Batch(
            places, owners, np.concatenate([pairs, pairs[:, ::-1]]), self._related(owners), np.flatnonzero(general)
        )

    def _neighbours(self, chosen: Rows, rng: np.random.Generator) -> Rows:
        """Some of the nearest clusters of each chosen one that is of no synset."""
        rows = self.nearest[chosen[self.clusters.groups[chosen] != WORDNET]]
        if not rows.shape[1]:
            return np.zeros(0, dtype=np.int64)
        order = np.where(rows >= 0, rng.random(rows.shape), 2.0).argsort(axis=1)[:, : self.near]
        taken = np.take_along_axis(rows, order, axis=1).ravel().astype(np.int64)
        return taken[taken >= 0]

    def _drawn_texts(self, chosen: Rows, rng: np.random.Generator) -> Rows:
        """Two names of each cluster, or a name and a definition; one where it has no more."""
        counts = self.starts[chosen + 1] - self.starts[chosen]
        place = _ranges(self.starts[chosen], counts)
        which = np.repeat(np.arange(len(chosen)), counts)
        key = rng.exponential(size=len(place)) / self._weights[place]  # the smallest of a cluster are drawn by weight
        defined = self._definitions[chosen] > 0
        defined &= (self._names[chosen] == 1) | (rng.random(len(chosen)) < DEFINED)
        kind = self._is_definition[place]
        order = np.lexsort((key, kind, which))
        place, which, kind = place[order], which[order], kind[order]
        begins = np.flatnonzero(np.diff(which * 2 + kind, prepend=-1))
        rank = np.arange(len(place)) - np.repeat(begins, np.diff(begins, append=len(place)))
        wanted = np.where(kind, defined[which], 2 - defined[which].astype(np.int64))
        return place[rank < wanted]

    def _related(self, owners: Rows) -> Rows:
        """Positions of a text and of one of a parent, both ways."""
        unique, begins, counts = np.unique(owners, return_index=True, return_counts=True)
        starts = self._parent_starts[unique]
        many = self._parent_starts[unique + 1] - starts
        parents, child = _ranges(starts, many), np.repeat(np.arange(len(unique)), many)
        parent = self.clusters.related[parents, 1]
        at = np.minimum(np.searchsorted(unique, parent), len(unique) - 1)
        child, at = child[unique[at] == parent], at[unique[at] == parent]
        pairs = [
            np.stack([begins[child] + i, begins[at] + j], axis=1)[(i < counts[child]) & (j < counts[at])]
            for i in range(2)
            for j in range(2)
        ]
        both = np.concatenate(pairs)
        return np.concatenate([both, both[:, ::-1]])


def _ranges(starts: Rows, counts: Rows) -> Rows:
    """``start, start + 1, …`` of each start, ``count`` of them, end to end."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
