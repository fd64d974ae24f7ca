"""Summaries of terms that a user adds to an index or removes from it, and the list of those it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ontonym.evaluate.ownterms import OwnTermsChange
from ontonym.files.cells import csv_line, guarded
from ontonym.index import Holding, Index, holdings, read_journal
from ontonym.index.termfile import TermFile
from ontonym.serve.show import Summary, to_json
from ontonym.text.counting import count, first_few
from ontonym.types import NIL

COLUMNS = ("id", "text", "count", "who", "when", "why", "status", "concept")
JOURNAL_COLUMNS = ("did", "id", "text", "count", "who", "when", "why")

_SHOWN = 5


def added_summary(index: str, done: OwnTermsChange) -> Summary:
    """Terms that were added to an index, which of them no active concept has, and which name other concepts too."""
    change = done.change
    notes = list(_row_notes(done.files))
    if change.unknown:
        ids = list(dict.fromkeys(term.id for term in change.unknown))
        notes.append(
            f"  {count(len(change.unknown), 'term')} of {count(len(ids), 'id')} that no active concept has: kept, and "
            f"searched when a release has them ({first_few(ids, _SHOWN)})"
        )
    if change.shared:
        said = [f"“{term.text}” of {term.id}, and of {first_few(others, _SHOWN)}" for term, others in change.shared]
        what = count(len(said), "text is a name", "texts are a name")
        more = "; …" if len(said) > _SHOWN else ""
        notes.append(f"  {what} of another concept too: {'; '.join(said[:_SHOWN])}{more}")
    if not (done.files or change.added or change.replaced):
        notes.append("  a term needs a letter or a digit")
    line = f"{count(change.added, 'term')} added, {change.replaced:,} replaced; {index} holds {change.held:,} now"
    return Summary(_change_shape(done), lines=[line], notes=notes)


def removed_summary(index: str, done: OwnTermsChange) -> Summary:
    """Terms that were removed from an index; a failure where it did not hold some."""
    change = done.change
    failure = ""
    if change.missing:
        named = ", ".join(f"{term.id} {term.text!r}" if term.text else term.id for term in change.missing[:_SHOWN])
        failure = f"{count(len(change.missing), 'term')} not held, so not removed: {named}"
    line = f"{count(change.removed, 'term')} removed; {index} holds {change.held:,} now"
    return Summary(_change_shape(done), lines=[line], notes=list(_row_notes(done.files)), failure=failure)


def _row_notes(files: Sequence[TermFile]) -> Iterator[str]:
    """A line for each file with counts that add up, and its first malformed rows."""
    for one in files:
        counts = one.counts
        others = {"blank": counts.skipped["blank"], "malformed": counts.malformed, **counts.skipped}
        parts = [f"{number:,} {rule.replace('_', ' ')}" for rule, number in others.items() if number]
        yield f"  {one.path}: {count(counts.rows, 'row')} = {' + '.join([count(counts.kept, 'term'), *parts])}"
        for row in counts.examples:
            yield f"    {row.file}:{row.line}: {row.problem}"


def _change_shape(done: OwnTermsChange) -> dict[str, object]:
    change = done.change
    return {
        "added": change.added,
        "replaced": change.replaced,
        "removed": change.removed,
        "held": change.held,
        "unknown": [{"id": term.id, "text": term.text} for term in change.unknown],
        "shared": [{"id": term.id, "text": term.text, "others": list(others)} for term, others in change.shared],
        "missing": [{"id": term.id, "text": term.text} for term in change.missing],
        "files": [
            {"path": one.path, "rows": one.counts.rows, "blank": 0, "malformed": one.counts.malformed,
             **one.counts.skipped} for one in done.files
        ],
    }  # fmt: skip


def term_lines(index: Index, *, gone: bool = False, journal: bool = False, as_json: bool = False) -> Iterator[str]:
    """The terms that were added to an index, as CSV with `COLUMNS` or as JSON lines.

    With ``gone`` those whose concept is retired, replaced or unknown; with ``journal`` all that was ever added and
    removed (`JOURNAL_COLUMNS`).
    """
    if journal:
        columns: Sequence[str] = JOURNAL_COLUMNS
        rows = [{"did": entry.did, **asdict(entry.term)} for entry in read_journal(index)]
    else:
        columns = COLUMNS
        rows = [held_shape(one) for one in holdings(index) if not gone or one.moved or one.concept is None]
    return map(to_json, rows) if as_json else _csv(columns, rows)


def held_shape(one: Holding) -> dict[str, Any]:
    """An added term with what became of its concept: active, moved, or gone; nil for a text without a concept."""
    status = "nil" if one.concept == NIL else "gone" if one.concept is None else "moved" if one.moved else "active"
    return {**asdict(one.term), "status": status, "concept": one.concept or ""}


def _csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for cells in (columns, *([row[name] for name in columns] for row in rows)):
        yield csv_line([guarded(str(cell)) for cell in cells], "")
