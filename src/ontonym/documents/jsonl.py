"""JSON lines: an object with a ``text`` for each mention, or with a column that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import orjson

from ontonym.documents.document import Document, Mark
from ontonym.documents.rows import Input
from ontonym.errors import FormatError, UnknownNameError
from ontonym.files.cells import cell_text
from ontonym.types import Mention

_KEYS = {"text", "id", "document", "start", "end", "type", "passage"}
"""The keys of a mention; where an object with a text has others, or a column is named, all objects are rows."""

MOST_KEYS = 2_000
"""The most keys that the rows of a table may have together, as each row gets a cell for each of them."""


def read_json_lines(rows: Input) -> Iterator[Document]:
    """Objects with ``text``, and if they have them ``id``, ``document``, ``start``, ``end``, ``type``, ``passage``."""
    key = rows.column or "text"
    objects = json_objects(rows, f'an object with a string "{key}"')
    first = next(objects, None)
    if first is None:
        return
    columns, has_others = _columns(rows, key, first[1])
    is_table = rows.column is not None or has_others
    if is_table and key not in columns:
        raise UnknownNameError("column", key, columns)
    if is_table and not rows.whole:  # what is annotated has no rows that are written
        rows.columns = columns
        if len(columns) > MOST_KEYS:
            hint = "Give the rows of a table the same keys"
            raise FormatError(
                rows.place, f"{len(columns):,} different keys, where {MOST_KEYS:,} are the most", hint=hint
            )
    for number, row in chain([first], objects):
        cells = tuple(row.get(name) for name in rows.columns) if rows.columns else None
        given = row.get(key)
        text = cell_text(given) if is_table and not isinstance(given, list | dict) else given
        if not rows.whole and (cells is not None or isinstance(text, str)):
            _check_keys(rows, number, row)
        if not isinstance(text, str):
            rows.malformed(number, f'not an object with a string "{key}"')
            if cells is not None:  # the row stays, without an answer
                yield Document(str(number), row=cells)
            continue
        start, end = (row[name] if type(row.get(name)) is int else None for name in ("start", "end"))
        document, kind, passage = (cell_text(row.get(name)) for name in ("document", "type", "passage"))
        id_ = number if row.get("id") is None else row["id"]
        mention = Mention(text, str(id_), document, start, end, kind, passage)
        yield Document(document or mention.id, marks=(Mark(mention, line=number),), row=cells)


def _columns(rows: Input, key: str, first: dict[str, Any]) -> tuple[tuple[str, ...], bool]:
    """The keys of all objects of a file in the order in which they come, and whether one that has the text has others
    than a mention; of standard input, and of texts whose rows are not written, those of the first.
    """
    keys, has_others = dict.fromkeys(first), bool(first.keys() - _KEYS)
    if rows.source is not None and (rows.column is not None or not rows.whole):
        for line in rows.source.lines():
            try:
                row = orjson.loads(line) if line.strip() else None
            except orjson.JSONDecodeError:
                continue
            if isinstance(row, dict):
                keys.update(dict.fromkeys(row))
                has_others = has_others or (key in row and bool(row.keys() - _KEYS))
    return tuple(keys), has_others


def _check_keys(rows: Input, number: int, row: dict[str, Any]) -> None:
    new = sorted(row.keys() - (set(rows.columns) or _KEYS))
    if new:
        problem = f"a key that the first object lacks, {new[0]!r}; standard input is read only once"
        raise FormatError(rows.place, problem, line=number, hint="Give a file, whose keys are all read before")


def json_objects(rows: Input, needed: str = 'an object with a string "text"') -> Iterator[tuple[int, dict[str, Any]]]:
    """The object of every line with the line's number; ``needed`` is what the message says that a line should be."""
    for number, line in enumerate(rows.lines, 1):
        if not line.strip():
            rows.skip("blank")
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            rows.malformed(number, f"not JSON ({error})")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            rows.malformed(number, f"not {needed}")
