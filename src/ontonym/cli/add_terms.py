"""``ontonym add-terms``: a user's own names for concepts, searched from the next query on."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ontonym.cli.options import json_option, place_options
from ontonym.cli.shapes import to_json
from ontonym.cli.show import count
from ontonym.cli.term_files import SHOWN, TermFile, user
from ontonym.errors import InputError, UnknownIdError
from ontonym.index import AddedTerm, Change, add_terms, open_index

EXAMPLES = """\b
Examples:
  ontonym add-terms hp.index our-words.csv
  ontonym add-terms hp.index --term HP:0001250 "funny turn" --why "ward 3 writes so"
  ontonym add-terms medic.index NCBItrainset_corpus.txt
  ontonym add-terms medic.index CDR_TrainingSet.PubTator.txt --type Disease
"""


@click.command("add-terms", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("file", nargs=-1, metavar="FILE…")
@click.option("--term", "typed", nargs=2, multiple=True, metavar="ID TEXT", help="A term, in place of a file. May be "
              "repeated.")  # fmt: skip
@click.option("--who", default=None, metavar="NAME", help="Who adds them, where the file does not say; by default your "
              "user name.")  # fmt: skip
@click.option("--why", default="", metavar="TEXT", help="Why, where the file does not say.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Of a corpus only mentions of this type. May be "
              "repeated.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Add nothing where a row is malformed or a concept unknown.")
@place_options
@json_option
def command(
    *,
    index: str,
    file: tuple[str, ...],
    typed: tuple[tuple[str, str], ...],
    who: str | None,
    why: str,
    types: tuple[str, ...],
    strict: bool,
    terminology: tuple[str, ...],
    encoder: str | None,
    as_json: bool,
) -> None:
    """Add terms to an index: they are searched from the next query on, by every process that has it open.

    FILE is a CSV or TSV file with columns id and text (count, who, when and why may follow), JSON lines of the same, or
    an annotated corpus in PubTator format, whose mentions are added as often as they occur. A term that is there
    already is replaced. Terms stay through updates of the index; `ontonym terms` lists them.
    """
    who = user() if who is None else who
    files = [TermFile(path, who=who, why=why, types=types, strict=strict) for path in file]
    terms = typed_terms(typed, who, why) + [term for one in files for term in one.terms()]
    if not file and not typed:
        raise InputError("no terms: give a FILE, or --term ID TEXT")
    if strict:
        _refuse_unknown(index, terms, terminology, encoder)
    change = add_terms(index, terms, terminologies=terminology or None, encoder=encoder)
    if as_json:
        click.echo(to_json(change_shape(change, files)))
        return
    click.echo(f"{count(change.added, 'term')} added, {change.replaced:,} replaced; {index} holds {change.held:,} now")
    tell_rows(files)
    if change.unknown:
        ids = list(dict.fromkeys(term.id for term in change.unknown))
        named = ", ".join(ids[:SHOWN]) + ", …" * (len(ids) > SHOWN)
        click.echo(
            f"  {count(len(change.unknown), 'term')} of {count(len(ids), 'id')} that no active concept has: kept, and "
            f"searched when a release has them ({named})",
            err=True,
        )


def typed_terms(typed: Sequence[tuple[str, str]], who: str, why: str) -> list[AddedTerm]:
    """The terms given on the command line."""
    return [AddedTerm(concept_id, text, who=who, why=why) for concept_id, text in typed]


def _refuse_unknown(index: str, terms: Sequence[AddedTerm], terminology: tuple[str, ...], encoder: str | None) -> None:
    with open_index(index, terminologies=terminology or None, encoder=encoder) as opened:
        for term in terms:
            if opened.find(term.id) is None:
                raise UnknownIdError(term.id, opened.name)


def tell_rows(files: Sequence[TermFile]) -> None:
    """One line on stderr for each file with counts that add up, and its first malformed rows."""
    for one in files:
        others = {"blank": one.blank, "malformed": one.malformed, **{_plain(k): n for k, n in one.left_out.items()}}
        terms = one.rows - sum(others.values())
        parts = [f"{terms:,} terms", *(f"{number:,} {rule}" for rule, number in others.items() if number)]
        click.echo(f"  {one.path}: {one.rows:,} rows = {' + '.join(parts)}", err=True)
        for example in one.examples:
            click.echo(f"    {example}", err=True)


def _plain(rule: str) -> str:
    return rule.replace("_", " ")


def change_shape(change: Change, files: Sequence[TermFile]) -> dict[str, object]:
    """A change as JSON values."""
    return {
        "added": change.added,
        "replaced": change.replaced,
        "removed": change.removed,
        "held": change.held,
        "unknown": [{"id": term.id, "text": term.text} for term in change.unknown],
        "missing": [{"id": term.id, "text": term.text} for term in change.missing],
        "files": [
            {"path": one.path, "rows": one.rows, "blank": one.blank, "malformed": one.malformed, **one.left_out}
            for one in files
        ],
    }
