"""The decisions of a review as mappings: rows by the columns of SSSOM, and the metadata of the set."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ontonym.store.export.mappings import (
    AS_IT_IS,
    MappingOptions,
    made_by,
    mapping_format,
    opened_facts,
    write_mappings,
)
from ontonym.store.mappingfile import MappingFile
from ontonym.store.mappings.rows import EXACT, FREQUENCY, JUSTIFICATIONS, NO_TERM, NOT
from ontonym.tasks.review.events import VERDICTS, Event
from ontonym.tasks.review.items import Item, ReviewCandidate
from ontonym.tasks.review.review import Review, ReviewProgress
from ontonym.tasks.review.standing import ReviewStanding

RowKind = Literal["mapped", "rejected", "with no match", "undecided"]
"""The statuses of a review's rows."""

_KEPT = (
    "license", "mapping_set_title", "subject_source", "object_source", "subject_source_version",
    "object_source_version",
)  # fmt: skip
"""Metadata of the candidates file that also applies to the decisions."""

_CURIE = re.compile(r"[A-Za-z][\w.-]*:[^\s|]+")


def _counted_rows(review: Review, *, every: bool) -> tuple[list[dict[str, str]], Counter[RowKind]]:
    """The mappings of a review, in the order of its items, and the number of each kind.

    Accepted mappings have their reviewers (``author_id`` if their names are CURIEs such as an ORCID, else
    ``author_label``) and the day of the last of equal decisions; rejected ones have the modifier Not. If no target
    fits, there is a row to ``sssom:NoTermFound`` and one with Not for each candidate that was shown. Mappings on which
    reviewers disagree are left out. ``every`` adds the rest: proposals for undecided concepts, and each side of a
    disagreement; then ``other`` has the status of every row.
    """
    rows: list[dict[str, str]] = []
    kinds: Counter[RowKind] = Counter()
    for item, standing in _reviewed(review):
        own = list(_rows(item, standing, every=every))
        open_ = every and standing.status == "undecided"
        kinds.update("undecided" if open_ else _kind(row) for row in own)
        rows += own
    return rows, kinds


@dataclass(frozen=True, slots=True)
class ReviewExport:
    """The result of an export: the number of rows, of each kind and in all, how many of them were ``written``, and what
    the format left out.

    ``progress`` has the number of source concepts with disagreement; these are left out, unless all rows were
    requested.
    """

    rows: int
    kinds: Counter[str]
    progress: ReviewProgress
    left_out: Counter[str]
    written: int


def export_review(
    review: Review, path: Path | str, options: MappingOptions = AS_IT_IS, *, every: bool = False
) -> ReviewExport:
    """Writes the mappings of a review in one of `MAPPING_WRITERS`; with ``every`` undecided concepts have a row, and
    each side of a disagreement. Raises as `write_mappings` does.
    """
    format = mapping_format(path, options.format)
    rows, kinds = _counted_rows(review, every=every)
    with opened_facts(options, format, review_slots(review)) as facts:
        written = write_mappings(path, rows, facts, format=format)
    return ReviewExport(len(rows), Counter[str](kinds), review.progress(), written.left_out, written.mappings)


def review_slots(review: Review) -> Mapping[str, str]:
    """The SSSOM metadata of the decisions: that of the candidates file on the terminologies, and ontonym's own."""
    given = MappingFile(review.places["candidates"]).facts
    kept = {name: given[name] for name in _KEPT if name in given}
    of = f"urn:ontonym:review-{review.journal.header.files['candidates'].sha256[:12]}"
    return made_by("ontonym review", kept | {"mapping_set_id": of}, dated=False)


def _reviewed(review: Review) -> Iterator[tuple[Item, ReviewStanding]]:
    """Every source concept with its status; those of an earlier review if they have a decision."""
    for source, item in review.items.items():
        yield item, review.standing(source)
    for source in review.elsewhere:
        standing = review.standing(source)
        if standing.in_force:
            yield Item(source, source, (), None), standing


def _kind(row: Mapping[str, str]) -> RowKind:
    if row["object_id"] == NO_TERM:
        return "with no match"
    return "rejected" if row["predicate_modifier"] else "mapped"


def _rows(item: Item, standing: ReviewStanding, *, every: bool) -> Iterator[dict[str, str]]:
    shown = standing.status if every else ""
    comments = "; ".join(f"{event.who}: {event.text}" for event in standing.comments)
    if standing.status == "disagreed":
        for event in standing.in_force if every else ():
            yield _row(item, [event], comments, shown)
        return
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in standing.in_force:
        groups.setdefault(event.decision, []).append(event)
    for events in groups.values():
        yield _row(item, events, comments, shown)
    nothing = [event for event in standing.decisions if event.verdict == "none"]
    for target in dict.fromkeys(target for event in nothing for target in event.shown):
        if target not in standing.refused:
            known = item.candidate(target) or ReviewCandidate(target)
            yield _curated(item, nothing, EXACT, NOT, target, known.label, "", shown)
    if every and standing.status == "undecided":
        yield _open(item, comments, standing)


def _row(item: Item, events: list[Event], comments: str, status: str) -> dict[str, str]:
    """The row of equal decisions."""
    first = events[0]
    if first.verdict == "none":
        return _curated(item, events, EXACT, "", NO_TERM, "", comments, status)
    denied = first.verdict == "reject"
    predicate = first.predicate or EXACT if denied else VERDICTS[first.verdict or "exact"]
    known = item.candidate(first.target)
    label = (known.label if known else "") or first.label
    return _curated(item, events, predicate, NOT if denied else "", first.target, label, comments, status)


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
        "mapping_justification": JUSTIFICATIONS["manual"],
        "author_id": "|".join(who for who in reviewers if who not in named),
        "mapping_date": max(event.time for event in some)[:10],
        "author_label": "|".join(named),
        "other": f"status: {status}" if status else "",
        "comment": comments,
        **_frequency(item),
    }


def _frequency(item: Item) -> dict[str, str]:
    return {FREQUENCY: item.frequency_text} if item.counted else {}


def _open(item: Item, comments: str, standing: ReviewStanding) -> dict[str, str]:
    """The proposal for an undecided concept."""
    left = (one for one in (item.proposed, *item.candidates) if one and one.id not in standing.refused)
    best = next(left, None)
    row = {
        "subject_id": item.id,
        "subject_label": item.label,
        "predicate_id": best.predicate if best else EXACT,
        "predicate_modifier": NOT if best and best.denied else "",
        "object_id": best.id if best else NO_TERM,
        "object_label": best.label if best else "",
        "mapping_justification": (best.justification if best else "") or JUSTIFICATIONS["unspecified"],
        "other": f"status: undecided{f'; assigned to {standing.assigned}' if standing.assigned else ''}",
        "comment": comments,
        **_frequency(item),
    }
    if best is None:
        return row
    confidence = "" if best.confidence is None else f"{best.confidence:.4f}"
    return {**row, "confidence": confidence, "match_string": best.name}
