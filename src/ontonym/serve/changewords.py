"""What changed between releases, in words: counts of each kind, with the first few changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ontonym.serve.changes import Report, since
from ontonym.serve.show import ShownLine, Summary, plain_table, size_at
from ontonym.store.affected import Affected
from ontonym.store.changepage import SECTIONS, checked_line
from ontonym.store.describing import Change
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link
from ontonym.text.counting import count


def report_summary(report: Report, shown: int, written: Sequence[str] = (), hint: str = "") -> Summary:
    """The counts of each kind of change with the first ``shown`` of them, and the files that were ``written``.

    ``hint`` says where all changes are found, if no file was written. The JSON of a report is `json_lines`.
    """
    from rich.text import Text

    difference = report.difference
    kept = f"{difference.unchanged:,} of {count(difference.compared, 'concept')} that are in both"
    facts = [("old", _release(difference.old)), ("new", _release(difference.new)), ("unchanged", kept)]
    lines: list[ShownLine] = [Text(f"caution: {caution}", "yellow") for caution in difference.cautions]
    for kind, number in difference.counts().items():
        if number:
            lines += ["", Text(count(number, kind, SECTIONS[kind].heading.lower()), "bold")]
            changes = islice(difference.changes(kind), shown)
            lines += _rows([(change.id, change_words(change)) for change in changes], number - shown)
    for checked in report.checks:
        lines += ["", Text(checked_line(checked), "bold" if checked.affected else "")]
        lines += [Text(f"  {example}", "yellow") for example in checked.examples]
        found = [each for each in report.affected if each.file == checked.file]
        lines += _rows([(each.outcome.id, affected_words(each)) for each in found[:shown]], len(found) - shown)
    lines.append("")
    lines += [Text(f"wrote {path} ({size_at(path)})") for path in written]
    if hint and not written and any(difference.counts().values()):
        lines.append(Text(hint, "dim"))
    return Summary({}, facts, lines)


def _rows(rows: Sequence[tuple[str, str]], more: int) -> Iterator[ShownLine]:
    table = plain_table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for concept_id, words in rows:
        table.add_row("", concept_id, words)
    if rows:
        yield table
        if more > 0:
            yield f"  and {more:,} more", "dim"


def _release(terminology: Terminology) -> str:
    active = int(terminology.statistics.get("active_concepts", 0))
    return f"{terminology.full_name}  ({count(active, 'active concept')}, {terminology.path})"


def change_words(change: Change) -> str:
    """A change in one line, without its id."""
    words = change.preferred
    if change.kind in {"renamed", "fsn changed"}:
        words = f"{change.old} → {change.new}"
    elif change.kind == "synonym respelled":
        words = f"{change.preferred}: {change.old} → {change.new}"
    elif change.kind == "added" and change.parents_gained:
        words = f"{change.preferred}, under {_listed(change.parents_gained)}"
    elif change.kind == "moved":
        words = f"{change.preferred}: {_listed(change.parents_lost)} → {_listed(change.parents_gained)}"
    elif change.kind == "reinstated":
        words = f"{change.preferred}, before {change.old}" if change.old else change.preferred
    elif change.old or change.new:
        words = f"{change.preferred}: {change.new or change.old}"
    if change.replaced_by or change.consider:
        words = change.preferred + _instead(change.replaced_by, change.consider)
    return words + (f" ({change.note})" if change.note else "")


def affected_words(affected: Affected) -> str:
    """What is wrong with one row of a checked file, in one line."""
    outcome = affected.outcome
    where = f"line {affected.line}, " if affected.line is not None else ""
    since_before = "" if outcome.recent else f" {since(affected)}"
    instead = _instead(outcome.replaced_by, outcome.consider)
    note = f" ({outcome.note})" if outcome.note else ""
    named = f"{outcome.preferred}, " if outcome.preferred else ""
    beside = f"  [{affected.text}]" if affected.text else ""
    return f"{where}{affected.column}: {named}{outcome.why}{since_before}{instead}{note}{beside}"


def _instead(replaced_by: Sequence[Link], consider: Sequence[Link]) -> str:
    sure = f" → {_listed(replaced_by, ids=True)}" if replaced_by else ""
    near = f"; consider {_listed(consider, ids=True)}" if consider else ""
    return sure + near


def _listed(links: Sequence[Link], *, ids: bool = False) -> str:
    return (
        ", ".join(f"{link.id} {link.preferred}".strip() if ids else link.preferred or link.id for link in links)
        or "none"
    )
