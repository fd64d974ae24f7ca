"""Cells of tables as text, rows as CSV; what a spreadsheet would run as a formula gets an apostrophe before it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

import orjson

from ontonym.text.numbers import whole_number

RAW_NOTE = "# cells: as they are"
"""The comment line before a table of ours whose cells are not `guarded`."""

_RISKY = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?\Z")
_SPACED = re.compile(r"(?<=\d)[\s_'’](?=\d{3}(?!\d))")
_GROUPED = re.compile(r"([1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:[.,]0+)?")
_TWOFOLD = re.compile(r"[1-9]\d{0,2}\.000")

_MONTH = r"(?:jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sept?|oct|okt|nov|dec|dez)\.?"
_CHANGED = re.compile(
    rf"\d+(?:[.,]\d+)?e\+\d+|\d{{4}}-\d\d-\d\d(?:[T ].*)?|\d{{1,2}}([./])\d{{1,2}}\1(?:\d{{2}}){{1,2}}|"
    rf"\d{{1,2}}[-. ]{{1,2}}{_MONTH}(?:[-. ]\d{{2,4}})?|{_MONTH}[-. ]\d{{2,4}}|#(?:[A-ZÄÖÜ0/]+[!?]?)",
    re.IGNORECASE,
)


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


def whole(value: Any) -> Any:
    """A number without a fraction as an integer: where some cells are empty, programs make fractions of codes."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_spreadsheet_made(text: str) -> bool:
    """Whether a code looks as if a spreadsheet had made it of another: 1.00E+05 of 1E5, 1-Mar of MAR1, #REF!"""
    return _CHANGED.fullmatch(text) is not None


def whole_count(text: str) -> int | None:
    """The whole number that a cell of counts holds, as people of any country write it; None for anything else.

    1234, 1,234, 1.234, 1 234 and 1'234 are the same, and 7.0, 7,0 and 7.00 are 7. What may be two numbers (`twofold`)
    is none.
    """
    plain = _SPACED.sub("", text.strip())
    found = None if _TWOFOLD.fullmatch(plain) else _GROUPED.fullmatch(plain)
    return whole_number(re.sub("[,.]", "", found[1])) if found else None


def twofold(text: str) -> str:
    """The two numbers that a cell may mean, in words: 1.000 is 1 or 1000. Empty for any other cell."""
    plain = text.strip()
    return f"may be {plain[:-4]} or {plain.replace('.', '')}" if _TWOFOLD.fullmatch(plain) else ""


def csv_line(cells: Sequence[object], line_end: str = "\n") -> str:
    """The row with its line end; cells with a delimiter, a quote or a line break of any kind are quoted."""
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)  # quotes the characters of the line end
    return line.getvalue().removesuffix("\r\n") + line_end
