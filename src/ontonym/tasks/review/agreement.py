"""The agreement of reviewers: their present disagreements, and how far they decide alike, each by themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from ontonym.errors import needing
from ontonym.tasks.review.events import Event
from ontonym.tasks.review.standing import standing_of, undone


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A source concept with open disagreement; ``decisions`` are all that are in force."""

    source: str
    decisions: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """The agreement of two reviewers on decisions made without seeing the other's.

    ``both`` counts the source concepts that both decided on, ``same`` those with the same relations to the same
    targets. ``kappa`` is Cohen's, in [-1, 1], 1 for full agreement and 0 for chance; its categories are the relation to
    the proposal, each other target with its relation, and that none fits. None if undefined: nothing was decided by
    both, or there is only one category.
    """

    reviewers: tuple[str, str]
    both: int
    same: int
    kappa: float | None


def disagreements(events: Sequence[Event]) -> list[Disagreement]:
    """The source concepts on which reviewers disagree, by id."""
    void = undone(events)
    found = []
    for source, own in sorted(_by_source(events).items()):
        standing = standing_of(own, void)
        if standing.clashes:
            found.append(Disagreement(source, standing.in_force))
    return found


def agreements(events: Sequence[Event]) -> list[ReviewerAgreement]:
    """The agreement of every two reviewers who decided on some source concept, each without seeing the other's
    decision.

    MissingExtraError without scikit-learn.
    """
    void = undone(events)
    authors = {event.id: event.who for event in events}
    decided: dict[str, dict[str, str]] = defaultdict(dict)
    for source, own in _by_source(events).items():
        for who in {event.who for event in own}:
            alone = [event for event in own if event.who == who and all(authors.get(each) == who for each in event.saw)]
            category = _category(standing_of(alone, void).decisions)
            if category:
                decided[who][source] = category
    found = []
    for pair in combinations(sorted(decided), 2):
        shared = sorted(decided[pair[0]].keys() & decided[pair[1]].keys())
        if shared:
            labels = [[decided[who][source] for source in shared] for who in pair]
            same = sum(one == other for one, other in zip(*labels, strict=True))
            found.append(ReviewerAgreement(pair, len(shared), same, _kappa(*labels)))
    return found


def _by_source(events: Iterable[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event.source:
            found[event.source].append(event)
    return found


def _category(decisions: Sequence[Event]) -> str:
    targets = sorted(
        f"{event.verdict} {'as proposed' if event.target == event.proposed else event.target}" for event in decisions
    )
    return "; ".join(targets)


def _kappa(one: list[str], other: list[str]) -> float | None:
    with needing("scikit-learn", "eval", "the agreement of reviewers"):
        from sklearn.metrics import cohen_kappa_score
    if len({*one, *other}) < 2:
        return None
    return float(cohen_kappa_score(one, other))
