"""The is-a hierarchy of a terminology: a directed acyclic graph in which a concept may have several parents.

Takes rows, gives sorted uint32 rows. Edges are stored twice (towards parents and towards children) as CSR arrays, see
https://en.wikipedia.org/wiki/Sparse_matrix#Compressed_sparse_row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ontonym.arrays import AnyInts, Mask, Offsets, Rows, Rows32, distinct, places_in
from ontonym.ragged import boundaries, owners_of, spread
from ontonym.store.columns import load_bounds, load_numbers, save_numbers

_FEW = 2000
"""Rows up to which a walk remembers them one by one."""

_NONE: Rows32 = np.zeros(0, dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Edges:
    """Neighbours in CSR form: those of ``row`` are ``indices[indptr[row]:indptr[row + 1]]``, ascending."""

    indptr: Offsets
    indices: Rows32

    @classmethod
    def of_pairs(cls, source: AnyInts, target: AnyInts, size: int) -> Edges:
        """Edges from each ``source`` to the ``target`` at the same place, each once, over rows 0 to ``size`` - 1."""
        pairs = np.unique(source.astype(np.uint64) * np.uint64(max(size, 1)) + target.astype(np.uint64))
        counts = np.bincount((pairs // np.uint64(max(size, 1))).astype(np.int64), minlength=size)
        return cls(boundaries(counts), (pairs % np.uint64(max(size, 1))).astype(np.uint32))

    @classmethod
    def open(cls, folder: Path, name: str, count: int | None = None) -> Edges:
        """The edges of ``count`` rows (None: any number) that `save` wrote under this name, memory-mapped."""
        indices = load_numbers(folder, f"{name}_indices", np.uint32)
        return cls(load_bounds(folder, f"{name}_indptr", len(indices), count), indices)

    def save(self, folder: Path, name: str) -> None:
        """Writes ``name_indptr.npy`` and ``name_indices.npy``."""
        save_numbers(folder, f"{name}_indptr", self.indptr)
        save_numbers(folder, f"{name}_indices", self.indices)

    def of(self, row: int) -> Rows32:
        """The neighbours of one row."""
        return self.indices[self.indptr[row] : self.indptr[row + 1]]

    def of_all(self, rows: AnyInts) -> Rows32:
        """The neighbours of each row end to end, repeats included."""
        if len(rows) == 1:
            return self.of(int(rows[0]))
        starts = self.indptr[rows]
        return self.indices[spread(starts, self.indptr[rows.astype(np.int64) + 1] - starts, len(self.indices))]

    def degrees(self) -> Offsets:
        """The number of neighbours of every row."""
        return np.diff(self.indptr)

    def sources(self) -> Rows:
        """The row that each edge begins at."""
        return owners_of(self.degrees())


class Hierarchy:
    """Questions about is-a. ``active`` marks the rows that may be roots (None: all)."""

    __slots__ = ("_active", "_children", "_parents")

    def __init__(self, parents: Edges, children: Edges, active: Mask | None = None) -> None:
        self._parents = parents
        self._children = children
        self._active = active

    def __len__(self) -> int:
        return len(self._parents.indptr) - 1

    @property
    def parent_edges(self) -> Edges:
        """The edges from each concept to its parents."""
        return self._parents

    @property
    def child_edges(self) -> Edges:
        """The edges from each concept to its children."""
        return self._children

    @property
    def edge_count(self) -> int:
        """Number of is-a edges."""
        return len(self._parents.indices)

    @property
    def has_levels(self) -> bool:
        """Whether some parent has a parent: without, concepts stand in groups at most, as those of a code list do."""
        return bool(self._parents.degrees()[distinct(self._parents.indices)].any())

    def parents(self, row: int) -> Rows32:
        """The direct parents of a concept."""
        return self._parents.of(self._check(row))

    def children(self, row: int) -> Rows32:
        """The direct children of a concept."""
        return self._children.of(self._check(row))

    def siblings(self, row: int) -> Rows32:
        """The other children of the concept's parents."""
        return _without(distinct(self._children.of_all(self.parents(row))), row)

    def ancestors(self, row: int) -> Rows32:
        """Everything above a concept, without the concept itself."""
        return _without(_closure(self._parents, [self._check(row)]), row)

    def above(self, row: int) -> set[int]:
        """The `ancestors` of a concept as a set: several times as fast where they are few."""
        indptr, indices = self._parents.indptr.data, self._parents.indices.data
        found: set[int] = set()
        frontier = {self._check(row)}
        while frontier:
            frontier = {near for one in frontier for near in indices[indptr[one] : indptr[one + 1]]} - found
            found |= frontier
        return found

    def descendants(self, row: int) -> Rows32:
        """Everything below a concept, without the concept itself."""
        return _without(_closure(self._children, [self._check(row)]), row)

    def descendants_mask(self, rows: Iterable[int]) -> Mask:
        """A bitmap over all concepts: True for these rows and everything below any of them. For filters."""
        mask = np.zeros(len(self), dtype=np.bool_)
        for level in _levels(self._children, [self._check(row) for row in rows]):
            mask[level] = True
        return mask

    def roots(self) -> Rows32:
        """The active concepts without a parent."""
        rootless = self._parents.degrees() == 0
        if self._active is not None:
            rootless &= self._active
        return np.flatnonzero(rootless).astype(np.uint32)

    def depth(self, row: int) -> int:
        """The number of is-a steps on the shortest way up to a concept without a parent (0 for such a one)."""
        indptr = self._parents.indptr
        frontier = np.array([self._check(row)], dtype=np.uint32)
        steps = 0
        while not np.any(indptr[frontier] == indptr[frontier.astype(np.int64) + 1]):
            frontier = distinct(self._parents.of_all(frontier))
            steps += 1
        return steps

    def is_a(self, descendant: int, ancestor: int) -> bool:
        """Whether ``ancestor`` is above ``descendant``; a concept is not above itself."""
        return bool(np.isin(self._check(ancestor), self.ancestors(descendant)))

    def are_below_others(self, rows: AnyInts, groups: AnyInts) -> Mask:
        """Whether each row is below another of the rows of its group, by the number of the group.

        All ways up are gone at once, a level at a time: for rows by the thousand.
        """
        size = len(self)
        members = np.sort(groups * size + rows)
        below = np.zeros(len(rows), dtype=np.bool_)
        owners, reached = np.arange(len(rows)), rows
        while len(owners):
            counts = self._parents.indptr[reached + 1] - self._parents.indptr[reached]
            ways = distinct(owners.repeat(counts) * size + self._parents.of_all(reached))
            owners, reached = ways // size, ways % size
            sought = groups[owners] * size + reached
            below[owners[places_in(members, sought) >= 0]] = True
            going = ~below[owners]
            owners, reached = owners[going], reached[going]
        return below

    def distance(self, a: int, b: int) -> int | None:
        """The fewest is-a steps from ``a`` up to a common ancestor and down to ``b``; None where there is none.

        The minimum, over all common ancestors c (``a`` and ``b`` count as their own), of the shortest way up from
        ``a`` to c plus the shortest way up from ``b`` to c: 0 to itself, 1 to a parent, 2 to a sibling.
        """
        way = self.shortest_way(a, b)
        return None if way is None else way[0]

    def shortest_way(self, a: int, b: int) -> tuple[int, Rows32] | None:
        """The `distance` and the common ancestors over which a way of that length leads; None where there is none."""
        rows_a, steps_a = self._steps_up(self._check(a))
        rows_b, steps_b = self._steps_up(self._check(b))
        common, in_a, in_b = np.intersect1d(rows_a, rows_b, assume_unique=True, return_indices=True)
        if not len(common):
            return None
        steps = steps_a[in_a] + steps_b[in_b]
        return int(steps.min()), common[steps == steps.min()]

    def _steps_up(self, row: int) -> tuple[Rows32, Offsets]:
        """Every ancestor and the row itself, each with its shortest way up."""
        levels = _levels(self._parents, [row])
        return np.concatenate(levels), owners_of([len(level) for level in levels])

    def _check(self, row: int) -> int:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        return int(row)


def _levels(edges: Edges, start: list[int]) -> list[Rows32]:
    """Breadth-first levels, each row once, in the first level that reaches it."""
    indptr, indices = edges.indptr.data, edges.indices.data
    frontier = set(start)
    seen: set[int] = set()
    levels: list[Rows32] = []
    while frontier:
        levels.append(np.array(sorted(frontier), dtype=np.uint32))
        seen |= frontier
        if len(seen) > _FEW:
            return _many_levels(edges, levels)
        frontier = {near for row in frontier for near in indices[indptr[row] : indptr[row + 1]]} - seen
    return levels


def _many_levels(edges: Edges, levels: list[Rows32]) -> list[Rows32]:
    """The levels after these too, by bitmaps over all rows: for few rows making them would take most of the time."""
    size = len(edges.indptr) - 1
    seen = np.zeros(size, dtype=np.bool_)
    last = np.empty(size, dtype=np.uint32)
    for level in levels:
        seen[level] = True
    frontier = levels[-1]
    while True:
        reached = edges.of_all(frontier)
        reached = reached[~seen[reached]]
        # of equal rows the last one written stays: repeats go without sorting, which matters for millions of rows
        place = np.arange(len(reached), dtype=np.uint32)
        last[reached] = place
        frontier = reached[last[reached] == place]
        if not len(frontier):
            return levels
        seen[frontier] = True
        levels.append(frontier)


def _closure(edges: Edges, start: list[int]) -> Rows32:
    levels = _levels(edges, start)
    return np.sort(np.concatenate(levels)) if levels else _NONE


def _without(rows: Rows32, row: int) -> Rows32:
    others: Rows32 = rows[rows != row]
    return others


# Cycles ---------------------------------------------------------------------------------------------------------------


def find_cycles(parents: Edges) -> list[tuple[int, ...]]:
    """The cycles to `cut` so that no concept is above itself; empty for a sound hierarchy.

    Each goes from parent to parent and ends where it began; its last step is the edge to cut.
    The rule is deterministic: walk up from each concept in row order, depth first, parents in row order, and cut
    every edge that leads back to a concept on the walk. A concept that is its own parent is a cycle of one.
    """
    remaining = _on_or_between_cycles(parents)
    inside = set(remaining.tolist())
    finished: set[int] = set()
    cycles: list[tuple[int, ...]] = []
    for start in remaining.tolist():
        if start in finished:
            continue
        path = [start]
        place = {start: 0}
        ways = [iter(parents.of(start).tolist())]
        while path:
            parent = next(ways[-1], None)
            if parent is None:
                ways.pop()
                done = path.pop()
                del place[done]
                finished.add(done)
            elif parent in place:
                cycles.append((*path[place[parent] :], parent))
            elif parent in inside and parent not in finished:
                place[parent] = len(path)
                path.append(parent)
                ways.append(iter(parents.of(parent).tolist()))
    return cycles


def cut(parents: Edges, cycles: list[tuple[int, ...]]) -> Edges:
    """The edges without the last step of each cycle."""
    size = len(parents.indptr) - 1
    children = parents.sources().astype(np.uint64)
    pairs = children * np.uint64(size) + parents.indices
    gone = np.array([child * size + parent for *_, child, parent in cycles], dtype=np.uint64)
    keep = ~np.isin(pairs, gone)
    return Edges.of_pairs(children[keep], parents.indices[keep], size)


def _on_or_between_cycles(parents: Edges) -> Offsets:
    """Rows left after taking away, again and again, rows without parents and rows without children."""
    size = len(parents.indptr) - 1
    children = Edges.of_pairs(parents.indices, parents.sources(), size)
    left = np.ones(size, dtype=np.bool_)
    _peel(parents, children, left)
    _peel(children, parents, left)
    return np.flatnonzero(left)


def _peel(towards: Edges, back: Edges, left: Mask) -> None:
    """Takes from ``left`` every row from which, along ``towards``, no cycle can be reached within ``left``."""
    source = towards.sources()
    count = np.bincount(source[left[towards.indices]], minlength=len(left))
    frontier = np.flatnonzero(left & (count == 0))
    while len(frontier):
        left[frontier] = False
        touched, times = np.unique(back.of_all(frontier), return_counts=True)
        count[touched] -= times
        frontier = touched[(count[touched] == 0) & left[touched]]
