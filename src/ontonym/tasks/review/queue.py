"""In which order a review is worked through, and which items are listed: order, filters and search over the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ontonym.errors import UnknownNameError
from ontonym.tasks.review.items import Item
from ontonym.tasks.review.standing import Standing
from ontonym.text import key

Filter = Callable[[Item, Standing, str], bool]

FILTERS: Mapping[str, tuple[str, Filter]] = MappingProxyType(
    {
        "undecided": ("nothing decided yet", lambda item, standing, who: standing.status == "undecided"),
        "mine": ("decided by me", lambda item, standing, who: any(event.who == who for event in standing.in_force)),
        "assigned": (
            "assigned to me, and not decided",
            lambda item, standing, who: standing.assigned == who and standing.status in ("undecided", "disagreed"),
        ),
        "mapped": ("a target accepted", lambda item, standing, who: standing.status == "mapped"),
        "rejected": (
            "no target fits, or a candidate was rejected",
            lambda item, standing, who: standing.status == "none" or bool(standing.rejected),
        ),
        "disagreed": ("reviewers disagree", lambda item, standing, who: standing.status == "disagreed"),
        "commented": ("with a comment", lambda item, standing, who: bool(standing.comments)),
        "skipped": (
            "put off, and not decided since",
            lambda item, standing, who: bool(standing.skipped) and standing.status == "undecided",
        ),
        "all": ("all", lambda item, standing, who: True),
    }
)
"""What of a review is listed: by name what it means, and whether an item is among it, for a reviewer."""


def check_filter(name: str) -> Filter:
    """The filter of this name; UnknownNameError lists them."""
    if name not in FILTERS:
        raise UnknownNameError("filter", name, FILTERS)
    return FILTERS[name][1]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review is: how many ``items`` there are, and of each status how many."""

    items: int
    mapped: int
    none: int
    disagreed: int
    undecided: int

    @property
    def decided(self) -> int:
        """Items on which something is decided, without those on which reviewers disagree."""
        return self.mapped + self.none


def matches(item: Item, wanted: str) -> bool:
    """Whether every word wanted is somewhere in the item's id, its label, or those of its candidates."""
    texts = [item.id, item.label, *(text for one in item.candidates for text in (one.id, one.label))]
    there = "\n".join(key(text) for text in texts) + "\n" + "\n".join(texts).casefold()
    return all(word in there for word in [key(word) or word.casefold() for word in wanted.split()])
