"""The branch of each concept of an index, by which notes are coloured."""

from __future__ import annotations

from ontonym.index import Index
from ontonym.tasks.branches import branch_rows

_MOST_KNOWN = 1 << 16


class Branches:
    """The highest concept below which a concept lies, by name; the terminology's name where there is none."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[str, str] = {}

    def of(self, concept: str) -> str:
        """The branch of a concept id; empty for an id that the index does not have."""
        found = self._known.get(concept)
        if found is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            found = self._known[concept] = self._read(concept)
        return found

    def _read(self, concept: str) -> str:
        number = self._index.find(concept)
        if number is None:
            return ""
        terminology, row = self._index.locate(number)
        above = branch_rows(terminology, row)
        return terminology.preferred(above[0]) if above else terminology.name
