"""The branches of a terminology, by whatever concept they are asked for first."""

from __future__ import annotations

import numpy as np
import pytest

from made import concept, opened
from ontonym.tasks.branches import branch_rows, nearest_first


def every_branch(terminology):
    """The rows of all branches, level by level from the roots down, as `branches_of` tells what a branch is."""
    hierarchy, count = terminology.hierarchy, len(terminology)
    level = {row for row in range(count) if not len(hierarchy.parents(row)) and len(hierarchy.children(row))}
    roots, found = level, set()
    while level:
        broad = {
            row for row in level
            if (row in roots and len(roots) == 1) or len(hierarchy.descendants(row)) + 1 > max(1, count // 2)
        }  # fmt: skip
        found |= level - broad
        level = {child for row in broad for child in hierarchy.children(row).tolist()}
    return found


@pytest.mark.parametrize("seed", range(8))
def test_branches_are_those_of_the_whole_terminology_in_any_order(tmp_path, seed):
    generator = np.random.default_rng(seed)
    above = [[one for one in range(number) if generator.random() * number < 1 + seed % 2] for number in range(30)]
    made = [concept(f"A:{n}", f"name {n}", parents=" ".join(f"A:{one}" for one in above[n])) for n in range(30)]
    with opened(tmp_path, made) as (terminology,):
        branches, edges = every_branch(terminology), terminology.hierarchy.parent_edges
        found = {row: branch_rows(terminology, row) for row in generator.permutation(30).tolist()}
        assert found == {row: [one for one in nearest_first(row, edges) if one in branches] for row in range(30)}
        assert any(found.values())
