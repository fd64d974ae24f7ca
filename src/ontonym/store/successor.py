"""Whether a terminology may take the place of another one unasked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ontonym.errors import ArtifactError, OntonymError
from ontonym.store.open import Terminology, open_terminology

_ASKED = 1000
_SHARED = 0.1
"""The share of the old ids that a release of the same terminology has at least."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """What is at a place already: its name and version, and why it should not be replaced unasked; empty if it may."""

    name: str
    version: str
    refusal: str

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".strip()


def replaced(path: Path | str, new: Path | str) -> Replaced | None:
    """What the terminology ``new`` would replace at ``path``; None where nothing is there that can be opened."""
    try:
        with open_terminology(path) as old, open_terminology(new) as made:
            return Replaced(old.name, old.version, _refusal(old, made))
    except (OntonymError, OSError):
        return None


def check_replacement(path: Path | str, new: Path | str) -> None:
    """ArtifactError where the terminology ``new`` is another one than that at ``path``, or an older release of it."""
    found = replaced(path, new)
    if found is not None and found.refusal:
        raise ArtifactError(f"{path}: {found.refusal}. Give another place, or `force=` to replace it")


def _refusal(old: Terminology, new: Terminology) -> str:
    if _shared(old, new) < _SHARED:
        other = f"another terminology than {new.name}" if old.name != new.name else "with hardly an id of the new one"
        return f"holds {old.name} {old.version}".rstrip() + f", {other}"
    if old.name == new.name and is_older(new.version, old.version):
        return f"holds {old.name} {old.version}, which is newer than {new.version}"
    return ""


def _shared(old: Terminology, new: Terminology) -> float:
    """The share of ids of the old one, of a sample, that the new one has."""
    rows = np.unique(np.linspace(0, max(len(old) - 1, 0), min(_ASKED, len(old))).astype(np.int64)).tolist()
    return sum(new.find(old.id(row)) is not None for row in rows) / len(rows) if rows else 1.0


def is_older(version: str, other: str) -> bool:
    """Whether a version comes before another; False where they are not made alike."""
    first, second = ([int(part) for part in re.findall(r"\d+", one)] for one in (version, other))
    alike = re.sub(r"\d+", "0", version) == re.sub(r"\d+", "0", other)
    return alike and bool(first) and first < second
