"""``ontonym diff``: what changed between two releases of a terminology, and which of the user's files it affects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from ontonym.cli.progress import Bar
from ontonym.errors import CheckFailed, InputError
from ontonym.files.output import written_file
from ontonym.files.source import open_source
from ontonym.serve.changes import Report, affected_lines, json_lines, since, tsv_lines
from ontonym.serve.show import console, count, facts, size
from ontonym.store import open_terminology
from ontonym.store.affected import Affected, Judge, check
from ontonym.store.changepage import PAGE_ROWS, SECTIONS, change_page, checked_line
from ontonym.store.describing import Change
from ontonym.store.diff import Difference, diff
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link
from ontonym.types import Advance

if TYPE_CHECKING:
    from rich.console import Console

EXAMPLES = """\b
Examples:
  ontonym diff hp-2024.terminology hp-2025.terminology
  ontonym diff hp-2024.terminology hp-2025.terminology -o changes.html -o changes.tsv
  ontonym diff hp-2024.terminology hp-2025.terminology --check map.sssom.tsv --affected hint.tsv
"""

_Writer = Callable[[Report, Advance], Iterator[str]]


def page_lines(report: Report, progress: Advance, rows: int = PAGE_ROWS) -> Iterator[str]:
    """The page of a report; of every kind of change the first ``rows``."""
    elsewhere = ("A TSV file has all: -o changes.tsv", "A TSV file has all: --affected affected.tsv")
    return change_page(
        report.difference, report.checks, report.affected, rows=rows, elsewhere=elsewhere, progress=progress
    )


WRITERS: MappingProxyType[str, _Writer] = MappingProxyType(
    {".tsv": tsv_lines, ".json": json_lines, ".html": page_lines, ".htm": page_lines}
)
"""The endings of OUT and what is written for each; ``.gz`` after it compresses."""

_STEP = 1000


@click.command("diff", epilog=EXAMPLES)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("-o", "--output", multiple=True, metavar="OUT", help="Write all changes: .tsv, one change a row; .json; "
              ".html, a page to read. .gz compresses. May be repeated.")  # fmt: skip
@click.option("--check", "checked", multiple=True, metavar="FILE", help="Find what points at concepts that are no "
              "longer active: mappings (SSSOM), added terms or codes (CSV, TSV, JSON lines), or another terminology. "
              "May be repeated.")  # fmt: skip
@click.option("--id-column", multiple=True, metavar="COLUMN", help="A column of FILE that holds ids: header or number; "
              "by default detected from headers and content. May be repeated.")  # fmt: skip
@click.option("--affected", "affected_output", metavar="OUT", help="Write what --check finds as TSV.")
@click.option("--fail-on-affected", is_flag=True, help="Exit 1 where --check finds something that this release took "
              "away.")  # fmt: skip
@click.option("--show", type=click.IntRange(0), default=3, show_default=True, metavar="N", help="Changes shown of each "
              "kind.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all changes as JSON.")
def command(
    *, old: str, new: str, output: tuple[str, ...], checked: tuple[str, ...], id_column: tuple[str, ...],
    affected_output: str | None, fail_on_affected: bool, show: int, as_json: bool,
) -> None:  # fmt: skip
    """Show what changed between two releases: OLD and NEW are terminologies that were imported from them.

    Concepts added, retired (with what takes their place), merged and removed; names changed, gained and lost; concepts
    moved in the hierarchy.
    """
    writers = {path: _writer(path) for path in output}
    if not checked and (id_column or affected_output or fail_on_affected):
        raise InputError("--id-column, --affected and --fail-on-affected are about --check FILE: name a file to check")
    _refuse(checked, [*output, *([affected_output] if affected_output is not None else ())])
    with open_terminology(old) as before, open_terminology(new) as after, Bar("comparing") as bar:
        report = _checked(diff(before, after, progress=bar.stage), checked, id_column, bar)
        total = sum(report.difference.counts().values())
        for path, writer in writers.items():
            _write(path, writer(report, _progress(bar, f"writing {Path(path).name}", total)))
        if affected_output is not None:
            _write(affected_output, affected_lines(report.affected))
        if as_json:
            for line in json_lines(report, _progress(bar, "printing", total)):
                click.echo(line)
        else:
            _show(report, show)
            _show_written([*output, *([affected_output] if affected_output is not None else ())], total)
    recent = sum(checks.recent for checks in report.checks)
    if fail_on_affected and recent:
        raise CheckFailed(f"{count(recent, 'id')} of concepts that this release took away")


def _refuse(checked: Sequence[str], outputs: Sequence[str]) -> None:
    """Refuses at once, before the comparison, what cannot be read or written."""
    for path in checked:
        if not Path(path).is_dir():
            open_source(path)
    for path in outputs:
        if not Path(path).absolute().parent.is_dir():
            raise InputError(f"{path}: cannot be written: there is no folder {Path(path).parent}")


def _writer(path: str) -> _Writer:
    name = Path(path).name.lower().removesuffix(".gz")
    writer = next((writer for ending, writer in WRITERS.items() if name.endswith(ending)), None)
    if writer is None:
        raise InputError(f"{path}: the ending of the name does not tell what to write. Endings known: .tsv .json .html")
    return writer


def _progress(bar: Bar, stage: str, total: int) -> Advance:
    def report(done: int) -> None:
        if done % _STEP == 0:
            bar.stage(stage, done, total)

    return report


def _checked(difference: Difference, paths: Sequence[str], columns: Sequence[str], bar: Bar) -> Report:
    """The difference, with what it affects in the files that are to be checked."""
    checks, affected = [], []
    judge = Judge(difference)
    for path in paths:
        checked, found = check(path, difference, id_columns=columns, judge=judge)
        for number, each in enumerate(found):
            affected.append(each)
            if number % _STEP == 0:
                bar.stage(f"checking {Path(path).name}", checked.rows, None)
        checks.append(checked)
    return Report(difference, checks, affected)


def _write(path: str, lines: Iterator[str]) -> None:
    with written_file(path) as out:
        for line in lines:
            out.write(line.encode(errors="replace") + b"\n")


def _show_written(paths: Sequence[str], total: int) -> None:
    out = console()
    for path in paths:
        out.print(f"wrote {path} ({size(Path(path).stat().st_size)})")
    if total and not paths:
        out.print("all of them: -o changes.html to read, -o changes.tsv or changes.json to work with", style="dim")


def _show(report: Report, show: int) -> None:
    """Prints the counts of each kind with the first few changes."""
    out = console()
    difference = report.difference
    kept = f"{difference.unchanged:,} of {count(difference.compared, 'concept')} that are in both"
    facts(
        [("old", _release(difference.old)), ("new", _release(difference.new)), ("unchanged", kept)],
        out,
    )
    for caution in difference.cautions:
        out.print(f"caution: {caution}", style="yellow")
    for kind, number in difference.counts().items():
        if number:
            out.print()
            out.print(count(number, kind, SECTIONS[kind].heading.lower()), style="bold")
            changes = difference.changes(kind)
            _show_rows(((change.id, change_words(change)) for change in islice(changes, show)), number - show, out)
    for checked in report.checks:
        out.print()
        out.print(checked_line(checked), style="bold" if checked.affected else "")
        for example in checked.examples:
            out.print(f"  {example}", style="yellow")
        found = [each for each in report.affected if each.file == checked.file]
        _show_rows(((each.outcome.id, affected_words(each)) for each in found[:show]), len(found) - show, out)
    out.print()


def _show_rows(rows: Iterator[tuple[str, str]], more: int, out: Console) -> None:
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for concept_id, words in rows:
        table.add_row("", concept_id, words)
    if table.row_count:
        out.print(table)
        if more > 0:
            out.print(f"  and {more:,} more", style="dim")


def _release(terminology: Terminology) -> str:
    named = f"{terminology.name} {terminology.version}".strip()
    active = int(terminology.statistics.get("active_concepts", 0))
    return f"{named}  ({count(active, 'active concept')}, {terminology.path})"


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
