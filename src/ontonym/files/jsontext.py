"""JSON files, and typed fields of JSON objects: an absent field is empty, a wrong type raises ``BadRow``."""

from __future__ import annotations

import codecs
import gc
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import orjson

from ontonym.errors import FormatError
from ontonym.files.counts import BadRow
from ontonym.files.packing import AGAIN
from ontonym.files.source import GuardedStream, Source
from ontonym.jsonbytes import json_bytes

JsonObject = dict[str, Any]
T = TypeVar("T")
E = TypeVar("E")

_BETWEEN = re.compile(r"[\s,]*")
_LONGEST_NUMBER = 400


def _whole(digits: str) -> int | float:
    """A whole number, as a float where it is beyond 64 bits, as orjson reads it; ValueError for hundreds of digits."""
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError("a number of hundreds of digits")
    number = int(digits)
    return number if -(1 << 63) <= number < 1 << 64 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_whole)
_CHUNK = 1 << 20
_SMALL = 16  # bytes

SMALL_PARTS = 1_000_000
"""Most objects and lists of a document in which they are tiny: each takes many times its bytes in memory."""


def read_json(source: Source) -> Any:
    """The value in a file of one JSON document; raises ``FormatError`` with the line where it is not JSON."""
    return check_json(source, source.read())


def check_json(source: Source, data: bytes) -> Any:
    """The value in the bytes of a file; raises ``FormatError`` with the line where they are not JSON."""
    small = data.count(b"{") + data.count(b"[")
    if small > SMALL_PARTS and small * _SMALL > len(data):
        source.fail(None, f"{small:,} objects and lists of hardly a value each", "Is it really a release?")
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


class JsonScan:
    """A JSON text read piece by piece, so that only the value being read is in memory; ``line`` is where it stands.

    Raises FormatError, with the line, for what is not JSON, and for a value of more than ``limit`` characters.
    """

    def __init__(self, source: Source, stream: GuardedStream, limit: int | None = None) -> None:
        self._source, self._stream, self._limit = source, stream, limit
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.buffer, self.line = "", 1
        self._place = 0
        self._more()

    @classmethod
    @contextmanager
    def of(cls, source: Source, limit: int | None = None) -> Iterator[JsonScan]:
        """Opens a file to be read."""
        with source.open() as stream:
            yield cls(source, stream, limit)

    def _more(self) -> bool:
        """Reads on, doubling a value that has begun, so that it is scanned a few times only; False at the end."""
        data = self._stream.read(max(_CHUNK, len(self.buffer) - self._place))
        try:
            read = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise self.error(f"not UTF-8 ({error.reason})") from None
        self.buffer, self._place = self.buffer[self._place :] + read, 0
        return bool(data) and (self._limit is None or len(self.buffer) <= self._limit)

    def _pass(self, end: int) -> None:
        self.line += self.buffer.count("\n", self._place, end)
        self._place = end

    def enter(self, pattern: re.Pattern[str]) -> bool:
        """Goes behind the next match, and says whether there is one."""
        while not (found := pattern.search(self.buffer, self._place)):
            if not self._more():
                return False
        self._pass(found.end())
        return True

    def next(self) -> str:
        """The next character that is neither white space nor a comma, empty at the end."""
        while True:
            begins = _BETWEEN.match(self.buffer, self._place)
            self._pass(begins.end() if begins else self._place)
            if self._place < len(self.buffer):
                return self.buffer[self._place]
            if not self._more():
                return ""

    def take(self, characters: str) -> str:
        """The next character, which must be one of these, and goes behind it."""
        found = self.next()
        if not found or found not in characters:
            raise self.error("not valid JSON")
        self._pass(self._place + 1)
        return found

    def value(self) -> Any:
        """The JSON value that begins with the next character."""
        self.next()
        while True:
            try:
                found, end = _DECODER.raw_decode(self.buffer, self._place)
            except json.JSONDecodeError as error:
                within = error.pos - self._place
                if self._more():
                    continue
                self._pass(self._place + within)
                raise self.error(f"not valid JSON ({error.msg})") from None
            except RecursionError:
                raise self.error("JSON nested too deeply") from None
            except ValueError:
                raise self.error("a number of hundreds of digits") from None
            size = end - self._place
            if end == len(self.buffer) and self._more():
                continue  # a number may go on
            self._pass(self._place + size)
            return found

    def error(self, problem: str) -> FormatError:
        """The error for what is wrong at this line."""
        return FormatError(self._source.label, problem, line=self.line, hint=AGAIN)


def text_of(parent: JsonObject, key: str) -> str:
    """The text under ``key``, without white space around it; empty where there is none."""
    return _found(parent, key, str, "a text", "").strip()


def object_of(parent: JsonObject, key: str) -> JsonObject:
    """The object under ``key``; an empty one where there is none."""
    return _found(parent, key, dict, "an object", {})


def list_of(parent: JsonObject, key: str) -> list[Any]:
    """The list under ``key``; an empty one where there is none."""
    return _found(parent, key, list, "a list", [])


def flag_of(parent: JsonObject, key: str) -> bool | None:
    """The boolean under ``key``, or None where there is none."""
    return _found(parent, key, bool, "true or false", None)


def objects_of(parent: JsonObject, key: str) -> list[JsonObject]:
    """The objects in the list under ``key``."""
    value = [] if parent.get(key) is None else parent[key]
    if type(value) is not list or any(type(item) is not dict for item in value):
        raise BadRow(f"{key!r} is not a list of objects")
    return value


def texts_of(parent: JsonObject, key: str) -> list[str]:
    """The texts in the list under ``key``; a single text counts as a list of one."""
    value = parent.get(key)
    texts = [value] if isinstance(value, str) else list_of(parent, key)
    if not all(isinstance(item, str) for item in texts):
        raise BadRow(f"{key!r} is not a list of texts")
    return texts


def _found(parent: JsonObject, key: str, kind: type[T], wanted: str, empty: E) -> T | E:
    value = parent.get(key)
    if value is None:
        return empty
    if not isinstance(value, kind):
        raise BadRow(f"{key!r} is {_kind(value)} where {wanted} is needed")
    return value


def excerpt(value: Any) -> str:
    """The beginning of a value as JSON, for a message."""
    try:
        return json_bytes(value)[:400].decode(errors="replace")
    except TypeError:
        return ""


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", bool: "a truth value", str: "a text"}.get(type(value), "a number")
