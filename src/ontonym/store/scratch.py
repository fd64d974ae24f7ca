"""Numbers too many for memory, while an artifact is written: in nameless files that are gone when nobody uses them."""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_SMALL = 1 << 25
_BLOCK = 1 << 24


class Scratch:
    """Numbers that are appended, then read and changed in place.

    More than 32 MiB are kept in a file in ``folder``. The system may write its pages out and read them again, so they
    count as little as other cached files where memory is short. A full disk raises OSError when numbers are appended.
    """

    def __init__(self, folder: Path, dtype: npt.DTypeLike) -> None:
        self._folder = folder
        self._dtype = np.dtype(dtype)
        self._parts: list[npt.NDArray[Any]] = []
        self._file: Any = None
        self._bytes = 0

    def append(self, numbers: npt.NDArray[Any]) -> None:
        """Adds an array of numbers."""
        if not numbers.size:
            return
        self._parts.append(np.ascontiguousarray(numbers, dtype=self._dtype))
        self._bytes += self._parts[-1].nbytes
        if self._file is None and self._bytes > _SMALL:
            self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115 (open until it is mapped)
        if self._file is not None:
            for part in self._parts:
                _write(self._file, part)
            self._parts.clear()

    def numbers(self) -> npt.NDArray[Any]:
        """All that was appended, which may be changed in place; nothing can be appended afterwards."""
        if self._file is None:
            return np.concatenate([np.empty(0, dtype=self._dtype), *self._parts])
        with self._file as file:
            return np.frombuffer(mmap.mmap(file.fileno(), self._bytes), dtype=self._dtype)


def scratch(folder: Path, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Room for ``count`` numbers, all 0, to be changed in place; see `Scratch`."""
    found = np.dtype(dtype)
    size = count * found.itemsize
    if size <= _SMALL:
        return np.zeros(count, dtype=found)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)  # a full disk is an error here, not the end of the process later
        else:
            for start in range(0, size, _BLOCK):
                _write(file, np.zeros(min(_BLOCK, size - start), dtype=np.uint8))
        return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=found)


def _write(file: Any, array: npt.NDArray[Any]) -> None:
    data = array.data.cast("B")
    while data:
        data = data[file.write(data) :]
