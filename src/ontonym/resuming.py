"""What the writer of an artifact has done, noted in its folder: after ``kill -9`` the same writer goes on there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import orjson

from ontonym.checksums import sync

NOTES = "unfinished.json"
"""The file of the notes; it is gone when the artifact is complete."""


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
        beside = self._folder / f"{NOTES}.new"
        beside.write_bytes(orjson.dumps({"key": self._key, "steps": self._steps}))
        sync(beside)
        beside.replace(self._folder / NOTES)
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
