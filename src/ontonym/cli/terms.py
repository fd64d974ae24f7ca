"""``ontonym terms``: the terms that users added to an index, listed, exported and audited."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from io import StringIO

import click

from ontonym.cli.options import place_options
from ontonym.cli.shapes import to_json
from ontonym.files.output import written_file
from ontonym.index import Holding, holdings, open_index, read_journal

COLUMNS = ("id", "text", "count", "who", "when", "why", "status", "concept")
JOURNAL_COLUMNS = ("did", "id", "text", "count", "who", "when", "why")

EXAMPLES = """\b
Examples:
  ontonym terms hp.index
  ontonym terms hp.index -o our-words.csv
  ontonym terms hp.index --gone
  ontonym terms hp.index --journal
"""


@click.command("terms", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.option("-o", "--output", metavar="FILE", help="Where to write; by default standard output.")
@click.option("--gone", is_flag=True, help="Only terms whose concept is retired, replaced or unknown.")
@click.option("--journal", is_flag=True, help="Everything that was ever added and removed, in order.")
@place_options
@click.option("--json", "as_json", is_flag=True, help="JSON lines in place of CSV.")
def command(
    *,
    index: str,
    output: str | None,
    gone: bool,
    journal: bool,
    terminology: tuple[str, ...],
    encoder: str | None,
    as_json: bool,
) -> None:
    """List the terms that were added to an index, as CSV that `ontonym add-terms` takes.

    The column status says what became of their concepts: active; moved (another concept has its place: see the column
    concept); gone (retired or unknown, and so not searched).
    """
    with open_index(index, terminologies=terminology or None, encoder=encoder) as opened:
        if journal:
            columns: Sequence[str] = JOURNAL_COLUMNS
            rows = [{"did": entry.did, **asdict(entry.term)} for entry in read_journal(opened)]
        else:
            columns = COLUMNS
            rows = [_row(one) for one in holdings(opened) if not gone or one.moved or one.concept is None]
    lines = (to_json(row) for row in rows) if as_json else _csv(columns, rows)
    if output is None:
        for line in lines:
            click.echo(line)
        return
    with written_file(output) as stream:
        for line in lines:
            stream.write(f"{line}\n".encode())


def _row(one: Holding) -> dict[str, object]:
    status = "gone" if one.concept is None else "moved" if one.moved else "active"
    return {**asdict(one.term), "status": status, "concept": one.concept or ""}


def _csv(columns: Sequence[str], rows: Sequence[dict[str, object]]) -> Iterator[str]:
    for cells in (columns, *([row[name] for name in columns] for row in rows)):
        line = StringIO()
        csv.writer(line, lineterminator="").writerow(cells)
        yield line.getvalue()
