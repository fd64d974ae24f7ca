"""Rows of tables in PostgreSQL's binary format, made from columns: what COPY takes, several times as fast as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Ints

NAME_COLUMNS = ("row", "concept", "form", "vector", "text")
POSTING_COLUMNS = ("word", "text", "rows", "worths")


def name_rows(
    first: int,
    concepts: AnyInts,
    forms: npt.NDArray[np.uint64],
    vectors: npt.NDArray[np.int8],
    texts: Sequence[str],
) -> bytes:
    """The rows of consecutive names, from row ``first`` on; ``vectors`` are their int8 vectors."""
    count, dim = vectors.shape
    fixed = np.zeros(
        count,
        dtype=[
            ("fields", ">i2"), ("row_size", ">i4"), ("row", ">i4"), ("concept_size", ">i4"), ("concept", ">i4"),
            ("form_size", ">i4"), ("form", ">i8"), ("vector_size", ">i4"), ("vector", np.int8, (dim,)),
        ],
    )  # fmt: skip
    given = {
        "fields": len(NAME_COLUMNS), "row_size": 4, "row": np.arange(first, first + count), "concept_size": 4,
        "concept": concepts, "form_size": 8, "form": forms.view(np.int64), "vector_size": dim, "vector": vectors,
    }  # fmt: skip
    for name, values in given.items():
        fixed[name] = values
    data, size = memoryview(fixed.tobytes()), fixed.itemsize
    pieces: list[bytes | memoryview] = []
    for number, text in enumerate(texts):
        pieces += (data[number * size : (number + 1) * size], _sized(_storable(text)))
    return b"".join(pieces)


def posting_rows(
    first: int, texts: Sequence[str], bounds: Ints, rows: npt.NDArray[np.uint32], worths: npt.NDArray[np.float32]
) -> bytes:
    """The rows of consecutive words, from number ``first`` on; ``bounds`` say where the list of each begins and ends.

    ``rows`` and ``worths`` are the lists end to end.
    """
    begun, sized = int(bounds[0]), (bounds - bounds[0]).tolist()
    lists, weights = (
        memoryview(np.ascontiguousarray(array[begun : int(bounds[-1])], dtype=dtype).tobytes())
        for array, dtype in ((rows, "<u4"), (worths, "<f4"))
    )
    head = len(POSTING_COLUMNS).to_bytes(2, "big")
    pieces: list[bytes | memoryview] = []
    for number, text in enumerate(texts):
        here = slice(4 * sized[number], 4 * sized[number + 1])
        pieces += (
            head, _sized((first + number).to_bytes(4, "big")), _sized(_storable(text)),
            (here.stop - here.start).to_bytes(4, "big"), lists[here],
            (here.stop - here.start).to_bytes(4, "big"), weights[here],
        )  # fmt: skip
    return b"".join(pieces)


def _storable(text: str) -> bytes:
    return text.replace("\0", " ").encode(errors="replace")  # a text of PostgreSQL has no NUL


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data
