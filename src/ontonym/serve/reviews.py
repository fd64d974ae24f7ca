"""What the commands and the screen of a review print: JSON shapes, lines, and lists for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ontonym.serve.show import console, count
from ontonym.tasks.review import Disagreement, Event, Item, ReviewerAgreement, ReviewProgress, ReviewStanding

if TYPE_CHECKING:
    from rich.console import Console


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


def show_item(item: Item, standing: ReviewStanding, out: Console) -> None:
    """Prints a source concept with its decisions and comments, or its best candidates."""
    often = f"  {item.frequency:g}×" if item.frequency != 1 else ""
    to = f"  for {standing.assigned}" if standing.assigned else ""
    name = item.id if item.label == item.id else f"{item.id}  {item.label}"
    out.print(f"\n{name}{often}{to}", style="bold", soft_wrap=True)
    for event in standing.in_force:
        out.print(f"  {event.who}: {decision_words(event)}  {event.time[:16]}", style="green", soft_wrap=True)
    for event in standing.comments:
        out.print(f"  {event.who}: “{event.text}”", style="dim", soft_wrap=True)
    if standing.status == "undecided":
        for one in item.candidates[:3]:
            mark = "→" if item.proposed and one.id == item.proposed.id else " "
            sure = "    " if one.confidence is None else f"{one.confidence:.2f}"
            struck = "  rejected" if one.id in standing.refused else ""
            out.print(f"  {mark} {sure}  {one.id}  {one.label}{struck}", soft_wrap=True)
            if one.why and one == item.proposed:
                out.print(f"          {'; '.join(one.why)}", style="dim", soft_wrap=True)
        if not item.candidates:
            out.print(f"    no candidate{f': {item.note}' if item.note else ''}", soft_wrap=True)


def show_merger(
    output: str | None, read: Sequence[int], events: int, pairs: Sequence[ReviewerAgreement],
    found: Sequence[Disagreement],
) -> None:  # fmt: skip
    """Prints what was merged, how far reviewers agree, and where they do not."""
    out = console()
    files = count(len(read), "file")
    out.print(f"{output or 'together'}: {count(events, 'event')} of {files} ({', '.join(f'{n:,}' for n in read)})",
              soft_wrap=True)  # fmt: skip
    for pair in pairs:
        kappa = "not defined" if pair.kappa is None else f"{pair.kappa:.2f}"
        out.print(f"{pair.reviewers[0]} and {pair.reviewers[1]}: the same on {pair.same:,} of {pair.both:,} that both "
                  f"decided alone ({pair.same / pair.both:.0%}), Cohen's kappa {kappa}", soft_wrap=True)  # fmt: skip
    for one in found:
        out.print(f"\n{one.source}", style="bold", soft_wrap=True)
        for event in one.decisions:
            out.print(f"  {event.who}: {decision_words(event)}  {event.time[:16]}", soft_wrap=True)
