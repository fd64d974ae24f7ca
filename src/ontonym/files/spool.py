"""Records put aside in a temporary file while others are read: only their positions are in memory."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile, gettempdir
from typing import Any, Self

import orjson

from ontonym.errors import InputError
from ontonym.jsonbytes import json_bytes


class Spool:
    """JSON lists in a temporary file that is always removed; close it, or use it as a context manager.

    InputError where there is no room for the file: ``problem`` says what cannot be put aside, ``hint`` what to do.
    """

    def __init__(self, problem: str, hint: str) -> None:
        self._problem, self._hint = problem, hint
        self._folder = "the folder for temporary files"
        self._end = 0
        try:
            self._folder = gettempdir()
            self._file = TemporaryFile(prefix="ontonym-", dir=self._folder)  # noqa: SIM115 - lives as long as this
        except OSError as error:
            raise self._error(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the file."""
        self._file.close()

    def add(self, *record: Any) -> int:
        """Puts a record aside, and gives its position."""
        start = self._end
        try:
            self._end += self._file.write(json_bytes(record, option=orjson.OPT_APPEND_NEWLINE))
        except OSError as error:
            raise self._error(error) from None
        return start

    def read(self, start: int) -> list[Any]:
        """The record at a position."""
        try:
            self._file.seek(start)
            record: list[Any] = orjson.loads(self._file.readline())
        except OSError as error:
            raise self._error(error) from None
        return record

    def __iter__(self) -> Iterator[list[Any]]:
        """The records in order; between them none may be added, or read by its position."""
        try:
            self._file.seek(0)
            yield from map(orjson.loads, self._file)
        except OSError as error:
            raise self._error(error) from None

    def _error(self, error: OSError) -> InputError:
        return InputError(f"{self._problem} in {self._folder}: {error.strerror or error}. {self._hint}")
