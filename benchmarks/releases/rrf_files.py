"""The META folder of an RRF release: files written a block at a time, whole or as compressed parts."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase
from types import TracebackType
from typing import IO, cast

from .draws import Bytes
from .render import text

PART = 1_000_000_000
"""Size of a part of a split file in bytes before compression."""


@dataclass
class Folder:
    """A folder of RRF files being written; use it as a context manager.

    With ``part`` each file is written as ``NAME.aa.gz``, ``NAME.ab.gz`` and so on, parts of about so many bytes that
    end with a line; joined and decompressed they are the file. ``rows`` and ``sizes`` count what was written.
    """

    path: Path
    part: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    _open: dict[str, tuple[IO[bytes], ExitStack]] = field(default_factory=dict)
    _filled: dict[str, int] = field(default_factory=dict)
    _parts: dict[str, int] = field(default_factory=dict)

    def __enter__(self) -> Folder:
        if self.path.exists():
            shutil.rmtree(self.path)
        self.path.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, closing in self._open.values():
            closing.close()

    def write(self, name: str, cells: Bytes) -> None:
        """Appends the rows of a block."""
        self._append(name, text(cells), len(cells))

    def write_rows(self, name: str, rows: Iterable[Iterable[object]]) -> None:
        """Appends a few rows of fields."""
        lines = ["".join(f"{cell}|" for cell in row) + "\n" for row in rows]
        self._append(name, "".join(lines).encode(), len(lines))

    def _append(self, name: str, data: bytes, rows: int) -> None:
        self.rows[name] = self.rows.get(name, 0) + rows
        self.sizes[name] = self.sizes.get(name, 0) + len(data)
        start = 0
        while start < len(data):
            stream = self._stream(name)
            room = self.part - self._filled[name] if self.part else len(data)
            stop = len(data) if len(data) - start <= room else data.index(b"\n", start + room - 1) + 1
            stream.write(memoryview(data)[start:stop])
            self._filled[name] += stop - start
            start = stop

    def _stream(self, name: str) -> IO[bytes]:
        """The file, or its part that has room."""
        if name in self._open:
            stream, closing = self._open[name]
            if not self.part or self._filled[name] < self.part:
                return stream
            closing.close()
        number = self._parts[name] = self._parts.get(name, -1) + 1
        self._filled[name] = 0
        closing = ExitStack()
        letters = ascii_lowercase[number // 26] + ascii_lowercase[number % 26]
        path = self.path / (f"{name}.{letters}.gz" if self.part else name)
        stream = closing.enter_context(path.open("wb", buffering=1 << 20))
        if self.part:
            # No name and no time in the header, so that the same release is the same bytes.
            packed = gzip.GzipFile("", "wb", compresslevel=1, fileobj=stream, mtime=0)
            stream = cast(IO[bytes], closing.enter_context(packed))
        self._open[name] = (stream, closing)
        return stream
