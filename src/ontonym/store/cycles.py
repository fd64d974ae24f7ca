"""Finding and cutting cycles in is-a edges, so that the stored hierarchy has none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Offsets
from ontonym.store.hierarchy import Edges


@dataclass(frozen=True, slots=True)
class Cycle:
    """One cut edge: ``path`` goes from parent to parent and ends where it began; its last step was cut."""

    path: tuple[int, ...]


def find_cycles(parents: Edges) -> list[Cycle]:
    """The edges to cut so that no concept is above itself; empty for a sound hierarchy.

    The rule is deterministic: walk up from each concept in row order, depth first, parents in row order, and cut
    every edge that leads back to a concept on the walk. A concept that is its own parent is a cycle of one.
    """
    remaining = _on_or_between_cycles(parents)
    inside = set(remaining.tolist())
    finished: set[int] = set()
    cycles: list[Cycle] = []
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
                cycles.append(Cycle((*path[place[parent] :], parent)))
            elif parent in inside and parent not in finished:
                place[parent] = len(path)
                path.append(parent)
                ways.append(iter(parents.of(parent).tolist()))
    return cycles


def cut(parents: Edges, cycles: list[Cycle]) -> Edges:
    """The edges without the last step of each cycle."""
    size = len(parents.indptr) - 1
    child = np.repeat(np.arange(size, dtype=np.uint64), parents.degrees())
    pairs = child * np.uint64(size) + parents.indices
    gone = np.array([cycle.path[-2] * size + cycle.path[-1] for cycle in cycles], dtype=np.uint64)
    keep = ~np.isin(pairs, gone)
    return Edges.of_pairs(child[keep], parents.indices[keep], size)


def _on_or_between_cycles(parents: Edges) -> Offsets:
    """Rows left after taking away, again and again, rows without parents and rows without children."""
    size = len(parents.indptr) - 1
    child = np.repeat(np.arange(size), parents.degrees())
    children = Edges.of_pairs(parents.indices, child, size)
    left = np.ones(size, dtype=np.bool_)
    _peel(parents, children, left)
    _peel(children, parents, left)
    return np.flatnonzero(left)


def _peel(towards: Edges, back: Edges, left: npt.NDArray[np.bool_]) -> None:
    """Takes from ``left`` every row from which, along ``towards``, no cycle can be reached within ``left``."""
    source = np.repeat(np.arange(len(left)), towards.degrees())
    count = np.bincount(source[left[towards.indices]], minlength=len(left))
    frontier = np.flatnonzero(left & (count == 0))
    while len(frontier):
        left[frontier] = False
        touched, times = np.unique(back.of_all(frontier), return_counts=True)
        count[touched] -= times
        frontier = touched[(count[touched] == 0) & left[touched]]
