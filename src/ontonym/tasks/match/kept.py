"""What was found so far, kept in a folder while a long match runs, so that an interrupted one goes on where it was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ontonym.tasks.match.candidates import Candidates

_IDENTITY = "of.txt"


@dataclass(frozen=True, slots=True)
class Kept:
    """Parts of candidates in a ``folder``, numbered from 0; ``identity`` says what they are the candidates of.

    A folder of another identity, or a damaged part and all after it, are begun anew.
    """

    folder: Path
    identity: str

    def parts(self) -> Iterator[Candidates]:
        """The parts that are there, in order."""
        if not self._is_ours():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            (self.folder / _IDENTITY).write_text(self.identity, encoding="utf-8")
        number = 0
        while (part := self._read(number)) is not None:
            yield part
            number += 1

    def keep(self, number: int, part: Candidates) -> None:
        """Keeps a part; it is there whole or not at all."""
        place = self._place(number)
        beside = place.with_suffix(".new")
        with beside.open("wb") as stream:
            np.savez(stream, **{one.name: getattr(part, one.name) for one in fields(part)})
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(place)

    def clear(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _is_ours(self) -> bool:
        try:
            return (self.folder / _IDENTITY).read_text(encoding="utf-8") == self.identity
        except (OSError, UnicodeDecodeError):
            return False

    def _place(self, number: int) -> Path:
        return self.folder / f"{number:06d}.npz"

    def _read(self, number: int) -> Candidates | None:
        try:
            with self._place(number).open("rb") as stream, np.load(stream, allow_pickle=False) as read:
                return Candidates(**{one.name: read[one.name] for one in fields(Candidates)})
        except (OSError, ValueError, KeyError, BadZipFile):
            return None
