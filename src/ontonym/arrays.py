"""The types of numpy arrays that the package passes around, each named once, and what is done with them everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
"""What encoders and signals compute with."""
Doubles = npt.NDArray[np.float64]
"""What figures and confidences are computed with."""

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
"""Places in a column or table, from 0."""
Offsets = npt.NDArray[np.int64]
"""Where each of n things begins, and where the last ends: n + 1 numbers that never fall."""
AnyInts = npt.NDArray[np.integer[Any]]

Bytes = npt.NDArray[np.uint8]
Rows32 = npt.NDArray[np.uint32]
"""Rows as they lie on disk."""
Ints32 = npt.NDArray[np.int32]
Ints16 = npt.NDArray[np.int16]
Hashes = npt.NDArray[np.uint64]

Mask = npt.NDArray[np.bool_]
"""Which rows are wanted."""
Column = npt.NDArray[Any]

Tensor = Any
"""A ``torch.Tensor``; torch is imported where one is computed with."""


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The different values of an array, ascending, as `numpy.unique` gives them: it imports masked arrays for a check,
    which takes as long as a search does.
    """
    ordered = np.sort(values, axis=None)
    found: npt.NDArray[Any] = ordered[begins(ordered)]
    return found


def begins(*columns: Column) -> Mask:
    """True where a run of equal rows begins: at the first, and where a column differs from the place before."""
    found = np.ones(len(columns[0]), dtype=np.bool_)
    found[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        found[1:] |= column[1:] != column[:-1]
    return found


def joined(parts: Iterable[Column], dtype: npt.DTypeLike = np.int64) -> Column:
    """Arrays end to end; an empty one of this type where there are none."""
    return np.concatenate([*parts, np.zeros(0, dtype=dtype)])


def places_in(ordered: npt.NDArray[Any], values: npt.NDArray[Any]) -> Rows:
    """The place of each value in an ascending array (the first of equal ones), -1 where it is not in it."""
    if not len(ordered):
        return np.full(len(values), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.where(ordered[places] == values, places, -1)
