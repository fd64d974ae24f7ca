"""``ontonym normalize``: a file of mentions in, one object per mention with its concept out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import click

from ontonym.cli.options import (
    NORMALIZE,
    PLACE,
    RERANKING,
    SEARCH,
    Opt,
    RerankingOptions,
    jobs_option,
    opened_reranking,
)
from ontonym.cli.outputs import OUTPUT, READ, opened_output, show_malformed
from ontonym.cli.progress import Bar
from ontonym.cli.terminal import echo
from ontonym.documents import WHOLE, DocumentFile, DocumentOptions
from ontonym.errors import InputError
from ontonym.index.open import IndexPlace
from ontonym.serve.answers import OutputChoice
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.tasks.documents import normalize_documents
from ontonym.tasks.normalize import AT_ONCE, SURE, Certainty

EXAMPLES = """\b
Examples:
  ontonym normalize hp.index complaints.txt -o complaints.tsv
  ontonym normalize hp.index visits.csv --column complaint -o visits.xlsx
  ontonym normalize medic.index corpus.pubtator --threshold 0.5 -o found.jsonl
  ontonym normalize medic.index PMC4304705.xml -o found.bioc.xml
  echo "wide set eyes" | ontonym normalize hp.index -
"""


@click.command("normalize", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("file", metavar="FILE")
@OUTPUT.as_("output")
@READ.as_("reading")
@SEARCH.but(k=Opt("Candidates listed for each mention.", "-k")).as_("search")
@NORMALIZE.as_("normalizing")
@RERANKING.as_("second")
@click.option("--explain", is_flag=True, help="Explain why each mention has its concept or none (JSON lines only).")
@jobs_option
@PLACE.as_("place")
def command(
    *,
    index: str,
    file: str,
    output: OutputChoice,
    reading: DocumentOptions,
    search: SearchOptions,
    normalizing: NormalizeOptions,
    second: RerankingOptions,
    explain: bool,
    jobs: int,
    place: IndexPlace,
) -> None:
    """Give every mention of FILE its concept, or none where no concept fits.

    FILE has one mention a line, or is a table (.csv, .tsv, .xlsx or .parquet, with --column), JSON lines with "text",
    or PubTator or BioC (XML or JSON) with annotated mentions; - reads standard input. A table keeps its columns and
    rows, and gets ontonym_id, ontonym_name, ontonym_confidence and more beside them. At the end it is counted how many
    answers are sure (a confidence of 0.8 or more), doubtful (from the threshold up to 0.8), and none (NIL: nothing
    reaches the threshold, and the nearest candidates are only listed).
    """
    options = replace(normalizing, search=search, reranking=opened_reranking(second))
    mentions = DocumentFile(file, reading)
    written_as = output.written_as
    if written_as in WHOLE and not mentions.has_documents:
        raise InputError(
            f"{mentions.place}: {mentions.format} has mentions without their documents, and {written_as} is made of "
            f"documents. Write .jsonl or .tsv, or give one of: {', '.join(WHOLE)}"
        )
    if explain and written_as != "jsonl":
        raise InputError(f"--explain is written as JSON lines, not as {written_as}. Write .jsonl")
    if explain and second.reranker:
        raise InputError("--explain explains the order of the search, not of a reranker: leave out --rerank")
    found: Counter[Certainty] = Counter()
    with (
        place.at(index).open() as opened,
        opened_output(output, source=f"ontonym normalize, {opened.name}", table=mentions) as write,
        Bar("normalizing") as bar,
    ):
        at_once = 1 if file == "-" else AT_ONCE  # who types waits for every answer
        for document, answered in normalize_documents(
            opened, mentions, options, explain=explain, jobs=jobs, at_once=at_once
        ):
            bar.advance(len(answered))
            found.update(one.answer.certainty for one in answered)
            write(document, answered)
        said = _counted(found, options.least(opened), search.signal)
    _summarize(mentions, said)


def _counted(found: Counter[Certainty], least: float, signal: str) -> str:
    """How many answers are sure, doubtful and none, or for one signal alone how many there are."""
    if signal != "fused":
        return f"{found['sure'] + found['doubtful']:,} with a concept, {found['none']:,} without"
    reached = f"the confidence {least:g}" if least else "any confidence"
    return (
        f"{found['sure']:,} sure (confidence {SURE:g} or more), {found['doubtful']:,} doubtful (less), "
        f"{found['none']:,} none (NIL: nothing reaches {reached})"
    )


def _summarize(mentions: DocumentFile, said: str) -> None:
    """One line on stderr with counts that add up, and the first malformed rows."""
    counts = mentions.counts
    parts = [f"{counts.kept:,} mentions", *(f"{number:,} {rule}" for rule, number in counts.skipped.items())]
    parts.append(f"{counts.malformed:,} malformed")
    echo(f"{counts.rows:,} rows ({mentions.format}) = {' + '.join(parts)}; {said}", err=True)
    show_malformed(counts)
