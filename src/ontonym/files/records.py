"""A table file as records: CSV and TSV lines, the objects of a JSON array, or the members of a JSON object of texts."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import isnan
from typing import Any

from ontonym.files.cells import cell_text, whole
from ontonym.files.csvtext import csv_reader
from ontonym.files.jsontext import JsonScan
from ontonym.files.source import MAX_LINE, Source
from ontonym.files.titles import TITLES

DELIMITERS = "\t,;|"
"""What may part the columns of a table, the surest first."""

SAMPLE = 50
"""How many records are looked at to tell what a file's columns hold."""

MAP_HEADER = ("key", "value")
"""The column names of a JSON object of texts."""

_MAP = re.compile(r'\s*\{(?:\s*"[A-Za-z]{0,12}[:_]?\d[\w.:-]*"\s*:\s*"[^"]*"\s*,){3}')
_ARRAY = re.compile(r"\s*\[\s*\{")
_STATED = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_COMMENT = re.compile(r"#\s?(\w+):\s*(\S.*)")

Field = str | list[str]


@dataclass(frozen=True, slots=True)
class Record:
    """One record as parsed: the line it ends on (None in JSON), its fields, and what is wrong with it, if anything."""

    line: int | None
    fields: list[Field]
    text: str
    problem: str = ""


def is_json_table(head: str) -> bool:
    """Whether the beginning of a file is a JSON array of objects, or a JSON object from ids to texts."""
    return bool(_ARRAY.match(head) or _MAP.match(head))


def stated_delimiter(line: str) -> str:
    """The delimiter that the first line of a CSV states for Excel, ``sep=;``; empty for any other line."""
    stated = _STATED.fullmatch(line)
    return stated[1] if stated else ""


def csv_delimiter(first: str) -> str:
    """The delimiter of a CSV by its first line: the one that it states, else of commas, semicolons (of spreadsheets
    where a comma is the decimal point), tabs and bars the one that it has most of."""
    return stated_delimiter(first) or max(",;\t|", key=first.count)


def delimiter_of(head: str) -> str:
    """The delimiter that the first line states, or the first of ``DELIMITERS`` that splits most lines into the same
    number of fields, but for empty ones after those of the first; else empty. Up to half of the lines may be titles
    above a header, of one field each, if no delimiter is in the first line.
    """
    if stated := stated_delimiter(head.partition("\n")[0]):
        return stated
    lines = sample_lines(head)
    for most in (0, min(TITLES, len(lines) // 2)):
        for delimiter in DELIMITERS:
            records = [record.fields for record in text_records(lines, delimiter)]
            start = next((place for place, fields in enumerate(records[: most + 1]) if len(fields) > 1), None)
            if start is not None and _are_even(records[start:]):
                return delimiter
    return ""


def _are_even(records: Sequence[Sequence[Field]]) -> bool:
    named = len(records[0])
    widths = Counter(len(fields) if any(fields[named:]) else min(len(fields), named) for fields in records)
    width, count = widths.most_common(1)[0]
    return width > 1 and 3 * count >= 2 * widths.total()


def sample_lines(head: str) -> list[str]:
    """The first lines of a file's beginning, without the last, which may be cut."""
    lines = head.split("\n")
    whole = lines[:-1] or lines
    start = next((i for i, line in enumerate(whole) if not line.startswith("#")), 0)
    return [line.removesuffix("\r") for line in whole[max(0, start - 1) : start + SAMPLE]]


def comments_of(head: str) -> dict[str, str]:
    """What the comment lines at the beginning of a table say, as SSSOM's do: ``# license: …``."""
    found: dict[str, str] = {}
    for line in head.split("\n"):
        match = _COMMENT.fullmatch(line.rstrip())
        if match is not None:
            found.setdefault(match[1], match[2].strip("'\" "))
        elif not line.startswith("#"):
            break
    return found


def text_records(lines: Iterable[str], delimiter: str) -> Iterator[Record]:
    """The records of the lines, without blank ones and the comment lines before the first.

    A line that begins with ``#`` right before the data and with as many fields is a header, not a comment. A first line
    that states the delimiter is none either.

    TSV is split at every tab, quotes only taken off: its writers disagree on quoting, and none breaks lines inside a
    field. All else is CSV of RFC 4180, where a quoted field may go over several lines.
    """
    rest, skipped = _after_comments(iter(lines), delimiter)
    if delimiter == "\t":
        for number, line in enumerate(rest, start=skipped + 1):
            if line:
                cells: list[Field] = list(line.split("\t"))
                yield Record(number, [unquoted(str(c)) for c in cells] if '"' in line else cells, line)
        return
    reader = csv_reader((line + "\n" for line in rest), delimiter, strict=True)
    while True:
        begun = skipped + reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            ended = skipped + reader.line_num
            lost = f"; lines {begun:,} to {ended:,} are lost with it" if ended > begun else ""
            yield Record(ended, [], "", f"not valid CSV ({error}){lost}")
            continue
        if fields:
            yield Record(skipped + reader.line_num, list(fields), delimiter.join(fields))


def _after_comments(lines: Iterator[str], delimiter: str) -> tuple[Iterator[str], int]:
    """The lines from the header on, and how many came before it."""
    comments: list[str] = []
    for line in lines:
        if not line.startswith("#") and (comments or not stated_delimiter(line)):
            is_header = bool(comments) and 0 < comments[-1].count(delimiter) == line.count(delimiter)
            is_header = is_header and comments[-1].startswith("#")
            kept = [comments[-1], line] if is_header else [line]
            return chain(kept, lines), len(comments) + 1 - len(kept)
        comments.append(line)
    return iter(comments), 0


def unquoted(field: str) -> str:
    """The cell of a TSV without quotes around it."""
    quoted = len(field) > 1 and field[0] == '"' and field[-1] == '"'
    return field[1:-1].replace('""', '"') if quoted else field


def json_header(source: Source) -> list[str]:
    """The column names of a JSON table: the keys of its first objects."""
    return list(dict.fromkeys(key for record in islice(_objects(source), SAMPLE) for key in record))


def json_records(source: Source, header: Sequence[str]) -> Iterator[Record]:
    """The objects of a JSON table as records with the columns of ``header``; a list stays one.

    Raises:
        FormatError: what is not JSON, or holds objects larger than ``MAX_LINE``.
    """
    for record in _objects(source):
        try:
            fields = [_field(name, record.get(name)) for name in header]
        except TypeError as error:
            yield Record(None, [], json.dumps(record, ensure_ascii=False)[:400], str(error))
        else:
            yield Record(None, fields, "")


def _field(name: str, value: Any) -> Field:
    if isinstance(value, list):
        return [text for item in value if (text := str(_field(name, item)))]
    if value is None or (isinstance(value, float) and isnan(value)):  # NaN: a missing number of pandas
        return ""
    if isinstance(value, str | int | float):
        return cell_text(whole(value))
    raise TypeError(f"{name!r} holds an object where a text is needed")


def _objects(source: Source) -> Iterator[dict[str, Any]]:
    """The objects one by one; a JSON object of texts gives one object of ``MAP_HEADER`` for each member."""
    with JsonScan.of(source, MAX_LINE) as scan:
        if scan.take("[{") == "[":
            while scan.next() != "]":
                value = scan.value()
                if not isinstance(value, dict):
                    source.fail(None, "not an array of JSON objects", "Is it a table?")
                yield value
            return
        while scan.next() != "}":
            key = scan.value()
            scan.take(":")
            yield dict(zip(MAP_HEADER, (key, scan.value()), strict=True))


def column_places(
    source: Source, header: Sequence[str], needed: Sequence[str], optional: Sequence[str] = ()
) -> list[int]:
    """The place of each column by its name in any letter case, -1 for an optional one that is not in the header.

    Raises:
        FormatError: a needed column is missing; names all that are.
    """
    places = {name.casefold(): place for place, name in reversed(list(enumerate(header)))}
    missing = [name for name in needed if name.casefold() not in places]
    if missing:
        hint = f"The columns there are: {', '.join(header)}. Check that the file is whole and of this format"
        source.fail(1, f"no column {', '.join(missing)}", hint)
    return [places.get(name.casefold(), -1) for name in (*needed, *optional)]


def fold_header(name: str) -> str:
    """A header in lower case with its words joined by ``_``."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
