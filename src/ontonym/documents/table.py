"""Tables with one mention in each row, in the column that is named or found by its header: CSV, TSV, xlsx, Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ontonym.documents.document import Document, Mark
from ontonym.documents.rows import Input
from ontonym.errors import FormatError, UnknownNameError
from ontonym.files.cells import cell_text, unguarded
from ontonym.files.csvtext import csv_reader
from ontonym.files.records import DELIMITERS, csv_delimiter, sample_lines, stated_delimiter, text_records, unquoted
from ontonym.files.source import MAX_LINE, Source
from ontonym.files.titles import TITLES, CellsT, has_column, rows_below_titles
from ontonym.files.workbooks import other_sheets_hint, parquet_columns, parquet_rows, sheet_rows, widened
from ontonym.text.counting import count
from ontonym.text.numbers import whole_number
from ontonym.types import Mention

TEXT_COLUMNS = ("text", "mention", "name", "term", "query")

ANSWERED = "ontonym_id"
"""A column that answers have added to a table, whose cells are then guarded from spreadsheets."""


def read_csv(rows: Input) -> Iterator[Document]:
    """The mentions of a CSV file, called by the number of the line."""
    skipped = rows.first.rstrip("\r") if stated_delimiter(rows.first) else None
    delimiter = csv_delimiter(rows.first) if skipped or rows.source is None else _header_delimiter(rows, rows.source)
    table = _Table(rows, delimiter=delimiter, guarded=True)
    return table.documents(_below_titles(rows, _csv_rows(rows, delimiter, skipped)))


def read_tsv(rows: Input) -> Iterator[Document]:
    """The mentions of a TSV file, called by the number of the line.

    Quotes around a header or a mention, as R and Excel write them, are no part of it; all others mean nothing
    (``5" wide``), and cells are written as they were.
    """
    cells = ((number, line.split("\t") if line else []) for number, line in enumerate(rows.lines, 1))
    table = _Table(rows, delimiter="\t", guarded=True, plain=unquoted)
    return table.documents(_below_titles(rows, cells))


def read_sheet(rows: Input) -> Iterator[Document]:
    """The mentions of a sheet of a workbook, by default the first, called by the number of the row."""
    sheet = widened(_below_titles(rows, sheet_rows(*rows.file)))
    # A sheet has no empty cells at the end of a row.
    padded = ((number, [*row, *[None] * (len(rows.columns) - len(row))]) for number, row in sheet)
    return _Table(rows).documents(padded)


def read_parquet(rows: Input) -> Iterator[Document]:
    """The mentions of a Parquet file, called by the number of the row."""
    path, packed = rows.file
    names, schema = parquet_columns(path, packed)
    rows.schema = {field.name: field.type for field in schema}
    position = _position(rows, names)[0]
    if schema.field(position).type.num_fields:
        problem = f"the column {names[position]!r} holds lists or objects ({schema.field(position).type})"
        raise FormatError(rows.place, problem, hint="Name a column of texts, one in each row")
    rows.columns = tuple(names)
    table = _Table(rows, position)
    return (table.document(number, row) for number, row in parquet_rows(path, packed))


def _below_titles(rows: Input, table: Iterator[tuple[int, CellsT]]) -> Iterator[tuple[int, CellsT]]:
    """The rows of a table from its header on, where there is one."""
    columns = _wanted(rows)
    return rows_below_titles(table, columns, wanted=rows.column is not None) if columns else table


def _wanted(rows: Input) -> tuple[str, ...]:
    """The columns that may have the text by their names; none where it is named by its number."""
    if rows.column is None:
        return TEXT_COLUMNS
    return () if whole_number(rows.column) is not None else (rows.column,)


def _header_delimiter(rows: Input, source: Source) -> str:
    """The delimiter of the header, which may stand below titles; that of the first line where none is found."""
    usual, columns = csv_delimiter(rows.first), _wanted(rows)
    start = sample_lines(source.head())[:TITLES] if columns else []
    for delimiter in usual + DELIMITERS.replace(usual, ""):
        table = ((record.line or 0, record.fields) for record in text_records(start, delimiter))
        _, header = next(rows_below_titles(table, columns), (0, []))
        if len(header) > 1 and has_column(header, columns):
            return delimiter
    return usual


def _csv_rows(rows: Input, delimiter: str, skipped: str | None) -> Iterator[tuple[int, Sequence[Any]]]:
    """The number of the line of each row, and its cells; ``skipped`` is a line that is read as a blank one, once."""
    is_over = False

    def lines() -> Iterator[str]:
        nonlocal is_over
        left = skipped
        for line in rows.lines:
            yield "\n" if line == left else f"{line}\n"
            left = None if line == left else left
        is_over = True

    reader, begun = csv_reader(lines(), delimiter), 1
    try:
        for row in reader:
            if is_over:  # the reader wanted one more line for this row
                hint = 'Close it, or write "" where it is a part of the text'
                raise FormatError(rows.place, "a quote is opened and never closed", line=begun, hint=hint)
            yield reader.line_num, row
            begun = reader.line_num + 1
    except csv.Error as error:
        problem, hint = _fault(str(error))
        raise FormatError(rows.place, problem, line=begun, hint=hint) from None


def _fault(said: str) -> tuple[str, str]:
    """What is wrong with a CSV of which Python's reader says this, and what to do."""
    if "field larger" in said:
        return f"a cell of more than {MAX_LINE:,} characters", "Is a quote opened there that is never closed?"
    if "new-line character" in said:
        return "a carriage return in a cell without quotes", "Put the cell into quotes, or save the file as CSV again"
    return f"not a table ({said})", "Fix the row"


@dataclass(slots=True)
class _Table:
    """A table while it is read; ``position`` is that of the mention, None until the header was read.

    With ``guarded``, cells of a table that has answers of ours are what they were before these were written.
    ``plain`` makes the text of a header or mention of that of its cell.
    """

    rows: Input
    position: int | None = None
    delimiter: str = ","
    guarded: bool = False
    plain: Callable[[str], str] = str

    def documents(self, table: Iterator[tuple[int, Sequence[Any]]]) -> Iterator[Document]:
        """The rows as documents; the first one is a header unless the column is given by its number.

        Rows without cells stay where they are, but for those after the last one that has some.
        """
        rows, blank = self.rows, list[int]()
        for number, row in table:
            if not any(cell not in ("", None) for cell in row):
                if self.position is not None or row:
                    rows.skip("blank")
                if self.position is not None:
                    blank.append(number)
                continue
            yield from (Document(str(one), row=(None,) * len(rows.columns)) for one in blank)
            blank.clear()
            if self.position is None and self._begins(row):
                continue
            yield self.document(number, [unguarded(cell) for cell in row] if self.guarded else row)

    def _begins(self, row: Sequence[Any]) -> bool:
        """Finds the mention and the columns by the first row, and says whether it is a header."""
        names = [self.plain(cell_text(cell).strip()) for cell in row]
        self.position, headed = _position(self.rows, names)
        self.rows.columns = tuple(names) if headed else tuple(f"column_{place + 1}" for place in range(len(row)))
        self.guarded = self.guarded and ANSWERED in self.rows.columns
        return headed

    def document(self, number: int, row: Sequence[Any]) -> Document:
        """A row as a document; one that is not as wide as the table keeps its cells, and has no mention.

        Cells beyond the last column belong to it: what stood there was not quoted.
        """
        rows, position = self.rows, self.position
        assert position is not None  # noqa: S101 (the header was read)
        width, cells, name = len(rows.columns), list(row), str(number)
        if not any(cells[width:]):
            del cells[width:]
        if len(cells) > width:
            found = count(len(cells), "column")
            rows.malformed(number, f"{found}, where the table has {width}: the last one has the rest")
            rest = self.delimiter.join(map(cell_text, cells[width - 1 :]))
            return Document(name, row=(*cells[: width - 1], rest))
        padded = (*cells, *[None] * (width - len(cells)))
        if len(cells) <= position:
            rows.malformed(number, f"only {len(cells)} of at least {position + 1} columns")
            return Document(name, row=padded)
        mention = Mention(rows.cut(self.plain(cell_text(cells[position]))), name)
        return Document(name, marks=(Mark(mention, line=number),), row=padded)


def _position(rows: Input, header: list[str]) -> tuple[int, bool]:
    """The 0-based position of the text, and whether the first line is a header."""
    if rows.column is not None:
        if header.count(rows.column) > 1:
            problem = f"{header.count(rows.column)} columns are called {rows.column!r}"
            raise FormatError(rows.place, problem, line=1, hint="Give them different names")
        if rows.column in header:
            return header.index(rows.column), True
        if (number := whole_number(rows.column)) is not None and 1 <= number <= len(header):
            return number - 1, False
        raise UnknownNameError("column", rows.column, header, hint=other_sheets_hint(rows.path))
    folded = [name.lower() for name in header]
    named = next((folded.index(name) for name in TEXT_COLUMNS if name in folded), None)
    if named is not None:
        return named, True
    if len(header) == 1:
        return 0, False
    listed = ", ".join(header)
    hint = (
        f"Name the column of the text, `column=NAME` (by its number where there is no header); the columns are {listed}"
    )
    hint = ". ".join(filter(None, (hint, other_sheets_hint(rows.path))))
    raise FormatError(rows.place, "several columns, and none is called text", line=1, hint=hint)
