"""What an open index holds, in a folder or in a database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ontonym.index.calibration import Calibration
from ontonym.index.nil import NilTexts
from ontonym.index.signals import Signals
from ontonym.manifest import Manifest
from ontonym.store import Terminology


@dataclass(frozen=True, slots=True)
class IndexContents:
    """What an open `ontonym.index.open.Index` holds; one of its later generations shares the files with it.

    ``calibration`` is what `ontonym.evaluate.calibration` learned, or None. ``stamp`` differs after every change of the
    index; None where it could not be read. ``nil`` are the texts that were added with the id `NIL`, or None.
    """

    path: Path
    manifest: Manifest
    terminologies: tuple[Terminology, ...]
    signals: Signals
    calibration: Calibration | None
    stamp: tuple[int, int] | None
    nil: NilTexts | None = None
