"""Keeps the results of a long match in a folder, so that it can be resumed after an interruption."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ontonym.errors import InputError, MismatchError
from ontonym.replacing import DISK_FULL, writable
from ontonym.tasks.match.candidates import Candidates

_IDENTITY = "of.txt"


@dataclass(frozen=True, slots=True)
class Kept:
    """Parts of candidates in a ``folder``, numbered from 0; ``identity`` says what they are the candidates of.

    With ``resume`` the existing parts are used, up to a damaged one; else the match starts from the beginning.
    """

    folder: Path
    identity: str
    resume: bool = False

    def parts(self) -> Iterator[Candidates]:
        """The existing parts, in order.

        Raises MismatchError if they belong to another match, InputError if the folder cannot be written.
        """
        try:
            if not (self.resume and self._is_there()):
                self.clear()
                self.folder.mkdir(parents=True, exist_ok=True)
                (self.folder / _IDENTITY).write_text(self.identity, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {error.strerror}") from None
        number = 0
        while (part := self._read(number)) is not None:
            yield part
            number += 1

    def keep(self, number: int, part: Candidates) -> None:
        """Writes a part, in one step; ArtifactError where the disk is full."""
        place = self._place(number)
        beside = place.with_suffix(".new")
        with writable(self.folder, only=DISK_FULL), beside.open("wb") as stream:
            np.savez(stream, **{one.name: getattr(part, one.name) for one in fields(part)})
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(place)

    def clear(self) -> None:
        """Removes what was kept, and the folder where it is empty then."""
        for file in (*self.folder.glob("*.npz"), *self.folder.glob("*.new"), self.folder / _IDENTITY):
            file.unlink(missing_ok=True)
        with suppress(OSError):  # whoever gave the folder may keep other files in it
            self.folder.rmdir()

    def _is_there(self) -> bool:
        try:
            found = (self.folder / _IDENTITY).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        if found != self.identity:
            raise MismatchError(
                f"{self.folder}: is of a match with other options, or of another terminology or index; give those "
                "again, or leave `resume=` out to begin anew"
            )
        return True

    def _place(self, number: int) -> Path:
        return self.folder / f"{number:06d}.npz"

    def _read(self, number: int) -> Candidates | None:
        try:
            with self._place(number).open("rb") as stream, np.load(stream, allow_pickle=False) as read:
                return Candidates(**{one.name: read[one.name] for one in fields(Candidates)})
        except (OSError, ValueError, KeyError, BadZipFile):
            return None
