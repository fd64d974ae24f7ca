"""What every signal gives: the name rows nearest to a query, each with its similarity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_BLOCKS = 4
"""Blocks, for each of the ``k`` nearest, of which the highest similarity is looked at first."""
_LEAST_SIZE = 4
"""Blocks of fewer rows save no time."""


class Nearest(NamedTuple):
    """Name rows, nearest first, and their similarities (higher is closer; the range is the signal's own)."""

    rows: npt.NDArray[np.int64]
    similarities: npt.NDArray[np.float32]


NOTHING_NEAR = Nearest(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


def nearest_of(rows: npt.NDArray[np.int64], similarities: npt.NDArray[np.float32], k: int) -> Nearest:
    """The ``k`` rows of highest similarity, highest first, ties by lower row."""
    if len(rows) > k:
        edge = np.partition(similarities, len(rows) - k)[len(rows) - k]
        kept = similarities >= edge  # all rows tied at the cut, so that ties do not depend on the partition
        rows, similarities = rows[kept], similarities[kept]
    order = np.lexsort((rows, -similarities))[:k]
    return Nearest(rows[order], similarities[order])


def nearest_in_any_order(rows: npt.NDArray[np.int64], similarities: npt.NDArray[np.float32], k: int) -> Nearest:
    """The same rows as of `nearest_of`, in any order, which takes half the time."""
    if len(rows) <= k:
        return Nearest(rows, similarities)
    size = len(rows) // (_BLOCKS * k)
    if size >= _LEAST_SIZE:  # what is below k of the highest of blocks need not be partitioned
        highest = similarities[: _BLOCKS * k * size].reshape(size, _BLOCKS * k).max(axis=0)
        highest.partition(-k)
        (kept,) = (similarities >= highest[-k]).nonzero()  # places select twice as fast as a mask
        rows, similarities = rows[kept], similarities[kept]
    ordered = similarities.copy()
    ordered.partition(len(rows) - k)
    (kept,) = (similarities >= ordered[len(rows) - k]).nonzero()
    rows, similarities = rows[kept], similarities[kept]
    return Nearest(rows, similarities) if len(rows) == k else nearest_of(rows, similarities, k)
