"""``ontonym normalize``: a file of mentions in, one object per mention with its concept out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import tee

import click

from ontonym.cli.documents import Document, Entry
from ontonym.cli.mentions import DOCUMENT_FORMATS, FORMATS, MentionFile
from ontonym.cli.options import (
    as_written_option,
    filter_options,
    place_options,
    precision_option,
    signal_option,
    strategy_option,
)
from ontonym.cli.outputs import WHOLE, opened_output, output_format, output_format_option
from ontonym.cli.progress import Bar
from ontonym.errors import InputError
from ontonym.index import Index, open_index
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.tasks.normalize import normalize_groups

DEFAULTS = NormalizeOptions()

EXAMPLES = """\b
Examples:
  ontonym normalize hp.index complaints.txt -o complaints.tsv
  ontonym normalize hp.index visits.csv --column complaint -o visits.jsonl
  ontonym normalize medic.index corpus.pubtator --threshold 0.5 -o found.jsonl
  ontonym normalize medic.index PMC4304705.xml -o found.bioc.xml
  echo "wide set eyes" | ontonym normalize hp.index -
"""


@click.command("normalize", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", metavar="OUT", help="Where to write: .tsv gives a table, .pubtator, .xml (BioC) and "
              ".bioc.json the documents with their mentions, anything else JSON lines; by default JSON lines to "
              "standard output.")  # fmt: skip
@output_format_option
@click.option("--format", "format_", metavar="NAME", help=f"{', '.join(FORMATS)}; by default told by the file's "
              "ending and first line.")  # fmt: skip
@click.option("--column", metavar="COLUMN", help="The column of a CSV or TSV file that holds the text: header or "
              "number.")  # fmt: skip
@strategy_option
@signal_option
@filter_options
@as_written_option
@click.option("--threshold", type=click.FloatRange(0, 1), default=DEFAULTS.threshold, show_default=True,
              help="The confidence below which no concept is given (NIL).")  # fmt: skip
@precision_option
@click.option(
    "-k", "k", type=int, default=DEFAULTS.search.k, show_default=True, help="Candidates listed for each mention."
)
@place_options
@click.option("--strict", is_flag=True, help="Stop at the first malformed row instead of counting it.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines, whatever the ending of OUT.")
def command(
    *,
    index: str,
    file: str,
    output: str | None,
    output_format_: str | None,
    format_: str | None,
    column: str | None,
    strategy: str,
    signal: str,
    within: tuple[str, ...],
    tag: tuple[str, ...],
    only: tuple[str, ...],
    as_written: bool,
    threshold: float,
    precision: float | None,
    k: int,
    terminology: tuple[str, ...],
    encoder: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Give every mention of FILE its concept, or none where no concept fits.

    FILE has one mention a line, or is a CSV or TSV file (--column), JSON lines with "text", or PubTator or BioC (XML or
    JSON) with annotated mentions; - reads standard input.
    """
    how = SearchOptions(k=k, strategy=strategy, signal=signal, within=within, tags=tag, terminologies=only)
    options = NormalizeOptions(threshold=threshold, abbreviations=not as_written, search=how, precision=precision)
    mentions = MentionFile(file, format=format_, column=column, strict=strict)
    written_as = output_format(output, output_format_, as_json=as_json)
    if written_as in WHOLE and not mentions.has_documents:
        raise InputError(
            f"{mentions.place}: {mentions.format} has mentions without their documents, and {written_as} is made of "
            f"documents. Write .jsonl or .tsv, or give one of: {', '.join(DOCUMENT_FORMATS)}"
        )
    found = 0
    with (
        open_index(index, terminologies=terminology or None, encoder=encoder) as opened,
        opened_output(output, written_as, source=f"ontonym normalize, {opened.name}") as out,
        Bar("normalizing") as bar,
    ):
        for document, entries in _normalized(opened, mentions.documents(), options):
            bar.advance(len(entries))
            found += sum(entry.id is not None for entry in entries)
            out.write(document, entries)
    _summarize(mentions, found)


def _normalized(
    index: Index, documents: Iterator[Document], options: NormalizeOptions
) -> Iterator[tuple[Document, list[Entry]]]:
    """Each document with the answers to its mentions."""
    documents, asked = tee(documents)
    answers = normalize_groups(index, ([mark.mention for mark in one.marks] for one in asked), options)
    for document, found in zip(documents, answers, strict=True):
        yield (
            document,
            [
                Entry(mark.mention, one.id, one.confidence, one.candidates, None, mark.infons, mark.places)
                for mark, one in zip(document.marks, found, strict=True)
            ],
        )


def _summarize(mentions: MentionFile, found: int) -> None:
    """One line on stderr with counts that add up, and the first malformed rows."""
    counts = mentions.counts
    parts = [f"{counts.mentions:,} mentions", *(f"{number:,} {rule}" for rule, number in counts.skipped.items())]
    parts.append(f"{counts.malformed:,} malformed")
    click.echo(
        f"{counts.rows:,} rows ({mentions.format}) = {' + '.join(parts)}; {found:,} with a concept, "
        f"{counts.mentions - found:,} without",
        file=sys.stderr,
    )
    for example in counts.examples:
        click.echo(f"  {example}", file=sys.stderr)
