"""Ragged arrays: lists of different lengths, end to end in one array, with the bounds of each.

So an index keeps the words of names, and a terminology the terms of concepts: the lists ``[7, 9]``, ``[]``, ``[4]``
are the values ``[7, 9, 4]`` with the bounds ``[0, 2, 2, 3]``, and list i is ``values[bounds[i]:bounds[i + 1]]``. All
lists are computed with at once:

- the lengths are ``np.diff(bounds)``, and the bounds are `boundaries` of the lengths
- the values of some lists are ``values[spread(starts, lengths)]``
- something of each list becomes something of each value by ``repeat(lengths)``, and the list that each value is in is
  `owners_of` the lengths
- the values of each list become one by ``np.add.reduceat(values, starts)`` or another ``reduceat``, where no list is
  empty; where some are, a sum is ``total[bounds[1:]] - total[bounds[:-1]]`` of a running total that begins with 0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Offsets, Rows

_LONG_RANGE = 512
"""Ranges of so many values on average are faster copied one by one than gathered."""


def boundaries(lengths: npt.NDArray[Any]) -> Offsets:
    """Where ranges of these lengths begin when laid end to end, with the end: one more than ``lengths``."""
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    lengths.cumsum(out=bounds[1:])
    return bounds


def owners_of(lengths: AnyInts | Sequence[int]) -> Rows:
    """The range that each value is in: ``owners_of([2, 0, 1])`` is ``[0, 0, 2]``."""
    return np.arange(len(lengths)).repeat(lengths)


def spread(starts: AnyInts, lengths: AnyInts, within: int | None = None) -> Offsets:
    """The positions of ranges end to end: ``spread([5, 9], [2, 3])`` is ``[5, 6, 9, 10, 11]``.

    ``within`` is the length of the column that the ranges are of, where they were read from a file: a range that leads
    out of it raises ValueError, and no memory is taken for it.
    """
    if within is not None:
        check_ranges(starts, lengths, within)
    ends = lengths.cumsum(dtype=np.int64)
    places: Offsets = (lengths - ends + starts).repeat(lengths)
    places += np.arange(len(places))
    return places


def ranges_of(columns: Sequence[npt.NDArray[Any]], starts: AnyInts, lengths: AnyInts) -> list[npt.NDArray[Any]]:
    """The values of ranges of each of some columns of one length, end to end.

    They are ``column[spread(starts, lengths)]``, and long ranges are found faster. A range that leads out of the
    columns raises ValueError.
    """
    within = len(columns[0])
    if len(lengths) * _LONG_RANGE > lengths.sum():
        places = spread(starts, lengths, within)
        return [column.take(places) for column in columns]
    check_ranges(starts, lengths, within)
    spans = [slice(start, start + length) for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
    return [np.concatenate([column[span] for span in spans] or [column[:0]]) for column in columns]


def runs(starts: AnyInts, lengths: AnyInts) -> tuple[AnyInts, AnyInts]:
    """The starts and lengths of the same values as fewer ranges: those that follow one another are one."""
    if not len(starts):
        return starts, lengths
    ends = starts + lengths
    (first,) = np.nonzero(np.append(True, starts[1:] != ends[:-1]))
    return starts[first], ends[np.append(first[1:], len(ends)) - 1] - starts[first]


def check_ranges(starts: AnyInts, lengths: AnyInts, within: int) -> None:
    """Raises ValueError where a range leads out of a column of ``within`` values."""
    first = starts if starts.dtype == np.int64 else starts.astype(np.int64)
    size = lengths if lengths.dtype == np.int64 else lengths.astype(np.int64)
    after = within - first
    signs = first | size
    signs |= after
    after -= size
    signs |= after
    if np.bitwise_or.reduce(signs) < 0:  # one of them is negative
        raise ValueError(f"a range leads out of its {within} values")


def end_to_end(arrays: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Arrays end to end; no copy of a single one."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
