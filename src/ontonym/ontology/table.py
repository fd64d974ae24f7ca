"""Reader of generic tables: CSV and TSV with a column mapping or obvious headers, and JSONL. A line or object is a row.

Rows of one id make one concept, whether they stand together or not.
"""

from __future__ import annotations

import csv
from array import array
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from tempfile import TemporaryFile, gettempdir

import numpy as np
import orjson

from ontonym.errors import InputError
from ontonym.ontology.columns import guess_columns, resolve_columns
from ontonym.ontology.jsonl import is_jsonl, read_jsonl
from ontonym.ontology.release import Reading
from ontonym.ontology.rows import BadRow, Merging, Row
from ontonym.ontology.source import Source
from ontonym.types import Concept

DELIMITERS = "\t,;|"
LIST_ROLES = frozenset({"synonyms", "parents", "xrefs", "tags", "alternative_ids", "replaced_by"})
"""Roles whose columns hold several values, split at the mapping's separator."""

_SAMPLE_LINES = 50


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a file is laid out: its delimiter, whether a header comes first, its width, and role to positions."""

    delimiter: str
    header: bool
    width: int
    positions: dict[str, tuple[int, ...]]
    separator: str

    def concept_id(self, fields: Sequence[str]) -> str:
        """The id in the row; raises ``BadRow`` for a wrong number of fields or an empty id."""
        if len(fields) != self.width:
            raise BadRow(f"expected {self.width} fields, found {len(fields)}")
        concept_id = fields[self.positions["id"][0]].strip()
        if not concept_id:
            raise BadRow("an empty id")
        return concept_id

    def row(self, concept_id: str, fields: Sequence[str]) -> Row:
        """The row by roles."""
        values: dict[str, tuple[str, ...]] = {}
        for role, positions in self.positions.items():
            texts: Iterable[str] = (fields[i] for i in positions)
            if role in LIST_ROLES:
                texts = (part for text in texts for part in text.split(self.separator))
            found = tuple(stripped for text in texts if (stripped := text.strip()))
            if found and role != "id":
                values[role] = found
        return Row(concept_id, values)


@dataclass(frozen=True, slots=True)
class _Record:
    """One record as parsed: the line it ends on, its fields, and what is wrong with it, if anything."""

    line: int
    fields: list[str]
    text: str
    problem: str = ""


def is_table(head: str) -> bool:
    """Whether the beginning of a file is a table: JSONL, or lines with equally many fields (and no JSON or XML)."""
    return is_jsonl(head) or (not head.lstrip().startswith(("{", "[", "<")) and bool(_delimiter(head)))


def read_table(sources: Sequence[Source], reading: Reading) -> Iterator[Concept]:
    """The concepts of tables; where the rows of an id are scattered, a concept comes where its first row stands.

    Raises:
        FormatError: the columns are not obvious and no mapping is given.
        UnknownNameError: the mapping names a column that the file does not have.
        InputError: the rows of an id are scattered, and the folder for temporary files has no room to sort them.
    """
    for source in sources:
        head = source.head()
        if is_jsonl(head):
            yield from read_jsonl(source, reading)
            continue
        layout = _layout(source, head, reading)
        order = _scattered_order(source, layout)
        rows: Generator[tuple[int, Row]]
        if order is None:
            rows = ((line, layout.row(id_, fields)) for line, id_, fields in _good_rows(source, layout, reading))
        else:
            rows = _sorted_rows(source, layout, reading, order)
        with closing(rows):
            yield from _merge(rows, source, reading)


def _layout(source: Source, head: str, reading: Reading) -> _Layout:
    given = reading.options.columns
    delimiter = (given.delimiter if given else "") or _delimiter(head) or "\t"
    sample = list(_records(_sample(head), delimiter))
    first = sample[0].fields if sample else []
    mapping = given or guess_columns(first)
    if mapping is None:
        shown = ", ".join(f"{i}={text[:30]!r}" for i, text in enumerate(first[:20], start=1))
        mend = f"Name them, for example id=1 preferred=2. The first line reads: {shown}"
        reading.fail(source, 1, "cannot tell which columns hold ids and names", mend)
    header = first if mapping.has_header else None
    width = len(first)
    if header is None and sample:
        width = Counter(len(record.fields) for record in sample).most_common(1)[0][0]
    positions = resolve_columns(mapping, header, width)
    reading.columns.update(mapping.to_dict())
    return _Layout(delimiter, header is not None, width, positions, mapping.separator)


def _scattered_order(source: Source, layout: _Layout) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """None where the rows of every id stand together; else the order of good rows that brings them together.

    Ids are compared by their 64-bit hashes, so that this takes some 50 bytes a row, however long ids and rows are.
    """
    hashes = array("q")
    for _, concept_id, _ in _good_rows(source, layout, None):
        hashes.append(hash(concept_id))
    keys = np.frombuffer(hashes, dtype=np.int64)
    unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    runs = np.count_nonzero(np.diff(keys)) + min(len(keys), 1)
    return None if len(unique) == runs else np.argsort(first[inverse], kind="stable")


def _good_rows(source: Source, layout: _Layout, reading: Reading | None) -> Iterator[tuple[int, str, list[str]]]:
    """Line, id and fields of every row that can be read; the others are counted where ``reading`` is given."""
    records = _records(source.lines(), layout.delimiter)
    if layout.header:
        next(records, None)
    for record in records:
        try:
            if record.problem:
                raise BadRow(record.problem)
            concept_id = layout.concept_id(record.fields)
        except BadRow as bad:
            if reading is not None:
                reading.malformed(source, record.line, str(bad), record.text)
            continue
        yield record.line, concept_id, record.fields


def _sorted_rows(
    source: Source, layout: _Layout, reading: Reading, order: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> Generator[tuple[int, Row]]:
    """Line and row in the given order; the rows wait in a temporary file that no way of ending leaves behind.

    In memory is only where each begins, 8 bytes a row.

    Raises:
        FormatError: the file is no longer the one that ``order`` is for.
        InputError: there is no room for the temporary file.
    """
    folder = "the folder for temporary files"
    try:
        folder = gettempdir()
        with TemporaryFile(prefix="ontonym-", dir=folder) as spool:
            starts = array("q")
            start = 0
            for row in _good_rows(source, layout, reading):
                starts.append(start)
                start += spool.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            if len(starts) != len(order):
                reading.fail(source, None, "changed while it was read", "Import it again once it is complete")
            for place in order.data:
                spool.seek(starts[place])
                line, concept_id, fields = orjson.loads(spool.readline())
                yield line, layout.row(concept_id, fields)
    except OSError as error:
        raise InputError(
            f"{source.path}: the rows of its ids are scattered and cannot be brought together in {folder}: "
            f"{error.strerror or error}. Sort the file by id, or let TMPDIR name a folder with more room"
        ) from None


def _merge(rows: Iterable[tuple[int, Row]], source: Source, reading: Reading) -> Iterator[Concept]:
    """One concept for every run of rows with the same id."""
    current: Merging | None = None
    for line, row in rows:
        if current is None or row.id != current.published:
            concept = current.concept(reading) if current else None
            if concept is not None:
                yield concept
            current = Merging(row.id)
        try:
            current.add(row, reading)
        except BadRow as bad:
            reading.malformed(source, line, str(bad), row.id)
    concept = current.concept(reading) if current else None
    if concept is not None:
        yield concept


def _delimiter(head: str) -> str:
    """The first of ``DELIMITERS`` that splits most lines into the same number of fields; else empty."""
    sample = _sample(head)
    for delimiter in DELIMITERS:
        if delimiter not in (sample[0] if sample else ""):
            continue
        widths = Counter(len(record.fields) for record in _records(sample, delimiter))
        width, count = widths.most_common(1)[0]
        if width > 1 and 3 * count >= 2 * widths.total():
            return delimiter
    return ""


def _sample(head: str) -> list[str]:
    """The first lines of a file's beginning, without the last, which may be cut."""
    lines = head.split("\n")
    whole = lines[:-1] or lines
    return [line.removesuffix("\r") for line in whole[:_SAMPLE_LINES]]


def _records(lines: Iterable[str], delimiter: str) -> Iterator[_Record]:
    """The records of the lines, blank ones left out.

    TSV is split at every tab, quotes only taken off: its writers disagree on quoting, and none breaks lines inside a
    field. All else is CSV of RFC 4180, where a quoted field may go over several lines.
    """
    if delimiter == "\t":
        for number, line in enumerate(lines, start=1):
            if line:
                fields = line.split("\t")
                yield _Record(number, [_unquoted(f) for f in fields] if '"' in line else fields, line)
        return
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield _Record(reader.line_num, [], "", f"not valid CSV ({error})")
            continue
        if fields:
            yield _Record(reader.line_num, fields, delimiter.join(fields))


def _unquoted(field: str) -> str:
    quoted = len(field) > 1 and field[0] == '"' and field[-1] == '"'
    return field[1:-1].replace('""', '"') if quoted else field
