"""Arrays of values, whatever their type."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ontonym.arrays import distinct


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.uint32, np.uint64])
@pytest.mark.parametrize("values", [[], [3], [5, 0, 5, 200, 0, 1], [[2, 1], [1, 7]]])
def test_the_different_values_are_those_that_numpy_gives(values: list[int], dtype: type[np.generic]) -> None:
    given = np.array(values, dtype=dtype)
    found = distinct(given)
    assert found.dtype == dtype
    assert found.tolist() == np.unique(given).tolist()


def test_masked_arrays_are_not_imported_for_it() -> None:
    asked = "import sys; from ontonym.arrays import distinct, np; distinct(np.arange(3)); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], stdout=subprocess.PIPE, text=True, check=True)
    assert "numpy.ma" not in done.stdout.split()
