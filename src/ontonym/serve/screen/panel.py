"""The panel of one source concept: decisions, comments, and its candidates with score, name and reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.text import Text

from ontonym.serve.hitlists import confidence_cell
from ontonym.serve.reviews import decision_words
from ontonym.tasks.review import Event, Item, ReviewCandidate, ReviewStanding, TargetAround

RELATIONS = {
    "exact": "=", "close": "≈", "broad": "broader", "narrow": "narrower", "related": "related", "reject": "not",
}  # fmt: skip
"""How the relation of a candidate is drawn: what the target is to the source."""

_CHOSEN = "on #264f78"
LINES_OF_CANDIDATE = 2
"""Lines of a candidate that is not marked: what it is, and why."""

_INDENT = 4
"""Columns before the reasons of a candidate."""


def heading(item: Item, standing: ReviewStanding) -> Text:
    """The source concept, and where it stands."""
    text = Text(item.label, style="bold")
    if item.label != item.id:
        text.append(f"   {item.id}", style="not bold dim")
    if item.frequency != 1:
        text.append(f"   {item.frequency:,g}×", style="not bold dim")
    if standing.assigned:
        text.append(f"   for {standing.assigned}", style="not bold cyan")
    if standing.status == "disagreed":
        text.append("\nreviewers disagree: decide, and that settles it", style="bold red")
    for event in standing.in_force:
        style = "yellow" if event.verdict in ("none", "reject") else "green"
        text.append(f"\n{_verdict(event)}", style=f"not bold {style}")
        text.append(f"   {event.who}, {_when(event)}", style="not bold dim")
    for event in standing.comments:
        text.append(f"\n✎ {event.text}", style="not bold italic")
        text.append(f"   {event.who}, {_when(event)}", style="not bold dim")
    if standing.status == "undecided" and not standing.in_force:
        if not item.candidates:
            words = item.note or "no candidate was found"
        elif item.proposed is None:
            words = "nothing is proposed: no candidate is likely enough, or the likely one is another's"
        else:
            words = f"proposed: {RELATIONS[item.proposed.verdict]} {item.proposed.label or item.proposed.id}"
        text.append(f"\n{words}", style="not bold dim")
    return text


def _verdict(event: Event) -> str:
    if event.verdict == "none":
        return "∅ nothing fits"
    if event.verdict == "reject":
        return f"✗ not {event.target} {event.label}"
    return f"✓ {decision_words(event)}"


def _when(event: Event) -> str:
    return event.time[:16].replace("T", " ")


def candidates_text(
    candidates: Sequence[ReviewCandidate],
    item: Item,
    standing: ReviewStanding,
    chosen: int,
    width: int,
    about: TargetAround | None = None,
) -> Text:
    """The candidates, two lines each, the chosen one marked, with all its reasons and what is known ``about`` it.

    ``width`` is in columns.
    """
    text = Text()
    accepted = {event.target for event in standing.decisions}
    for place, one in enumerate(candidates):
        line = _line(one, place, item, standing, accepted, width)
        reasons = [_why(one, item)]
        if place == chosen:
            said = [*reasons, *(_around_lines(about) if about is not None else ())]
            reasons = [part for text_ in said for part in wrap(text_, max(width - _INDENT, 20)) or [""]]
        for part in (line, *(Text(f"{'':{_INDENT}}{reason}", style="dim") for reason in reasons)):
            part.truncate(width, overflow="ellipsis", pad=True)
            if place == chosen:
                part.stylize(_CHOSEN)
            text.append_text(part)
            text.append("\n")
    return text


def _around_lines(about: TargetAround) -> Iterator[str]:
    """The definition of a target, what it is a kind of, and what is beside it."""
    if about.definition:
        yield about.definition
    if about.parents:
        yield f"is a: {', '.join(about.parents)}"
    if about.siblings:
        yield f"beside it: {', '.join(about.siblings)}{f' and {about.more:,} more' if about.more else ''}"


def _line(
    one: ReviewCandidate, place: int, item: Item, standing: ReviewStanding, accepted: set[str], width: int
) -> Text:
    """Its number, confidence, relation, label and id; a label that is too long is cut, an id is not."""
    digit = str(place + 1) if place < 9 else " "
    proposed = item.proposed is not None and one.id == item.proposed.id
    line = Text(f"{'▸' if proposed else ' '}{digit} ")
    if one.confidence is None:
        line.append("             ")
    else:
        line.append_text(confidence_cell(one.confidence))
    line.append("  ")
    if one.verdict != "exact":
        line.append(f"{RELATIONS[one.verdict]} ", style="magenta")
    struck = one.id in standing.refused
    style = "strike dim" if struck else "bold green" if one.id in accepted else "bold"
    end = Text.assemble((f"  {one.id}" if one.label else "", "dim"), ("  added" if one.added else "", "cyan"))
    label = Text(one.label or one.id, style=style)
    label.truncate(max(width - line.cell_len - end.cell_len, 8), overflow="ellipsis")
    return line.append_text(label).append_text(end)


def _why(one: ReviewCandidate, item: Item) -> str:
    """What speaks for it, after the name that found it where that is not the label."""
    parts = [f"by “{one.name}”"] if one.name and one.name.casefold() != item.label.casefold() else []
    return "; ".join([*parts, *one.why])
