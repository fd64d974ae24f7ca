"""Which concepts the encoder holds for near: the hard negatives of a batch (extra ``train``; numpy and faiss)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Rows
from ontonym.encoder.protocol import Vectors
from ontonym.learning.encoders.training import Lesson

_MANY = 20_000
"""Concepts from which on the scan is no longer exact."""


def nearest_concepts(encode: Callable[[Rows], Vectors], lesson: Lesson, count: int, seed: int) -> npt.NDArray[np.int32]:
    """For each concept the ``count`` nearest others that it shares neither meaning nor name with, -1 for none.

    Shape ``(concepts, count)``. Concepts stand for their first text among those of the examples.
    """
    import faiss

    texts = lesson.texts
    size = int(texts.concepts.max(initial=-1)) + 1
    used = np.unique(lesson.table(0))
    concepts, places = np.unique(texts.concepts[used], return_index=True)
    vectors = encode(used[places].astype(np.int64))
    faiss.omp_set_num_threads(1)
    scan = faiss.IndexFlatIP(vectors.shape[1])
    if len(vectors) > _MANY:
        scan = faiss.IndexIVFFlat(scan, vectors.shape[1], 256, faiss.METRIC_INNER_PRODUCT)
        scan.cp.seed = seed + 1
        scan.train(vectors[:: max(1, len(vectors) // _MANY)])
        scan.nprobe = 8
    scan.add(vectors)
    found = scan.search(vectors, 3 * count + 1)[1]
    meanings = np.full(size, -1, dtype=np.int64)
    meanings[concepts] = texts.meanings[used[places]]
    near = np.where(found >= 0, concepts[found], -1)
    theirs, ours = meanings[near], meanings[concepts][:, None]
    kin = texts.kin
    akin = np.repeat(np.arange(len(kin.indptr) - 1), np.diff(kin.indptr)) << 32 | kin.indices
    other = (near >= 0) & (theirs != ours) & ~np.isin(ours << 32 | theirs, akin)
    order = np.argsort(~other, axis=1, kind="stable")[:, :count]
    kept = np.where(np.take_along_axis(other, order, 1), np.take_along_axis(near, order, 1), -1)
    nearest = np.full((size, count), -1, dtype=np.int32)
    nearest[concepts] = kept
    return nearest
