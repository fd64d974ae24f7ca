"""Arrays of values, whatever their type."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ontonym.arrays import begins, distinct, joined, places_in


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.uint32, np.uint64])
@pytest.mark.parametrize("values", [[], [3], [5, 0, 5, 200, 0, 1], [[2, 1], [1, 7]]])
def test_the_different_values_are_those_that_numpy_gives(values: list[int], dtype: type[np.generic]) -> None:
    given = np.array(values, dtype=dtype)
    found = distinct(given)
    assert found.dtype == dtype
    assert found.tolist() == np.unique(given).tolist()


@pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.uint64])
def test_a_place_in_an_ascending_array_is_the_first_of_equal_values(dtype: type[np.generic]) -> None:
    ordered = np.array([2, 5, 5, 9], dtype=dtype)
    assert places_in(ordered, np.array([9, 0, 5, 7, 2, 11], dtype=dtype)).tolist() == [3, -1, 1, -1, 0, -1]
    assert places_in(ordered, np.array([], dtype=dtype)).tolist() == []
    assert places_in(ordered[:0], np.array([2, 5], dtype=dtype)).tolist() == [-1, -1]


def test_runs_begin_where_a_column_changes() -> None:
    one, other = np.array([3, 3, 3, 1, 1]), np.array([0, 0, 7, 7, 7], dtype=np.uint8)
    assert begins(one).tolist() == [True, False, False, True, False]
    assert begins(one, other).tolist() == [True, False, True, True, False]
    assert begins(one[:0], other[:0]).tolist() == []


def test_no_arrays_end_to_end_are_an_empty_one() -> None:
    assert (joined([]).tolist(), joined([]).dtype, joined([], np.uint16).dtype) == ([], np.int64, np.uint16)
    assert joined(np.array([n, 9]) for n in (1, 2)).tolist() == [1, 9, 2, 9]


def test_masked_arrays_are_not_imported_for_it() -> None:
    asked = "import sys; from ontonym.arrays import distinct, np; distinct(np.arange(3)); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], stdout=subprocess.PIPE, text=True, check=True)
    assert "numpy.ma" not in done.stdout.split()
