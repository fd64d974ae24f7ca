"""Checksums of an artifact's files, taken while other files are still being written, and what makes files last."""

from __future__ import annotations

import hashlib
import os
import queue
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FRESH = 2_000_000_000
"""Nanoseconds within which two versions of a file may have the same times, on any file system."""
_THREADS = 2


@dataclass(frozen=True, slots=True)
class FileEntry:
    """Size in bytes and hexadecimal SHA-256 of one file of an artifact."""

    bytes: int
    sha256: str


class Checksums:
    """Takes the checksums of files and writes them through to the disk, in threads: neither holds Python's lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: dict[str, FileEntry] = {}
        self._added: set[Path] = set()
        self._files: queue.SimpleQueue[Path | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._error: OSError | MemoryError | None = None

    def add(self, *files: Path) -> None:
        """Takes the checksums of files that are complete, each once."""
        for file in files:
            if file in self._added:
                continue
            self._added.add(file)
            self._files.put(file)
            if len(self._threads) < _THREADS:
                thread = threading.Thread(target=self._work, daemon=True)
                with suppress(RuntimeError):  # no memory for a thread: the others do it, or `close`
                    thread.start()
                    self._threads.append(thread)

    def known(self, file: Path, entry: FileEntry) -> None:
        """Takes the entry of a file that lay on the disk before as it is."""
        self._added.add(file)
        self._entries[file.relative_to(self._folder).as_posix()] = entry

    def finish(self) -> dict[str, FileEntry]:
        """The entry of every file of the folder, by its path inside with forward slashes, in order of these.

        Raises OSError where a file cannot be read or written through, MemoryError where there is no memory for it.
        """
        files = [file for file in self._folder.rglob("*") if file.is_file()]
        self.add(*sorted(files, key=lambda file: -file.stat().st_size))
        self.close()
        if self._error is not None:
            raise self._error
        return dict(sorted(self._entries.items()))

    def close(self) -> None:
        """Waits for the files that were added."""
        for _ in self._threads or (None,):
            self._files.put(None)
        if not self._threads:
            self._work()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def _work(self) -> None:
        while (file := self._files.get()) is not None:
            try:
                entry = FileEntry(file.stat().st_size, sha256(file))
                sync(file)
            except (OSError, MemoryError) as error:
                self._error = error
            else:
                self._entries[file.relative_to(self._folder).as_posix()] = entry


def sha256(file: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_once(file: Path) -> str:
    """The same, taken again only where the file may have changed since; for who asks again and again.

    A file of the last seconds is always read: its times need not tell two versions apart.
    """
    stat = file.stat()
    if time.time_ns() - max(stat.st_mtime_ns, stat.st_ctime_ns) < _FRESH:
        return sha256(file)
    return _sha256_of(file, (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))


@lru_cache(maxsize=256)
def _sha256_of(file: Path, _: tuple[int, ...]) -> str:
    """The checksum of a file in the version that these numbers stand for."""
    return sha256(file)


def sync(path: Path) -> None:
    """Writes a file, or a folder's list of names, through to the disk."""
    if sys.platform == "win32" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
