"""What takes the place of a concept that is no longer active: its published successors, followed to active concepts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ontonym.store.open import Terminology

LinkStatus = Literal["active", "retired", "unknown"]


@dataclass(frozen=True, slots=True)
class Link:
    """A concept that a change names: its id, its preferred term, and whether the release has it.

    ``preferred`` is empty where the status is ``unknown``: an id of another terminology, or one that is not there.
    """

    id: str
    preferred: str = ""
    status: LinkStatus = "unknown"


@dataclass(frozen=True, slots=True)
class Replacement:
    """What to take instead of a concept.

    ``replaced_by`` are active concepts, or ids that the release does not have; ``consider`` are weaker suggestions of
    the same kind. ``note`` says in words which published successors are retired themselves or not there.
    """

    replaced_by: tuple[Link, ...] = ()
    consider: tuple[Link, ...] = ()
    note: str = ""


def link(terminology: Terminology, concept_id: str) -> Link:
    """The concept that has this own or alternative id, or the bare id where none has."""
    row = terminology.find(concept_id)
    if row is None:
        return Link(concept_id)
    return Link(terminology.id(row), terminology.preferred(row), terminology.status(row))


def replacement_of(terminology: Terminology, concept_id: str) -> Replacement:
    """What takes the place of a retired concept of the terminology, or of an id that was merged into another concept.

    Successors that are retired themselves are followed to theirs, however many steps that takes; whatever a weaker
    suggestion leads to is a weaker suggestion. An active concept is its own replacement.
    """
    trail = _Trail(terminology)
    trail.follow(concept_id, sure=True, start=True)
    return trail.replacement()


def merged_into(terminology: Terminology, concept_id: str) -> int | None:
    """The row of the active concept that has this as an alternative id, or None.

    A release may keep a merged concept, retired, and have its id as an alternative id of the other too, as HPO does.
    """
    row = terminology.current(concept_id)
    return row if row is not None and concept_id in terminology.lists("alternative_ids")[row] else None


def successors(terminology: Terminology, row: int) -> tuple[str, ...]:
    """The published successors of a concept, the sure ones first."""
    return tuple(dict.fromkeys(terminology.lists("replaced_by")[row] + terminology.lists("consider")[row]))


@dataclass(slots=True)
class _Trail:
    """Where the successors of one concept lead."""

    terminology: Terminology
    sure: dict[str, Link] = field(default_factory=dict)
    near: dict[str, Link] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    seen: set[tuple[str, bool]] = field(default_factory=set)

    def follow(self, concept_id: str, *, sure: bool, start: bool = False) -> None:
        """Adds what the id leads to, however long the chain of retirements is."""
        steps = [(concept_id, sure, start)]
        while steps:
            step, certain, first = steps.pop(0)
            if (step, certain) in self.seen:
                continue
            self.seen.add((step, certain))
            steps += self._step(step, certain, first)

    def _step(self, concept_id: str, sure: bool, start: bool) -> list[tuple[str, bool, bool]]:
        """Adds what the id itself leads to, and gives the ids to follow next, as `follow` takes them."""
        found = self.sure if sure else self.near
        terminology = self.terminology
        row = terminology.find(concept_id)
        if row is None:
            if not start:
                found[concept_id] = Link(concept_id)
            return []
        if terminology.status(row) == "active":
            found[terminology.id(row)] = link(terminology, terminology.id(row))
            return []
        own = terminology.id(row)
        merged = merged_into(terminology, concept_id)
        if merged is not None:
            found[terminology.id(merged)] = link(terminology, terminology.id(merged))
        successors = terminology.lists("replaced_by")[row]
        suggestions = terminology.lists("consider")[row]
        if merged is None and not (start and concept_id == own):
            (self.passed if successors or suggestions else self.ended).append(own)
        return [(heir, sure, False) for heir in successors] + [(near, False, False) for near in suggestions]

    def replacement(self) -> Replacement:
        """What was found; an id that is sure is no suggestion too."""
        near = tuple(found for found in self.near.values() if found.id not in self.sure)
        return Replacement(tuple(self.sure.values()), near, "; ".join(self._notes()))

    def _notes(self) -> list[str]:
        unknown = [found.id for found in (*self.sure.values(), *self.near.values()) if found.status == "unknown"]
        notes = []
        if self.passed:
            notes.append(f"by way of {_listed(self.passed)}, retired too")
        if self.ended:
            notes.append(f"{_listed(self.ended)} would take its place, but is retired too")
        if unknown:
            notes.append(f"{_listed(unknown)} is not in this release")
        return notes


def _listed(ids: list[str]) -> str:
    return ", ".join(dict.fromkeys(ids))
