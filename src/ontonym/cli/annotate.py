"""``ontonym annotate``: documents in, the concepts in their text out, each with its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import tee

import click

from ontonym.cli.documents import Document, Entry
from ontonym.cli.options import (
    answer_options,
    as_written_option,
    filter_options,
    jobs_option,
    place_options,
    signal_option,
    strategy_option,
)
from ontonym.cli.outputs import opened_output, output_format, output_options
from ontonym.cli.progress import Bar
from ontonym.cli.texts import TEXT_FORMATS, TextFile
from ontonym.errors import UnknownNameError
from ontonym.index import Index, open_index
from ontonym.tasks import AnnotateOptions, Annotation, NormalizeOptions, SearchOptions, annotate_texts
from ontonym.text.context import CONTEXTS

DEFAULTS = AnnotateOptions()

EXAMPLES = """\b
Examples:
  ontonym annotate hp.index letter.txt -o letter.tsv
  ontonym annotate hp.index notes/ -o notes.jsonl --except negated --except family
  ontonym annotate hp.index notes.csv --column note -o notes.bioc.xml
  ontonym annotate medic.index abstracts.pubtator -o found.pubtator --threshold 0.3
  echo "Denies chest pain." | ontonym annotate hp.index -
"""


@click.command("annotate", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("file", metavar="FILE")
@output_options
@click.option("--format", "format_", metavar="NAME", help=f"{', '.join(TEXT_FORMATS)}; by default told by the file's "
              "ending and first line, and text where nothing is told.")  # fmt: skip
@click.option("--column", metavar="COLUMN", help="The column of a CSV or TSV file that holds the documents: header or "
              "number.")  # fmt: skip
@click.option("--except", "except_", multiple=True, metavar="CONTEXT", help="Leave out mentions that the text speaks "
              f"of so: {', '.join(CONTEXTS)}. May be repeated.")  # fmt: skip
@click.option("--shortest", type=int, default=DEFAULTS.shortest, show_default=True, metavar="N",
              help="A name of fewer characters is found only where the document defines it.")  # fmt: skip
@click.option("--type", "type_", default=DEFAULTS.type, metavar="TYPE", help="The type of every mention; by default "
              "the first tag of its concept where nearly all concepts have one, else the name of its "
              "terminology.")  # fmt: skip
@strategy_option
@signal_option
@filter_options
@as_written_option
@answer_options(DEFAULTS.normalize)
@jobs_option
@place_options
@click.option("--strict", is_flag=True, help="Stop at the first malformed row or file instead of counting it.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines, whatever the ending of OUT.")
def command(
    *,
    index: str,
    file: str,
    output: str | None,
    output_format_: str | None,
    format_: str | None,
    column: str | None,
    except_: tuple[str, ...],
    shortest: int,
    type_: str,
    strategy: str,
    signal: str,
    within: tuple[str, ...],
    tag: tuple[str, ...],
    only: tuple[str, ...],
    as_written: bool,
    threshold: float,
    precision: float | None,
    k: int,
    jobs: int,
    terminology: tuple[str, ...],
    encoder: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Find the mentions of concepts in documents: names of INDEX, and abbreviations that a document defines.

    FILE is a text, a folder of .txt files, a CSV or TSV file (--column), JSON lines with "text", PubTator or BioC (XML
    or JSON); with --format lines every line is a document, and - reads a text from standard input. Places are in
    characters.
    """
    how = SearchOptions(k=k, strategy=strategy, signal=signal, within=within, tags=tag, terminologies=only)
    normalizing = NormalizeOptions(
        threshold=threshold, abbreviations=not as_written, composites=False, search=how, precision=precision
    )
    options = AnnotateOptions(normalizing, shortest=shortest, type=type_)
    for context in except_:
        if context not in CONTEXTS:
            raise UnknownNameError("context", context, CONTEXTS)
    texts = TextFile(file, format=format_, column=column, strict=strict)
    written_as = output_format(output, output_format_, as_json=as_json)
    found = left_out = named = 0
    with (
        open_index(index, terminologies=terminology or None, encoder=encoder) as opened,
        opened_output(output, written_as, source=f"ontonym annotate, {opened.name}", annotating=True) as out,
        Bar("annotating") as bar,
    ):
        for document, entries in _annotated(opened, texts.documents(), options, jobs):
            kept = [entry for entry in entries if not set(entry.context or ()) & set(except_)]
            found, left_out = found + len(kept), left_out + len(entries) - len(kept)
            named += sum(entry.id is not None for entry in kept)
            out.write(document, kept)
            bar.advance(1)
    _summarize(texts, found, named, left_out)


def _annotated(
    index: Index, documents: Iterator[Document], options: AnnotateOptions, jobs: int
) -> Iterator[tuple[Document, list[Entry]]]:
    """Each document with what was found in it, by the offsets that the document counts in."""
    documents, read = tee(documents)
    answers = annotate_texts(index, (document.parted for document in read), options, jobs=jobs)
    for document, found in zip(documents, answers, strict=True):
        yield document, [_entry(document, one) for one in found]


def _entry(document: Document, one: Annotation) -> Entry:
    start, end = (document.offset(place) for place in one.span)
    mention = replace(one.mention, id=f"{document.id}:{start}-{end}", document=document.id, start=start, end=end)
    return Entry(mention, one.id, one.confidence, one.candidates, one.context)


def _summarize(texts: TextFile, found: int, named: int, left_out: int) -> None:
    """Two lines on stderr with counts that add up, and the first malformed rows."""
    counts = texts.counts
    if texts.has_rows:
        skipped = [f"{number:,} {rule}" for rule, number in counts.skipped.items()]
        parts = [f"{texts.read:,} documents", *skipped, f"{counts.malformed:,} malformed"]
        click.echo(f"{counts.rows:,} rows ({texts.format}) = {' + '.join(parts)}", file=sys.stderr)
    else:
        click.echo(f"{texts.read:,} documents ({texts.format}), {counts.malformed:,} rows malformed", file=sys.stderr)
    click.echo(
        f"{found + left_out:,} mentions = {named:,} with a concept + {found - named:,} without + "
        f"{left_out:,} left out by --except",
        file=sys.stderr,
    )
    for example in counts.examples:
        click.echo(f"  {example}", file=sys.stderr)
