"""``ontonym normalize``: a file of mentions in, one object per mention with its concept out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import click

from ontonym.cli.options import Opt, examples, jobs_option
from ontonym.cli.outputs import OUTPUT, READ, check_columns, check_raw, refuse_words, show_unread, show_unwritten
from ontonym.cli.progress import Bar
from ontonym.cli.searching import NORMALIZE, PLACE, RERANKING, SEARCH, RerankingOptions, opened_reranking
from ontonym.cli.spread import SPREAD, Spread, is_files
from ontonym.cli.terminal import echo
from ontonym.distributed.files import FilesDone
from ontonym.documents import DocumentFile, DocumentOptions
from ontonym.index.open import IndexPlace
from ontonym.resuming import Draft
from ontonym.serve.answering import AnsweringOptions, FileAnswers, answer_file, answers_draft
from ontonym.serve.answers import OutputChoice
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.tasks.confidences import SURE
from ontonym.tasks.normalize import AT_ONCE
from ontonym.text.counting import count


@click.command("normalize", epilog=examples(
    "normalize hp.index complaints.txt -o complaints.tsv",
    "normalize hp.index visits.csv --column complaint -o visits.xlsx",
    "normalize medic.index corpus.pubtator --threshold 0.5 -o found.jsonl",
    "normalize medic.index PMC4304705.xml -o found.bioc.xml",
    "normalize hp.index visits/ -o answers/ --column complaint --part 3/16",
    'echo "wide set eyes" | ontonym normalize hp.index -',
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("file", metavar="FILE")
@OUTPUT.as_("output")
@READ.as_("reading")
@SEARCH.but(k=Opt("Candidates listed for each mention.", "-k")).as_("search")
@NORMALIZE.as_("normalizing")
@RERANKING.as_("second")
@click.option("--explain", is_flag=True, help="Explain why each mention has its concept or none (JSON lines only).")
@jobs_option
@SPREAD.as_("spread")
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
    spread: Spread,
    place: IndexPlace,
) -> None:
    """Give every mention of FILE its concept, or none where no concept fits.

    FILE has one mention a line, or is a table (.csv, .tsv, .xlsx or .parquet, with --column), JSON lines with "text",
    or PubTator or BioC (XML or JSON) with annotated mentions; - reads standard input. A table keeps its columns and
    rows, and gets ontonym_id, ontonym_name, ontonym_confidence and more beside them; ontonym_negated is yes where the
    text denies the concept ("no fever"). At the end it is counted how many answers are sure (a confidence of 0.8 or
    more), doubtful (from the threshold up to 0.8), and none (NIL: nothing reaches the threshold, and the nearest
    candidates are only listed), and how many are negated.

    Of a folder every file is answered into a file of the folder OUT, and --part lets several machines share the files.
    After an interruption the same command goes on where it was, if OUT is a folder, CSV, TSV or JSON lines.
    """
    how = replace(normalizing, search=search, reranking=opened_reranking(second))
    options = AnsweringOptions(how, reading, explain=explain)
    if is_files(file, output, named=False):
        with place.at(index).open() as opened:
            done = spread.files(opened, file, output, options, jobs)
            echo(_counted(done, how.least(opened), search.signal), err=True)
        return
    spread.check_single(file)
    refuse_words(
        file,
        "For words in quotes use `ontonym search`, for a text `ontonym annotate`; or give - and the words on standard "
        "input",
    )
    mentions = options.open(file)
    check_columns(mentions)
    check_raw(output)
    with (
        place.at(index).open() as opened,
        spread.workers(jobs) as workers,
        answers_draft(opened, mentions, output, options) as draft,
        _going_on(draft, mentions),
        Bar("normalizing") as bar,
    ):
        at_once = 1 if file == "-" else AT_ONCE  # who types waits for every answer
        made = answer_file(
            opened, mentions, output, options, jobs=workers, at_once=at_once, draft=draft, advance=bar.advance
        )
        said = _counted(made, how.least(opened), search.signal)
    show_unwritten(made.unwritten)
    _summarize(mentions, said)
    if made.replaced:
        echo(made.replaced, err=True)


@contextmanager
def _going_on(draft: Draft | None, mentions: DocumentFile) -> Iterator[None]:
    """Says on stderr where a draft is gone on with, and where it is kept when the block is stopped."""
    if draft is not None and draft.size:
        unit = "document" if mentions.has_documents else "row"
        echo(f"goes on at {unit} {draft.counts['documents'] + 1:,}", err=True)
    try:
        yield
    except (KeyboardInterrupt, Exception):
        if draft is not None and draft.is_noted:
            echo(f"what was answered is in {draft.file}: the same command goes on from there", err=True)
        raise


def _counted(made: FileAnswers | FilesDone, least: float, signal: str) -> str:
    """How many answers are sure, doubtful and none, or for one signal alone how many there are, and how many of these
    are negated.
    """
    found = Counter[str](made.found)
    negated = f"; {made.negated:,} negated" if made.negated else ""
    if signal != "fused":
        return f"{found['sure'] + found['doubtful']:,} with a concept, {found['none']:,} without{negated}"
    reached = f"the confidence {least:g}" if least else "any confidence"
    return (
        f"{found['sure']:,} sure (confidence {SURE:g} or more), {found['doubtful']:,} doubtful (less), "
        f"{found['none']:,} none (NIL: nothing reaches {reached}){negated}"
    )


def _summarize(mentions: DocumentFile, said: str) -> None:
    """One line on stderr with counts that add up, and the first malformed rows."""
    counts = mentions.counts
    parts = [count(counts.kept, "mention"), *(f"{number:,} {rule}" for rule, number in counts.skipped.items())]
    parts.append(f"{counts.malformed:,} malformed")
    echo(f"{count(counts.rows, 'row')} ({mentions.format}) = {' + '.join(parts)}; {said}", err=True)
    show_unread(mentions)
