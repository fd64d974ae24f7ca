"""Which files a terminology folder has: the one table that the writer and the reader of the store share.

Every group of `ontonym.ontology.batch.GROUPS` has its columns, and ``GROUP.rows.npy`` says where each concept's part
begins. Columns with a table of names hold numbers that point into ``tables.json``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson

from ontonym.arrays import Rows32
from ontonym.errors import UnknownNameError
from ontonym.ontology.batch import CLOSED_TABLES, GROUPS

TABLES_FILE = "tables.json"

TERM_HASH = "term_hash"
"""The hash of every term's folded text, a column that only the build needs."""

SAME_TERM = ("term_text", "term_kind", "term_language")
"""Two terms of a concept with the same text, kind and language are one; the first published stays."""

OPEN_TABLES = tuple(
    dict.fromkeys(table for group in GROUPS.values() for table in group.coded.values() if table not in CLOSED_TABLES)
)


def number_columns(group: str) -> dict[str, npt.DTypeLike]:
    """The number columns of a group and their types, those that point into tables first."""
    layout = GROUPS[group]
    coded = {name: np.uint8 if table in CLOSED_TABLES else np.uint32 for name, table in layout.coded.items()}
    return {**coded, **layout.numbers}


class Tables:
    """Names to small numbers, in the order in which the names first came."""

    def __init__(self, names: dict[str, list[str]] | None = None) -> None:
        given = names or {
            **{table: list(valid) for table, valid in CLOSED_TABLES.items()},
            **{table: [] for table in OPEN_TABLES},
        }
        self.codes: dict[str, dict[str, int]] = {
            table: {name: code for code, name in enumerate(listed)} for table, listed in given.items()
        }

    def code(self, table: str, name: str) -> int:
        """The number of a name; a new one where the table is open, else `UnknownNameError`."""
        codes = self.codes[table]
        code = codes.get(name)
        if code is None:
            if table in CLOSED_TABLES:
                raise UnknownNameError(table, name, codes)
            code = codes[name] = len(codes)
        return code

    def encode(self, table: str, names: Sequence[str]) -> Rows32:
        """The numbers of several names."""
        return np.array([self.code(table, name) for name in names], dtype=np.uint32)

    def names(self, table: str) -> tuple[str, ...]:
        """The names of a table; a number in a column is the place in it."""
        return tuple(self.codes[table])

    def save(self, folder: Path) -> None:
        """Writes ``tables.json``."""
        listed = {table: list(codes) for table, codes in self.codes.items()}
        (folder / TABLES_FILE).write_bytes(orjson.dumps(listed, option=orjson.OPT_INDENT_2))

    @classmethod
    def open(cls, folder: Path) -> Tables:
        """The tables that `save` wrote."""
        return cls(orjson.loads((folder / TABLES_FILE).read_bytes()))
