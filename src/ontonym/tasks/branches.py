"""The branches of a terminology, and to which of them a concept belongs (`ontonym.tasks.concepts.branches_of`)."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from ontonym.store import Terminology
from ontonym.store.hierarchy import Edges, Hierarchy

_BROAD = 0.5
"""A concept with more than this share of its terminology below it says too little to be a branch."""
_MANY_ROOTS = 64
"""A terminology with more concepts above which none is has these as its branches."""


def branch_rows(terminology: Terminology, row: int) -> list[int]:
    """The rows of the branches that a concept belongs to, without itself."""
    found = _branches.get(terminology)
    if found is None:
        found = _branches[terminology] = _Branches(terminology)
    hierarchy = terminology.hierarchy
    return found.among(hierarchy, nearest_first(row, hierarchy.parent_edges))


def nearest_first(row: int, edges: Edges) -> list[int]:
    """All rows that are reached from one, without it, by the number of steps."""
    bounds, ends = edges.indptr.data, edges.indices.data  # single values of these cost a tenth of those of arrays
    seen, level, found = {row}, [row], list[int]()
    while level:
        ahead: dict[int, None] = {}
        for each in level:
            ahead |= dict.fromkeys(ends[bounds[each] : bounds[each + 1]].tolist())
        level = [one for one in ahead if one not in seen]
        seen.update(level)
        found += level
    return found


class _Branches:
    """The branches of a terminology, found out for those concepts that are asked for: they are above others.

    No terminology is held open by it.
    """

    def __init__(self, terminology: Terminology) -> None:
        hierarchy = terminology.hierarchy
        self._most = max(1, int(terminology.active.sum() * _BROAD))
        self._roots = frozenset(row for row in hierarchy.roots().tolist() if len(hierarchy.children(row)))
        self._is_branch: dict[int, bool] = {}

    def among(self, hierarchy: Hierarchy, above: Sequence[int]) -> list[int]:
        """The branches among all that is above a concept, in this order."""
        if len(self._roots) > _MANY_ROOTS:
            return [row for row in above if row in self._roots]
        if not self._is_branch.keys() >= set(above):
            self._is_branch |= self._classified(hierarchy, frozenset(above))
        return [row for row in above if self._is_branch[row]]

    def _classified(self, hierarchy: Hierarchy, above: frozenset[int]) -> dict[int, bool]:
        """Of all that is above a concept, whether each is a branch, from the roots down as far as it is broad."""
        found = dict.fromkeys(above, False)
        level, left = above & self._roots, above
        while level:
            for row in level:  # what was reached before and is no branch is broad
                found[row] = self._is_branch[row] if row in self._is_branch else not self._is_broad(hierarchy, row)
            broad = frozenset(row for row in level if not found[row])
            left -= level
            level = frozenset(row for row in left if not broad.isdisjoint(hierarchy.parents(row).tolist()))
        return found

    def _is_broad(self, hierarchy: Hierarchy, row: int) -> bool:
        """Whether most of the terminology is below a row; a root alone is as broad as that, whatever its share is."""
        is_alone = len(self._roots) == 1 and row in self._roots
        return is_alone or int(hierarchy.descendants_mask([row]).sum()) > self._most


_branches: WeakKeyDictionary[Terminology, _Branches] = WeakKeyDictionary()
