"""The terminologies that a search under evaluation answers from: what gold ids mean in them, and what is near those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ontonym.evaluate.retrieval import Gains, related_gains
from ontonym.store import Terminology


@dataclass(frozen=True, slots=True)
class Target:
    """One or several terminologies; an id means the active concept of the first one that has it."""

    terminologies: Sequence[Terminology]

    @property
    def releases(self) -> str:
        """Names and versions, for a protocol."""
        return ", ".join(f"{one.name} {one.version}".strip() for one in self.terminologies)

    def locate(self, concept_id: str) -> tuple[Terminology, int] | None:
        """The terminology and the row of the active concept that an id means today, or None."""
        for terminology in self.terminologies:
            row = terminology.current(concept_id)
            if row is not None:
                return terminology, row
        return None

    def resolve(self, concept_id: str) -> str | None:
        """The current id of what an id means, or None."""
        found = self.locate(concept_id)
        return None if found is None else found[0].id(found[1])

    def labels(self, concept_id: str) -> list[str]:
        """All active names of a concept; none for an id that is not there."""
        found = self.locate(concept_id)
        return [] if found is None else found[0].names(found[1])

    def gains(self, gold: Sequence[str]) -> Gains:
        """What each concept is worth where ``gold`` are right (Ngo's gains); nothing where no gold id is there."""
        worth: dict[str, int] = {}
        for concept_id in gold:
            found = self.locate(concept_id)
            if found is not None:
                terminology, row = found
                for other, gain in related_gains(terminology.hierarchy, [row]).items():
                    name = terminology.id(other)
                    worth[name] = max(worth.get(name, 0), gain)
        return worth
