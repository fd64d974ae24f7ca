"""CSV of mappings for people and spreadsheets: one row a mapping, headers in words, and no cell that is a formula."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO

from ontonym.store.export.mappingfacts import MappingFacts, Written
from ontonym.store.mappings.rows import Row, denied
from ontonym.store.mappings.spreadsheet import HEADERS, TARGET_IS, guarded

_ALWAYS = frozenset(("subject_id", "subject_label", "predicate_id", "object_id", "object_label", "confidence"))
_NUL = "\0"


def write_table(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO) -> Written:
    """Writes mappings as CSV in UTF-8, with the mark by which spreadsheets know it; unused columns are left out."""
    given = {column for row in rows for column, value in row.items() if value}
    shown = [column for column in HEADERS if column in given or column in _ALWAYS]
    text = io.TextIOWrapper(out, encoding="utf-8-sig", newline="", write_through=True)
    try:
        table = csv.writer(text, lineterminator="\r\n")
        table.writerow([HEADERS[column] for column in shown])
        for row in rows:
            cells = {**row, "predicate_id": _relation(row)}
            table.writerow([guarded(cells.get(column, "").replace(_NUL, "")) for column in shown])
    finally:
        text.detach()
    return Written(len(rows), Counter())


def _relation(row: Row) -> str:
    word = TARGET_IS.get(row["predicate_id"], row["predicate_id"])
    return f"not {word}" if denied(row) else word
