"""Files of a user that hold ids (mappings, added terms, normalized mentions): their rows with the ids of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ontonym.errors import FormatError, UnknownNameError
from ontonym.files.counts import BadRow
from ontonym.files.jsontext import json_record
from ontonym.files.records import delimiter_of, fold_header, is_json_table, text_records
from ontonym.files.source import open_source
from ontonym.ontology.tables.jsonl import is_jsonl
from ontonym.text.numbers import whole_number
from ontonym.text.visible import cut_to

SAMPLE = 200
"""Rows from which the columns with ids are detected."""
ID_HEADERS = frozenset("id code curie concept concept_id concept_code term_id subject_id object_id xref xrefs".split())
"""Headers, folded, of columns that hold ids whatever the first rows say."""

_SSSOM = ("subject_id", "object_id")
_SSSOM_TEXT = ("subject_id", "subject_label", "predicate_id", "object_id", "object_label")
_LIST = re.compile(r"\s*[|;]\s*")
_CURIE = re.compile(r"[A-Za-z][\w.-]*:[^\s/]\S*")
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class IdRow:
    """One row: its line, the ids by column, what else it says, or what is wrong with it."""

    line: int | None
    ids: tuple[tuple[str, str], ...] = ()
    text: str = ""
    problem: str = ""


class _RowCells(NamedTuple):
    """A row as it is written: its cells by column, or what is wrong with it."""

    line: int | None
    cells: dict[str, Any]
    problem: str = ""


class IdFile:
    """A table with ids, read as often as it is walked; ``columns`` are those that hold them.

    ``known`` says whether an id is one of ``terminology`` (its name, for messages). Raises FormatError where no column
    holds ids, UnknownNameError for a column that is not there.
    """

    def __init__(self, path: Path | str, columns: Sequence[str], known: Callable[[str], bool], terminology: str):
        self._source = open_source(path)
        head = self._source.head()
        self._is_json = is_jsonl(head)
        if not self._is_json and (is_json_table(head) or head.lstrip()[:1] in ("{", "[")):
            hint = "Give a table (CSV, TSV, SSSOM) or JSON lines, one object a line"
            raise FormatError(path, "is JSON, but not one object a line", hint=hint)
        self._delimiter = delimiter_of(head) or "\t"
        self._headed = True
        self._names = self._header(known)
        self.columns: tuple[str, ...] = ()
        self.columns = tuple(self._named(columns) if columns else self._guessed(known))
        if not self.columns:
            there = ", ".join(self._names[:20])
            hint = f"Name it, `id_columns=NAME`; the columns are: {there}"
            raise FormatError(path, f"no column with ids of {terminology}", line=1, hint=hint)

    def rows(self) -> Iterator[IdRow]:
        """The rows in order, malformed ones with their problem."""
        for row in self._cells():
            if row.problem:
                yield IdRow(row.line, problem=row.problem)
                continue
            ids = tuple((name, written) for name in self.columns for written in _ids(row.cells.get(name)))
            yield IdRow(row.line, ids, self._beside(row.cells))

    def _cells(self) -> Iterator[_RowCells]:
        """Every row as it is written."""
        if self._is_json:
            yield from self._objects()
            return
        records = text_records(self._source.lines(), self._delimiter)
        width = max((self._names.index(name) + 1 for name in self.columns), default=0)
        for record in islice(records, int(self._headed), None):
            problem = record.problem
            if not problem and len(record.fields) < width:
                problem = f"only {len(record.fields)} of at least {width} columns"
            yield _RowCells(record.line, dict(zip(self._names, record.fields, strict=False)), problem)

    def _objects(self) -> Iterator[_RowCells]:
        for number, line in enumerate(self._source.lines(), start=1):
            if not line.strip():
                continue
            try:
                yield _RowCells(number, json_record(line))
            except BadRow as error:
                yield _RowCells(number, {}, str(error))

    def _header(self, known: Callable[[str], bool]) -> list[str]:
        """The names of the columns; their numbers where the first row holds an id already."""
        if self._is_json:
            return list(dict.fromkeys(name for row in islice(self._objects(), SAMPLE) for name in row.cells))
        first = next(text_records(self._source.lines(), self._delimiter), None)
        names = [str(field).strip() for field in first.fields] if first else []
        self._headed = not any(known(written) for name in names for written in _ids(name))
        return [name.removeprefix("#").strip() for name in names] if self._headed else [
            str(number) for number in range(1, len(names) + 1)
        ]  # fmt: skip

    def _named(self, columns: Sequence[str]) -> list[str]:
        """The columns that the user names, by header or number."""
        found = []
        for column in columns:
            if column in self._names:
                found.append(column)
            elif (number := whole_number(column)) is not None and 1 <= number <= len(self._names):
                found.append(self._names[number - 1])
            else:
                raise UnknownNameError("column", column, self._names)
        return list(dict.fromkeys(found))

    def _guessed(self, known: Callable[[str], bool]) -> list[str]:
        """The columns of SSSOM, or those with an obvious header, and those whose first values are mostly ids."""
        if all(name in self._names for name in _SSSOM):
            return list(_SSSOM)
        sample = [row.cells for row in islice(self._cells(), SAMPLE) if not row.problem]
        return [name for name in self._names if self._obvious(name) or _mostly(known, sample, name)]

    def _obvious(self, name: str) -> bool:
        return fold_header(name) in ID_HEADERS

    def _beside(self, cells: dict[str, Any]) -> str:
        """What a row says beside its ids; of a mapping the whole of it."""
        names = _SSSOM_TEXT if self.columns == _SSSOM else [name for name in self._names if name not in self.columns]
        words = [" ".join(str(cells[name]).split()) for name in names if isinstance(cells.get(name), str | int | float)]
        text = " ".join(filter(None, words))
        return cut_to(text, _LONGEST)


def _mostly(known: Callable[[str], bool], sample: Sequence[dict[str, Any]], name: str) -> bool:
    values = [written for cells in sample for written in _ids(cells.get(name))]
    return bool(values) and 2 * sum(bool(_CURIE.fullmatch(each)) or known(each) for each in values) >= len(values)


def _ids(value: Any) -> list[str]:
    """The ids of a cell: several are parted by ``|`` or ``;``, or are a JSON list."""
    values = value if isinstance(value, list) else [value]
    texts = [str(each) for each in values if isinstance(each, str | int) and not isinstance(each, bool)]
    return [part.strip() for text in texts for part in _LIST.split(text) if part.strip()]
