"""Arrays of values, whatever their type."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ontonym.arrays import distinct, places_in


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


def test_masked_arrays_are_not_imported_for_it() -> None:
    asked = "import sys; from ontonym.arrays import distinct, np; distinct(np.arange(3)); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], stdout=subprocess.PIPE, text=True, check=True)
    assert "numpy.ma" not in done.stdout.split()
