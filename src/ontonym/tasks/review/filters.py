"""What a list of a review has: the filters by name, and a search by words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from ontonym.errors import UnknownNameError
from ontonym.tasks.review.items import Item
from ontonym.tasks.review.standing import ReviewStanding
from ontonym.text.normalization import key

_Filter = Callable[[Item, ReviewStanding, str], bool]

FILTERS: Mapping[str, tuple[str, _Filter]] = MappingProxyType(
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
"""The filters of lists: by name their meaning, and whether an item passes, for a reviewer."""


def check_filter(name: str) -> _Filter:
    """The filter of this name; UnknownNameError lists them."""
    if name not in FILTERS:
        raise UnknownNameError("filter", name, FILTERS)
    return FILTERS[name][1]


FoldedTexts = dict[str, tuple[Item, str]]
"""The texts that a search looks in, by the id of their item, as long as the item is this very one."""


def matching(items: Iterable[Item], wanted: str, folded: FoldedTexts) -> Iterator[Item]:
    """The items that contain every searched word in their id or label, or in those of their candidates.

    Case, accents and punctuation in labels are ignored. ``folded`` keeps texts for the next search.
    """
    words = [(word.casefold(), key(word)) for word in wanted.split()]
    for item in items:
        text = _folded(item, folded) if words else ""
        if all(word in text or (other and other in text) for word, other in words):
            yield item


def _folded(item: Item, folded: FoldedTexts) -> str:
    known = folded.get(item.id)
    if known is not None and known[0] is item:
        return known[1]
    text = "\n".join([item.id, item.label, *(text for one in item.candidates for text in (one.id, one.label))])
    folded[item.id] = item, f"{text.casefold()}\n{key(text)}"
    return folded[item.id][1]
