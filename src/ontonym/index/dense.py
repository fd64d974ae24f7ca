"""The dense signal: cosine of encoder vectors, by an exact scan of sign bits and re-scoring in int8.

The scan takes the names whose sign bits differ least from the query's (`ontonym.index.signcodes`). Their similarity in
[-1, 1] is that of their int8 vectors to the float query. All files are memory-mapped; no graph is built.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Ints, Mask
from ontonym.encoder.protocol import Encoder, Vectors, WordEncoder
from ontonym.index.nearest import NOTHING_NEAR, Nearest, nearest_in_any_order, nearest_of
from ontonym.index.signcodes import SignCodes, candidates_for
from ontonym.resuming import Notes
from ontonym.store.columns import load_numbers
from ontonym.types import Advance

Arrays = tuple[npt.NDArray[Any], ...]

_FILES = ("dense_sign", "dense_int8", "dense_scale")
_TYPES = (np.uint8, np.int8, np.float32)
_CHUNK, _WORDED = 1 << 15, 1 << 16
"""Names that are encoded together, and by an encoder of words, which then encodes each word of theirs once."""

_NOTED = 1 << 19
"""Names after which it is noted how far the writer is."""

_ROUNDING = 1e-4
"""By how much rounding may set cosines that are computed together apart from those of one query."""

_BLOCK = 1 << 12
"""Names that are written together."""


class NamesToEncode(Protocol):
    """The names to be encoded."""

    @property
    def earlier_rows(self) -> Ints:
        """The row of each name in vectors made earlier, or -1."""
        ...

    def encoded(self, rows: Ints, encoder: Encoder) -> Vectors:
        """The vectors of the names in ``rows``, which ascend."""
        ...


@dataclass(frozen=True, slots=True)
class Encoded:
    """Vectors as an index stores them, by name row: sign bits, int8 values and one scale each."""

    arrays: Arrays

    @classmethod
    def open(cls, folder: Path, names: int | None = None) -> Encoded:
        """Opens the files of `write_dense` for so many names (None: any), memory-mapped; ValueError if they differ."""
        sign, ints, scale = _FILES
        vectors = load_numbers(folder, ints, np.int8, None, count=names)
        count, dim = vectors.shape
        signs = load_numbers(folder, sign, np.uint8, -(-dim // 8), count=count)
        return cls((signs, vectors, load_numbers(folder, scale, np.float32, count=count)))

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return int(self.arrays[1].shape[1])

    def take(self, rows: Ints) -> Arrays:
        """The sign bits, int8 values and scales of the names in ``rows``."""
        return tuple(array.take(rows, axis=0) for array in self.arrays)


class StepNotes:
    """What is noted of one step of a writer."""

    def __init__(self, notes: Notes, step: str) -> None:
        self._notes, self._step = notes, step

    @property
    def done(self) -> int:
        """How much is done."""
        return self._notes.done(self._step)

    def note(self, count: int, files: Sequence[Path]) -> None:
        """Notes that so much is done, for which these files stand."""
        self._notes.note(self._step, count, files)


class EarlierVectors(Protocol):
    """Vectors made earlier, in one folder (`Encoded`) or in several shards."""

    def take(self, rows: Ints) -> Arrays:
        """The sign bits, int8 values and scales of the names in ``rows``."""
        ...


def write_dense(
    folder: Path,
    names: NamesToEncode,
    encoder: Encoder,
    earlier: EarlierVectors | None = None,
    progress: Advance | None = None,
    notes: StepNotes | None = None,
) -> int:
    """Writes sign bits, int8 vectors and scales of all names; returns the number of names that were encoded.

    The vectors of ``earlier`` must come from the same encoder: a name that is in it is copied. ``progress`` counts
    names. ``notes`` say how many names a killed writer of the same vectors had written, which are then kept.
    """
    count = len(names.earlier_rows)
    known = names.earlier_rows if earlier is not None else np.full(count, -1, dtype=np.int64)
    shapes = ((-(-encoder.dim // 8),), (encoder.dim,), ())
    with ExitStack() as stack:
        done = noted = notes.done if notes is not None and earlier is None else 0
        places = [folder / f"{name}.npy" for name in _FILES]
        files = [stack.enter_context(place.open("r+b" if done else "wb")) for place in places]
        for file, dtype, shape in zip(files, _TYPES, shapes, strict=True):
            descr = np.lib.format.dtype_to_descr(np.dtype(dtype))
            header = {"descr": descr, "fortran_order": False, "shape": (len(known), *shape)}
            np.lib.format.write_array_header_1_0(file, header)
            file.seek(done * np.dtype(dtype).itemsize * math.prod(shape), os.SEEK_CUR)
            file.truncate()
        if progress and done:
            progress(done)
        for block in _blocks(names, known, encoder, earlier, done):
            for file, array in zip(files, block, strict=True):
                file.write(np.ascontiguousarray(array).data)
            done += len(block[0])
            if notes is not None and earlier is None and done - noted >= _NOTED:
                for file in files:
                    file.flush()
                notes.note(done, places)
                noted = done
            if progress:
                progress(len(block[0]))
    return int(np.count_nonzero(known < 0))


def _blocks(
    names: NamesToEncode, known: Ints, encoder: Encoder, earlier: EarlierVectors | None, start: int
) -> Iterator[Arrays]:
    """The arrays of the names from row ``start``, in blocks: copied if known, else encoded."""
    new = np.flatnonzero(known[start:] < 0) + start
    chunk = _WORDED if isinstance(encoder, WordEncoder) else _CHUNK
    for first in range(0, max(len(new), 1), chunk):
        rows = new[first : first + chunk]
        stop = len(known) if first + chunk >= len(new) else int(rows[-1]) + 1
        made = quantized(names.encoded(rows, encoder)) if len(rows) else ()
        while start < stop:
            end = min(start + _BLOCK, stop)
            places = known[start:end]
            fresh = slice(*np.searchsorted(rows, (start, end)).tolist())
            if earlier is None or fresh.stop - fresh.start == end - start:
                yield tuple(array[fresh] for array in made)
            elif fresh.stop == fresh.start:
                yield earlier.take(places)
            else:
                block = earlier.take(np.maximum(places, 0))  # a copy; those that are new have any vector first
                for array, encoded in zip(block, made, strict=True):
                    array[places < 0] = encoded[fresh]
                yield block
            start = end


def quantized(vectors: Vectors) -> Arrays:
    """Sign bits, int8 vectors and scales of vectors of shape ``(rows, dim)``."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
    ints = np.rint(vectors / scales[:, None]).astype(np.int8)
    return np.packbits(vectors > 0, axis=1), ints, scales.astype(np.float32)


class DenseSignal:
    """Searches the vectors of all names."""

    def __init__(self, encoded: Encoded) -> None:
        codes, self._vectors, self._scales = encoded.arrays
        self._codes = SignCodes(codes)
        self._names = len(self._scales)
        self.dim = encoded.dim

    def vectors(self, rows: Ints | slice) -> Vectors:
        """The vectors of the names in ``rows``, shape ``(rows, dim)``, of unit length except for int8 rounding."""
        own = self._vectors[rows] if isinstance(rows, slice) else self._vectors.take(rows, axis=0)
        vectors: Vectors = own.astype(np.float32)
        vectors *= self._scales[rows, None]
        return vectors

    def cosines(self, rows: Ints, query: Vectors) -> Floats:
        """The cosine of the names in ``rows`` to a query vector of shape ``(dim,)``."""
        near = self._vectors.take(rows, axis=0)  # a fifth of the time of indexing
        found: Floats = (near.astype(np.float32) @ query) * self._scales.take(rows)
        return found

    def nearest(self, query: Vectors, k: int, wanted: Mask | None = None) -> Nearest:
        """The ``k`` names of highest cosine to a query vector of shape ``(dim,)``; none for a zero vector.

        ``wanted`` is a bitmap of the names to scan.
        """
        (found,) = self.nearest_to_each(query[None], k, wanted)
        return nearest_of(*found, k)

    def nearest_to_each(
        self, queries: Vectors, k: int, wanted: Mask | None = None, leasts: Sequence[float] | None = None
    ) -> list[Nearest]:
        """The `nearest` names of each row of ``queries``, in any order, found in one scan; few are all compared.

        Names of a lower similarity than a query's own in ``leasts`` may be missing, which saves the time for them.
        """
        if wanted is None and self._names <= candidates_for(k):
            near = self._among_few(queries, k, leasts)
        else:
            near = self._by_codes(queries, k, wanted)
        pairs = zip(queries, near, strict=True)
        return [
            nearest_in_any_order(rows, self.cosines(rows, query), k) if len(rows) else NOTHING_NEAR
            for query, rows in pairs
        ]

    def _by_codes(self, queries: Vectors, k: int, wanted: Mask | None) -> list[Ints]:
        """For each query the names of the nearest sign codes; shards have codes of their own."""
        return [rows for _, rows in self._codes.nearest_to_each(queries, k, wanted)]

    def _among_few(self, queries: Vectors, k: int, leasts: Sequence[float] | None) -> list[Ints]:
        """For each query the names that may be among its ``k`` nearest; none for a zero vector."""
        cosines = np.array([self._every @ query for query in queries])  # in one product BLAS would wake its threads
        floors = np.full(len(queries), -np.inf) if leasts is None else np.array(leasts)
        if self._names > k and not np.isfinite(floors).all():
            floors = np.maximum(floors, np.partition(cosines, -k, axis=1)[:, -k])
        floors[~queries.any(axis=1)] = np.inf
        near = cosines >= floors[:, None] - _ROUNDING
        return [own.nonzero()[0] for own in near]

    @cached_property
    def _every(self) -> Vectors:
        """The vectors of all names."""
        return self.vectors(slice(0, self._names))
