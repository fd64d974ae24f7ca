"""Where a source concept stands after all events: decisions in force, disagreements, comments, assignment.

A decision names those that it saw and those that it replaces; it is in force unless another that is in force replaces
it. So events from several files can be put together in any order, and two decisions disagree only where neither
reviewer knew of the other's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from ontonym.tasks.review.events import POSITIVE, Event

ReviewStatus = Literal["undecided", "mapped", "none", "disagreed"]


@dataclass(frozen=True, slots=True)
class ReviewStanding:
    """Where a source concept stands.

    ``decisions`` are those in force but rejections, ``rejected`` those, both as they came; two reviewers who decided
    the same have one each. ``clashes`` are pairs of events that disagree. ``assigned`` is a reviewer or empty,
    ``skipped`` are those who put it off.
    """

    decisions: tuple[Event, ...] = ()
    rejected: tuple[Event, ...] = ()
    clashes: tuple[tuple[Event, Event], ...] = ()
    comments: tuple[Event, ...] = ()
    assigned: str = ""
    skipped: frozenset[str] = frozenset()

    @property
    def status(self) -> ReviewStatus:
        """``undecided`` also where candidates were only rejected; ``disagreed`` until another decision settles it."""
        if self.clashes:
            return "disagreed"
        if not self.decisions:
            return "undecided"
        return "none" if self.decisions[0].verdict == "none" else "mapped"

    @property
    def in_force(self) -> tuple[Event, ...]:
        """Decisions and rejections."""
        return self.decisions + self.rejected

    @property
    def version(self) -> str:
        """Names the decisions in force: it changes when one is made, replaced or undone; see `seen_in`."""
        return ",".join(event.id for event in self.in_force) or _NO_DECISION

    @property
    def refused(self) -> frozenset[str]:
        """The targets that were rejected."""
        return frozenset(event.target for event in self.rejected)


NOTHING = ReviewStanding()
_NO_DECISION = "0"


def seen_in(version: str) -> frozenset[str]:
    """The ids of the decisions that were in force in a `ReviewStanding.version`."""
    return frozenset(version.split(",")) - {_NO_DECISION}


def standing_of(events: Iterable[Event], void: frozenset[str] | set[str] = frozenset()) -> ReviewStanding:
    """Where the source concept of these events stands; ``void`` are the ids of those that were undone."""
    valid = sorted((event for event in events if event.id not in void), key=lambda event: event.order)
    decided = [event for event in valid if event.did == "decide"]
    replaced = {each for event in decided for each in event.replaces}
    current = [event for event in decided if event.id not in replaced]
    assigned = ""
    skipped: set[str] = set()
    for event in valid:
        if event.did == "assign":
            assigned = event.to
        elif event.did == "skip":
            skipped.add(event.who)
        elif event.did == "decide":
            skipped.discard(event.who)
    return ReviewStanding(
        tuple(event for event in current if event.verdict != "reject"),
        tuple(event for event in current if event.verdict == "reject"),
        tuple(pair for pair in combinations(current, 2) if _clash(*pair)),
        tuple(event for event in valid if event.did == "comment"),
        assigned,
        frozenset(skipped),
    )


def _clash(one: Event, other: Event) -> bool:
    return contrary(one, other) and one.id not in other.saw and other.id not in one.saw


def contrary(one: Event, other: Event) -> bool:
    """Whether both cannot be meant at once, unless one was decided in addition to the other."""
    if one.decision == other.decision:
        return False
    if one.target == other.target:
        return True
    return "reject" not in (one.verdict, other.verdict)


def replaced_by(new: Event, current: Sequence[Event], *, also: bool = False) -> tuple[str, ...]:
    """The ids of the decisions in force that a new one takes the place of; ``also`` leaves mappings to others."""

    def adds(event: Event) -> bool:
        return also and {new.verdict, event.verdict} <= POSITIVE and new.target != event.target

    def repeats(event: Event) -> bool:
        return event.who == new.who and event.decision == new.decision

    return tuple(event.id for event in current if repeats(event) or (contrary(new, event) and not adds(event)))


def undone(events: Iterable[Event]) -> set[str]:
    """The ids of the events that are undone, by all events of a review in their order."""
    void: set[str] = set()
    meant: dict[str, str] = {}
    for event in events:
        if event.did == "undo":
            meant[event.id] = event.event
            void.add(event.event)
        elif event.did == "redo":
            void.discard(meant.get(event.event, ""))
    return void


def history(events: Iterable[Event], who: str) -> tuple[list[Event], list[Event]]:
    """What a reviewer can undo, the last last, and the undoings that can be taken back, the last last."""
    done: list[Event] = []
    taken_back: list[Event] = []
    by_id: dict[str, Event] = {}
    for event in events:
        if event.who != who:
            continue
        by_id[event.id] = event
        if event.did == "undo":
            done = [each for each in done if each.id != event.event]
            taken_back.append(event)
        elif event.did == "redo":
            taken_back = [each for each in taken_back if each.id != event.event]
            undo = by_id.get(event.event)
            if undo is not None and undo.event in by_id:
                done.append(by_id[undo.event])
        else:
            done.append(event)
            taken_back = []
    return done, taken_back
