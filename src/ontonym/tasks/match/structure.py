"""Features from the hierarchies of both sides: whether the concepts above and below a pair are matched alike.

Anchors are pairs that are believed; a pair agrees with them where an anchored concept above its source is matched to a
concept above its target, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints, Mask
from ontonym.store import Terminology
from ontonym.store.hierarchy import Edges
from ontonym.text.strings import spread


@dataclass(frozen=True, slots=True)
class Lists:
    """A list of concepts for each row of a few: those of ``rows[i]`` are ``values[bounds[i]:bounds[i + 1]]``."""

    rows: Ints
    bounds: Ints
    values: Ints

    def of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The lists of some rows end to end, and the place among ``rows`` that each value belongs to."""
        places = np.searchsorted(self.rows, rows)
        lengths = self.bounds[places + 1] - self.bounds[places]
        return self.values[spread(self.bounds[places], lengths)], np.repeat(np.arange(len(rows)), lengths)


class Hierarchies:
    """The is-a hierarchies of one side, its concepts numbered through; what is asked is of ``rows``."""

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
        """Whether each of the rows asked for is below (not at) the concept at the same place."""
        if not len(self._pairs):
            return np.zeros(len(below), dtype=np.bool_)
        keys = below * self._width + above
        places = np.minimum(np.searchsorted(self._pairs, keys), len(self._pairs) - 1)
        found: Mask = self._pairs[places] == keys
        return found


def _step(edges: Edges, keys: Ints, width: int) -> Ints:
    """Pairs ``row * width + concept`` one edge further: each row with the neighbours of its concept, ordered."""
    rows, concepts = keys // width, keys % width
    starts = edges.indptr[concepts]
    lengths = edges.indptr[concepts + 1] - starts
    return np.unique(np.repeat(rows, lengths) * width + edges.indices[spread(starts, lengths)].astype(np.int64))


def _closure(edges: Edges, start: Ints, width: int) -> Ints:
    """Pairs of each row with all that edges lead to, without itself, ordered."""
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
    """Pairs that are believed: to each concept of one side the one it is matched to on the other, -1 for none.

    ``targets`` is by source row, ``sources`` by concept number of the index.
    """

    targets: Ints
    sources: Ints

    @classmethod
    def of(cls, sources: Ints, targets: Ints, counts: tuple[int, int]) -> Anchors:
        """The anchors that pairs are, on sides with ``counts`` concepts; of several of a concept the last one."""
        to, back = (np.full(count, -1, dtype=np.int64) for count in counts)
        to[sources], back[targets] = targets, sources
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
    """How many anchors each pair turns the hierarchies against: one side has them above, the other below."""
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
    """How many neighbours of each concept have a match that ``agrees`` with the other concept, and how many do not."""
    found, places = lists.of(concepts)
    mates = matches[found]
    known = mates >= 0
    places, mates = places[known], mates[known]
    good = agrees(others[places], mates)
    return (
        np.bincount(places[good], minlength=len(concepts)).astype(np.float64),
        np.bincount(places[~good], minlength=len(concepts)).astype(np.float64),
    )
