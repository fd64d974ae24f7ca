"""The checkpoints of a training: which of them is whole, and how they go."""

from __future__ import annotations

import json
import shutil
from pathlib import Path


def last_whole(work: Path) -> Path | None:
    """The newest checkpoint that was written to its end: its state comes last."""
    found = sorted(work.glob("checkpoint-*"), key=lambda place: int(place.name.rpartition("-")[2]), reverse=True)
    for place in found:
        try:
            json.loads((place / "trainer_state.json").read_bytes())
        except (OSError, ValueError):
            shutil.rmtree(place, ignore_errors=True)
            continue
        return place
    return None


def sweep(work: Path) -> None:
    """Removes what an earlier training left in its folder."""
    for place in work.glob("checkpoint-*"):
        shutil.rmtree(place, ignore_errors=True)
    for file in work.glob("nearest-*"):
        file.unlink(missing_ok=True)
