"""``ontonym add-terms``, ``remove-terms`` and ``terms``: a user's own names for concepts, and who added them."""

from __future__ import annotations

from dataclasses import replace

import click

from ontonym.cli.options import Opt, OptionGroup, examples, summarized
from ontonym.cli.searching import PLACE
from ontonym.cli.terminal import echo
from ontonym.errors import without_password
from ontonym.evaluate.ownterms import OwnTerms, add_own_terms, remove_own_terms
from ontonym.files.output import STDOUT, write_lines
from ontonym.index.open import IndexPlace
from ontonym.serve.show import Summary
from ontonym.serve.terms import added_summary, removed_summary, term_lines

OWN = OptionGroup(
    OwnTerms(),
    columns=Opt(
        "Of a table or JSON lines: the column of the id or of the text (count, who, when, why), as id=ontonym_id; rows "
        "without an id are then left out. Once for each.",
        "--column",
        "FIELD=COLUMN",
    ),
    terms=Opt("A term, in place of a file. May be repeated.", "--term", "ID TEXT", nargs=2),
    who=Opt("Who makes the change, where the file does not say; by default your user name.", metavar="NAME"),
    why=Opt("Why, where the file does not say.", metavar="TEXT"),
    types=Opt("Of a corpus only mentions of this type. May be repeated.", "--type", "TYPE"),
    nil=Opt("Of a corpus also the mentions without a concept, as texts of NIL.", "--with-nil"),
    strict=Opt("Add nothing where a row is malformed or a concept unknown."),
    concepts=Opt("All added terms of a concept. May be repeated.", "--concept", "ID"),
)
"""Terms beside those of files, and what the journal says of them: `OwnTerms`."""

_index_argument = click.argument("index", metavar="INDEX")
_files_argument = click.argument("files", nargs=-1, metavar="FILE…")


@click.command("add-terms", epilog=examples(
    "add-terms hp.index our-words.csv",
    'add-terms hp.index --term HP:0001250 "funny turn" --why "ward 3 writes so"',
    "add-terms hp.index corrected.csv --column id=ontonym_id --column text=complaint",
    "add-terms medic.index NCBItrainset_corpus.txt",
    "add-terms medic.index CDR_TrainingSet.PubTator.txt --type Disease",
    'add-terms hp.index --term NIL "family history" --why "a heading"',
))  # fmt: skip
@_index_argument
@_files_argument
@OWN.but("columns", "terms", "who", "why", "types", "nil", "strict").as_("own")
@PLACE.as_("place")
@summarized
def add_command(*, index: str, files: tuple[str, ...], own: OwnTerms, place: IndexPlace) -> Summary:
    """Add terms to an index: searches find them from now on.

    FILE is a table (CSV, TSV, xlsx or Parquet) with columns id and text (count, who, when and why may follow), JSON
    lines of the same, or an annotated corpus (a PubTator file, or the folder of any other), whose mentions are added as
    often as they occur.
    A table of answers of `ontonym normalize` that a person has corrected is one too, with --column.
    A term that is there already is replaced. Terms stay through updates of the index; `ontonym terms` lists them.

    A text with the id NIL has no concept: `ontonym normalize` and `annotate` give none to what is more like it than
    like a name.
    """
    return added_summary(without_password(index), add_own_terms(place.at(index), replace(own, files=files)))


@click.command("remove-terms", epilog=examples(
    "remove-terms hp.index our-words.csv",
    'remove-terms hp.index --term HP:0001250 "funny turn"',
    "remove-terms hp.index --concept HP:0001250",
))  # fmt: skip
@_index_argument
@_files_argument
@OWN.but("terms", "who", "why", "concepts", "nil").as_("own")
@PLACE.as_("place")
@summarized
def remove_command(*, index: str, files: tuple[str, ...], own: OwnTerms, place: IndexPlace) -> Summary:
    """Remove added terms from an index; without any left, it answers as if there had never been one.

    FILE is one that `ontonym add-terms` takes. Names of the terminology itself cannot be removed. The journal keeps who
    added and who removed what; exit code 1 where a term was not there.
    """
    return removed_summary(without_password(index), remove_own_terms(place.at(index), replace(own, files=files)))


@click.command("terms", epilog=examples(
    "terms hp.index",
    "terms hp.index -o our-words.csv",
    "terms hp.index --gone",
    "terms hp.index --journal",
))  # fmt: skip
@_index_argument
@click.option("-o", "--output", metavar="FILE", help="Where to write; by default standard output.")
@click.option("--gone", is_flag=True, help="Only terms whose concept is retired, replaced or unknown.")
@click.option("--journal", is_flag=True, help="Everything that was ever added and removed, in order.")
@PLACE.as_("place")
@click.option("--json", "as_json", is_flag=True, help="JSON lines in place of CSV.")
def list_command(
    *, index: str, output: str | None, gone: bool, journal: bool, place: IndexPlace, as_json: bool
) -> None:
    """List the terms that were added to an index, as CSV that `ontonym add-terms` takes.

    The column status says what became of their concepts: active; moved (another concept has its place: see the column
    concept); gone (retired or unknown, and so not searched); nil (a text without a concept).
    """
    with place.at(index).open() as opened:
        lines = list(term_lines(opened, gone=gone, journal=journal, as_json=as_json))
    if output is not None and output != STDOUT:
        write_lines(output, lines)
    else:
        for line in lines:
            echo(line)
