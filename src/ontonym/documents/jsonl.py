"""JSON lines: an object with a ``text`` for each mention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from ontonym.documents.document import Document, Mark
from ontonym.documents.rows import Input
from ontonym.types import Mention


def read_json_lines(rows: Input) -> Iterator[Document]:
    """Objects with ``text``, and if they have them ``id``, ``document``, ``start``, ``end``, ``type``, ``passage``."""
    for number, row in json_objects(rows):
        if not isinstance(row.get("text"), str):
            rows.malformed(number, 'not an object with a string "text"')
            continue
        start, end = (row[name] if isinstance(row.get(name), int) else None for name in ("start", "end"))
        document, kind, passage = (str(row.get(name) or "") for name in ("document", "type", "passage"))
        mention = Mention(row["text"], str(row.get("id", number)), document, start, end, kind, passage)
        yield Document(document or mention.id, marks=(Mark(mention, line=number),))


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
