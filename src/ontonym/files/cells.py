"""Cells of tables that people open in a spreadsheet: what it would run as a formula gets an apostrophe before it."""

from __future__ import annotations

import re

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
