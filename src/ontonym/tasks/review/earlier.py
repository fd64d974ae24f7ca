"""What a new review takes over of an earlier one: decisions on source concepts that are called as they were then."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ontonym.errors import OntonymError
from ontonym.tasks.review.events import Event
from ontonym.tasks.review.items import Items, read_items
from ontonym.tasks.review.journal import read_journal
from ontonym.text.normalization import key


@dataclass(frozen=True, slots=True)
class EarlierReview:
    """The ``events`` of an earlier review that a new one takes over, and on which source concepts it ``decided``.

    Of these the new one lacks those ``lost``, and has another name for those ``renamed``, by id, whose events are left
    out. ``is_compared`` is False where the candidates of the earlier one are no longer what they were, so that nobody
    knows what was called otherwise.
    """

    events: tuple[Event, ...]
    decided: tuple[str, ...]
    lost: tuple[str, ...]
    renamed: tuple[str, ...]
    is_compared: bool


def earlier_review(path: Path | str, items: Items) -> EarlierReview:
    """What a review of these items takes over of the state file of another one."""
    journal, labels = read_journal(path), dict[str, str]()
    decided = tuple(dict.fromkeys(event.source for event in journal.events if event.verdict))
    try:
        before = read_items(journal.header.files["candidates"].found(Path(path)))
        labels = {source: key(item.label) for source, item in before.items()}
    except OntonymError:  # gone, or made again in its place
        before = {}
    renamed = {one for one, label in labels.items() if one in items and key(items[one].label) != label}
    return EarlierReview(
        tuple(event for event in journal.events if event.source not in renamed),
        decided,
        tuple(one for one in decided if one not in items),
        tuple(one for one in decided if one in renamed),
        bool(before),
    )
