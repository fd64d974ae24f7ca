"""Names of files for documents in a folder."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST = 60
"""Characters of a name; with four bytes each and an ending they are still a name that every system takes."""
_DEVICES = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever follows the dot."""


class DocumentNames:
    """Gives each document a name that no other one has, where capital letters make no difference either."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def of(self, document: str) -> str:
        """The name of a document by its id, without an ending."""
        first = unicodedata.normalize("NFC", document.removesuffix(".txt"))
        first = _UNSAFE.sub("_", first)[:_LONGEST].strip("._") or "document"
        first = found = _DEVICES.sub(r"\1_", first)
        number = 1
        while found.casefold() in self._names:
            number += 1
            found = f"{first}-{number}"
        self._names.add(found.casefold())
        return found
