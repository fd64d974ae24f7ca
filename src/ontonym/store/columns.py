"""Columns on disk: text as UTF-8 bytes with offsets, lists as row boundaries, numbers as ``.npy``; all memory-mapped.

Written front to back in one stream, opened without reading. Arrow IPC is not used because polars 2 reads it into
memory instead of mapping it (5 times the open time and all of the memory).
"""

from __future__ import annotations

import math
import mmap
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Offsets, Rows
from ontonym.ragged import owners_of
from ontonym.text.strings import Strings

CHUNK = 1 << 16
"""Values held in memory before they are written, and decoded at once when a column is walked."""


class StringColumn(Sequence[str]):
    """Read-only strings on disk: about a microsecond for one, 0.2 for each of many; nothing is loaded at opening.

    ``column[i]`` gives one string, ``column[a:b]`` a list, `take` those of an array of rows, iteration all of them.
    """

    __slots__ = ("_bytes", "_offsets", "_view")

    def __init__(self, data: mmap.mmap | bytes, offsets: Offsets) -> None:
        self._bytes = data
        self._offsets = np.asarray(offsets)
        self._view = self._offsets.data  # indexing it is six times faster than indexing the array

    @classmethod
    def open(cls, folder: Path, name: str, count: int | None = None) -> StringColumn:
        """The column written by `StringWriter` under this name, of ``count`` strings; ValueError for another one."""
        data = _map(folder / f"{name}.utf8")
        return cls(data, load_bounds(folder, f"{name}.offsets", len(data), count))

    def __len__(self) -> int:
        return len(self._view) - 1

    def __repr__(self) -> str:
        shown = [*map(repr, self[:3]), *(["…"] if len(self) > 3 else [])]
        return f"<{len(self):,} texts: {', '.join(shown)}>"

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            return self._decode(start, stop)
        size = len(self._view) - 1
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError(f"row {index} of {size}")
        return self._bytes[self._view[index] : self._view[index + 1]].decode()

    def encoded(self, row: int) -> bytes:
        """The string of a row, from 0, in UTF-8."""
        return self._bytes[self._view[row] : self._view[row + 1]]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), CHUNK):
            yield from self._decode(start, min(start + CHUNK, len(self)))

    def take(self, rows: AnyInts | Sequence[int]) -> list[str]:
        """The strings of these rows, in their order; rows as integers from 0."""
        data, view = self._bytes, self._view
        listed = rows.tolist() if isinstance(rows, np.ndarray) else rows
        return [data[view[row] : view[row + 1]].decode() for row in listed]

    def strings(self, start: int = 0, stop: int | None = None) -> Strings:
        """The texts of a range of rows (all by default), as views of the mapped file."""
        data = np.frombuffer(self._bytes, dtype=np.uint8)
        return Strings(data, self._offsets[start : len(self) + 1 if stop is None else stop + 1])

    def _decode(self, start: int, stop: int) -> list[str]:
        if stop <= start:
            return []
        bounds = self._offsets[start : stop + 1].tolist()
        first = bounds[0]
        data = self._bytes[first : bounds[-1]]
        return [data[a - first : b - first].decode() for a, b in pairwise(bounds)]


class ListColumn:
    """Read-only lists of strings, one list for each row."""

    __slots__ = ("bounds", "values")

    def __init__(self, bounds: Offsets, values: StringColumn) -> None:
        self.bounds = np.asarray(bounds).data
        self.values = values

    @classmethod
    def open(cls, folder: Path, name: str, count: int | None = None) -> ListColumn:
        """The ``count`` lists written under this name: ``name.rows.npy`` and the strings of all rows end to end."""
        values = StringColumn.open(folder, name)
        return cls(load_bounds(folder, f"{name}.rows", len(values), count), values)

    def owners(self) -> Rows:
        """The row that each of the strings of all lists belongs to."""
        return owners_of(np.diff(np.asarray(self.bounds)))

    def __getitem__(self, row: int) -> tuple[str, ...]:
        start, stop = self.bounds[row], self.bounds[row + 1]
        return tuple(self.values[start:stop]) if stop > start else ()


_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][a-z]\d{1,2})', 'fortran_order': False, "
    rb"'shape': \(([\d, ]{0,60})\), \} *\n",
    re.DOTALL,
)
"""What numpy writes before an array: the only form of it that artifacts have."""
_LONGEST_HEADER = 1 << 10


def load_numbers(
    folder: Path, name: str, dtype: npt.DTypeLike | None = None, *shape: int | None, count: int | None = None
) -> npt.NDArray[Any]:
    """The array ``name.npy``, mapped read-only.

    Raises ValueError where it is not of this ``dtype``, has not ``count`` rows, or not this ``shape`` after its rows
    (None for any). Takes microseconds at any size: nothing but the header is read.
    """
    file = folder / f"{name}.npy"
    with file.open("rb", buffering=0) as stream:
        header = _HEADER.match(stream.read(_LONGEST_HEADER))
        if header is None or header.end() != 10 + int.from_bytes(header[1], "little"):
            raise ValueError(f"{file.name} does not begin as an array")
        size = os.fstat(stream.fileno()).st_size
        found = np.dtype(header[2].decode())
        extent = tuple(int(length) for length in header[3].split(b",") if length.strip())
        if header.end() + math.prod(extent) * found.itemsize != size:
            raise ValueError(f"{file.name} has {size:,} bytes, which are not those of an array of shape {extent}")
        data = b"" if size == header.end() else mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    if dtype is not None:
        fits = len(extent) == 1 + len(shape) and all(
            wanted in (None, length) for wanted, length in zip((count, *shape), extent, strict=True)
        )
        if not fits or found != np.dtype(dtype):
            wanted = ", ".join("any" if length is None else str(length) for length in (count, *shape))
            raise ValueError(f"{file.name} holds {found} of shape {extent}, not {np.dtype(dtype)} of shape ({wanted})")
    values = np.frombuffer(data, dtype=found, offset=header.end() if data else 0)
    return values if len(extent) == 1 else values.reshape(extent)


def load_bounds(folder: Path, name: str, end: int, count: int | None = None) -> Offsets:
    """The boundaries ``name.npy`` of ``count`` ranges (None: any number), which begin at 0 and stop at ``end``.

    Raises ValueError for other boundaries. Those between are not read: who uses them checks them (`spread`).
    """
    bounds: Offsets = load_numbers(folder, name, np.int64, count=None if count is None else count + 1)
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != end:
        raise ValueError(f"{name}.npy has no boundaries from 0 to {end}")
    return bounds


def save_numbers(folder: Path, name: str, array: npt.NDArray[Any]) -> None:
    """Writes ``name.npy``."""
    np.save(folder / f"{name}.npy", array, allow_pickle=False)


def _map(file: Path) -> mmap.mmap | bytes:
    if file.stat().st_size == 0:  # an empty file cannot be mapped
        return b""
    with file.open("rb") as stream:
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


class ColumnWriter(ABC):
    """A column that is written front to back; at the end of a ``with`` it is completed, or after an error given up."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(complete=kind is None)

    @abstractmethod
    def close(self, *, complete: bool = True) -> None:
        """Writes what is left and completes what it has opened, or gives it up."""


class NumberWriter(ColumnWriter):
    """Appends numbers to ``name.npy`` without knowing how many come; the header is completed at the end."""

    def __init__(self, folder: Path, name: str, dtype: npt.DTypeLike) -> None:
        self._file = (folder / f"{name}.npy").open("wb")
        self._dtype = np.dtype(dtype)
        self._buffer: list[int] = []
        self._header = self._write_header(0)
        self.count = 0

    def append(self, *numbers: int) -> None:
        """Adds numbers."""
        self._buffer += numbers
        self.count += len(numbers)
        if len(self._buffer) >= CHUNK:
            self._flush()

    def extend(self, numbers: npt.NDArray[Any]) -> None:
        """Adds an array of numbers."""
        self._flush()
        self._file.write(np.ascontiguousarray(numbers, dtype=self._dtype).data)
        self.count += len(numbers)

    def close(self, *, complete: bool = True) -> None:
        """Writes what is left and completes the file, or gives it up."""
        with self._file:
            if complete:
                self._flush()
                self._file.seek(0)
                if self._write_header(self.count) != self._header:
                    raise RuntimeError("numpy wrote an .npy header of another length")

    def _flush(self) -> None:
        self._file.write(np.array(self._buffer, dtype=self._dtype).tobytes())
        self._buffer.clear()

    def _write_header(self, count: int) -> int:
        # numpy leaves room in the header for the shape to grow, so that its length stays the same
        declared = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (count,)}
        np.lib.format.write_array_header_1_0(self._file, declared)
        return self._file.tell()


class StringWriter(ColumnWriter):
    """Appends strings to ``name.utf8`` and ``name.offsets.npy``."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = (folder / f"{name}.utf8").open("wb")
        self._offsets = NumberWriter(folder, f"{name}.offsets", np.int64)
        self._offsets.append(0)
        self._buffer: list[str] = []
        self._end = 0

    def append(self, texts: Sequence[str]) -> None:
        """Adds strings; a lone surrogate, which UTF-8 cannot carry, becomes a question mark."""
        self._buffer += texts
        if len(self._buffer) >= CHUNK:
            self._flush()

    def extend(self, texts: Strings) -> None:
        """Adds many texts at once."""
        self._flush()
        first, last = int(texts.offsets[0]), int(texts.offsets[-1])
        self._file.write(texts.data[first:last].data)
        self._offsets.extend(texts.offsets[1:] + (self._end - first))
        self._end += last - first

    def close(self, *, complete: bool = True) -> None:
        """Writes what is left and completes both files, or gives them up."""
        with ExitStack() as files:
            files.callback(self._offsets.close, complete=complete)
            files.enter_context(self._file)
            if complete:
                self._flush()

    def _flush(self) -> None:
        encoded = [text.encode(errors="replace") for text in self._buffer]
        self._buffer = []
        self._file.write(b"".join(encoded))
        ends = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)).cumsum() + self._end
        self._offsets.extend(ends)
        self._end = int(ends[-1]) if len(ends) else self._end
