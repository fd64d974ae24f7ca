"""What a review decided, as mappings: rows by the columns of SSSOM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ontonym.store.mappings.rows import NO_TERM
from ontonym.tasks.review.events import VERDICTS, Event
from ontonym.tasks.review.items import Candidate, Item
from ontonym.tasks.review.review import Review
from ontonym.tasks.review.standing import Standing

CURATED = "semapv:ManualMappingCuration"
SAME = "skos:exactMatch"
_CURIE = re.compile(r"[A-Za-z][\w.-]*:[^\s|]+")


def mapping_rows(review: Review, *, every: bool = False) -> Iterator[dict[str, str]]:
    """The mappings of a review, in the order of its items.

    What was accepted, with its reviewers (``author_id`` where their names are CURIEs such as an ORCID, else
    ``author_label``) and the day of the last of equal decisions; what was rejected, with the modifier Not. Where no
    target fits a row to ``sssom:NoTermFound``, and one with Not for each candidate that was shown. What reviewers
    disagree on is left out. ``every`` adds the rest: what is proposed for undecided concepts, and each side of a
    disagreement; then ``other`` has the status of every row.
    """
    for source, item in review.items.items():
        yield from _rows(item, review.standing(source), every=every)
    for source in review.elsewhere:
        standing = review.standing(source)
        if standing.in_force:
            yield from _rows(Item(source, source, (), None), standing, every=every)


def _rows(item: Item, standing: Standing, *, every: bool) -> Iterator[dict[str, str]]:
    status = standing.status
    comments = "; ".join(f"{event.who}: {event.text}" for event in standing.comments)
    if status == "disagreed":
        for event in standing.in_force if every else ():
            yield _row(item, [event], comments, status if every else "")
        return
    told = status if every else ""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in standing.in_force:
        groups.setdefault(event.decision, []).append(event)
    for events in groups.values():
        yield _row(item, events, comments, told)
    nothing = [event for event in standing.decisions if event.verdict == "none"]
    for target in dict.fromkeys(target for event in nothing for target in event.shown):
        if target not in standing.refused:
            known = item.candidate(target) or Candidate(target)
            yield _curated(item, nothing, SAME, "Not", target, known.label, "", told)
    if every and status == "undecided":
        yield _open(item, comments, standing)


def _row(item: Item, events: list[Event], comments: str, status: str) -> dict[str, str]:
    """The row of decisions that are the same."""
    first = events[0]
    if first.verdict == "none":
        return _curated(item, events, SAME, "", NO_TERM, "", comments, status)
    denied = first.verdict == "reject"
    predicate = first.predicate or SAME if denied else VERDICTS[first.verdict or "exact"]
    known = item.candidate(first.target)
    label = (known.label if known else "") or first.label
    return _curated(item, events, predicate, "Not" if denied else "", first.target, label, comments, status)


def _curated(
    item: Item, events: Iterable[Event], predicate: str, modifier: str, target: str, label: str, comments: str,
    status: str,
) -> dict[str, str]:  # fmt: skip
    some = list(events)
    reviewers = list(dict.fromkeys(event.who for event in some))
    named = [who for who in reviewers if not _CURIE.fullmatch(who)]
    return {
        "subject_id": item.id,
        "subject_label": item.label,
        "predicate_id": predicate,
        "predicate_modifier": modifier,
        "object_id": target,
        "object_label": label,
        "mapping_justification": CURATED,
        "author_id": "|".join(who for who in reviewers if who not in named),
        "mapping_date": max(event.time for event in some)[:10],
        "author_label": "|".join(named),
        "other": f"status: {status}" if status else "",
        "comment": comments,
    }


def _open(item: Item, comments: str, standing: Standing) -> dict[str, str]:
    """What is proposed for an undecided concept."""
    left = (one for one in (item.proposed, *item.candidates) if one and one.id not in standing.refused)
    best = next(left, None)
    told = {
        "subject_id": item.id,
        "subject_label": item.label,
        "predicate_id": best.predicate if best else SAME,
        "predicate_modifier": "Not" if best and best.denied else "",
        "object_id": best.id if best else NO_TERM,
        "object_label": best.label if best else "",
        "mapping_justification": (best.justification if best else "") or "semapv:UnspecifiedMatching",
        "other": f"status: undecided{f'; assigned to {standing.assigned}' if standing.assigned else ''}",
        "comment": comments,
    }
    if best is None:
        return told
    confidence = "" if best.confidence is None else f"{best.confidence:.4f}"
    return {**told, "confidence": confidence, "match_string": best.name}
