"""``ontonym normalize``: a file of mentions in, one object per mention with its concept out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from ontonym.cli.mentions import FORMATS, MentionFile
from ontonym.cli.options import (
    as_written_option,
    document_options,
    filter_options,
    place_options,
    signal_option,
    strategy_option,
)
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import NORMALIZATION_COLUMNS, normalization_row, normalization_shape, to_json, tsv_line
from ontonym.errors import InputError
from ontonym.index import open_index
from ontonym.store.export.file import written_file
from ontonym.tasks import Normalization, NormalizeOptions, SearchOptions, normalize

DEFAULTS = NormalizeOptions()

EXAMPLES = """\b
Examples:
  ontonym normalize hp.index complaints.txt -o complaints.tsv
  ontonym normalize hp.index visits.csv --column complaint -o visits.jsonl
  ontonym normalize medic.index corpus.pubtator --threshold 0.5 -o found.jsonl
  ontonym normalize medic.index PMC4304705.xml -o found.jsonl
  echo "wide set eyes" | ontonym normalize hp.index -
"""


@click.command("normalize", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", metavar="OUT", help="Where to write: .tsv gives a table, anything else JSON lines; by "
              "default JSON lines to standard output.")  # fmt: skip
@click.option("--format", "format_", metavar="NAME", help=f"{', '.join(FORMATS)}; by default told by the file's "
              "ending and first line.")  # fmt: skip
@click.option("--column", metavar="COLUMN", help="The column of a CSV or TSV file that holds the text: header or "
              "number.")  # fmt: skip
@strategy_option
@signal_option
@filter_options
@as_written_option
@document_options
@click.option("--type", "expected", multiple=True, metavar="TAG", help="Prefer concepts with this tag (a semantic "
              "type) among near ones. May be repeated.")  # fmt: skip
@click.option("--section", "sections", multiple=True, metavar="HEADING=TAG", help="Prefer concepts with this tag for "
              "mentions under this heading of their document. May be repeated.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), default=DEFAULTS.threshold, show_default=True,
              help="The confidence below which no concept is given (NIL).")  # fmt: skip
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
    format_: str | None,
    column: str | None,
    strategy: str,
    signal: str,
    within: tuple[str, ...],
    tag: tuple[str, ...],
    only: tuple[str, ...],
    as_written: bool,
    no_context: bool,
    whole: bool,
    expected: tuple[str, ...],
    sections: tuple[str, ...],
    threshold: float,
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
    options = NormalizeOptions(
        threshold=threshold,
        abbreviations=not as_written,
        context=not no_context,
        composites=not whole,
        expected=expected,
        sections=_sections(sections),
        search=how,
    )
    mentions = MentionFile(file, format=format_, column=column, strict=strict)
    as_table = output is not None and output.lower().endswith(".tsv") and not as_json
    found = 0
    places = terminology or None
    with (
        open_index(index, terminologies=places, encoder=encoder) as opened,
        _written(output) as write,
        Bar("normalizing") as bar,
    ):
        if as_table:
            write(tsv_line(NORMALIZATION_COLUMNS))
        for answer in normalize(opened, mentions, options):
            bar.advance(1)
            found += answer.id is not None
            write(_table_lines(answer) if as_table else to_json(_shape(answer)))
    _summarize(mentions, found)


def _sections(given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = [(heading.strip(), tag.strip()) for heading, _, tag in (text.partition("=") for text in given)]
    for text, (heading, tag) in zip(given, pairs, strict=True):
        if not heading or not tag:
            raise InputError(f"--section {text!r} is not HEADING=TAG, such as 'Allergies=substance'")
    return tuple(pairs)


def _shape(answer: Normalization) -> dict[str, Any]:
    parts = [_shape(part) for part in answer.parts]
    return normalization_shape(answer.mention, answer.id, answer.confidence, answer.candidates, parts)


def _table_lines(answer: Normalization) -> str:
    """One row; for a composite mention one for each of its parts."""
    if not answer.parts:
        return tsv_line(normalization_row(answer.mention, answer.id, answer.confidence, answer.candidates))
    return "\n".join(
        tsv_line(normalization_row(answer.mention, part.id, part.confidence, part.candidates, part=part.mention.text))
        for part in answer.parts
    )


@contextmanager
def _written(output: str | None) -> Iterator[Callable[[str], None]]:
    """Writes lines to standard output, or to a file that takes its place only when everything went well."""
    if output is None:
        yield click.echo
        return
    with written_file(output) as stream:

        def write(line: str) -> None:
            stream.write(f"{line}\n".encode())

        yield write


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
