"""The sign bits of vectors: the codes that differ least from a query's, found by an exact scan."""

from __future__ import annotations

import math

import numpy as np

from ontonym.arrays import Bytes, Floats, Ints, Mask

_CANDIDATES = 400
"""The least number of names whose int8 vectors are compared, those of the nearest sign bits. At a million names of 384
numbers each, 400 hold .998 of the ten nearest.
"""

_SAMPLE, _STEP = 1 << 12, 16
"""Codes by which it is guessed how far the last of the nearest is, at most one of so many."""

_MANY = 1 << 13
"""From so many codes on the guess saves more than it costs."""

_NONE = np.empty(0, dtype=np.int64)


def candidates_for(k: int) -> int:
    """How many names are scored where the ``k`` nearest are asked for."""
    return max(_CANDIDATES, 4 * k)


class SignCodes:
    """The codes of names by row, shape ``(names, bytes)``."""

    def __init__(self, codes: Bytes) -> None:
        self._codes = codes
        self._sample: Bytes | None = None

    def nearest(self, query: Floats, k: int, wanted: Mask | None) -> tuple[Ints, Ints]:
        """The distances in bits and the rows of the `candidates_for` ``k`` codes that differ least from a vector's, the
        nearest first, ties by lower row; none for a zero vector. ``wanted`` is a bitmap of the codes to scan.
        """
        (found,) = self.nearest_to_each(query[None], k, wanted)
        return found

    def nearest_to_each(self, queries: Floats, k: int, wanted: Mask | None) -> list[tuple[Ints, Ints]]:
        """The `nearest` codes to each row of ``queries``."""
        import faiss

        codes, places = self._codes, None if wanted is None else np.flatnonzero(wanted)
        if places is not None and len(places) and int(places[-1] - places[0]) + 1 == len(places):
            codes = codes[places[0] : places[-1] + 1]  # one terminology of several: no copy
        elif places is not None:
            codes = codes[places]
        found = [(_NONE, _NONE)] * len(queries)
        (asked,) = np.nonzero(queries.any(axis=1))
        if not len(asked) or not len(codes):
            return found
        faiss.omp_set_num_threads(1)  # on one thread: waking threads takes longer than the scan
        signs, count = np.packbits(queries[asked] > 0, axis=1), min(candidates_for(k), len(codes))
        for place, number in enumerate(asked.tolist()):  # all at once take longer: each keeps lists by distance
            sign = signs[place : place + 1]
            near = self._within_guess(sign, count) if places is None and len(codes) >= _MANY else None
            distances, rows = near or _nearest(codes, sign, count)
            found[number] = distances, rows if places is None else places[rows]
        return found

    def _within_guess(self, sign: Bytes, count: int) -> tuple[Ints, Ints] | None:
        """The ``count`` nearest codes to a code, or None if fewer are within the distance guessed by a sample of them.

        To scan for those within a distance takes half the time of keeping the nearest.
        """
        import faiss

        if self._sample is None:
            self._sample = self._codes[:: max(len(self._codes) // _SAMPLE, _STEP)].copy()
        sample, codes = self._sample, self._codes
        expected = count * len(sample) / len(codes)
        rank = min(math.ceil(expected + 4 * math.sqrt(expected) + 2), len(sample))  # seldom too few
        distances, _ = faiss.knn_hamming(sign, sample, rank, variant="mc")
        near, size = faiss.RangeSearchResult(1), codes.shape[1]
        addresses = faiss.swig_ptr(sign), faiss.swig_ptr(codes)
        faiss.hamming_range_search(*addresses, 1, len(codes), int(distances[0, -1]) + 1, size, near)
        held = int(faiss.rev_swig_ptr(near.lims, 2)[1])
        if held < count:
            return None
        bits = faiss.rev_swig_ptr(near.distances, held).astype(np.int16)  # sorted by radix, unlike wider numbers
        order = bits.argsort(kind="stable")[:count]  # they are in the order of rows
        return bits.take(order).astype(np.int64), faiss.rev_swig_ptr(near.labels, held).take(order)


def _nearest(codes: Bytes, sign: Bytes, count: int) -> tuple[Ints, Ints]:
    """The ``count`` nearest codes to a code."""
    import faiss

    distances, rows = faiss.knn_hamming(sign, codes, count, variant="mc")
    return distances[0].astype(np.int64), rows[0]
