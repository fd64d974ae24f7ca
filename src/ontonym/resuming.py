"""What the writer of an artifact or of a long file has done, noted: after ``kill -9`` the same writer goes on there."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ontonym.checksums import sync
from ontonym.replacing import lock

NOTES = "unfinished.json"
"""The file of the notes; it is gone when the artifact is complete."""

NOTED = 2.0
"""Seconds of work on a file after which it is noted again how much of it is whole."""


class Notes:
    """The steps that are done in a ``folder`` of files, by a writer that ``key`` stands for; None: nothing is noted."""

    def __init__(self, folder: Path = Path(), key: str | None = None) -> None:
        self._folder = folder
        self._key = key
        self._steps: dict[str, tuple[int, list[str]]] = {}
        if key is not None:
            self._steps = _read(folder, key) or {}

    def done(self, step: str) -> int:
        """How much of a step is done: what was noted last; 0 for nothing."""
        return self._steps[step][0] if step in self._steps else 0

    def note(self, step: str, count: int, files: Iterable[Path]) -> None:
        """Notes that so much of a step is done, for which these files stand; they are written through to the disk."""
        if self._key is None:
            return
        listed = sorted(file.relative_to(self._folder).as_posix() for file in files)
        for name in listed:
            sync(self._folder / name)
        self._steps[step] = count, listed
        _write(self._folder / NOTES, {"key": self._key, "steps": self._steps})
        for folder in (self._folder, *{(self._folder / name).parent for name in listed}):
            sync(folder)

    def remove(self) -> None:
        """Removes the notes: the folder is complete."""
        (self._folder / NOTES).unlink(missing_ok=True)


def adopt(path: Path, staging: Path, key: str) -> None:
    """Makes ``staging`` of what a killed writer of the artifact at ``path`` left, if the same ``key`` stands for it; it
    keeps what is noted. Needs the lock: whoever holds it knows that every other writer is dead.
    """
    left = re.compile(rf"\.{re.escape(path.name)}\.\d+\.writing")
    for folder in sorted(path.parent.iterdir()):
        steps = _read(folder, key) if left.fullmatch(folder.name) and not folder.is_symlink() else None
        if steps is None:
            continue
        kept = {folder / NOTES, *(folder / name for _, names in steps.values() for name in names)}
        for file in sorted(folder.rglob("*"), reverse=True):
            if file.is_dir() and not file.is_symlink():
                if not any(file.iterdir()):
                    file.rmdir()
            elif file not in kept:
                file.unlink()
        if all(file.is_file() for file in kept):
            folder.rename(staging)
            return


class Draft:
    """The draft of the file at ``path``, written from beginning to end by a writer that ``key`` stands for.

    Where such a writer was stopped before, ``counts`` are what it noted last, and ``size`` how many bytes of the draft
    they stand for; both are empty where nothing is noted.
    """

    def __init__(self, path: Path, key: str) -> None:
        self.file = unfinished(path)
        self.counts: Counter[str] = Counter()
        self.size = 0
        self._notes = self.file.with_name(f"{self.file.name}.json")
        self._key = key
        self._stream: BinaryIO | None = None
        self._noted = time.monotonic()
        try:
            read = orjson.loads(self._notes.read_bytes())
            if read["key"] == key and self.file.stat().st_size >= read["size"]:
                self.counts, self.size = Counter(read["counts"]), int(read["size"])
        except (OSError, ValueError, KeyError, TypeError):
            pass

    @property
    def is_noted(self) -> bool:
        """Whether a writer could go on with it."""
        return self._notes.exists()

    @contextmanager
    def opened(self, buffering: int) -> Iterator[BinaryIO]:
        """The draft as a stream, after what is noted of it."""
        if not self.size:
            self.forget()  # of another writer
        with self.file.open("r+b" if self.size else "wb", buffering=buffering) as self._stream:
            self._stream.truncate(self.size)
            self._stream.seek(self.size)
            yield self._stream

    def note(self, counts: Mapping[str, int]) -> None:
        """Notes, where it is time, that all that was written until now is whole, and what it holds."""
        if self._stream is None or time.monotonic() - self._noted < NOTED:
            return
        self._stream.flush()
        sync(self.file)
        _write(self._notes, {"key": self._key, "size": self._stream.tell(), "counts": counts})
        self._noted = time.monotonic()

    def forget(self) -> None:
        """Removes the notes, so that nobody goes on with the draft."""
        _beside(self._notes).unlink(missing_ok=True)
        if self.is_noted:
            self._notes.unlink()
            sync(self._notes.parent)


@contextmanager
def resumed_draft(path: Path, key: str) -> Iterator[Draft | None]:
    """The draft of the file at ``path``, under a lock; None where the file system has no locks.

    Raises LockedError where another process is writing it.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(lock(path))
        except OSError:
            draft = None
        else:
            draft = Draft(path, key)
        yield draft


def unfinished(output: Path | str) -> Path:
    """The file beside an output that holds what is done of it."""
    return Path(f"{output}.unfinished")


def _beside(notes: Path) -> Path:
    return notes.with_name(f"{notes.name}.new")


def _write(notes: Path, value: Mapping[str, Any]) -> None:
    beside = _beside(notes)
    try:
        beside.write_bytes(orjson.dumps(value))
        sync(beside)
        beside.replace(notes)
    finally:
        beside.unlink(missing_ok=True)


def _read(folder: Path, key: str) -> dict[str, tuple[int, list[str]]] | None:
    """The steps noted in a folder, if by a writer that ``key`` stands for."""
    try:
        read = orjson.loads((folder / NOTES).read_bytes())
        if read["key"] != key:
            return None
        steps = read["steps"].items()
        return {step: (int(count), list(map(str, names))) for step, (count, names) in steps}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
