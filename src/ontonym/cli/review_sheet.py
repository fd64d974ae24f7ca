"""``ontonym review sheet``: a spreadsheet to fill in, and back."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.review import opened, progress_told, review_options
from ontonym.cli.shapes import to_json
from ontonym.cli.show import count
from ontonym.errors import InputError
from ontonym.files.output import written_file
from ontonym.tasks.review import read_sheet, write_sheet

EXAMPLES = """\b
Examples:
  ontonym review sheet codes.review -o todo.csv
  ontonym review sheet codes.review -o mine.csv --filter assigned --reviewer anna --each 5
  ontonym review sheet codes.review --read todo.csv --reviewer anna
"""


@click.command("sheet", epilog=EXAMPLES)
@click.argument("state", metavar="STATE")
@click.option("-o", "--output", metavar="FILE.csv", help="Write the sheet.")
@click.option("--read", "filled", metavar="FILE.csv", help="Take the decisions of a filled sheet.")
@click.option("--filter", "chosen", default="undecided", show_default=True, metavar="NAME", help="Which source "
              "concepts are written: a filter of `ontonym review list`.")  # fmt: skip
@click.option("--each", type=click.IntRange(1), default=3, show_default=True, help="Candidates of each that are "
              "written.")  # fmt: skip
@review_options
@json_option
def command(
    *, state: str, output: str | None, filled: str | None, chosen: str, each: int, reviewer: str,
    candidates: str | None, proposals: str | None, frequencies: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Review in a spreadsheet: write a CSV with a row for each candidate, fill in the column decision, read it back.

    In the row of the right candidate write exact (or x), close, broad, narrow or related; reject for a wrong one; none
    in any row where nothing fits. Another target: overwrite target_id. Empty rows stay undecided. All of a sheet is
    taken, or where a line is wrong nothing.
    """
    if (output is None) == (filled is None):
        raise InputError("a sheet is either written or read: give -o FILE.csv or --read FILE.csv")
    with opened(state, reviewer, candidates, proposals, frequencies, read_only=filled is None) as review:
        if output is not None:
            sources = review.listed(chosen)
            with written_file(output) as stream:
                rows = write_sheet(review, sources, stream, each=each)
            told = {"path": output, "concepts": len(sources), "rows": rows}
            words = f"{output}: {count(len(sources), 'source concept')} in {count(rows, 'row')}"
        else:
            new = read_sheet(review, filled or "")
            told = {"new": new}
            words = f"{count(new, 'new decision')} of {reviewer}; {progress_told(review.progress())}"
    click.echo(to_json(told) if as_json else words)
