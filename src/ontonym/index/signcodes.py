"""The sign bits of vectors: the codes that differ least from a query's, found by an exact scan."""

from __future__ import annotations

import math

import numpy as np

from ontonym.arrays import Bytes, Floats, Ints, Ints16, Mask

_CANDIDATES = 400
"""The least number of names whose int8 vectors are compared, those of the nearest sign bits. At a million names of 384
numbers each, 400 hold .998 of the ten nearest.
"""

_SAMPLE, _STEP = 1 << 12, 16
"""Codes by which it is guessed how far the last of the nearest is, at most one of so many."""

_MANY = 1 << 13
"""From so many codes on the guess saves more than it costs."""

_BLOCK = 1 << 15
"""Codes that all queries are compared with before the next ones: 1 MB of 256 bits each, which stay in the cache."""

_WORD = 8
"""Bytes that are compared at once: longer codes are multiples of it."""

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
        is_guessed = places is None and len(codes) >= _MANY and codes.shape[1] % _WORD == 0
        within = self._within_guesses(signs, count) if is_guessed else [None] * len(asked)
        for place, (number, near) in enumerate(zip(asked.tolist(), within, strict=True)):
            # all at once take longer: each keeps lists by distance
            distances, rows = near or _nearest(codes, signs[place : place + 1], count)
            found[number] = distances, rows if places is None else places[rows]
        return found

    def _within_guesses(self, signs: Bytes, count: int) -> list[tuple[Ints, Ints] | None]:
        """The ``count`` nearest codes to each of some codes, or None if fewer are within the distance guessed for it by
        a sample of them.

        To compare those within a distance takes half the time of keeping the nearest.
        """
        import faiss

        if self._sample is None:
            self._sample = self._codes[:: max(len(self._codes) // _SAMPLE, _STEP)].copy()
        sample, codes = self._sample, self._codes
        expected = count * len(sample) / len(codes)
        rank = min(math.ceil(expected + 4 * math.sqrt(expected) + 2), len(sample))  # seldom too few
        guesses = faiss.knn_hamming(signs, sample, rank, variant="mc")[0][:, -1].tolist()
        bits: list[list[Ints16]] = [[] for _ in signs]
        rows: list[list[Ints]] = [[] for _ in signs]
        every = np.empty(min(_BLOCK, len(codes)), dtype=np.int32)
        for start in range(0, len(codes), _BLOCK):
            block = codes[start : start + _BLOCK]
            apart, addresses = every[: len(block)], (faiss.swig_ptr(block), faiss.swig_ptr(every))
            for place, (sign, guess) in enumerate(zip(signs, guesses, strict=True)):
                faiss.hammings(faiss.swig_ptr(sign), addresses[0], 1, len(block), codes.shape[1], addresses[1])
                (near,) = (apart <= guess).nonzero()
                bits[place].append(apart.take(near).astype(np.int16))
                rows[place].append(near + start)
        return [_first(np.concatenate(few), np.concatenate(at), count) for few, at in zip(bits, rows, strict=True)]


def _first(bits: Ints16, rows: Ints, count: int) -> tuple[Ints, Ints] | None:
    """The ``count`` rows of the lowest distances, with these, ties by lower row as the rows are; None of fewer."""
    if len(rows) < count:
        return None
    order = bits.argsort(kind="stable")[:count]  # 16 bits are sorted by radix
    return bits.take(order).astype(np.int64), rows.take(order)


def _nearest(codes: Bytes, sign: Bytes, count: int) -> tuple[Ints, Ints]:
    """The ``count`` nearest codes to a code."""
    import faiss

    distances, rows = faiss.knn_hamming(sign, codes, count, variant="mc")
    return distances[0].astype(np.int64), rows[0]
