"""Features from the hierarchies of both sides: whether the concepts above and below a pair are matched consistently.

Anchors are pairs that are assumed to be right. A pair agrees with them if an anchored concept above its source is
matched to a concept above its target, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints, Mask
from ontonym.ragged import spread
from ontonym.store import Terminology
from ontonym.store.hierarchy import Edges

NO_PAIRS = np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Lists:
    """A list of concepts for each of some rows: those of ``rows[i]`` are ``values[bounds[i]:bounds[i + 1]]``."""

    rows: Ints
    bounds: Ints
    values: Ints

    def of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The lists of some rows, concatenated, and the position in ``rows`` that each value belongs to."""
        places = np.searchsorted(self.rows, rows)
        lengths = self.bounds[places + 1] - self.bounds[places]
        return self.values[spread(self.bounds[places], lengths)], np.repeat(np.arange(len(rows)), lengths)


class Hierarchies:
    """The is-a hierarchies of one side, its concepts numbered through, for queries about ``rows``."""

    def __init__(self, terminologies: Sequence[Terminology], rows: Ints) -> None:
        self.rows = np.unique(rows)
        edges = np.cumsum([0, *map(len, terminologies)])
        self._width = int(edges[-1]) + 1
        above, parents, children = [], [], []
        for terminology, first, last in zip(terminologies, edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            own = self.rows[(self.rows >= first) & (self.rows < last)] - first
            hierarchy, start = terminology.hierarchy, own * self._width + own
            shift = first * self._width + first
            above.append(_closure(hierarchy.parent_edges, start, self._width) + shift)
            parents.append(_step(hierarchy.parent_edges, start, self._width) + shift)
            children.append(_step(hierarchy.child_edges, start, self._width) + shift)
        self._pairs, *others = (np.concatenate(keys) for keys in (above, parents, children))
        self.above, self.parents, self.children = (self._listed(keys) for keys in (self._pairs, *others))

    def _listed(self, keys: Ints) -> Lists:
        """Lists of pairs that are ordered by row."""
        bounds = np.searchsorted(keys, np.append(self.rows * self._width, self._width * self._width))
        return Lists(self.rows, bounds.astype(np.int64), keys % self._width)

    def is_below(self, below: Ints, above: Ints) -> Mask:
        """Whether each of the given rows is below (not at) the corresponding concept."""
        if not len(self._pairs):
            return np.zeros(len(below), dtype=np.bool_)
        keys = below * self._width + above
        places = np.minimum(np.searchsorted(self._pairs, keys), len(self._pairs) - 1)
        found: Mask = self._pairs[places] == keys
        return found


def both_hierarchies(
    source: Terminology, others: Sequence[Terminology], sources: Ints, targets: Ints, certain: Ints
) -> tuple[Hierarchies, Hierarchies]:
    """The hierarchies of the source and of the ``others``, for some pairs and the ``certain`` ones."""
    ours = Hierarchies([source], np.concatenate([sources, certain[:, 0]]))
    return ours, Hierarchies(others, np.concatenate([targets, certain[:, 1]]))


def _step(edges: Edges, keys: Ints, width: int) -> Ints:
    """Pairs ``row * width + concept`` one edge further: each row with the neighbours of its concept, ordered."""
    rows, concepts = keys // width, keys % width
    starts = edges.indptr[concepts]
    lengths = edges.indptr[concepts + 1] - starts
    return np.unique(np.repeat(rows, lengths) * width + edges.indices[spread(starts, lengths)].astype(np.int64))


def _closure(edges: Edges, start: Ints, width: int) -> Ints:
    """Pairs of each row with all concepts that edges lead to, without itself, ordered."""
    seen, new = start, start
    while len(new):
        new = np.setdiff1d(_step(edges, new, width), seen, assume_unique=True)
        seen = np.union1d(seen, new)
    return np.setdiff1d(seen, start, assume_unique=True)


STRUCTURE_FEATURES = (
    "above_agrees",  # ln(1 + anchored concepts above the source whose match is above the target)
    "above_differs",  # ln(1 + those whose match is not)
    "target_above_differs",  # ln(1 + anchored concepts above the target whose match is not above the source)
    "parents_agree",  # likewise for the direct parents of the source
    "parents_differ",
    "children_agree",  # ln(1 + anchored children of the source whose match is below the target)
    "children_differ",
    "turned",  # ln(1 + anchored concepts above the source whose match is below the target, or the other way round)
)


@dataclass(frozen=True, slots=True)
class Anchors:
    """Pairs assumed to be right: for each concept of one side its match on the other, -1 for none.

    ``targets`` is by source row, ``sources`` by concept number of the index.
    """

    targets: Ints
    sources: Ints

    @classmethod
    def of(cls, sources: Ints, targets: Ints, counts: tuple[int, int], certain: Ints = NO_PAIRS) -> Anchors:
        """The anchors of pairs and of the ``certain`` ones, shape ``(n, 2)``, on sides with ``counts`` concepts; of
        several pairs of a concept the last one."""
        to, back = (np.full(count, -1, dtype=np.int64) for count in counts)
        for ours, theirs in ((sources, targets), (certain[:, 0], certain[:, 1])):
            to[ours], back[theirs] = theirs, ours
        return cls(to, back)


def structure_features(
    sources: Ints, targets: Ints, anchors: Anchors, ours: Hierarchies, theirs: Hierarchies
) -> dict[str, npt.NDArray[np.float64]]:
    """`STRUCTURE_FEATURES` of each pair of a source and a target."""
    above, differs = _agreeing(ours.above, sources, targets, anchors.targets, theirs.is_below)
    _, back_differs = _agreeing(theirs.above, targets, sources, anchors.sources, ours.is_below)
    parents, parents_differ = _agreeing(ours.parents, sources, targets, anchors.targets, theirs.is_below)

    def holds(concepts: Ints, matches: Ints) -> Mask:
        return theirs.is_below(matches, concepts)

    children, children_differ = _agreeing(ours.children, sources, targets, anchors.targets, holds)
    turned = turned_against(sources, targets, anchors, ours, theirs)
    counts = (above, differs, back_differs, parents, parents_differ, children, children_differ, turned)
    return dict(zip(STRUCTURE_FEATURES, map(np.log1p, counts), strict=True))


def turned_against(
    sources: Ints, targets: Ints, anchors: Anchors, ours: Hierarchies, theirs: Hierarchies
) -> npt.NDArray[np.float64]:
    """How many anchors contradict each pair in the hierarchies: above it on one side, below it on the other."""
    counts = np.zeros(len(sources))
    for one, other, lists, matches, below in (
        (sources, targets, ours.above, anchors.targets, theirs.is_below),
        (targets, sources, theirs.above, anchors.sources, ours.is_below),
    ):
        found, places = lists.of(one)
        mates = matches[found]
        known = mates >= 0
        places, mates = places[known], mates[known]
        against = below(mates, other[places])
        counts += np.bincount(places[against], minlength=len(one))
    return counts


def _agreeing(
    lists: Lists, concepts: Ints, others: Ints, matches: Ints, agrees: Callable[[Ints, Ints], Mask]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """For each concept the number of neighbours whose match ``agrees`` with the other concept, and of those whose does
    not.
    """
    found, places = lists.of(concepts)
    mates = matches[found]
    known = mates >= 0
    places, mates = places[known], mates[known]
    good = agrees(others[places], mates)
    return (
        np.bincount(places[good], minlength=len(concepts)).astype(np.float64),
        np.bincount(places[~good], minlength=len(concepts)).astype(np.float64),
    )
