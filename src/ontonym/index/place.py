"""Where the sources of an index lie: noted when it is made, looked up when it is opened or updated."""

from __future__ import annotations

import os
from pathlib import Path

from ontonym.errors import ArtifactError


def noted_place(source: Path, index: Path) -> dict[str, str]:
    """Where a source lies, from the index's folder and from the root: either may still hold after a move."""
    absolute = source.resolve()
    return {"relative": os.path.relpath(absolute, index.resolve().parent), "absolute": str(absolute)}


def found_place(index: Path, place: dict[str, str], what: str) -> Path:
    """Where a source of the index lies today: beside it as before, or where it was; raises ArtifactError."""
    for candidate in (index.resolve().parent / place["relative"], Path(place["absolute"])):
        if candidate.exists():
            return candidate
    raise ArtifactError(
        f"{index}: its {what} is no longer at {place['absolute']}: give its new place, `{what}=DIR`, "
        "or rebuild with `build_index()`"
    )


def kept_encoder(index: Path, kept: str | dict[str, str]) -> str | Path:
    """The encoder in an index's manifest: its name, or where it lies today; raises ArtifactError."""
    return kept if isinstance(kept, str) else found_place(index, kept, "encoder")
