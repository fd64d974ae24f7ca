"""Reads files of terms that a user adds to an index or removes from it: tables and JSON lines."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ontonym.documents.jsonl import json_objects
from ontonym.documents.rows import Input
from ontonym.errors import FormatError, UnknownNameError
from ontonym.files.cells import unguarded
from ontonym.files.counts import RowCounts
from ontonym.files.csvtext import csv_reader
from ontonym.files.records import csv_delimiter, stated_delimiter
from ontonym.index.added import MOST_TIMES, AddedTerm
from ontonym.text.normalization import tokens
from ontonym.types import LONGEST_ID, LONGEST_TEXT

COLUMNS = MappingProxyType(
    {
        "id": ("id", "concept_id", "concept", "code", "curie"),
        "text": ("text", "term", "name", "synonym", "mention"),
        "count": ("count", "frequency"),
        "who": ("who", "author"),
        "when": ("when", "date"),
        "why": ("why", "comment"),
    }
)
"""The fields of a term, each with the column headers that name it."""


@dataclass(frozen=True, slots=True)
class TermFile:
    """The terms of a file, and the counts of its rows."""

    path: str
    terms: list[AddedTerm]
    counts: RowCounts


def read_terms(
    path: str, *, strict: bool = False, removal: bool = False, columns: Mapping[str, str] = MappingProxyType({})
) -> TermFile:
    """Reads terms from a table (CSV, TSV, or lines of a text, a tab and an id) or from JSON lines.

    For ``removal`` a row may have an id only, meaning all terms of that concept. ``columns`` names the column, or
    key, for a field of `COLUMNS`; rows without an id are then left out, as answers to be corrected have some. Raises
    FormatError for a file of another format, and with ``strict`` for a malformed row, UnknownNameError for a field or
    column that there is not.
    """
    for field in columns:
        if field not in COLUMNS:
            raise UnknownNameError("field of a term", field, COLUMNS)
    rows = Input(path, strict=strict)
    json_lines = Path(path.removesuffix(".gz")).suffix.lower() in (".jsonl", ".ndjson")
    found = _objects(rows, columns) if json_lines else _table(rows, columns, removal=removal)
    terms = [term for line, row in found for term in _term(rows, line, row, removal=removal, some="id" in columns)]
    return TermFile(path, terms, rows.counts)


def _objects(rows: Input, columns: Mapping[str, str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, row in json_objects(rows, "an object"):
        yield line, {**row, **{field: row.get(name) for field, name in columns.items()}}


def _table(rows: Input, columns: Mapping[str, str], *, removal: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    lines, start = rows.lines, 2
    first = next(lines, "")
    if stated := stated_delimiter(first):
        first, start = next(lines, ""), 3
    delimiter = stated or ("\t" if "\t" in first else csv_delimiter(first))
    try:
        header = [cell.strip().lower() for cell in next(csv_reader([first], delimiter), [])]
        places = _places(header, columns)
        if places["id"] >= 0 and (places["text"] >= 0 or removal):
            cells: Iterable[list[str]] = csv_reader((f"{line}\n" for line in lines), delimiter)
            if {"status", "concept"} <= {*header} or "ontonym_id" in header:  # a table that we wrote
                cells = ([unguarded(cell) for cell in row] for row in cells)
            yield from _named(rows, cells, places, start)
        elif "\t" in first and len(header) == 2:
            cells = csv_reader((f"{line}\n" for line in chain((first,), lines)), "\t", quotes=False)
            yield from _named(rows, cells, {"text": 0, "id": 1}, 1)
        else:
            wanted = "column id" if removal else "columns id and text"
            raise FormatError(
                rows.path, f"its first line names no {wanted}", line=1,
                hint=f"Give a table with the {wanted} (count, who, when, why may follow), JSON lines, a text and "
                "an id with a tab between, or a PubTator corpus",
            )  # fmt: skip
    except csv.Error as error:
        line = rows.counts.rows + 1
        raise FormatError(rows.path, f"not a table ({error})", line=line, hint="Fix the row") from None


def _places(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """The position of the column of each field, -1 where there is none; ``columns`` as in `read_terms`."""
    known = {**COLUMNS, **{field: (name.strip().lower(),) for field, name in columns.items()}}
    places = {field: next((header.index(one) for one in names if one in header), -1) for field, names in known.items()}
    if missing := [name for field, name in columns.items() if places[field] < 0]:
        raise UnknownNameError("column", missing[0], header)
    return places


def _named(
    rows: Input, cells: Iterable[list[str]], places: Mapping[str, int], start: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The non-blank rows of a table, their cells by field name."""
    for number, row in enumerate(cells, start):
        if any(cell.strip() for cell in row):
            yield number, {name: row[place] for name, place in places.items() if 0 <= place < len(row)}
        else:
            rows.skip("blank")


def _term(rows: Input, line: int, row: Mapping[str, Any], *, removal: bool, some: bool) -> Iterator[AddedTerm]:
    """The term of a row; where only ``some`` rows are terms, those without an id are none."""
    given = {name: str(row.get(name) or "").strip() for name in COLUMNS}
    count = given.pop("count") or "1"
    if some and not given["id"]:
        rows.skip("without_id")
    elif not given["id"]:
        rows.malformed(line, "no concept id")
    elif len(given["text"]) > LONGEST_TEXT or len(given["id"]) > LONGEST_ID:
        rows.malformed(line, f"a text of more than {LONGEST_TEXT:,} characters, or an id of more than {LONGEST_ID:,}")
    elif not tokens(given["text"]) and (given["text"] or not removal):
        rows.malformed(line, f"no letter or digit in the text {given['text']!r}" if given["text"] else "no text")
    elif not count.isdecimal() or len(count) > 10 or not 1 <= int(count) <= MOST_TIMES:
        rows.malformed(line, f"the count {count!r} is not a whole number from 1")
    else:
        rows.counts.keep()
        yield AddedTerm(**given, count=int(count))
