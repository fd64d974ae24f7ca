"""JSON files, and typed fields of JSON objects: an absent field is empty, a wrong type raises ``BadRow``."""

from __future__ import annotations

import gc
from typing import Any

import orjson

from ontonym.files.counts import BadRow
from ontonym.files.packing import AGAIN
from ontonym.files.source import Source

JsonObject = dict[str, Any]


def read_json(source: Source) -> Any:
    """The value in a file of one JSON document; raises ``FormatError`` with the line where it is not JSON."""
    return check_json(source, source.read())


def check_json(source: Source, data: bytes) -> Any:
    """The value in the bytes of a file; raises ``FormatError`` with the line where they are not JSON."""
    try:
        return parsed(data)
    except orjson.JSONDecodeError as error:
        source.fail(error.lineno, f"not valid JSON ({error.msg})", AGAIN)


def json_record(line: str) -> JsonObject:
    """The JSON object on a line; raises ``BadRow``."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadRow(f"not valid JSON ({error.msg})") from None
    if not isinstance(record, dict):
        raise BadRow("not a JSON object")
    return record


def parsed(text: bytes | str) -> Any:
    """The JSON value; raises ``orjson.JSONDecodeError``. The garbage collector, which slows large documents down, is
    paused.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return orjson.loads(text)
    finally:
        if collecting:
            gc.enable()


def text_of(parent: JsonObject, key: str) -> str:
    """The text under ``key``, without white space around it; empty where there is none."""
    value = parent.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRow(f"{key!r} is {_kind(value)} where a text is needed")
    return value.strip()


def object_of(parent: JsonObject, key: str) -> JsonObject:
    """The object under ``key``; an empty one where there is none."""
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRow(f"{key!r} is {_kind(value)} where an object is needed")
    return value


def objects_of(parent: JsonObject, key: str) -> list[JsonObject]:
    """The objects in the list under ``key``."""
    value = parent.get(key)
    if value is None:
        return []
    if type(value) is not list or any(type(item) is not dict for item in value):
        raise BadRow(f"{key!r} is not a list of objects")
    return value


def texts_of(parent: JsonObject, key: str) -> list[str]:
    """The texts in the list under ``key``; a single text counts as a list of one."""
    value = parent.get(key)
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadRow(f"{key!r} is not a list of texts")
    return value


def flag_of(parent: JsonObject, key: str) -> bool | None:
    """The boolean under ``key``, or None where there is none."""
    value = parent.get(key)
    if value is not None and not isinstance(value, bool):
        raise BadRow(f"{key!r} is {_kind(value)} where true or false is needed")
    return value


def list_of(parent: JsonObject, key: str) -> list[Any]:
    """The list under ``key``; an empty one where there is none."""
    value = parent.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRow(f"{key!r} is not a list")
    return value


def excerpt(value: Any) -> str:
    """The beginning of a value as JSON, for a message."""
    try:
        return orjson.dumps(value)[:400].decode(errors="replace")
    except TypeError:
        return ""


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", bool: "a truth value", str: "a text"}.get(type(value), "a number")
