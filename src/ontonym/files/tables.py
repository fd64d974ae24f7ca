"""Tables written as streams: CSV, TSV, Excel workbooks (xlsx), Parquet; the ending of a file says which."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, TypeAlias

from ontonym.errors import InputError, needing
from ontonym.files.cells import cell_text, csv_line, guarded
from ontonym.files.output import tsv_line, written_file
from ontonym.files.workbooks import BINARY, SHEET
from ontonym.resuming import Draft
from ontonym.text.visible import visible

WriteRow: TypeAlias = Callable[[Sequence[Any]], object]
"""Writes one row."""

TABLE_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    **BINARY,
}
"""Every format of tables with its endings; the text ones may have .gz after them."""

_SHEET_ROWS = 1_048_576
_SHEET_CELL = 32_767
_BATCH = 8192
_SHEET_DIGITS = 15
_SHEET_YEAR = 1900
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def table_format(path: Path | str) -> str | None:
    """The format of a table by the ending of its file; None for an ending that is none of a table."""
    name = Path(path).name.lower()
    text = name.removesuffix(".gz")
    return next(
        (form for form, endings in TABLE_ENDINGS.items() if (name if form in BINARY else text).endswith(endings)), None
    )


@contextmanager
def written_table(
    path: Path | str | None,
    format: str,
    columns: Sequence[str],
    *,
    schema: Mapping[str, Any] = MappingProxyType({}),
    numbers: Collection[str] = (),
    raw: bool = False,
    draft: Draft | None = None,
) -> Iterator[WriteRow]:
    """Lends a function that writes one row of cells after another, to standard output for None.

    The file takes its place only when all went well. Cells are text, numbers or None, or what the format that they come
    from has; for Parquet ``schema`` gives the Arrow types of columns by name, and ``numbers`` names those that hold
    numbers. What a spreadsheet would run as a formula is guarded in CSV and TSV unless ``raw``, and stays text in a
    workbook. A ``draft`` of text is gone on with. Raises InputError for what the format cannot hold, MissingExtraError
    without its library.
    """
    shown = _visible if path is None and sys.stdout.isatty() else bytes
    with nullcontext(sys.stdout.buffer) if path is None else written_file(path, draft=draft) as stream:
        if format in ("csv", "tsv"):
            header = () if draft and draft.size else columns
            yield from _text_rows(stream, format, header, shown, raw=raw)
        elif format == SHEET:
            yield from _sheet(stream, columns)
        else:
            yield from _parquet(stream, columns, schema, numbers)


def _visible(line: bytes) -> bytes:
    """A line for a terminal: what it would obey is shown."""
    return visible(line.decode()).encode()


def _text_rows(
    stream: BinaryIO, format: str, columns: Sequence[str], shown: Callable[[bytes], bytes], *, raw: bool
) -> Iterator[WriteRow]:
    """A function that writes a row as CSV or TSV, after the header."""
    keep: Callable[[str], str] = str if raw else guarded

    def written(row: Sequence[Any]) -> str:
        if format == "tsv":
            return f"{tsv_line(map(cell_text, row), raw=raw)}\n"
        return csv_line([keep(cell_text(cell)) for cell in row])

    def write(row: Sequence[Any]) -> None:
        stream.write(shown(written(row).encode(errors="replace")))

    if columns:
        write(columns)
    yield write


def _sheet(stream: BinaryIO, columns: Sequence[str]) -> Iterator[WriteRow]:
    """Writes the rows of a workbook; no cell becomes a formula or loses digits."""
    with needing("openpyxl", "tables", "an xlsx file"):
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
    book = Workbook(write_only=True)
    sheet = book.create_sheet("ontonym")
    sheet.freeze_panes = "A2"  # the header stays in sight
    written = 0

    def cell(value: Any) -> Any:
        if isinstance(value, list | dict | bytes) or _is_lost_in_sheet(value):
            value = cell_text(value)
        if not isinstance(value, str):
            return value.replace(tzinfo=None) if getattr(value, "tzinfo", None) is not None else value
        if len(value) > _SHEET_CELL:
            raise InputError(f"a cell of {len(value):,} characters, where xlsx holds {_SHEET_CELL:,}. Write .csv")
        text = _ILLEGAL.sub(" ", value)
        if not text.startswith("="):
            return text
        one = WriteOnlyCell(sheet, value=text)
        one.data_type = "s"
        return one

    def write(row: Sequence[Any]) -> None:
        nonlocal written
        written += 1
        if written > _SHEET_ROWS:
            raise InputError(f"more than {_SHEET_ROWS:,} rows, which is what xlsx holds. Write .csv or .parquet")
        sheet.append([cell(value) for value in row])

    write(columns)
    yield write
    book.save(stream)


def _is_lost_in_sheet(value: Any) -> bool:
    """Whether a workbook, which keeps 15 digits of a number and knows neither infinity nor dates before 1900, would
    make something else of this: it is text then.
    """
    if isinstance(value, date):
        return value.year < _SHEET_YEAR
    if isinstance(value, float):
        return math.isinf(value)
    return isinstance(value, int | Decimal) and len(f"{Decimal(value):f}".strip("-0.").replace(".", "")) > _SHEET_DIGITS


def _parquet(
    stream: BinaryIO, columns: Sequence[str], schema: Mapping[str, Any], numbers: Collection[str]
) -> Iterator[WriteRow]:
    """Writes the rows of a Parquet file in batches; columns without a type in ``schema`` or ``numbers`` are texts."""
    with needing("pyarrow", "tables", "a Parquet file"):
        import pyarrow as pa
        from pyarrow import parquet
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise InputError(f"two columns are called {twice!r}, which Parquet cannot hold: rename one, or write .csv")
    known = {**schema, **dict.fromkeys(numbers, pa.float64())}
    fields = pa.schema([pa.field(name, known.get(name, pa.string())) for name in columns])
    texts = [name not in known for name in columns]
    rows: list[Sequence[Any]] = []
    with parquet.ParquetWriter(stream, fields) as writer:

        def flush() -> None:
            values = zip(*rows, strict=True) if rows else ([] for _ in columns)
            arrays = [
                pa.array([None if one is None else cell_text(one) for one in column] if text else list(column), kind)
                for column, text, kind in zip(values, texts, fields.types, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=fields))
            rows.clear()

        def write(row: Sequence[Any]) -> None:
            rows.append(row)
            if len(rows) >= _BATCH:
                flush()

        yield write
        flush()
