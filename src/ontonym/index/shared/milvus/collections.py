"""The collections of a shared index in Milvus.

``NAME_log`` has a row for each state and each entry of the journal, ``NAME_file`` the files that clients copy, in
pieces, and ``NAME_name_…`` the names of a generation: row, sign code, and the int8 vector with its scale.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats
from ontonym.index.dense import Arrays
from ontonym.index.shared.milvus.client import LONG, Entity, Milvus
from ontonym.index.shared.vectors import Int8Vectors

FORMAT = 1
"""The version of the collections that this ontonym writes and reads."""

IN_TABLES = frozenset(f"{name}.npy" for name in ("dense_int8", "dense_scale"))
"""The files of an index whose content is asked of the collection of names."""

PART = 47_000
"""The most bytes of a file in one row: a text of Milvus has at most 65,535, and compressed noise is a little larger."""

LOG, FILE = "log", "file"
_LONGEST, _KEY = 65_535, 512
_UNUSED = 8  # a collection has to have vectors, and some need none


def names_of(fingerprint: str) -> str:
    """The collection with the names of the generation that was made of an index with this fingerprint."""
    return f"name_{fingerprint[:32]}"


def make(server: Milvus, name: str, dim: int = 0) -> None:
    """Makes a collection if it is missing: of names whose vectors have ``dim`` numbers, or of texts by key."""
    if server.has(name):
        return
    from pymilvus import DataType, MilvusClient

    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    if dim:
        schema.add_field("row", DataType.INT64, is_primary=True)
        schema.add_field("vector", DataType.VARCHAR, max_length=_encoded_size(dim))
        schema.add_field("code", DataType.BINARY_VECTOR, dim=dim)
    else:
        schema.add_field("id", DataType.VARCHAR, max_length=_KEY, is_primary=True)
        schema.add_field("kind", DataType.VARCHAR, max_length=_KEY)
        schema.add_field("data", DataType.VARCHAR, max_length=_LONGEST)
        schema.add_field("code", DataType.BINARY_VECTOR, dim=_UNUSED)
    server.call("create_collection", server.collection(name), schema=schema, consistency_level="Bounded", num_shards=1)


def search_in(server: Milvus, name: str) -> None:
    """Makes a collection searched: its vectors are scanned exactly."""
    from pymilvus import MilvusClient

    index = MilvusClient.prepare_index_params()
    index.add_index("code", index_type="BIN_FLAT", metric_type="HAMMING", params={})
    server.call("create_index", server.collection(name), index, timeout=LONG)
    server.call("load_collection", server.collection(name), timeout=LONG)


def text_row(key: str, kind: str, data: str) -> Entity:
    """A row of a collection of texts."""
    return {"id": key, "kind": kind, "data": data, "code": b"\0"}


def packed(data: bytes) -> str:
    """Bytes as a text."""
    return base64.b64encode(zlib.compress(data, 1)).decode("ascii")


def unpacked(data: str) -> bytes:
    """The bytes of a text."""
    return zlib.decompress(binascii.a2b_base64(data))


def name_entities(first: int, encoded: Arrays) -> list[dict[str, Any]]:
    """The rows of consecutive names, from row ``first`` on; ``encoded`` has their codes, int8 vectors and scales."""
    codes, ints, scales = encoded
    count, dim = ints.shape
    width = _record_size(dim)
    records = np.zeros((count, width), dtype=np.uint8)
    records[:, :dim] = ints.view(np.uint8)
    records[:, dim : dim + 4] = np.ascontiguousarray(scales, dtype="<f4").view(np.uint8).reshape(count, 4)
    text, size = base64.b64encode(records.tobytes()).decode("ascii"), _encoded_size(dim)
    return [
        {"row": first + number, "vector": text[number * size : (number + 1) * size], "code": codes[number].tobytes()}
        for number in range(count)
    ]


def int8_of(vectors: list[str], dim: int) -> Int8Vectors:
    """The vectors of names from the texts of their rows."""
    data = np.frombuffer(binascii.a2b_base64("".join(vectors)), dtype=np.uint8).reshape(-1, _record_size(dim))
    scales: npt.NDArray[np.float32] | Floats = np.ascontiguousarray(data[:, dim : dim + 4]).view("<f4").reshape(-1)
    return Int8Vectors(np.ascontiguousarray(data[:, :dim]).view(np.int8), scales)


def _record_size(dim: int) -> int:
    """The bytes of a vector and its scale, filled up so that base64 needs no padding and texts can be put together."""
    return -(-(dim + 4) // 3) * 3


def _encoded_size(dim: int) -> int:
    return _record_size(dim) // 3 * 4
