"""What the commands and the screen of a review print: JSON shapes, lines, and summaries for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ontonym.serve.show import ShownLine, Summary
from ontonym.store.export.formats import left_out_words
from ontonym.tasks.review import (
    EarlierReview,
    Event,
    Item,
    Items,
    Review,
    ReviewerAgreement,
    ReviewExport,
    ReviewMerger,
    ReviewProgress,
    ReviewStanding,
    earlier_review,
    unlisted,
)
from ontonym.text.counting import count, first_few


def progress_line(progress: ReviewProgress) -> str:
    """``312 of 4,213 decided (7%): 280 mapped, 32 with no match; 3 disagreed``."""
    share = progress.decided / progress.items if progress.items else 0
    more = f"; {progress.disagreed:,} disagreed" if progress.disagreed else ""
    return (
        f"{progress.decided:,} of {progress.items:,} decided ({share:.0%}): {progress.mapped:,} mapped, "
        f"{progress.none:,} with no match{more}"
    )


def decision_words(event: Event) -> str:
    """``exact DOID:1 diabetes mellitus``."""
    return " ".join(filter(None, (event.verdict, event.target, event.label)))


def item_shape(item: Item, standing: ReviewStanding) -> dict[str, Any]:
    """An item with its candidates and where it stands, as JSON."""
    return {
        "id": item.id,
        "label": item.label,
        "frequency": item.frequency,
        "doubt": round(item.doubt, 4),
        "proposed": item.proposed.id if item.proposed else None,
        "status": standing.status,
        "version": standing.version,
        "assigned": standing.assigned or None,
        "decisions": [event_shape(event) for event in standing.in_force],
        "comments": [{"who": event.who, "time": event.time, "text": event.text} for event in standing.comments],
        "note": item.note,
        "candidates": [
            {
                "id": one.id, "label": one.label, "predicate": one.predicate, "confidence": one.confidence,
                "name": one.name, "why": list(one.why), "rejected": one.id in standing.refused,
            }
            for one in item.candidates
        ],
    }  # fmt: skip


def event_shape(event: Event) -> dict[str, Any]:
    """A decision as JSON."""
    return {
        "who": event.who, "time": event.time, "verdict": event.verdict, "target": event.target or None,
        "label": event.label,
    }  # fmt: skip


def agreement_shape(pair: ReviewerAgreement) -> dict[str, object]:
    """How far two reviewers agree, as JSON."""
    kappa = None if pair.kappa is None else round(pair.kappa, 4)
    return {"reviewers": list(pair.reviewers), "both": pair.both, "same": pair.same, "kappa": kappa}


def started_summary(path: str, items: Items, frequencies: str | None = None, decided: str | None = None) -> Summary:
    """A review that was begun at ``path``: how much there is to decide, which ids of ``frequencies`` it has not, and on
    which source concepts of the review ``decided`` the decisions are not taken over, because it has not got them, or
    under another name.
    """
    proposed = sum(item.proposed is not None for item in items.values())
    pairs = sum(len(item.candidates) for item in items.values())
    known = sum(item.counted for item in items.values())
    missing = unlisted(items, frequencies) if frequencies else []
    before = earlier_review(decided, items) if decided else EarlierReview((), (), (), (), is_compared=True)
    taken_over = len(before.decided) - len(before.lost) - len(before.renamed)
    shape = {
        "path": path, "concepts": len(items), "candidates": pairs, "proposed": proposed, "without_candidates": missing,
        "taken_over": taken_over, "not_taken_over": [*before.lost, *before.renamed],
    }  # fmt: skip
    taken = f"decisions on {taken_over:,} of {count(len(before.decided), 'source concept')}"
    left = f"; not among the candidates: {first_few(before.lost)}" if before.lost else ""
    left += f"; called otherwise now: {first_few(before.renamed)}" if before.renamed else ""
    if not before.is_compared:
        left += "; which of them are called otherwise now is not known, as its candidates changed"
    facts = [
        ("review", path),
        ("to decide", f"{count(len(items), 'source concept')} with {count(pairs, 'candidate')}"),
        ("proposed", f"for {proposed:,} of them"),
        ("frequencies", f"of {known:,} of them" if known else "not known: each counts 1"),
        ("not in it", f"{count(len(missing), 'id')} of {frequencies} without a candidate: {first_few(missing)}"
         if missing else ""),
        ("taken over", f"{taken}{left}" if decided else ""),
    ]  # fmt: skip
    return Summary(shape, facts)


def progress_shape(review: Review) -> dict[str, int]:
    """How far a review is, as JSON."""
    progress = review.progress()
    return {name: getattr(progress, name) for name in ("items", "mapped", "none", "disagreed", "undecided")}


def list_shape(review: Review, chosen: str, found: Sequence[str], shown: Sequence[str]) -> dict[str, Any]:
    """The source concepts that are ``shown`` of those that a filter and a search ``found``, as JSON."""
    items = [item_shape(review.items[source], review.standing(source)) for source in shown]
    return {"filter": chosen, "found": len(found), "progress": progress_shape(review), "items": items}


def list_summary(review: Review, chosen: str, wanted: str, number: int) -> Summary:
    """The first ``number`` source concepts (0: all) that a filter and a search leave, and how far the review is."""
    found = review.listed(chosen, wanted)
    shown = found[: number or None]
    more = f", {len(found) - len(shown):,} more" if len(found) > len(shown) else ""
    takers = {item.proposed.id: item.id for item in review.items.values() if item.proposed}
    lines = (line for one in shown for line in item_lines(review.items[one], review.standing(one), takers))
    head, foot = (progress_line(review.progress()), "bold"), (f"\n{chosen}: {len(found):,}{more}", "dim")
    return Summary(list_shape(review, chosen, found, shown), lines=[head, *lines, foot])


def item_lines(item: Item, standing: ReviewStanding, takers: Mapping[str, str]) -> Iterator[ShownLine]:
    """A source concept with its decisions and comments, or its best candidates.

    ``takers`` are the source concepts by the target proposed for them: where nothing is proposed, these say why.
    """
    often = f"  {item.frequency_text}×" if item.frequency != 1 else ""
    to = f"  for {standing.assigned}" if standing.assigned else ""
    name = item.id if item.label == item.id else f"{item.id}  {item.label}"
    yield f"\n{name}{often}{to}", "bold"
    for event in standing.in_force:
        yield _dated(event), "green"
    for event in standing.comments:
        yield f"  {event.who}: “{event.text}”", "dim"
    if standing.status == "undecided":
        first = [item.proposed] if item.proposed else []
        for one in [*first, *(each for each in item.candidates if each not in first)][:3]:
            mark = "→" if item.proposed and one.id == item.proposed.id else " "
            sure = "    " if one.confidence is None else f"{one.confidence:.2f}"
            struck = "  rejected" if one.id in standing.refused else ""
            relation = "" if one.verdict == "exact" else f"  ({one.verdict})"
            taken = takers.get(one.id) if item.proposed is None else None
            other = f"  (proposed for {taken})" if taken is not None else ""
            yield f"  {mark} {sure}  {one.id}  {one.label}{relation}{struck}{other}"
            if one.why and one == item.proposed:
                yield f"          {'; '.join(one.why)}", "dim"
        if not item.candidates:
            yield f"    no candidate{f': {item.note}' if item.note else ''}"


def disagreement_words(standing: ReviewStanding, made: Event) -> str:
    """What others decided against a decision that was ``made`` without knowing of it; empty where nobody did."""
    others = [
        f"{one.who} decided “{decision_words(one)}”" for pair in standing.clashes if made in pair for one in pair
        if one != made
    ]  # fmt: skip
    if not others:
        return ""
    return (
        f"{' and '.join(others)} after you had read it: both decisions are kept, and the concept counts as disagreed "
        "until it is decided again"
    )


def decided_summary(review: Review, source: str) -> Summary:
    """What is decided on a source concept."""
    item = review.resolved(source)
    standing = review.standing(item.id)
    decisions = "; ".join(f"{event.who}: {decision_words(event)}" for event in standing.in_force) or "undecided"
    return Summary(item_shape(item, standing), lines=[f"{item.id} {item.label}: {decisions}"])


def sheet_summary(review: Review, new: int, before: int) -> Summary:
    """The ``new`` decisions of a sheet, and those of others that they replace; ``before`` it the review had so many
    events.
    """
    known = {event.id: event for event in review.journal.events}
    replaced = [
        known[one] for event in review.journal.events[before:] for one in event.replaces
        if known[one].who != review.reviewer
    ]  # fmt: skip
    lines: list[ShownLine] = [f"{count(new, 'new decision')} of {review.reviewer}; {progress_line(review.progress())}"]
    if replaced:
        named = first_few(f"{event.source}, which {event.who} decided “{decision_words(event)}”" for event in replaced)
        lines.append((f"{count(len(replaced), 'decision')} of others replaced: {named}", "yellow"))
    return Summary({"new": new, "replaced": [_replaced_shape(event) for event in replaced]}, lines=lines)


def _replaced_shape(event: Event) -> dict[str, Any]:
    return {"source": event.source, **event_shape(event)}


def undone_summary(event: Event, *, redo: bool) -> Summary:
    """What was undone, or done again."""
    what = decision_words(event) or event.text or event.to
    words = f"{'done again' if redo else 'undone'}: {event.source}: {event.did}{f' {what}' if what else ''}"
    return Summary({"did": event.did, "source": event.source, "event": event.id, "redo": redo}, lines=[words])


def merger_summary(path: str | None, merger: ReviewMerger) -> Summary:
    """What was merged, how far reviewers agree, and where they do not; written to ``path`` if there is one."""
    found = merger.disagreements
    shape = {
        "path": path, "events": len(merger.events), "reviewers": merger.reviewers,
        "agreement": [agreement_shape(pair) for pair in merger.agreements],
        "disagreements": [
            {"source": one.source, "decisions": [event_shape(event) for event in one.decisions]} for one in found
        ],
    }  # fmt: skip
    each = ", ".join(f"{number:,}" for number in merger.read)
    lines: list[ShownLine] = [
        f"{path or 'together'}: {count(len(merger.events), 'event')} of {count(len(merger.read), 'file')} ({each})",
        *map(_agreement_line, merger.agreements),
    ]
    for one in found:
        lines += [(f"\n{one.source}", "bold"), *map(_dated, one.decisions)]
    return Summary(shape, lines=lines, notes=[f"note: {merger.missing}"] if merger.missing else [])


def _agreement_line(pair: ReviewerAgreement) -> str:
    kappa = "not defined" if pair.kappa is None else f"{pair.kappa:.2f}"
    return (
        f"{pair.reviewers[0]} and {pair.reviewers[1]}: the same on {pair.same:,} of {pair.both:,} that both decided "
        f"alone ({pair.same / pair.both:.0%}), Cohen's kappa {kappa}"
    )


def _dated(event: Event) -> str:
    return f"  {event.who}: {decision_words(event)}  {event.time[:16]}"


def exported_summary(path: str, done: ReviewExport, *, every: bool) -> Summary:
    """What was written of a review, ``every`` row or what is settled, and what the format could not take."""
    disagreed = done.progress.disagreed
    words = ", ".join(f"{number:,} {kind}" for kind, number in done.kinds.most_common())
    some = f"{done.written:,} of " if done.written != done.rows else ""
    lines: list[ShownLine] = [
        f"{path}: {some}{count(done.rows, 'row')}{f' ({words})' if words else ''}; {progress_line(done.progress)}"
    ]
    if left_out := left_out_words(done.left_out):
        lines.append((f"not taken by the format: {left_out}", "yellow"))
    if disagreed and not every:
        lines.append(("what reviewers disagree on is left out: settle it first", "yellow"))
    return Summary(
        {"path": path, "rows": done.rows, "written": done.written, **done.kinds, "disagreed": disagreed}, lines=lines
    )
