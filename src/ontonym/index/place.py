"""Where the terminologies and the encoder of an index are: written when it is made, looked up when it is opened."""

from __future__ import annotations

import os
from pathlib import Path

from ontonym.errors import ArtifactError


def noted_place(source: Path, index: Path) -> dict[str, str]:
    """The path of a source relative to the index's folder, and absolute: either may still be right after a move."""
    absolute = source.resolve()
    return {"relative": os.path.relpath(absolute, index.resolve().parent), "absolute": str(absolute)}


def found_place(index: Path, place: dict[str, str], what: str) -> Path:
    """Where a source of the index is now: at its relative or its absolute path; raises ArtifactError if at neither."""
    for candidate in (index.resolve().parent / place["relative"], Path(place["absolute"])):
        if candidate.exists():
            return candidate
    raise ArtifactError(
        f"{index}: its {what} is no longer at {place['absolute']}: give its new place, `{what}=DIR`, "
        "or rebuild with `build_index()`"
    )


def kept_encoder(index: Path, kept: str | dict[str, str]) -> str | Path:
    """The encoder in an index's manifest: its name, or its present path; raises ArtifactError if it is missing."""
    return kept if isinstance(kept, str) else found_place(index, kept, "encoder")
