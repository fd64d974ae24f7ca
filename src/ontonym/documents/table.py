"""CSV and TSV with one mention in each row, in the column that is named or found by its header."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ontonym.documents.document import Document, Mark
from ontonym.documents.rows import Input
from ontonym.errors import FormatError, UnknownNameError
from ontonym.types import Mention

_TEXT_COLUMNS = ("text", "mention", "name", "term", "query")


class _Plain(csv.excel_tab):
    """TSV as it is exchanged: quotes mean nothing, so that ``5" wide`` is plain text."""

    quoting = csv.QUOTE_NONE


def read_csv(rows: Input) -> Iterator[Document]:
    """The mentions of a CSV file, called by the number of the line."""
    return _read(rows, csv.excel)


def read_tsv(rows: Input) -> Iterator[Document]:
    """The mentions of a TSV file, called by the number of the line."""
    return _read(rows, _Plain)


def _read(rows: Input, dialect: type[csv.Dialect]) -> Iterator[Document]:
    """A column of a table; the first line is a header unless the column is given by its number."""
    reader = csv.reader((f"{line}\n" for line in rows.lines), dialect)
    position: int | None = None
    try:
        for row in reader:
            if position is None:
                position, headed = _position(rows, row)
                if headed:
                    continue
            if not row:
                rows.skip("blank")
            elif len(row) <= position:
                rows.malformed(reader.line_num, f"only {len(row)} of at least {position + 1} columns")
            else:
                name = str(reader.line_num)
                yield Document(name, marks=(Mark(Mention(rows.cut(row[position]), name), line=reader.line_num),))
    except csv.Error as error:
        raise FormatError(rows.place, f"not a table ({error})", line=reader.line_num, hint="Fix the row") from None


def _position(rows: Input, first: list[str]) -> tuple[int, bool]:
    """The 0-based position of the text, and whether the first line is a header."""
    header = [cell.strip() for cell in first]
    if rows.column is not None:
        if rows.column in header:
            return header.index(rows.column), True
        if rows.column.isdecimal() and 1 <= int(rows.column) <= len(header):
            return int(rows.column) - 1, False
        raise UnknownNameError("column", rows.column, header)
    folded = [name.lower() for name in header]
    named = next((folded.index(name) for name in _TEXT_COLUMNS if name in folded), None)
    if named is not None:
        return named, True
    if len(header) == 1:
        return 0, False
    hint = f"Name the column of the text, or give its number: `column=NAME`; the columns are {', '.join(header)}"
    raise FormatError(rows.place, "several columns, and none is called text", line=1, hint=hint)
