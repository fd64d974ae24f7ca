"""Options of the verbs that give mentions their concepts: how FILE is read, and where the answers go."""

from __future__ import annotations

from contextlib import AbstractContextManager

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.documents import DocumentOptions
from ontonym.documents.formats import MENTION_FORMATS
from ontonym.files.counts import RowCounts
from ontonym.serve.answers import OUTPUTS, OutputChoice, Write, opened_answers

READ = OptionGroup(
    DocumentOptions(),
    format=Opt(
        f"{', '.join(MENTION_FORMATS)}; by default detected from the ending and first line of FILE.", metavar="NAME"
    ),
    column=Opt("The column of a CSV or TSV file that holds the text: header or number.", metavar="COLUMN"),
    strict=Opt("Stop at the first malformed row or file instead of counting it."),
)
"""How FILE is read: `DocumentOptions`."""


OUTPUT = OptionGroup(
    OutputChoice(),
    path=Opt(
        "Where to write: .tsv gives a table, .pubtator, .xml (BioC) and .bioc.json the documents with their mentions, "
        "anything else JSON lines; by default JSON lines to standard output.",
        "-o --output",
        "OUT",
    ),
    format=Opt(f"{', '.join(OUTPUTS)}; by default detected from the ending of OUT.", "--output-format", "NAME"),
    as_json=Opt("Write JSON lines, whatever the ending of OUT.", "--json"),
)


def opened_output(output: OutputChoice, *, source: str, annotating: bool = False) -> AbstractContextManager[Write]:
    """`opened_answers`; the number of mentions that are left out goes to stderr."""
    return opened_answers(output, source=source, annotating=annotating, left_out=_show_left_out)


def _show_left_out(number: int) -> None:
    click.echo(f"{number:,} mentions without a place in the text were left out", err=True)


def show_malformed(counts: RowCounts) -> None:
    """The first malformed rows of an input, on stderr."""
    for row in counts.examples:
        place = row.file if row.line is None else f"{row.file}:{row.line}"
        click.echo(f"  {place}: {row.problem}", err=True)
