"""``ontonym annotate``: documents in, the concepts in their text out, each with its place."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.options import Opt, OptionGroup, examples, jobs_option, refuse_without
from ontonym.cli.outputs import OUTPUT, READ, check_columns, check_raw, refuse_words, show_unread, show_unwritten
from ontonym.cli.progress import Bar
from ontonym.cli.searching import NORMALIZE, PLACE, SEARCH
from ontonym.cli.spread import SPREAD, Spread, is_files
from ontonym.cli.terminal import echo
from ontonym.documents import FORMATS, DocumentFile, DocumentOptions
from ontonym.errors import InputError
from ontonym.evaluate.annotation import learned_acceptance
from ontonym.evaluate.corpora import CorpusChoice, open_corpora
from ontonym.files.workbooks import workbook_and_sheet
from ontonym.index import Index
from ontonym.index.open import IndexPlace
from ontonym.serve.answering import AnsweringOptions, FileAnswers, answer_file
from ontonym.serve.answers import OUTPUTS, OutputChoice
from ontonym.serve.notes import NOTE_OUTPUTS, note_format
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions
from ontonym.text.counting import count
from ontonym.text.notes.context import CONTEXTS

DEFAULTS = AnnotateOptions()
_FEWEST_WORDS = 2
ANNOTATE = OptionGroup(
    DEFAULTS,
    find=Opt(
        "What counts as a mention: names; phrases, also in other forms or another order; statements, also "
        '"the ears were low-set" and "K 6.2"; likely, also what resembles a name, which takes longer; '
        "or all.",
        metavar="NAME",
    ),
    accept=Opt(
        "Find likely mentions from this probability on; with a lower one more is found, and more of it is wrong "
        "(0.15 by default).",
        metavar="P",
        type=click.FloatRange(0, 1),
    ),
    precision=Opt(
        "In place of --accept: the share of likely mentions that shall be right, as measured on definitions.",
        metavar="P",
        type=click.FloatRange(0, 1, min_open=True),
    ),
    recall=Opt(
        "In place of --accept: the share that shall be found of the mentions that no name spells, as measured on "
        "definitions.",
        metavar="R",
        type=click.FloatRange(0, 1, min_open=True),
    ),
    nested=Opt("Also give the mentions that lie in a longer one or overlap it."),
    shortest=Opt("Find a name of fewer characters only where the document defines it.", metavar="N"),
    type=Opt(
        "The type of every mention; by default the first tag of its concept where nearly all concepts have one that "
        "is no level (as those of ICD are), else the name of its terminology.",
        "--mention-type",
        "TYPE",
    ),
)

LEARN = click.option(
    "--learn-from",
    metavar="DOCS",
    help="Learn from annotated documents (such as PubTator or BioC) what is a likely mention.",
)


@click.command("annotate", epilog=examples(
    'annotate hp.index "No fever. Her mother had migraine."',
    "annotate hp.index letter.txt -o letter.tsv",
    "annotate hp.index notes/ -o notes.jsonl --except negated --except family",
    "annotate hp.index notes.csv --column note -o notes.bioc.xml",
    "annotate medic.index abstracts.pubtator -o found.pubtator --threshold 0.3",
    "annotate hp.index notes/ -o notes.html",
    "annotate hp.index notes/ -o patients.csv --output-format concepts",
    "annotate hp.index notes/ -o patients/ --output-format phenopackets",
    'echo "Denies chest pain." | ontonym annotate hp.index - --output-format note',
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("file", metavar="FILE")
@OUTPUT.but(
    path=Opt(
        "Where to write, by its ending: .html a page of the notes, .csv, .tsv, .xlsx and .parquet a table, .jsonl JSON "
        "lines, .pubtator, .xml (BioC) and .bioc.json the documents; by default a terminal shows the text with its "
        "mentions in colours, and what is no terminal gets JSON lines.",
        "-o --output",
        "OUT",
    ),
    format=Opt(
        f"{', '.join((*OUTPUTS, *NOTE_OUTPUTS))}; by default detected from the ending of OUT. brat and phenopackets "
        "(of HPO) write a folder, concepts a table of one row a concept, note the text with its mentions, as a "
        "terminal shows it.",
        "--output-format",
        "NAME",
    ),
).as_("output")
@READ.but(
    format=Opt(
        f"{', '.join(FORMATS)}; by default detected from the ending and first line of FILE, else text.", metavar="NAME"
    )
).as_("reading")
@click.option("--except", "except_", multiple=True, metavar="CONTEXT", help="Leave out mentions of which the text says "
              f"this: {', '.join(CONTEXTS)}. May be repeated.")  # fmt: skip
@LEARN
@ANNOTATE.as_("annotating")
@SEARCH.but(defaults=DEFAULTS.normalize.search, k=Opt("Candidates listed for each mention.", "-k")).as_("search")
@NORMALIZE.but(
    "threshold",
    "abbreviations",
    defaults=DEFAULTS.normalize,
    threshold=Opt("The confidence below which no concept is given (NIL).", type=click.FloatRange(0, 1)),
).as_("normalizing")
@jobs_option
@SPREAD.as_("spread")
@PLACE.as_("place")
def command(
    *,
    index: str,
    file: str,
    output: OutputChoice,
    reading: DocumentOptions,
    except_: tuple[str, ...],
    learn_from: str | None,
    annotating: AnnotateOptions,
    search: SearchOptions,
    normalizing: NormalizeOptions,
    jobs: int,
    spread: Spread,
    place: IndexPlace,
) -> None:
    """Find the mentions of concepts in documents: names of INDEX, phrases that mean one, and abbreviations that a
    document defines.

    FILE may be the text itself, in quotes. Else it is a text file, a folder of .txt files, a table (CSV, TSV,
    xlsx or Parquet; --column), JSON lines with "text", PubTator or BioC (XML or JSON); with --format lines every line
    is a document, and - reads a text from standard input. Places are in characters. Where FILE and OUT are folders,
    every file is answered into a file of OUT, and the same command goes on after an interruption.
    """
    how = replace(annotating, normalize=replace(normalizing, search=search))
    options = AnsweringOptions(how, reading, but=except_)
    text = file if _is_text(file) else None
    if text is not None:
        refuse_without("a file as FILE", "reading__format", "reading__column", "reading__strict")
    output = _shown(output, text)
    if note_format(output) is None and text is None and is_files(file, output, named=True):
        with place.at(index).open() as opened:
            spread.files(opened, file, output, _learned(opened, options, learn_from), jobs)
        return
    spread.check_single(file)
    if text is None:
        refuse_words(
            file, "For a word use `ontonym search`; for a text of one word give - and the text on standard input"
        )
    texts = options.open(file, text)
    if text is None:
        check_columns(texts)
    check_raw(output, note_format(output))
    with place.at(index).open() as opened, spread.workers(jobs) as workers, Bar("annotating") as bar:
        options = _learned(opened, options, learn_from)
        made = answer_file(opened, texts, output, options, jobs=workers, advance=bar.advance)
    show_unwritten(made.unwritten)
    if text is None:
        _summarize(texts, made)
        _refuse_unread(texts)


_ENDINGS = tuple(
    ".txt .text .note .json .jsonl .ndjson .pubtator .gz .doc .docx .pdf .html .csv .tsv .tab .xlsx .parquet "
    ".xml".split()
)


def _is_text(file: str) -> bool:
    """Whether it is a text to annotate, not the name of a file: several words that no file has for a name or ending."""
    if len(file.split()) < _FEWEST_WORDS or file.lower().endswith(_ENDINGS):
        return False
    try:
        return not workbook_and_sheet(file)[1] and not Path(file).exists()
    except (OSError, ValueError):  # longer than a name can be
        return True


def _shown(output: OutputChoice, text: str | None) -> OutputChoice:
    """The output as it is shown by default: a text with its mentions for who typed it, or reads it on a terminal."""
    if output.path is not None or output.format is not None or output.as_json:
        return output
    return replace(output, format="note") if text is not None or sys.stdout.isatty() else output


def _learned(index: Index, options: AnsweringOptions, gold: str | None) -> AnsweringOptions:
    """The same with acceptance that is learned from annotated documents, where some are given."""
    if gold is None or not isinstance(options.how, AnnotateOptions):
        return options
    corpora = open_corpora((gold,), CorpusChoice())
    return replace(options, how=replace(options.how, acceptance=learned_acceptance(index, corpora, options.how)))


def _summarize(texts: DocumentFile, made: FileAnswers) -> None:
    """Two lines on stderr with counts that add up, and the first malformed rows."""
    counts = texts.counts
    if texts.has_documents:
        echo(f"{count(texts.read, 'document')} ({texts.format}), {count(counts.malformed, 'row')} malformed", err=True)
    else:
        skipped = [f"{number:,} {rule}" for rule, number in counts.skipped.items()]
        parts = [count(texts.read, "document"), *skipped, f"{counts.malformed:,} malformed"]
        echo(f"{count(counts.rows, 'row')} ({texts.format}) = {' + '.join(parts)}", err=True)
    without = made.found["none"]
    echo(
        f"{count(made.mentions + made.left_out, 'mention')} = {made.mentions - without:,} with a concept + "
        f"{without:,} without + {made.left_out:,} left out by --except",
        err=True,
    )
    show_unread(texts)


def _refuse_unread(texts: DocumentFile) -> None:
    """InputError, at the end, for files of a folder that could not be read: no document is lost unnoticed."""
    if texts.format == "text" and texts.counts.malformed:
        raise InputError(
            f"{texts.place}: {count(texts.counts.malformed, 'file')} cannot be read, and the answers are those of the "
            "others. Re-encode each, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW"
        )
