"""Tables in binary files, Excel workbooks (xlsx) and Parquet: their rows as streams, and the same as CSV."""

from __future__ import annotations

import zipfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, time
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ontonym.errors import FormatError, MissingExtraError
from ontonym.files.cells import cell_text, csv_line

SHEET = "xlsx"
PARQUET = "parquet"
BINARY = MappingProxyType({SHEET: (".xlsx", ".xlsm"), PARQUET: (".parquet", ".pq")})
"""The endings of each format."""

_LARGEST = 4 << 30
"""Bytes that an unpacked workbook may have."""
_HEAD = 4096
_BATCH = 4096


def binary_format(name: str) -> str | None:
    """The format of a binary table by the ending of its file's name; None for any other file."""
    return next((form for form, endings in BINARY.items() if name.lower().endswith(endings)), None)


@dataclass(frozen=True)
class TableAsCsv:
    """A place where the first sheet of a workbook, or a Parquet file, is read as CSV.

    Workbooks leave out the empty cells at the end of a row: rows are as wide as the header, or as their last cell. Rows
    without cells stay as blank lines, but for those before the header.
    """

    path: Path
    format: str
    seekable: bool = field(default=False, init=False)

    def open(self, stack: ExitStack) -> _CsvStream:
        """The table from its first byte; FormatError, MissingExtraError as `sheet_rows`."""
        rows = _text_rows(self.path, self.format)
        stack.callback(rows.close)
        return _CsvStream(rows)


class _CsvStream:
    """Rows as the bytes of a CSV, made as they are read."""

    def __init__(self, rows: Iterator[list[str]]) -> None:
        self._rows = rows
        self._left = b""

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes, more than none but at the end."""
        while not self._left and (row := next(self._rows, None)) is not None:
            self._left = (csv_line(row, "\r\n") if row else "\r\n").encode(errors="replace")
        given, self._left = self._left[:size], self._left[size:]
        return given


def _text_rows(path: Path, format: str) -> Generator[list[str]]:
    width = 0
    if format == PARQUET:
        yield parquet_columns(path)[0]
    for _, row in parquet_rows(path) if format == PARQUET else sheet_rows(path):
        cells = [cell_text(cell) for cell in row]
        filled = max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)
        width = width or filled
        if width:
            yield [*cells[:filled], *[""] * (width - filled)] if filled else []


def sheet_rows(path: Path | str) -> Iterator[tuple[int, list[Any]]]:
    """The rows of the first sheet of a workbook with their numbers; of formulas, the values that were last computed.

    Raises FormatError for what is no workbook or is made to harm, MissingExtraError without openpyxl.
    """
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingExtraError("openpyxl", "tables", "an xlsx file") from error
    with _told(path, "an Excel workbook (xlsx)"):
        _check_package(Path(path))
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            sheet = book.worksheets[0]
            sheet.reset_dimensions()
            for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
                yield number, [_without_midnight(value) for value in row]
        finally:
            book.close()


def _without_midnight(value: Any) -> Any:
    """A date of a workbook, which has no dates but with a time, as the date alone."""
    return value.date() if isinstance(value, datetime) and value.time() == time.min else value


def _check_package(path: Path) -> None:
    """FormatError for a workbook that would fill the memory, or whose XML declares entities."""
    with zipfile.ZipFile(path) as package:
        if sum(one.file_size for one in package.infolist()) > _LARGEST:
            raise FormatError(path, f"more than {_LARGEST >> 30} GB unpacked", hint="Save it as CSV")
        for one in package.infolist():
            if one.filename.endswith((".xml", ".rels")):
                with package.open(one) as stream:
                    head = stream.read(_HEAD)
                if b"<!DOCTYPE" in head or b"<!ENTITY" in head or b"\0" in head:
                    raise FormatError(path, f"{one.filename} declares entities, which no spreadsheet writes")


def parquet_columns(path: Path | str) -> tuple[list[str], Any]:
    """The names of the columns of a Parquet file, and its schema; FormatError, MissingExtraError as `sheet_rows`."""
    with _told(path, "Parquet"):
        schema = _pyarrow().ParquetFile(path).schema_arrow
        return list(schema.names), schema


def parquet_rows(path: Path | str) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a Parquet file with their numbers, from 1."""
    number = 0
    with _told(path, "Parquet"):
        for batch in _pyarrow().ParquetFile(path).iter_batches(batch_size=_BATCH):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                number += 1
                yield number, list(row)


def _pyarrow() -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "tables", "a Parquet file") from error
    return parquet


@contextmanager
def _told(path: Path | str, format: str) -> Iterator[None]:
    """What the libraries raise for a damaged file, as one FormatError."""
    try:
        yield
    except FormatError:
        raise
    except FileNotFoundError:
        raise FormatError(path, "no such file") from None
    except IsADirectoryError:
        raise FormatError(path, "is a directory, not a file", hint="Name the file inside it") from None
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, EOFError, IndexError, SyntaxError) as error:
        raise FormatError(path, f"cannot be read as {format} ({' '.join(str(error).split())})") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise FormatError(path, f"cannot be read as {format} ({' '.join(str(error).split())})") from None
