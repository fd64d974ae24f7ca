"""``ontonym normalize``: a file of mentions in, one object per mention with its concept out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import tee

import click

from ontonym.cli.documents import Document, Entry, Mark
from ontonym.cli.mentions import DOCUMENT_FORMATS, FORMATS, MentionFile
from ontonym.cli.options import (
    answer_options,
    as_written_option,
    document_options,
    filter_options,
    jobs_option,
    place_options,
    signal_option,
    strategy_option,
)
from ontonym.cli.outputs import WHOLE, opened_output, output_format, output_options
from ontonym.cli.progress import Bar
from ontonym.cli.reranking import opened_reranking, rerank_options
from ontonym.errors import InputError
from ontonym.index import open_index
from ontonym.tasks import MentionExplanation, Normalization, NormalizeOptions, SearchOptions, explain_answer
from ontonym.tasks.normalize import AT_ONCE, normalize_groups
from ontonym.types import Mention

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
@output_options
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
@click.option("--explain", is_flag=True, help="Say of each mention why it has its concept or none (JSON lines only).")
@answer_options(DEFAULTS)
@rerank_options
@jobs_option
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
    no_document: bool,
    whole: bool,
    expected: tuple[str, ...],
    sections: tuple[str, ...],
    explain: bool,
    threshold: float,
    precision: float | None,
    k: int,
    rerank: str | None,
    rerank_depth: int | None,
    rerank_weight: float | None,
    rerank_below: float | None,
    jobs: int,
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
    second = opened_reranking(rerank, rerank_depth, rerank_weight, rerank_below)
    options = NormalizeOptions(
        threshold=threshold,
        abbreviations=not as_written,
        document=not no_document,
        composites=not whole,
        expected=expected,
        sections=_sections(sections),
        search=how,
        reranking=second,
        precision=precision,
    )
    mentions = MentionFile(file, format=format_, column=column, strict=strict)
    written_as = output_format(output, output_format_, as_json=as_json)
    if written_as in WHOLE and not mentions.has_documents:
        raise InputError(
            f"{mentions.place}: {mentions.format} has mentions without their documents, and {written_as} is made of "
            f"documents. Write .jsonl or .tsv, or give one of: {', '.join(DOCUMENT_FORMATS)}"
        )
    if explain and written_as != "jsonl":
        raise InputError(f"--explain is written as JSON lines, not as {written_as}. Write .jsonl")
    if explain and rerank:
        raise InputError("--explain says why the search ranks as it does, not a reranker: leave out --rerank")
    found = 0
    with (
        open_index(index, terminologies=terminology or None, encoder=encoder) as opened,
        opened_output(output, written_as, source=f"ontonym normalize, {opened.name}") as out,
        Bar("normalizing") as bar,
    ):
        at_once = 1 if file == "-" else AT_ONCE  # who types waits for every answer
        answers = partial(normalize_groups, opened, options=options, jobs=jobs, at_once=at_once)
        why = partial(explain_answer, opened, options=options) if explain else None
        for document, entries in _normalized(mentions.documents(), answers, why):
            bar.advance(len(entries))
            found += sum(entry.id is not None for entry in entries)
            out.write(document, entries)
    _summarize(mentions, found)


def _normalized(
    documents: Iterator[Document],
    answers: Callable[[Iterator[list[Mention]]], Iterator[list[Normalization]]],
    why: Callable[[Normalization], MentionExplanation] | None,
) -> Iterator[tuple[Document, list[Entry]]]:
    """Each document with the answers to its mentions, and why."""
    documents, asked = tee(documents)
    found = answers([mark.mention for mark in one.marks] for one in asked)
    for document, answered in zip(documents, found, strict=True):
        marked = zip(document.marks, answered, strict=True)
        yield document, [_entry(mark, one, why(one) if why else None) for mark, one in marked]


def _entry(mark: Mark, one: Normalization, why: MentionExplanation | None) -> Entry:
    explanations = why.parts if why else [None] * len(one.parts)
    parts = tuple(_entry(Mark(part.mention), part, of_it) for part, of_it in zip(one.parts, explanations, strict=True))
    return Entry(mark.mention, one.id, one.confidence, one.candidates, None, mark.infons, mark.places, parts, why)


def _sections(given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = [(heading.strip(), tag.strip()) for heading, _, tag in (text.partition("=") for text in given)]
    for text, (heading, tag) in zip(given, pairs, strict=True):
        if not heading or not tag:
            raise InputError(f"--section {text!r} is not HEADING=TAG, such as 'Allergies=substance'")
    return tuple(pairs)


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
