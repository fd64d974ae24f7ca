"""Pairs of names with different meanings: drawn at random, or as close in spelling as possible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from ontonym.arrays import Rows
from ontonym.benchmark.nearest import Neighbours, nearest_texts
from ontonym.types import Advance

Strategy = Literal["random", "levenshtein"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

NONE = -1
"""Marks a pair without a dissimilar name."""

_DRAWS = 16


def random_negatives(positives: Rows, similar: Rows, generator: np.random.Generator) -> Rows:
    """For each positive pair another name for its first one, drawn from all names of the pairs (Schulz, section 3.2).

    ``positives`` has shape ``(pairs, 2)``; ``similar`` is a number for each name, equal for names that are similar,
    directly or not: these are never paired. No two names are paired twice, in either order. `NONE` if no name is left.
    """
    chosen = np.full(len(positives), NONE, dtype=np.int64)
    used = _Used()
    drawn = generator.integers(0, positives.size, size=(len(positives), _DRAWS))
    names = positives.ravel()
    for row, (first, places) in enumerate(zip(positives[:, 0].tolist(), drawn.tolist(), strict=True)):
        for place in places:
            other = int(names[place])
            if similar[other] != similar[first] and used.add(first, other):
                chosen[row] = other
                break
    pool = np.unique(names)
    for row in np.flatnonzero(chosen == NONE).tolist():
        first = int(positives[row, 0])
        fit = pool[similar[pool] != similar[first]]
        for other in fit[generator.permutation(len(fit))].tolist():
            if used.add(first, other):
                chosen[row] = other
                break
    return chosen


def closest_negatives(
    positives: Rows,
    similar: Rows,
    lowered: Sequence[str],
    *,
    threads: int = 1,
    progress: Advance | None = None,
) -> Rows:
    """For each positive pair the name closest to its first one in Levenshtein distance (Schulz, section 3.2).

    ``lowered`` are all names in lower case, in which they are compared. A name that begins several pairs gets its
    nearest, its second nearest, and so on, so that no two names are paired twice, in either order; ties by the numbers
    of names. A name skips another only if the two are paired already; names that had to skip several come after the
    rest. Otherwise as `random_negatives`.
    """
    chosen = np.full(len(positives), NONE, dtype=np.int64)
    pool = np.unique(positives)
    texts = [lowered[name] for name in pool.tolist()]
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row, first in enumerate(positives[:, 0].tolist()):
        rows_of[first].append(row)
    left = dict(rows_of)
    spare = 1
    used = _Used()
    while left:
        firsts = np.array(list(left), dtype=np.int64)
        wanted = np.array([len(rows_of[first]) + spare for first in left], dtype=np.int64)
        near = nearest_texts(
            texts, np.searchsorted(pool, firsts), wanted, similar[pool], threads=threads, progress=progress
        )
        left = _taken(near, pool, wanted, left, chosen, used)
        spare = 4 * spare + 4
    return chosen


def _taken(
    near: Neighbours, pool: Rows, wanted: Rows, left: dict[int, list[int]], chosen: Rows, used: _Used
) -> dict[int, list[int]]:
    """Assigns names to pairs from the nearest ones found; returns the pairs that need more."""
    again: dict[int, list[int]] = {}
    for query, (first, rows) in enumerate(left.items()):
        found, _ = near.of(query)
        waiting = list(rows)
        for other in pool[found].tolist():
            if not waiting:
                break
            if used.add(first, other):
                chosen[waiting.pop(0)] = other
        if waiting and len(found) == wanted[query]:
            again[first] = waiting
    return again


class _Used:
    """The pairs of names made so far."""

    def __init__(self) -> None:
        self._pairs: set[tuple[int, int]] = set()

    def add(self, first: int, second: int) -> bool:
        """Adds a pair; returns False if it exists already, in either order."""
        pair = (first, second) if first < second else (second, first)
        if pair in self._pairs:
            return False
        self._pairs.add(pair)
        return True
