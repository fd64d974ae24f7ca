"""Cells of tables as text, rows as CSV; what a spreadsheet would run as a formula gets an apostrophe before it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

import orjson

RAW_NOTE = "# cells: as they are"
"""The comment line before a table of ours whose cells are not `guarded`."""

_RISKY = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?\Z")


def guarded(text: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would run as a formula (OWASP, "CSV Injection").

    A plain number stays as it is.
    """
    return f"'{text}" if _RISKY.match(text) and not _NUMBER.match(text) else text


def unguarded(text: str) -> str:
    """What `guarded` made a cell of."""
    return text[1:] if _GUARDED.match(text) else text


def cell_text(value: Any) -> str:
    """A cell as text: empty for None, JSON for lists and objects, dates as ISO writes them, bytes as UTF-8.

    Parquet files of several programs have their texts as bytes.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list | dict | bool):
        return orjson.dumps(value, default=cell_text).decode()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def csv_line(cells: Sequence[object], line_end: str = "\n") -> str:
    """The row with its line end; cells with a delimiter, a quote or a line break of any kind are quoted."""
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)  # quotes the characters of the line end
    return line.getvalue().removesuffix("\r\n") + line_end
