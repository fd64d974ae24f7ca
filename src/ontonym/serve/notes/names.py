"""Names of files for documents in a folder."""

from __future__ import annotations

import re

_UNSAFE = re.compile(r"[^\w.-]+")


class DocumentNames:
    """Gives each document a name that no other one has."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def of(self, document: str) -> str:
        """The name of a document by its id, without an ending."""
        first = found = _UNSAFE.sub("_", document.removesuffix(".txt")).strip("._") or "document"
        number = 1
        while found in self._names:
            number += 1
            found = f"{first}-{number}"
        self._names.add(found)
        return found
