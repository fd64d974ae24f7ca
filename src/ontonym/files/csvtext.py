"""CSV as RFC 4180 has it, read by one rule: cells may be long, and hold line breaks of every kind."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from ontonym.errors import FormatError
from ontonym.files.source import MAX_LINE


class CsvReader(Protocol):
    """The rows of a CSV; ``line_num`` is the number of the lines read so far."""

    @property
    def line_num(self) -> int:
        """The 1-based number of the last line of the row that was read last."""
        ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


def csv_reader(lines: Iterable[str], delimiter: str, *, strict: bool = False, quotes: bool = True) -> CsvReader:
    """The rows of lines that end with a line break; ``csv.Error`` for what is not CSV.

    Without ``quotes``, they are characters of the text like others. A cell may have as many characters as a line
    may have bytes, not Python's 131,072; that limit is one of the whole process, and is only ever raised here.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    return csv.reader(
        lines, delimiter=delimiter, strict=strict, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    )


def csv_rows(path: Path, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The rows of a file's text, each with the number of its last line; FormatError for what is not CSV."""
    reader = csv_reader(io.StringIO(text, newline=""), delimiter)
    try:
        return [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise FormatError(path, f"not CSV: {error}", line=reader.line_num) from None
