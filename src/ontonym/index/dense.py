"""The dense signal: cosine of encoder vectors, found by an exact scan of sign bits and re-scored in int8.

The scan takes the ``_CANDIDATES`` names whose sign bits differ least from the query's; their int8 vectors against the
float query give the similarity in [-1, 1]. Everything is memory-mapped; there is no graph to build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.protocol import Nearest, nearest_of
from ontonym.store.columns import load_numbers

Ints = npt.NDArray[np.int64]

_CHUNK = 1 << 15
_CANDIDATES = 400


def write_dense(
    folder: Path,
    texts: Iterator[str],
    count: int,
    encoder: Encoder,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Encodes ``count`` names and writes their sign bits, int8 vectors and scales; ``progress`` counts names."""
    dim = encoder.dim
    codes = np.lib.format.open_memmap(folder / "dense_sign.npy", "w+", np.uint8, (count, -(-dim // 8)))
    vectors = np.lib.format.open_memmap(folder / "dense_int8.npy", "w+", np.int8, (count, dim))
    scales = np.lib.format.open_memmap(folder / "dense_scale.npy", "w+", np.float32, (count,))
    start = 0
    while chunk := list(islice(texts, _CHUNK)):
        encoded = encoder.encode(chunk)
        stop = start + len(chunk)
        codes[start:stop] = np.packbits(encoded > 0, axis=1)
        scale = np.maximum(np.abs(encoded).max(axis=1), 1e-12) / 127
        scales[start:stop] = scale
        vectors[start:stop] = np.rint(encoded / scale[:, None])
        start = stop
        if progress:
            progress(len(chunk))
    for array in (codes, vectors, scales):
        array.flush()


class DenseSignal:
    """Searches the vectors of all names."""

    def __init__(self, folder: Path) -> None:
        self._codes = load_numbers(folder, "dense_sign")
        self._vectors = load_numbers(folder, "dense_int8")
        self._scales = load_numbers(folder, "dense_scale")

    def vectors(self, rows: Ints) -> Vectors:
        """The vectors of the names in ``rows``, unit length but for int8 rounding, shape ``(len(rows), dim)``."""
        vectors: Vectors = self._vectors[rows].astype(np.float32) * self._scales[rows, None]
        return vectors

    def nearest(self, query: Vectors, k: int, wanted: npt.NDArray[np.bool_] | None = None) -> Nearest:
        """The ``k`` names of highest cosine to a query vector of shape ``(dim,)``; none for a vector of zeros.

        ``wanted`` is a bitmap over names that the scan keeps to.
        """
        places = None if wanted is None else np.flatnonzero(wanted)
        codes = self._codes if places is None else self._codes[places]
        if not query.any() or not len(codes):
            return Nearest(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
        import faiss

        faiss.omp_set_num_threads(1)  # a scan takes less time than waking threads for it
        code = np.packbits(query > 0)[None]
        _, found = faiss.knn_hamming(code, codes, min(max(_CANDIDATES, 4 * k), len(codes)))
        rows = found[0] if places is None else places[found[0]]
        return nearest_of(rows, self.vectors(rows) @ query, k)
