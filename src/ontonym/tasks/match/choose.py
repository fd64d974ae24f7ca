"""Who gets whom: of all candidate pairs with their scores, the one that is proposed for each source concept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.errors import MissingExtraError
from ontonym.tasks.match.options import Mode

_UNMATCHED = 1e-3
"""What leaving a concept unmatched is worth in an assignment: less than any candidate above its threshold."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs with their scores: those of a source together, the best first; ``taken`` targets are not free."""

    sources: Ints
    targets: Ints
    scores: Doubles
    taken: Mask

    def firsts(self) -> Mask:
        """Whether each pair is the first of its source."""
        return np.concatenate([[True], self.sources[1:] != self.sources[:-1]])[: len(self.sources)]


def choose(pairs: Pairs, mode: Mode, threshold: float) -> Mask:
    """The pairs that are proposed, one of each source at most; see `MatchOptions`."""
    return _CHOOSE[mode](pairs, threshold)


def _best(pairs: Pairs, threshold: float) -> Mask:
    return pairs.firsts() & (pairs.scores >= threshold)


def _mutual(pairs: Pairs, threshold: float) -> Mask:
    """The best candidate of a concept, where that concept is the best for it; the first of equal ones."""
    rows = np.arange(len(pairs.scores))
    order = np.lexsort((rows, -pairs.scores, pairs.targets))
    targets = pairs.targets[order]
    leads = np.concatenate([[True], targets[1:] != targets[:-1]])[: len(targets)]
    preferred = np.zeros(len(rows), dtype=np.bool_)
    preferred[order[leads]] = True
    return _best(pairs, threshold) & preferred & ~pairs.taken


def _one_to_one(pairs: Pairs, threshold: float) -> Mask:
    """The assignment whose scores together are highest, by scipy; a concept may stay without."""
    try:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching
    except ImportError as error:
        raise MissingExtraError("scipy", "eval", "one-to-one matching") from error
    (kept,) = np.nonzero((pairs.scores >= threshold) & ~pairs.taken)
    chosen = np.zeros(len(pairs.scores), dtype=np.bool_)
    if not len(kept):
        return chosen
    sources, rows = np.unique(pairs.sources[kept], return_inverse=True)
    targets, columns = np.unique(pairs.targets[kept], return_inverse=True)
    count = len(sources)
    table = csr_array(  # each source may take a place of its own, which stands for staying without
        (
            np.concatenate([pairs.scores[kept] + _UNMATCHED, np.full(count, _UNMATCHED / 2)]),
            (np.concatenate([rows, np.arange(count)]), np.concatenate([columns, len(targets) + np.arange(count)])),
        ),
        shape=(count, len(targets) + count),
    )
    _, assigned = min_weight_full_bipartite_matching(table, maximize=True)
    chosen[kept[assigned[rows] == columns]] = True
    return chosen


_CHOOSE: Mapping[Mode, Callable[[Pairs, float], Mask]] = MappingProxyType(
    {"best": _best, "mutual": _mutual, "one-to-one": _one_to_one}
)
