"""Which names the trainings of an encoder did not see, according to manifests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from ontonym.artifact import read_manifest
from ontonym.encoder.places import is_name
from ontonym.manifest import MANIFEST
from ontonym.text.normalization import normalize


def names_digest(names: Iterable[str]) -> str:
    """A SHA-256 that is the same for the same names, whatever their order and spelling variants."""
    return hashlib.sha256("\n".join(sorted({normalize(name) for name in names})).encode()).hexdigest()


def unseen_digest(encoder: str) -> str:
    """The digest of the names that an encoder's training certainly did not see, or an empty string."""
    if is_name(encoder) or not (Path(encoder) / MANIFEST).exists():
        return ""
    return str(read_manifest(encoder, "encoder").content.get("unseen", ""))
