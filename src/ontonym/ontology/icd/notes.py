"""The codes of an ICD release as its own notes cite them ("S01.-", "J00-J06"), and those notes kept on a concept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ontonym.types import Property, Relation

NOT_A_NAME = "note that is not a name"

_CODE = r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?"
_CITED = re.compile(rf"\b({_CODE})(?![0-9A-Z])(?:\.?[-–]({_CODE})(?![0-9A-Z]))?")


@dataclass(slots=True)
class Codebook:
    """Every code of a release, to distinguish cited codes from words that only look like codes.

    Codes are stored without dots; a block or chapter is also known by its range (``J00-J06``).
    """

    ids: dict[str, str] = field(default_factory=dict)
    unknown: int = 0

    def add(self, code: str, concept_id: str) -> None:
        """Adds a code or range; the first of two is kept."""
        self.ids.setdefault(code.replace(".", ""), concept_id)

    def find(self, code: str) -> str | None:
        """The concept id of one code or range as cited: closing dots and dashes ("S01.-") mean the category."""
        return self.ids.get(code.strip().rstrip(".-–†*!+ ").replace("–", "-").replace(".", ""))

    def cited(self, text: str) -> Iterator[str]:
        """The concept ids of the codes that a text cites, each once; ``unknown`` counts those that are not here.

        A range gives the block or chapter of exactly that range, or nothing.
        """
        found: dict[str, None] = {}
        for match in _CITED.finditer(text):
            first, last = match[1], match[2]
            concept_id = self.find(f"{first}-{last}" if last else first)
            if concept_id is not None:
                found[concept_id] = None
            elif not last:
                self.unknown += 1
        return iter(found)


def note_properties(notes: Iterable[tuple[str, str]]) -> tuple[Property, ...]:
    """The notes as properties, in their order; a note is its kind in the release's own word, and its text."""
    return tuple(Property(kind, text) for kind, text in notes if text)


def note_relations(notes: Iterable[tuple[str, str]], codes: Codebook, own_id: str) -> tuple[Relation, ...]:
    """What the notes cite, each code once a kind of note; a note that cites its own code gives nothing."""
    relations: dict[Relation, None] = {}
    for kind, text in notes:
        for target in codes.cited(text):
            if target != own_id:
                relations[Relation(kind, target)] = None
    return tuple(relations)
