"""All pairs of names of the same concept, or of two related concepts. Vectorized, in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints32, Offsets, Rows
from ontonym.ragged import boundaries, spread

_BLOCK = 1 << 21
"""Pairs made at once, so that temporary arrays stay small beside the result."""


def within(texts: Rows, bounds: Offsets) -> Ints32:
    """All d(d-1)/2 pairs of each concept's d texts; the later text is the anchor, the earlier the positive.

    The texts of concept ``c`` are ``texts[bounds[c]:bounds[c + 1]]``.
    """
    counts = np.diff(bounds)
    ranks = np.arange(len(texts)) - np.repeat(bounds[:-1], counts)
    starts = np.repeat(bounds[:-1], counts)
    table = np.empty((int(ranks.sum()), 2), dtype=np.int32)
    for begin, end, rows in _blocks(ranks):
        table[begin:end, 0] = np.repeat(texts[rows], ranks[rows])
        table[begin:end, 1] = texts[spread(starts[rows], ranks[rows])]
    return table


def across(pairs: Rows, anchors: tuple[Rows, Offsets], positives: tuple[Rows, Offsets]) -> Ints32:
    """All pairs of a text of the first and a text of the second group of each pair, shape ``(pairs, 2)``.

    ``anchors`` and ``positives`` are texts and the bounds of each group in them.
    """
    (left, left_bounds), (right, right_bounds) = anchors, positives
    first = np.diff(left_bounds)[pairs[:, 0]]
    second = np.diff(right_bounds)[pairs[:, 1]]
    texts = left[spread(left_bounds[:-1][pairs[:, 0]], first)]
    widths = np.repeat(second, first)
    starts = np.repeat(right_bounds[:-1][pairs[:, 1]], first)
    table = np.empty((int(widths.sum()), 2), dtype=np.int32)
    for begin, end, rows in _blocks(widths):
        table[begin:end, 0] = np.repeat(texts[rows], widths[rows])
        table[begin:end, 1] = right[spread(starts[rows], widths[rows])]
    return table


def _blocks(widths: Rows) -> list[tuple[int, int, slice]]:
    """Ranges of rows with about `_BLOCK` pairs, each with the range of its pairs."""
    ends = boundaries(widths)
    blocks = []
    start = 0
    while start < len(widths):
        stop = max(int(np.searchsorted(ends, ends[start] + _BLOCK, side="right")) - 1, start + 1)
        blocks.append((int(ends[start]), int(ends[stop]), slice(start, stop)))
        start = stop
    return blocks


def distinct_pairs(pairs: Rows) -> Rows:
    """The pairs of distinct numbers, each once in either order; the first occurrence and the order are kept."""
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    keys = np.sort(pairs, axis=1)
    first = np.unique(keys[:, 0] << 32 | keys[:, 1], return_index=True)[1]
    kept: Rows = pairs[np.sort(first)]
    return kept


def apart(table: Ints32, values: npt.NDArray[np.signedinteger[Any]]) -> Ints32:
    """The pairs of texts with different values, such as their spelling without case and punctuation, or language."""
    kept: Ints32 = table[values[table[:, 0]] != values[table[:, 1]]]
    return kept
