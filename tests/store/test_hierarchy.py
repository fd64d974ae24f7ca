from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.store.hierarchy import Edges, Hierarchy, cut, find_cycles

Pairs = list[tuple[int, int]]


def edges_of(pairs: Iterable[tuple[int, int]], size: int) -> Edges:
    listed = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    return Edges.of_pairs(listed[:, 0], listed[:, 1], size)


def hierarchy_of(pairs: Pairs, size: int, active: list[bool] | None = None) -> Hierarchy:
    return Hierarchy(
        edges_of(pairs, size),
        edges_of([(b, a) for a, b in pairs], size),
        None if active is None else np.array(active),
    )


# 0 is the root over 1 and 2; 3 is under both; 4 under 3; 5 under 2; 6 stands alone; (child, parent) pairs
DIAMOND = hierarchy_of([(1, 0), (2, 0), (3, 1), (3, 2), (4, 3), (5, 2)], 7)


def test_neighbours() -> None:
    assert DIAMOND.parents(3).tolist() == [1, 2]
    assert DIAMOND.children(2).tolist() == [3, 5]
    assert DIAMOND.siblings(3).tolist() == [5]
    assert DIAMOND.siblings(1).tolist() == [2]
    assert DIAMOND.siblings(0).tolist() == []
    assert DIAMOND.parents(3).dtype == DIAMOND.ancestors(4).dtype == np.uint32


def test_closures_leave_out_the_concept_itself() -> None:
    assert DIAMOND.ancestors(4).tolist() == [0, 1, 2, 3]
    assert DIAMOND.ancestors(0).tolist() == []
    assert DIAMOND.descendants(2).tolist() == [3, 4, 5]
    assert DIAMOND.is_a(4, 0)
    assert not DIAMOND.is_a(0, 4)
    assert not DIAMOND.is_a(4, 4)


def test_descendants_mask_has_the_rows_themselves() -> None:
    assert np.flatnonzero(DIAMOND.descendants_mask([1, 6])).tolist() == [1, 3, 4, 6]
    assert not DIAMOND.descendants_mask([]).any()


def test_roots_and_depth() -> None:
    assert DIAMOND.roots().tolist() == [0, 6]
    assert hierarchy_of([(1, 0)], 3, [True, True, False]).roots().tolist() == [0]
    assert [DIAMOND.depth(row) for row in range(7)] == [0, 1, 1, 2, 3, 2, 0]


def test_depth_is_the_shortest_way() -> None:
    assert hierarchy_of([(1, 0), (2, 1), (3, 2), (3, 0)], 4).depth(3) == 1


def test_distance() -> None:
    assert DIAMOND.distance(4, 5) == 3
    assert DIAMOND.distance(4, 1) == 2
    assert DIAMOND.distance(4, 4) == 0
    assert DIAMOND.distance(4, 6) is None


def test_the_shortest_way_tells_over_which_ancestors_it_leads() -> None:
    def way(hierarchy: Hierarchy, a: int, b: int) -> tuple[int, list[int]] | None:
        found = hierarchy.shortest_way(a, b)
        return found and (found[0], found[1].tolist())

    assert way(DIAMOND, 4, 5) == (3, [2])
    assert way(DIAMOND, 4, 1) == (2, [1])
    assert way(DIAMOND, 4, 4) == (0, [4])
    assert way(DIAMOND, 4, 6) is None
    two = hierarchy_of([(1, 0), (2, 0), (3, 1), (3, 2), (4, 1), (4, 2)], 5)
    assert way(two, 3, 4) == (2, [1, 2])
    over_a_higher_one = hierarchy_of([(1, 0), (2, 1), (3, 2), (3, 0), (4, 2), (4, 0)], 5)
    assert way(over_a_higher_one, 3, 4) == (2, [0, 2])


def test_rows_outside_are_errors() -> None:
    for row in (-1, 7):
        with pytest.raises(IndexError, match=f"row {row} of 7"):
            DIAMOND.ancestors(row)


@st.composite
def dags(draw: st.DrawFn) -> tuple[int, Pairs]:
    size = draw(st.integers(1, 14))
    names = draw(st.permutations(range(size)))
    pairs = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=3 * size))
    return size, sorted({(names[max(a, b)], names[min(a, b)]) for a, b in pairs if a != b})


class Naive:
    """The definitions, word for word, over sets."""

    def __init__(self, size: int, pairs: Pairs) -> None:
        self.up = {row: {b for a, b in pairs if a == row} for row in range(size)}
        self.down = {row: {a for a, b in pairs if b == row} for row in range(size)}

    def above(self, row: int) -> set[int]:
        return set().union(*({parent} | self.above(parent) for parent in self.up[row]))

    def below(self, row: int) -> set[int]:
        return set().union(*({child} | self.below(child) for child in self.down[row]))

    def steps(self, row: int, goal: int) -> float:
        return 0 if row == goal else min((1 + self.steps(p, goal) for p in self.up[row]), default=float("inf"))

    def common(self, a: int, b: int) -> set[int]:
        return (self.above(a) | {a}) & (self.above(b) | {b})


@given(dags())
@examples(150)
def test_agrees_with_the_definitions(dag: tuple[int, Pairs]) -> None:
    size, pairs = dag
    hierarchy, naive = hierarchy_of(pairs, size), Naive(size, pairs)
    for row in range(size):
        assert hierarchy.ancestors(row).tolist() == sorted(naive.above(row))
        assert hierarchy.above(row) == set(naive.above(row))
        assert hierarchy.descendants(row).tolist() == sorted(naive.below(row))
        assert hierarchy.siblings(row).tolist() == sorted(
            {child for parent in naive.up[row] for child in naive.down[parent]} - {row}
        )
        assert hierarchy.depth(row) == min(naive.steps(row, root) for root in hierarchy.roots().tolist())
    for a, b in {(0, size - 1), (size // 2, size - 1), (0, size // 3)}:
        common = naive.common(a, b)
        expected = min((naive.steps(a, c) + naive.steps(b, c) for c in common), default=None)
        assert hierarchy.distance(a, b) == expected
        assert hierarchy.is_a(a, b) == (b in naive.above(a))
    rows = np.tile(np.arange(size), 2)
    groups = np.concatenate([np.arange(size) % 3, np.full(size, 3)])
    pairs_ = list(zip(rows.tolist(), groups.tolist(), strict=True))
    assert hierarchy.are_below_others(rows, groups).tolist() == [
        any((above, group) in pairs_ for above in naive.above(row)) for row, group in pairs_
    ]


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
    )
)
@examples(200)
def test_cutting_leaves_no_cycle_and_only_cuts_cycles(graph: tuple[int, Pairs]) -> None:
    size, pairs = graph
    edges = edges_of(pairs, size)
    cycles = find_cycles(edges)
    for cycle in cycles:
        assert cycle[0] == cycle[-1]
        assert all((a, b) in pairs for a, b in pairwise(cycle))
    rest = cut(edges, cycles)
    assert find_cycles(rest) == []
    assert len(rest.indices) == len(set(pairs)) - len(cycles)
    hierarchy = Hierarchy(rest, edges_of([], size))
    assert not any(row in hierarchy.parents(a) for row in range(size) for a in hierarchy.ancestors(row).tolist())


def test_the_cut_edge_is_the_last_of_the_walk_in_row_order() -> None:
    assert find_cycles(edges_of([(0, 1), (1, 2), (2, 0), (3, 3)], 4)) == [
        (0, 1, 2, 0),
        (3, 3),
    ]


def test_a_long_chain_needs_no_recursion() -> None:
    size = 5_000
    ring = [(row, (row + 1) % size) for row in range(size)]
    assert len(find_cycles(edges_of(ring, size))[0]) == size + 1
    assert hierarchy_of(ring[:-1], size).depth(0) == size - 1
