"""Tables in binary files, Excel workbooks (xlsx) and Parquet: their rows as streams, and the same as CSV."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, time
from errno import EINVAL
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from lxml import etree

from ontonym.errors import FormatError, UnknownNameError, needing
from ontonym.files.cells import cell_text, csv_line, whole
from ontonym.files.lists import join_list
from ontonym.files.packing import BROKEN, Place, Spooled
from ontonym.files.titles import START, rows_below_titles

SHEET = "xlsx"
PARQUET = "parquet"
BINARY = MappingProxyType({SHEET: (".xlsx", ".xlsm"), PARQUET: (".parquet", ".pq")})
"""The endings of each format."""

_CALLED = "an Excel workbook (xlsx)"
_LARGEST = 4 << 30
"""Bytes that an unpacked workbook may have."""
_HEAD = 4096
_BATCH = 4096
_OF_SHEET = re.compile(r"(.+\.xls[xm])#(.+)", re.IGNORECASE | re.DOTALL)
_RELATION = "relationships}id"  # in the namespaces of the transitional and of the strict form
_STYLES = "xl/styles.xml"
_PADDED = re.compile(r"(?:\[\$-[^\]]*\])?(0{2,})(?:;.*)?", re.DOTALL)
"""A format of numbers that says how many digits are shown at least, such as ``00000``."""
_PADS = re.compile(rb'formatCode="(?:\[\$-[^\]"]*\])?00+[;"]')
_VALUES = (b"<v", b"<is", b"<f")
_LOOKED_AT = 1 << 20
_LONGEST_CELL = 1 << 16
"""Bytes of a cell with its formula, of which Excel has at most 8,192 characters."""
_FORMULA_ALONE = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f(?:\s[^>]*)?/>)\s*(<(?:\w+:)?v\s*(?:/>|>\s*</(?:\w+:)?v>))?\s*</"
)
_CELL_START = re.compile(rb"<(?:\w+:)?c\s[^>]*>")
_CELL_NAME = re.compile(rb"""\sr=["'](\w+)""")
_EMPTY_TEXT = re.compile(rb"""\st=["']str["']""")


def binary_format(name: str) -> str | None:
    """The format of a binary table by the ending of its file's name; None for any other file."""
    return next((form for form, endings in BINARY.items() if name.lower().endswith(endings)), None)


def workbook_and_sheet(path: Path | str) -> tuple[Path, str]:
    """The workbook and the name of the sheet that ``FILE.xlsx#SHEET`` means; the path itself and "" for any other."""
    match = _OF_SHEET.fullmatch(str(path))
    return (Path(match[1]), match[2]) if match and not Path(path).exists() else (Path(path), "")


def other_sheets(path: Path | str, packed: IO[bytes] | None = None) -> tuple[str, ...]:
    """The sheets of a workbook that are not read and are not empty, each as ``NAME.xlsx#SHEET``; none where the package
    is laid out in another way than programs do it. ``packed`` as of `sheet_rows`, which says what is raised.
    """
    place, wanted = workbook_and_sheet(path)
    with _told(place, _CALLED), zipfile.ZipFile(packed or place) as package:
        _check_package(place, packed)
        try:
            sheets = list(_sheets(package))
            read = wanted or next((name for name, _ in sheets), "")
            others = [name for name, part in sheets if name != read and _is_filled(package, part)]
        except (KeyError, etree.XMLSyntaxError):
            return ()
    return tuple(f"{place.name}#{name}" for name in others)


def other_sheets_hint(path: Path | str) -> str:
    """What to do where the table may stand in another sheet of the workbook at ``path``; empty for any other file, and
    for one that is packed.
    """
    place = workbook_and_sheet(path)[0]
    others = other_sheets(path) if binary_format(place.name) == SHEET and place.is_file() else ()
    return f"The workbook has other sheets: name one, as {', '.join(map(repr, others))}" if others else ""


def _sheets(package: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """The name of each sheet of cells and its part of the package, in the order of the workbook."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    relations = etree.fromstring(package.read("xl/_rels/workbook.xml.rels"), parser)
    parts = {one.get("Id"): (one.get("Type", ""), one.get("Target", "")) for one in relations}
    for sheet in etree.fromstring(package.read("xl/workbook.xml"), parser).iter("{*}sheet"):
        relation = next((value for name, value in sheet.attrib.items() if str(name).endswith(_RELATION)), "")
        kind, target = parts.get(relation, ("", ""))
        if kind.endswith("/worksheet"):
            yield sheet.get("name", ""), target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _is_filled(package: zipfile.ZipFile, part: str) -> bool:
    with package.open(part) as stream:
        start = stream.read(_LOOKED_AT)
    return any(mark in start for mark in _VALUES)


def _check_computed(place: Path, wanted: str, packed: IO[bytes] | None) -> None:
    """FormatError for a sheet with a formula whose value is not in the file: programs that make workbooks and never
    compute them leave it out, and the cell would be read as an empty one.
    """
    with zipfile.ZipFile(packed or place) as package:
        try:
            part = next((part for name, part in _sheets(package) if wanted in ("", name)), "")
            cell = _not_computed(package, part)
        except (KeyError, etree.XMLSyntaxError):  # laid out in another way than programs do it
            return
    if cell:
        hint = "Open the workbook in a spreadsheet program and save it, or give the values alone"
        raise FormatError(place, f"the formula in cell {cell} has no value: it was never computed", hint=hint)


def _not_computed(package: zipfile.ZipFile, part: str) -> str:
    """The first cell of a sheet that has a formula and no value; empty if none. An empty text is a value."""
    left = b""
    with package.open(part) as stream:
        while chunk := stream.read(_LOOKED_AT):
            text = left + chunk
            for found in _FORMULA_ALONE.finditer(text):
                *_, start = [b"", *_CELL_START.findall(text, max(0, found.start() - _LONGEST_CELL), found.start())]
                name = _CELL_NAME.search(start)
                if name and not (found[1] and _EMPTY_TEXT.search(start)):
                    return name[1].decode()
            left = text[-_LONGEST_CELL:]
    return ""


@dataclass(frozen=True)
class TableAsCsv:
    """A place where a sheet of a workbook, by default the first, or a Parquet file is read as CSV.

    Workbooks leave out the empty cells at the end of a row: rows are as wide as the header, or as their last cell. Rows
    without cells are blank lines, and so is what stands above the header. ``packed`` is where the bytes are, if
    ``path`` is in an archive.
    """

    path: Path
    format: str
    packed: Spooled | None = None
    seekable: bool = field(default=False, init=False)

    def open(self, stack: ExitStack) -> _CsvStream:
        """The table from its first byte; FormatError, MissingExtraError as `sheet_rows`."""
        rows = _text_rows(self.path, self.format, None if self.packed is None else opened(self.packed, stack))
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


def table_bytes(place: Place) -> IO[bytes] | None:
    """The bytes of the binary table that is read as CSV at a place, where it is packed; None for any other place."""
    table = place.of if isinstance(place, Spooled) else place
    if not isinstance(table, TableAsCsv) or table.packed is None:
        return None
    with ExitStack() as stack:
        return opened(table.packed, stack)


def opened(packed: Spooled, stack: ExitStack) -> IO[bytes]:
    """The stream of a copy, as the libraries want it."""
    return io.BufferedReader(_Raw(packed.open(stack)))


class _Raw(io.RawIOBase):
    """A stream that can seek, with all methods that files have."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readinto(self, into: Any) -> int:
        data = self._stream.read(len(into))
        into[: len(data)] = data
        return len(data)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())


def _text_rows(path: Path, format: str, packed: IO[bytes] | None) -> Generator[list[str]]:
    width = 0
    if format == PARQUET:
        yield parquet_columns(path, packed)[0]
    rows = parquet_rows(path, packed) if format == PARQUET else rows_below_titles(sheet_rows(path, packed))
    for number, row in rows:
        if not width and format == SHEET:
            yield from [[]] * (number - 1)  # so that errors name the row of the sheet
        cells = [_listed(cell) if isinstance(cell, list) else cell_text(whole(cell)) for cell in row]
        filled = max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)
        width = width or filled
        if width:
            yield [*cells[:filled], *[""] * (width - filled)] if filled else []


def _listed(values: list[Any]) -> str:
    """A list of texts or numbers, as columns of Parquet may have, as the cell that readers of tables split again."""
    if any(isinstance(value, list | dict) for value in values):
        return cell_text(values)
    return join_list(cell_text(whole(value)) for value in values if value is not None)


def widened(rows: Iterator[tuple[int, list[Any]]]) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet, the first that has cells as wide as any of the next: columns may have no name."""
    start = list(islice(rows, START))
    width = max((place for _, row in start for place, cell in enumerate(row, 1) if cell not in ("", None)), default=0)
    first = next((row for _, row in start if any(cell not in ("", None) for cell in row)), [])
    first.extend([None] * (width - len(first)))
    yield from start
    yield from rows


def sheet_rows(path: Path | str, packed: IO[bytes] | None = None) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet with their numbers; of formulas, the values that were last computed.

    ``FILE.xlsx#SHEET`` is that sheet of the workbook, ``FILE.xlsx`` its first. ``packed`` has the bytes of one that is
    no file of its own. Raises FormatError for what is no workbook or is made to harm, and for a formula that was never
    computed, UnknownNameError for an unknown sheet, MissingExtraError without openpyxl.
    """
    with needing("openpyxl", "tables", "an xlsx file"):
        from openpyxl import load_workbook
    place, wanted = workbook_and_sheet(path)
    with _told(place, _CALLED):
        _check_package(place, packed)
        _check_computed(place, wanted, packed)
        with nullcontext(packed) if packed else place.open("rb") as stream:  # an open file may have any ending
            book = load_workbook(stream, read_only=True, data_only=True)
            sheets = {one.title: one for one in book.worksheets}
            if wanted and wanted not in sheets:
                raise UnknownNameError("sheet", wanted, sheets)
            sheet = sheets[wanted] if wanted else book.worksheets[0]
            sheet.reset_dimensions()
            if not _pads_numbers(packed or place):
                for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
                    yield number, [_without_midnight(value) for value in row]
                return
            for number, cells in enumerate(sheet.iter_rows(), 1):  # twice as slow
                yield number, [_without_midnight(_padded(cell)) for cell in cells]


def _pads_numbers(place: Path | IO[bytes]) -> bool:
    """Whether a workbook has a format that shows numbers with leading zeros."""
    with zipfile.ZipFile(place) as package:
        styles = package.read(_STYLES) if _STYLES in package.namelist() else b""
    return _PADS.search(styles) is not None


def _padded(cell: Any) -> Any:
    """The value of a cell; of a number that is shown with leading zeros, as codes are, what is shown."""
    value = cell.value
    number = whole(value)
    shown = _PADDED.fullmatch(cell.number_format or "") if isinstance(number, int) and number >= 0 else None
    return f"{number:0{len(shown[1])}d}" if shown and not isinstance(value, bool) else value


def _without_midnight(value: Any) -> Any:
    """A date of a workbook, which has no dates but with a time, as the date alone."""
    return value.date() if isinstance(value, datetime) and value.time() == time.min else value


def _check_package(path: Path, packed: IO[bytes] | None) -> None:
    """FormatError for a workbook that would fill the memory, or whose XML declares entities."""
    with zipfile.ZipFile(packed or path) as package:
        if sum(one.file_size for one in package.infolist()) > _LARGEST:
            raise FormatError(path, f"more than {_LARGEST >> 30} GB unpacked", hint="Save it as CSV")
        for one in package.infolist():
            if one.filename.endswith((".xml", ".rels")):
                with package.open(one) as stream:
                    head = stream.read(_HEAD)
                if b"<!DOCTYPE" in head or b"<!ENTITY" in head or b"\0" in head:
                    raise FormatError(path, f"{one.filename} declares entities, which no spreadsheet writes")


def parquet_columns(path: Path | str, packed: IO[bytes] | None = None) -> tuple[list[str], Any]:
    """The names of the columns of a Parquet file, and its schema; FormatError, MissingExtraError as `sheet_rows`."""
    with _told(path, "Parquet"), _pyarrow().ParquetFile(packed or path) as file:
        schema = file.schema_arrow
        return list(schema.names), schema


def parquet_rows(path: Path | str, packed: IO[bytes] | None = None) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a Parquet file with their numbers, from 1."""
    with _told(path, "Parquet"), _pyarrow().ParquetFile(packed or path) as file:
        batches = file.iter_batches(batch_size=_BATCH)
        rows = (row for batch in batches for row in zip(*(one.to_pylist() for one in batch.columns), strict=True))
        yield from enumerate(map(list, rows), 1)


def _pyarrow() -> Any:
    with needing("pyarrow", "tables", "a Parquet file"):
        from pyarrow import parquet
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
    except (
        *BROKEN,
        OSError,
        KeyError,
        ValueError,
        TypeError,
        EOFError,
        IndexError,
        SyntaxError,
        OverflowError,
        AttributeError,  # of openpyxl, for a sheet of nothing
    ) as error:
        if isinstance(error, OSError) and error.errno not in (None, EINVAL):  # EINVAL: a place that the file has not
            raise
        raise FormatError(path, f"cannot be read as {format} ({' '.join(str(error).split())})") from None
