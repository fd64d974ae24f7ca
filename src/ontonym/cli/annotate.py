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
from ontonym.index.open import IndexPlace
from ontonym.serve.answering import AnsweringOptions, FileAnswers, answer_file
from ontonym.serve.answers import OutputChoice
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions
from ontonym.text.context import CONTEXTS

DEFAULTS = AnnotateOptions()
ANNOTATE = OptionGroup(
    DEFAULTS,
    find=Opt(
        "What counts as a mention: names; phrases, also in other forms or another order; statements, also "
        '"the ears were low-set"; or likely (the default), also what resembles a name, which takes longer.'
    ),
    shortest=Opt("Find a name of fewer characters only where the document defines it.", metavar="N"),
    type=Opt(
        "The type of every mention; by default the first tag of its concept where nearly all concepts have one, else "
        "the name of its terminology.",
        "--mention-type",
        "TYPE",
    ),
)

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
@OUTPUT.as_("output")
@READ.but(
    format=Opt(
        f"{', '.join(FORMATS)}; by default detected from the ending and first line of FILE, else text.", metavar="NAME"
    )
).as_("reading")
@click.option("--except", "except_", multiple=True, metavar="CONTEXT", help="Leave out mentions of which the text says "
              f"this: {', '.join(CONTEXTS)}. May be repeated.")  # fmt: skip
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
    if is_files(file, output, named=True):
        with place.at(index).open() as opened:
            spread.files(opened, file, output, options, jobs)
        return
    spread.check_single(file)
    texts = options.open(file)
    with place.at(index).open() as opened, spread.workers(jobs) as workers, Bar("annotating") as bar:
        made = answer_file(opened, texts, output, options, jobs=workers, advance=bar.advance)
    show_placeless(made.placeless)
    _summarize(texts, made)


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
