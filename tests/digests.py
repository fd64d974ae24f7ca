"""What tells whether two folders have the same files."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest(folder: Path) -> str:
    """The SHA-256 of the names and contents of all files in a folder."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            total.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return total.hexdigest()
