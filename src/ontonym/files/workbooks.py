"""Rows of tables in binary files, Excel workbooks (xlsx) and Parquet, as streams."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ontonym.errors import FormatError, MissingExtraError

SHEET = "xlsx"
PARQUET = "parquet"
BINARY = MappingProxyType({SHEET: (".xlsx", ".xlsm"), PARQUET: (".parquet", ".pq")})
"""The endings of each format."""

_LARGEST = 4 << 30
"""Bytes that an unpacked workbook may have."""
_HEAD = 4096
_BATCH = 4096


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
                yield number, list(row)
        finally:
            book.close()


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
