"""Big tables without quoting (RF2, RRF, Athena): read in blocks of bytes, every column an array.

No field becomes a Python object, which makes this many times faster than a loop over rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Bytes, Hashes, Ints, Mask, Offsets
from ontonym.files.counts import MAX_EXAMPLES, RowLog
from ontonym.files.records import column_places
from ontonym.files.source import MAX_LINE, Source, endless, refuse_short_lines
from ontonym.text.counting import count
from ontonym.text.strings import Strings, gathered

BLOCK = 4 << 20
"""Bytes read at once."""

_MEGABYTE = 1_000_000
_NEWLINE, _RETURN = 10, 13
_BOM = b"\xef\xbb\xbf"
_PADDING = b" " * 24
"""Put before the rows of a block, so that the eight bytes before any position can be read."""

_EIGHT, _SIXTY_FOUR = np.uint64(8), np.uint64(64)
_ZEROS = np.uint64(0x3030303030303030)
_OVER_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x000000FF000000FF)


@dataclass(frozen=True, slots=True)
class Block:
    """Whole rows of a table: field ``f`` of row ``r`` is ``data[starts[r, f]:ends[r, f]]``.

    ``lines`` are the 1-based numbers of the rows in their file.
    """

    source: Source
    data: Bytes
    starts: Offsets
    ends: Offsets
    lines: Offsets

    def __len__(self) -> int:
        return len(self.starts)

    def only(self, rows: Mask) -> Block:
        """The rows marked True."""
        return Block(self.source, self.data, self.starts[rows], self.ends[rows], self.lines[rows])

    def field(self, row: int, field: int) -> bytes:
        """One field of one row."""
        return self.data[self.starts[row, field] : self.ends[row, field]].tobytes()

    def report(self, rows: Mask | Sequence[int], problem: str, log: RowLog) -> None:
        """Reports the rows marked True, or those listed, as malformed."""
        listed = rows if isinstance(rows, Sequence) else np.flatnonzero(rows).tolist()
        log.counts.add_alike(max(len(listed) - MAX_EXAMPLES, 0))
        for row in listed[:MAX_EXAMPLES]:
            text = self.data[self.starts[row, 0] : self.ends[row, -1]].tobytes().decode(errors="replace")
            log.malformed(self.source, int(self.lines[row]), problem, text)

    def texts(self, field: int) -> Strings:
        """A column as texts; white space around them stays."""
        starts = self.starts[:, field]
        return gathered(self.data, starts, self.ends[:, field] - starts)

    def has(self, field: int, *values: bytes) -> Mask:
        """Whether the field is one of the values."""
        found = np.zeros(len(self), dtype=np.bool_)
        starts, lengths = self.starts[:, field], self.ends[:, field] - self.starts[:, field]
        for value in values:
            same = lengths == len(value)
            for place, byte in enumerate(value):
                same[same] = self.data[starts[same] + place] == byte
            found |= same
        return found

    def numbers(self, field: int, skip: int = 0) -> Ints:
        """A column of whole numbers of up to 18 digits after ``skip`` characters; -1 where a field is not one."""
        ends = self.ends[:, field]
        lengths = ends - self.starts[:, field] - skip
        sound = (lengths > 0) & (lengths <= 18)
        values = np.zeros(len(self), dtype=np.int64)
        words = np.ndarray((len(self.data) - 7,), dtype="<u8", buffer=self.data, strides=(1,))
        for eights, weight in enumerate((1, 10**8, 10**16)):
            left = lengths - 8 * eights
            if not (left > 0).any():
                break
            number, is_number = _eight_digits(words[np.maximum(ends - 8 * eights - 8, 0)], left)
            values += number * weight
            sound &= is_number
        values[~sound] = -1
        return values

    def coded(self, field: int, table: dict[bytes, int]) -> Ints:
        """A column of few distinct values as their numbers in ``table``, to which new ones are added."""
        texts = self.texts(field)
        distinct, first, inverse = np.unique(texts.hashes(), return_index=True, return_inverse=True)
        numbers = np.empty(len(distinct), dtype=np.int64)
        for place, row in enumerate(first.tolist()):
            value = texts.data[texts.offsets[row] : texts.offsets[row + 1]].tobytes()
            numbers[place] = table.setdefault(value, len(table))
        return numbers[inverse]


def _eight_digits(words: Hashes, left: Offsets) -> tuple[Offsets, Mask]:
    """The number that the last ``left`` (at most all) of eight ASCII characters spell, and whether they are digits.

    The eight bytes of a little-endian word are added up pairwise: tens, then hundreds, then ten thousands.
    """
    unused = np.clip(8 - left, 0, 8).astype(np.uint64) * _EIGHT
    kept = np.where(unused < _SIXTY_FOUR, ~np.uint64(0) << np.minimum(unused, _SIXTY_FOUR - np.uint64(1)), np.uint64(0))
    digits = ((words ^ _ZEROS) & kept).astype(np.uint64)
    is_number = ((digits + _OVER_NINE) | digits) & _HIGH_BITS == 0
    pairs = digits * np.uint64(10) + (digits >> _EIGHT)
    fours = (pairs & _PAIRS) * np.uint64(100 + (1_000_000 << 32))
    number = (fours + ((pairs >> np.uint64(16)) & _PAIRS) * np.uint64(1 + (10_000 << 32))) >> np.uint64(32)
    return number.astype(np.int64), is_number


class BlockTable:
    """A file of ``fields`` fields a row, separated by ``delimiter``, which with ``closed`` ends the last one too.

    Without ``fields`` the first line is a header that names the columns in any order; `columns` gives their places. A
    row of another number of fields, with a NUL byte or that is not UTF-8 is malformed.
    """

    def __init__(self, source: Source, log: RowLog, *, delimiter: bytes, fields: int = 0, closed: bool = False) -> None:
        self._source = source
        self._log = log
        self._delimiter = delimiter[0]
        self._closed = closed
        self._fields = fields
        self._header: list[str] = []
        if not fields:
            line = source.head().split("\n", 1)[0].removesuffix("\r").lstrip("\ufeff")
            self._header = [name.strip() for name in line.split(delimiter.decode())]
            self._fields = len(self._header)

    def columns(self, *names: str) -> list[int]:
        """The place of each named column; raises ``FormatError`` that names those missing. Case does not matter."""
        return column_places(self._source, self._header, names)

    def has_column(self, name: str) -> bool:
        """Whether the header names the column."""
        return name.casefold() in (given.casefold() for given in self._header)

    def blocks(self) -> Iterator[Block]:
        """The rows in blocks, malformed ones reported and left out."""
        line, rest, first = 1, b"", True
        done, total = 0, self._source.size if self._source.compression == "plain" else None
        stage = f"reading {self._source.name.rpartition('/')[2]}, MB"
        with self._source.open(nuls=True) as stream:
            while True:
                chunk = stream.read(BLOCK)
                done += len(chunk)
                self._log.progress(stage, done // _MEGABYTE, None if total is None else total // _MEGABYTE)
                if first:
                    chunk = chunk.removeprefix(_BOM)
                whole, newline, tail = chunk.rpartition(b"\n")
                if chunk and not newline:
                    rest += chunk
                    if len(rest) > MAX_LINE:
                        raise endless(self._source, line)
                    continue
                text = rest + whole + newline if chunk else rest + (b"\n" if rest else b"")
                rest = tail
                if text:
                    block, count = self._parsed(_PADDING + text, line, header=first and bool(self._header))
                    line += count
                    refuse_short_lines(self._source, line, done)
                    first = False
                    if len(block):
                        yield block
                if not chunk:
                    return

    def _parsed(self, text: bytes, line: int, *, header: bool) -> tuple[Block, int]:
        """The sound rows of whole lines that begin at ``line`` of the file, and how many lines there are."""
        data = np.frombuffer(text, dtype=np.uint8)
        first_row = len(_PADDING)
        marks = np.flatnonzero((data == self._delimiter) | (data == _NEWLINE))
        width = self._fields + (1 if self._closed else 0)
        is_end = data[marks] == _NEWLINE
        lines = int(np.count_nonzero(is_end))
        even = len(marks) == lines * width and bool(is_end[width - 1 :: width].all())
        if even:
            rows = marks.reshape(lines, width)
            begins = np.full(lines, first_row, dtype=np.int64)
            begins[1:] = rows[:-1, -1] + 1
            numbers = np.arange(line, line + lines)
        else:
            rows, begins, numbers = self._uneven(data, marks, is_end, width, line)
        starts = np.empty((len(rows), self._fields), dtype=np.int64)
        starts[:, 0] = begins
        starts[:, 1:] = rows[:, : self._fields - 1] + 1
        ends = rows[:, : self._fields].copy()
        if len(rows):
            last = ends[:, -1]
            last -= (data[np.maximum(last - 1, 0)] == _RETURN) & (last > starts[:, -1])
        block = Block(self._source, data, starts, ends, numbers)
        if header and len(block) and block.lines[0] == line:
            block = block.only(np.arange(len(block)) > 0)
        return self._sound(block, text), lines

    def _uneven(
        self, data: Bytes, marks: Offsets, is_end: Mask, width: int, line: int
    ) -> tuple[Offsets, Offsets, Offsets]:
        """The rows that have the right number of fields; the others are reported."""
        ends = np.flatnonzero(is_end)
        counts = np.diff(ends, prepend=-1)
        begins = np.full(len(ends), len(_PADDING), dtype=np.int64)
        begins[1:] = marks[ends[:-1]] + 1
        right = counts == width
        lengths = marks[ends] - begins
        blank = (lengths == 0) | ((lengths == 1) & (data[begins] == _RETURN))
        wrong = np.flatnonzero(~right & ~blank)
        self._log.counts.add_alike(max(len(wrong) - MAX_EXAMPLES, 0))
        for place in wrong[:MAX_EXAMPLES].tolist():
            excerpt = data[begins[place] : marks[ends[place]]][:400].tobytes().decode(errors="replace")
            found = int(counts[place]) - (1 if self._closed else 0)
            self._log.malformed(
                self._source, line + place, f"{count(found, 'field')} where {self._fields} are needed", excerpt
            )
        chosen = ends[right]
        rows = marks[chosen[:, None] + np.arange(1 - width, 1)]
        return rows, begins[right], (line + np.flatnonzero(right)).astype(np.int64)

    def _sound(self, block: Block, text: bytes) -> Block:
        """The block without rows that hold NUL bytes or are not UTF-8."""
        bad: dict[int, str] = {}
        if b"\0" in text and len(block):
            places = np.flatnonzero(block.data == 0)
            rows = np.minimum(np.searchsorted(block.ends[:, -1], places, side="right"), len(block) - 1)
            inside = (block.starts[rows, 0] <= places) & (places < block.ends[rows, -1])
            bad = dict.fromkeys(np.unique(rows[inside]).tolist(), "a NUL byte in the row")
        if not text.isascii() and not _is_utf8(text):
            for row in range(len(block)):
                field = text[block.starts[row, 0] : block.ends[row, -1]]
                if not field.isascii() and not _is_utf8(field):
                    bad[row] = "not UTF-8"
        keep = np.ones(len(block), dtype=np.bool_)
        for row, problem in sorted(bad.items()):
            keep[row] = False
            shown = text[block.starts[row, 0] : block.ends[row, -1]][:400].decode(errors="replace")
            self._log.malformed(self._source, int(block.lines[row]), problem, shown)
        return block if keep.all() else block.only(keep)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
