"""``ontonym diff``: what changed between two releases of a terminology, and which of the user's files it affects."""

from __future__ import annotations

import click

from ontonym.cli.options import RAW, Opt, OptionGroup, examples
from ontonym.cli.progress import Bar
from ontonym.cli.terminal import echo
from ontonym.errors import CheckFailed, InputError
from ontonym.serve.changes import ReportFiles, checked_report, json_lines, progress_of, write_report
from ontonym.serve.changewords import report_summary
from ontonym.store import open_terminology
from ontonym.store.diff import diff
from ontonym.text.counting import count

FILES = OptionGroup(
    ReportFiles(),
    outputs=Opt(
        "Write all changes: .tsv, one change a row; .json; .html, a page to read. .gz compresses. May be repeated.",
        "-o --output", "OUT",
    ),
    checked=Opt(
        "Find what points at concepts that are no longer active: mappings (SSSOM), added terms or codes (CSV, TSV, "
        "JSON lines), or another terminology. May be repeated.",
        "--check", "FILE",
    ),
    id_columns=Opt(
        "A column of FILE that holds ids: header or number; by default detected from headers and content. May be "
        "repeated.",
        "--id-column", "COLUMN",
    ),
    affected=Opt("Write what --check finds as TSV.", metavar="OUT"),
    raw=RAW,
)  # fmt: skip
"""The files that are checked, and those that are written: `ReportFiles`."""

ELSEWHERE = ("A TSV file has all: -o changes.tsv", "A TSV file has all: --affected affected.tsv")


@click.command("diff", epilog=examples(
    "diff hp-2024.terminology hp-2025.terminology",
    "diff hp-2024.terminology hp-2025.terminology -o changes.html -o changes.tsv",
    "diff hp-2024.terminology hp-2025.terminology --check map.sssom.tsv --affected hint.tsv",
))  # fmt: skip
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@FILES.as_("files")
@click.option("--fail-on-affected", is_flag=True, help="Exit 1 where --check finds something that this release took "
              "away.")  # fmt: skip
@click.option("--show", type=click.IntRange(0), default=3, show_default=True, metavar="N", help="Changes shown of each "
              "kind.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all changes as JSON.")
def command(*, old: str, new: str, files: ReportFiles, fail_on_affected: bool, show: int, as_json: bool) -> None:
    """Show what changed between two releases: OLD and NEW are terminologies that were imported from them.

    Concepts added, retired (with what takes their place), merged and removed; names changed, gained and lost; concepts
    moved in the hierarchy.
    """
    if not files.checked and (files.id_columns or files.affected or fail_on_affected):
        raise InputError("--id-column, --affected and --fail-on-affected are about --check FILE: name a file to check")
    files.refuse_bad()
    with open_terminology(old) as before, open_terminology(new) as after, Bar("comparing") as bar:
        report = checked_report(diff(before, after, progress=bar.stage), files, bar.stage, ELSEWHERE)
        write_report(report, files, bar.stage)
        if as_json:
            for line in json_lines(report, progress_of(report, "printing", bar.stage)):
                echo(line)
        else:
            hint = "all of them: -o changes.html to read, -o changes.tsv or changes.json to work with"
            report_summary(report, show, files.written, hint).print()
    if fail_on_affected and report.recent:
        raise CheckFailed(f"{count(report.recent, 'id')} of concepts that this release took away")
