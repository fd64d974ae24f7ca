"""JSON lines of mentions, and numbers in JSON tables, as they are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.documents import read_documents
from ontonym.files.records import json_header, json_records
from ontonym.files.source import open_source

Write = Callable[[str, str | bytes], Path]


@pytest.mark.parametrize(
    ("given", "document", "start"),
    [({"document": 0, "start": 3}, "0", 3), ({"document": None, "start": None}, "", None), ({"start": True}, "", None)],
)
def test_a_document_may_be_called_0(write: Write, given: dict[str, Any], document: str, start: int | None) -> None:
    (found,) = read_documents(write("a.jsonl", json.dumps({"text": "fits", **given})))
    mention = found.marks[0].mention
    assert (mention.document, mention.start) == (document, start)


@pytest.mark.parametrize("number", ["1234567890123456789", "-9223372036854775808", "18446744073709551615", "999"])
def test_a_code_of_many_digits_keeps_them(write: Write, number: str) -> None:
    source = open_source(write("codes.json", f'[{{"id": {number}}}]'))
    assert [record.fields for record in json_records(source, json_header(source))] == [[number]]
