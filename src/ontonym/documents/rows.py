"""What documents are read from, a file or standard input, and what became of each of its rows."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import IO, Any, Protocol

from ontonym.documents.document import Mark
from ontonym.errors import FormatError
from ontonym.files.counts import MalformedRow, RowCounts
from ontonym.files.source import MAX_LINE, Source, open_source
from ontonym.files.workbooks import table_bytes
from ontonym.types import LONGEST_TEXT

STANDARD_INPUT = "standard input"


class RowListener(Protocol):
    """What a reader of rows reports to: what became of each row that is not a mention."""

    def skip(self, rule: str) -> None:
        """A row that the named rule leaves out."""

    def malformed(self, line: int | None, problem: str) -> None:
        """A row that cannot be read; raises FormatError where the reading is strict."""


@dataclass
class Input:
    """A file, or standard input for ``-``; ``counts`` says what became of its rows.

    ``given`` is a text that takes the place of a file. ``column`` names the column of the text in a table. ``whole``
    keeps the spaces around a text, so that offsets in it stay right. Under ``strict`` the first malformed row is a
    FormatError. Readers of tables set ``columns``, the header, and of Parquet ``schema``, the Arrow type of each
    column.
    """

    path: str
    column: str | None = None
    strict: bool = False
    whole: bool = False
    given: str | None = None
    counts: RowCounts = field(default_factory=RowCounts)
    columns: tuple[str, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """What messages call it."""
        return STANDARD_INPUT if self.path == "-" else self.path

    @cached_property
    def source(self) -> Source | None:
        """The file; None for standard input."""
        return None if self.path == "-" else open_source(self.path)

    @property
    def file(self) -> tuple[str, IO[bytes] | None]:
        """Where a binary table is, and its bytes if it is packed; FormatError for standard input."""
        if self.source is None:
            raise FormatError(STANDARD_INPUT, "this format is read of files only", hint="Name a file")
        packed = table_bytes(self.source.packed.place)
        return self.source.label if packed else self.path, packed

    @cached_property
    def first(self) -> str:
        """The first line that is not blank."""
        return _first(self.source.head().split("\n")) if self.source else _first(self._typed[0])

    @property
    def lines(self) -> Iterator[str]:
        """The lines, of standard input only once."""
        return self.source.lines() if self.source else chain(*self._typed)

    @cached_property
    def _typed(self) -> tuple[list[str], Iterator[str]]:
        """The lines of standard input up to the first that is not blank, and those that follow."""
        lines, start = _typed_lines(), list[str]()
        while not _first(start) and (line := next(lines, None)) is not None:
            start.append(line)
        return start, lines

    def cut(self, text: str) -> str:
        """The text of a line or cell without the spaces around it, unless it is wanted whole."""
        return text if self.whole else text.strip()

    def skip(self, rule: str) -> None:
        """Counts a row without a mention."""
        self.counts.skip(rule)

    def malformed(self, line: int | None, problem: str) -> None:
        """Counts a malformed row, or raises FormatError under ``strict``."""
        if self.strict:
            raise FormatError(self.place, problem, line=line, hint="Fix the row, or read without `strict=` to skip it")
        self.counts.add_malformed(MalformedRow(self.place, line, problem, ""))

    def keeps(self, mark: Mark) -> bool:
        """Counts a mention, and says whether it is one: neither blank nor malformed."""
        if mark.problem:
            self.malformed(mark.line, mark.problem)
        elif len(mark.mention.text) > LONGEST_TEXT and not self.whole:
            size = len(mark.mention.text)
            self.malformed(mark.line, f"a mention of {size:,} characters, where {LONGEST_TEXT:,} are the most")
        elif mark.mention.text.strip():
            self.counts.keep()
            return True
        else:
            self.skip("blank")
        return False


def _first(lines: Iterable[str]) -> str:
    return next((line for line in lines if line.strip()), "")


def _typed_lines() -> Iterator[str]:
    for number, line in enumerate(iter(lambda: sys.stdin.buffer.readline(MAX_LINE + 1), b""), 1):
        if len(line) > MAX_LINE:
            raise FormatError(STANDARD_INPUT, f"line longer than {MAX_LINE:,} bytes", line=number)
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise FormatError(STANDARD_INPUT, "not UTF-8", line=number, hint="Convert it with iconv") from None
