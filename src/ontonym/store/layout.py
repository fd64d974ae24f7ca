"""Which columns a terminology folder has: the one table that the writer and the reader of the store share.

A group is what a concept has any number of; ``GROUP.rows.npy`` says where each concept's part begins. Columns with a
table of names hold numbers that point into ``tables.json``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson

from ontonym.errors import UnknownNameError
from ontonym.types import KINDS, SCOPES, STATUSES

TABLES_FILE = "tables.json"


@dataclass(frozen=True, slots=True)
class Group:
    """The columns of one group: a text column or none, and number columns by name."""

    text: str | None = None
    numbers: dict[str, npt.DTypeLike] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, the text first."""
        return (*([self.text] if self.text else []), *self.numbers)


GROUPS: dict[str, Group] = {
    "terms": Group(
        "term_text",
        {
            "term_kind": np.uint8,
            "term_scope": np.uint8,
            "term_status": np.uint8,
            "term_language": np.uint32,
            "term_source": np.uint32,
            "term_hash": np.uint64,
        },
    ),
    "parents": Group("parents"),
    "relations": Group("relation_target", {"relation_predicate": np.uint32}),
    "definitions": Group("definitions"),
    "tags": Group(None, {"tag": np.uint32}),
    "alternative_ids": Group("alternative_ids"),
    "replaced_by": Group("replaced_by"),
    "consider": Group("consider"),
    "xrefs": Group("xrefs"),
}

TEMPORARY = ("term_hash",)
"""Columns that only the build needs."""

SAME_TERM = ("term_text", "term_kind", "term_language")
"""Two terms of a concept with the same text, kind and language are one; the first published stays."""

CLOSED_TABLES: dict[str, tuple[str, ...]] = {"kind": KINDS, "scope": SCOPES, "status": STATUSES}
OPEN_TABLES = ("language", "source", "predicate", "tag")


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

    def encode(self, table: str, names: Iterable[str]) -> list[int]:
        """The numbers of several names."""
        return [self.code(table, name) for name in names]

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
