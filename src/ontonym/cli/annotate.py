"""``ontonym annotate``: documents in, the concepts in their text out, each with its place."""

from __future__ import annotations

from dataclasses import replace

import click

from ontonym.cli.options import NORMALIZE, PLACE, SEARCH, Opt, OptionGroup, jobs_option
from ontonym.cli.outputs import OUTPUT, READ, show_malformed, show_placeless
from ontonym.cli.progress import Bar
from ontonym.cli.spread import SPREAD, Spread, is_files
from ontonym.cli.terminal import echo
from ontonym.documents import FORMATS, DocumentFile, DocumentOptions
from ontonym.evaluate.annotation import learned_acceptance
from ontonym.evaluate.corpora import CorpusChoice, open_corpora
from ontonym.index import Index
from ontonym.index.open import IndexPlace
from ontonym.serve.answering import AnsweringOptions, FileAnswers, answer_file
from ontonym.serve.answers import OUTPUTS, OutputChoice
from ontonym.serve.notes import NOTE_OUTPUTS, note_format
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions
from ontonym.text.context import CONTEXTS

DEFAULTS = AnnotateOptions()
ANNOTATE = OptionGroup(
    DEFAULTS,
    find=Opt(
        "What counts as a mention: names; phrases, also in other forms or another order; statements, also "
        '"the ears were low-set"; or likely (the default), also what resembles a name, which takes longer.'
    ),
    accept=Opt(
        "Find likely mentions from this probability on; lower finds more, and more that is none (0.15 by default).",
        metavar="P",
        type=click.FloatRange(0, 1),
    ),
    shortest=Opt("Find a name of fewer characters only where the document defines it.", metavar="N"),
    type=Opt(
        "The type of every mention; by default the first tag of its concept where nearly all concepts have one, else "
        "the name of its terminology.",
        "--mention-type",
        "TYPE",
    ),
)

LEARN = click.option(
    "--learn-from",
    metavar="DOCS",
    help="Learn from annotated documents (such as PubTator or BioC) what is a likely mention.",
)

EXAMPLES = """\b
Examples:
  ontonym annotate hp.index letter.txt -o letter.tsv
  ontonym annotate hp.index notes/ -o notes.jsonl --except negated --except family
  ontonym annotate hp.index notes.csv --column note -o notes.bioc.xml
  ontonym annotate medic.index abstracts.pubtator -o found.pubtator --threshold 0.3
  ontonym annotate hp.index notes/ -o notes.html
  ontonym annotate hp.index notes/ -o patients.csv --output-format concepts
  echo "Denies chest pain." | ontonym annotate hp.index -
"""


@click.command("annotate", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("file", metavar="FILE")
@OUTPUT.but(
    path=Opt(
        "Where to write, by its ending: .html a page of the notes, .csv, .tsv, .xlsx and .parquet a table, .jsonl JSON "
        "lines, .pubtator, .xml (BioC) and .bioc.json the documents; by default JSON lines to standard output.",
        "-o --output",
        "OUT",
    ),
    format=Opt(
        f"{', '.join((*OUTPUTS, *NOTE_OUTPUTS))}; by default detected from the ending of OUT. brat writes a folder, "
        "concepts a table of one row a concept.",
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
    "precision",
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

    FILE is a text, a folder of .txt files, a CSV or TSV file (--column), JSON lines with "text", PubTator or BioC (XML
    or JSON); with --format lines every line is a document, and - reads a text from standard input. Places are in
    characters. Where FILE and OUT are folders, every file is answered into a file of OUT, and the same command goes on
    after an interruption.
    """
    how = replace(annotating, normalize=replace(normalizing, search=search))
    options = AnsweringOptions(how, reading, but=except_)
    if note_format(output) is None and is_files(file, output, named=True):
        with place.at(index).open() as opened:
            spread.files(opened, file, output, _learned(opened, options, learn_from), jobs)
        return
    spread.check_single(file)
    texts = options.open(file)
    with place.at(index).open() as opened, spread.workers(jobs) as workers, Bar("annotating") as bar:
        options = _learned(opened, options, learn_from)
        made = answer_file(opened, texts, output, options, jobs=workers, advance=bar.advance)
    show_placeless(made.placeless)
    _summarize(texts, made)


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
        echo(f"{texts.read:,} documents ({texts.format}), {counts.malformed:,} rows malformed", err=True)
    else:
        skipped = [f"{number:,} {rule}" for rule, number in counts.skipped.items()]
        parts = [f"{texts.read:,} documents", *skipped, f"{counts.malformed:,} malformed"]
        echo(f"{counts.rows:,} rows ({texts.format}) = {' + '.join(parts)}", err=True)
    without = made.found["none"]
    echo(
        f"{made.mentions + made.left_out:,} mentions = {made.mentions - without:,} with a concept + "
        f"{without:,} without + {made.left_out:,} left out by --except",
        err=True,
    )
    show_malformed(counts)
