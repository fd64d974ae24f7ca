"""The collection of a generation's names as the files of an index again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ontonym.errors import ArtifactError
from ontonym.index.shared.milvus.client import Milvus
from ontonym.index.shared.milvus.collections import int8_of
from ontonym.store.columns import NumberWriter, save_numbers
from ontonym.types import Progress

_NAMES = 1 << 13


def write_vectors(
    server: Milvus, collection: str, folder: Path, names: int, dim: int, progress: Progress | None
) -> None:
    """Writes the vectors of names."""
    with (folder / "dense.rows").open("w+b") as vectors:
        scales = NumberWriter(folder, "dense_scale", np.float32)
        for start in range(0, names, _NAMES):
            stop = min(start + _NAMES, names)
            rows = sorted(
                server.rows(collection, f"{start} <= row and row < {stop}", ["row", "vector"]),
                key=lambda entity: int(entity["row"]),
            )
            if len(rows) != stop - start:
                raise ArtifactError(f"{server.address.shown}: damaged: names are missing; load the index again")
            found = int8_of([row["vector"] for row in rows], dim)
            scales.extend(found.scales)
            vectors.write(found.ints.tobytes())
            if progress:
                progress("copying names", stop, names)
        scales.close()
        vectors.flush()
        save_numbers(folder, "dense_int8", np.memmap(vectors.name, dtype=np.int8, mode="r").reshape(names, -1))
    (folder / "dense.rows").unlink()
