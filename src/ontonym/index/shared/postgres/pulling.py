"""The tables of a generation as the files of an index again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ontonym.index.shared.postgres.database import Database
from ontonym.store.columns import NumberWriter, save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.types import Progress

_NAMES = 1 << 14
_WORDS = 1 << 14


def write_names(database: Database, table: str, folder: Path, names: int, progress: Progress | None) -> None:
    """Writes the vectors of names, and the lookup of their words."""
    forms = np.empty(names, dtype=np.uint64)
    with (folder / "dense.rows").open("w+b") as vectors:
        for start in range(0, names, _NAMES):
            statement = f"SELECT form, vector FROM {table} WHERE row >= $1 AND row < $2 ORDER BY row"  # noqa: S608 (names are quoted, values go apart)
            rows = database.fetch(statement, start, start + _NAMES)
            forms[start : start + len(rows)] = np.array([row[0] for row in rows], dtype=np.int64).view(np.uint64)
            vectors.write(b"".join(row[1] for row in rows))
            if progress:
                progress("copying names", start + len(rows), names)
        vectors.flush()
        save_numbers(folder, "dense_int8", np.memmap(vectors.name, dtype=np.int8, mode="r").reshape(names, -1))
    (folder / "dense.rows").unlink()
    HashLookup.build(folder, "form", forms, np.arange(names))


def write_words(database: Database, table: str, folder: Path, progress: Progress | None) -> None:
    """Writes the inverted lists."""
    lists, worths = NumberWriter(folder, "word_name", np.uint32), NumberWriter(folder, "word_worth", np.float32)
    words = len(np.load(folder / "word_name.rows.npy", mmap_mode="r")) - 1
    for start in range(0, words, _WORDS):
        statement = (
            f"SELECT rows, worths FROM {table} "  # noqa: S608 (names are quoted, values go apart)
            "WHERE word >= $1 AND word < $2 ORDER BY word"
        )
        found = database.fetch(statement, start, start + _WORDS)
        lists.extend(np.frombuffer(b"".join(row[0] for row in found), dtype="<u4"))
        worths.extend(np.frombuffer(b"".join(row[1] for row in found), dtype="<f4"))
        if progress:
            progress("copying words", start + len(found), words)
    lists.close()
    worths.close()
