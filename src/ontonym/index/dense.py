"""The dense signal: cosine of encoder vectors, by an exact scan of sign bits and re-scoring in int8.

The scan takes the ``_CANDIDATES`` names whose sign bits differ least from the query's. Their similarity in [-1, 1] is
that of their int8 vectors to the float query. All files are memory-mapped; no graph is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Ints, Mask
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.protocol import Nearest, nearest_in_any_order, nearest_of
from ontonym.store.columns import load_numbers
from ontonym.types import Advance

Arrays = tuple[npt.NDArray[Any], ...]

_FILES = ("dense_sign", "dense_int8", "dense_scale")
_TYPES = (np.uint8, np.int8, np.float32)
_CHUNK = 1 << 15
_BLOCK = 1 << 13
_CANDIDATES = 400
_NONE = Nearest(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


class NameTexts(Protocol):
    """The names to be encoded."""

    @property
    def known(self) -> Ints:
        """The row of each name in vectors made earlier, or -1."""
        ...

    def texts(self, rows: Ints) -> Sequence[str]:
        """The texts of the names in ``rows``, which ascend."""
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


def write_dense(
    folder: Path,
    names: NameTexts,
    encoder: Encoder,
    earlier: Encoded | None = None,
    progress: Advance | None = None,
) -> int:
    """Writes sign bits, int8 vectors and scales of all names; returns the number of names that were encoded.

    The vectors of ``earlier`` must come from the same encoder: a name that is in it is copied. ``progress`` counts
    names.
    """
    known = names.known if earlier is not None else np.full(len(names.known), -1, dtype=np.int64)
    shapes = ((-(-encoder.dim // 8),), (encoder.dim,), ())
    with ExitStack() as stack:
        files = [stack.enter_context((folder / f"{name}.npy").open("wb")) for name in _FILES]
        for file, dtype, shape in zip(files, _TYPES, shapes, strict=True):
            descr = np.lib.format.dtype_to_descr(np.dtype(dtype))
            header = {"descr": descr, "fortran_order": False, "shape": (len(known), *shape)}
            np.lib.format.write_array_header_1_0(file, header)
        for block in _blocks(names, known, encoder, earlier):
            for file, array in zip(files, block, strict=True):
                file.write(np.ascontiguousarray(array).data)
            if progress:
                progress(len(block[0]))
    return int(np.count_nonzero(known < 0))


def _blocks(names: NameTexts, known: Ints, encoder: Encoder, earlier: Encoded | None) -> Iterator[Arrays]:
    """The arrays of all names, in blocks: copied if known, else encoded."""
    (new,) = np.nonzero(known < 0)
    start = 0
    for first in range(0, max(len(new), 1), _CHUNK):
        rows = new[first : first + _CHUNK]
        stop = len(known) if first + _CHUNK >= len(new) else int(rows[-1]) + 1
        made = quantized(encoder.encode_names(names.texts(rows))) if len(rows) else ()
        while start < stop:
            end = min(start + _BLOCK, stop)
            places = known[start:end]
            fresh = slice(*np.searchsorted(rows, (start, end)).tolist())
            if earlier is None or fresh.stop - fresh.start == end - start:
                yield tuple(array[fresh] for array in made)
            elif fresh.stop == fresh.start:
                yield tuple(array.take(places, axis=0) for array in earlier.arrays)
            else:
                old = places >= 0
                block = tuple(np.empty((end - start, *array.shape[1:]), dtype=array.dtype) for array in earlier.arrays)
                for array, kept, encoded in zip(block, earlier.arrays, made, strict=True):
                    array[old], array[~old] = kept.take(places[old], axis=0), encoded[fresh]
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
        self._codes, self._vectors, self._scales = encoded.arrays
        self.dim = encoded.dim

    def vectors(self, rows: Ints | slice) -> Vectors:
        """The vectors of the names in ``rows``, shape ``(rows, dim)``, of unit length except for int8 rounding."""
        vectors: Vectors = self._vectors[rows].astype(np.float32) * self._scales[rows, None]
        return vectors

    def cosines(self, rows: Ints, query: Vectors) -> Floats:
        """The cosine of the names in ``rows`` to a query vector of shape ``(dim,)``."""
        found: Floats = (self._vectors[rows].astype(np.float32) @ query) * self._scales[rows]
        return found

    def nearest(self, query: Vectors, k: int, wanted: Mask | None = None) -> Nearest:
        """The ``k`` names of highest cosine to a query vector of shape ``(dim,)``; none for a zero vector.

        ``wanted`` is a bitmap of the names to scan.
        """
        (found,) = self.nearest_to_each(query[None], k, wanted)
        return nearest_of(*found, k)

    def nearest_to_each(self, queries: Vectors, k: int, wanted: Mask | None = None) -> list[Nearest]:
        """The `nearest` names of each row of ``queries``, in any order, found in one scan."""
        places = None if wanted is None else np.flatnonzero(wanted)
        if places is None:
            codes = self._codes
        elif len(places) and int(places[-1] - places[0]) + 1 == len(places):  # one terminology of several: no copy
            codes = self._codes[places[0] : places[-1] + 1]
        else:
            codes = self._codes[places]
        found = [_NONE] * len(queries)
        (asked,) = np.nonzero(queries.any(axis=1))
        if not len(asked) or not len(codes):
            return found
        import faiss

        faiss.omp_set_num_threads(1)  # on one thread: waking threads takes longer than the scan
        signs = np.packbits(queries[asked] > 0, axis=1)
        _, near = faiss.knn_hamming(signs, codes, min(max(_CANDIDATES, 4 * k), len(codes)), variant="mc")
        for number, rows in zip(asked.tolist(), near if places is None else places[near], strict=True):
            found[number] = nearest_in_any_order(rows, self.cosines(rows, queries[number]), k)
        return found
