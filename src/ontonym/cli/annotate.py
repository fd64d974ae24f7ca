"""``ontonym annotate``: documents in, the concepts in their text out, each with its place."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

import click

from ontonym.cli.options import NORMALIZE, PLACE, SEARCH, Opt, OptionGroup, jobs_option
from ontonym.cli.outputs import OUTPUT, READ, opened_output, show_malformed
from ontonym.cli.progress import Bar
from ontonym.cli.terminal import echo
from ontonym.documents import FORMATS, DocumentFile, DocumentOptions
from ontonym.errors import UnknownNameError
from ontonym.evaluate.annotation import learned_acceptance
from ontonym.evaluate.corpora import CorpusChoice, open_corpora
from ontonym.index import Index
from ontonym.index.open import IndexPlace
from ontonym.serve.answers import OUTPUTS, OutputChoice, Write
from ontonym.serve.notes import NOTE_OUTPUTS, note_format, opened_notes
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions
from ontonym.tasks.documents import annotate_documents
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
    place: IndexPlace,
) -> None:
    """Find the mentions of concepts in documents: names of INDEX, phrases that mean one, and abbreviations that a
    document defines.

    FILE is a text, a folder of .txt files, a CSV or TSV file (--column), JSON lines with "text", PubTator or BioC (XML
    or JSON); with --format lines every line is a document, and - reads a text from standard input. Places are in
    characters.
    """
    for context in except_:
        if context not in CONTEXTS:
            raise UnknownNameError("context", context, CONTEXTS)
    options = replace(annotating, normalize=replace(normalizing, search=search))
    texts = DocumentFile(file, reading, texts=True)
    found = left_out = named = 0
    with (
        place.at(index).open() as opened,
        _opened(output, opened) as write,
        Bar("annotating") as bar,
    ):
        if learn_from:
            gold = open_corpora((learn_from,), CorpusChoice())
            options = replace(options, acceptance=learned_acceptance(opened, gold, options))
        for document, answers in annotate_documents(opened, texts, options, jobs=jobs):
            kept = [one for one in answers if not set(one.context or ()) & set(except_)]
            found, left_out = found + len(kept), left_out + len(answers) - len(kept)
            named += sum(one.answer.id is not None for one in kept)
            write(document, kept)
            bar.advance(1)
    _summarize(texts, found, named, left_out)


def _opened(output: OutputChoice, index: Index) -> AbstractContextManager[Write]:
    source = f"ontonym annotate, {index.name}"
    if note_format(output) is not None:
        return opened_notes(output, index, source=source)
    return opened_output(output, source=source, annotating=True)


def _summarize(texts: DocumentFile, found: int, named: int, left_out: int) -> None:
    """Two lines on stderr with counts that add up, and the first malformed rows."""
    counts = texts.counts
    if texts.has_documents:
        echo(f"{texts.read:,} documents ({texts.format}), {counts.malformed:,} rows malformed", err=True)
    else:
        skipped = [f"{number:,} {rule}" for rule, number in counts.skipped.items()]
        parts = [f"{texts.read:,} documents", *skipped, f"{counts.malformed:,} malformed"]
        echo(f"{counts.rows:,} rows ({texts.format}) = {' + '.join(parts)}", err=True)
    echo(
        f"{found + left_out:,} mentions = {named:,} with a concept + {found - named:,} without + "
        f"{left_out:,} left out by --except",
        err=True,
    )
    show_malformed(counts)
