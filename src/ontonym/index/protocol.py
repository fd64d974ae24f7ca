"""The result of every signal: the name rows nearest to a query, with a similarity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Nearest(NamedTuple):
    """Name rows, nearest first, and their similarities (higher is closer; the range is the signal's own)."""

    rows: npt.NDArray[np.int64]
    similarities: npt.NDArray[np.float32]


def nearest_of(rows: npt.NDArray[np.int64], similarities: npt.NDArray[np.float32], k: int) -> Nearest:
    """The ``k`` rows of highest similarity, highest first, ties by lower row."""
    if len(rows) > k:
        edge = np.partition(similarities, len(rows) - k)[len(rows) - k]
        kept = similarities >= edge  # all rows tied at the cut, so that ties do not depend on the partition
        rows, similarities = rows[kept], similarities[kept]
    order = np.lexsort((rows, -similarities))[:k]
    return Nearest(rows[order], similarities[order])
