"""``ontonym remove-terms``: takes back what ``add-terms`` added."""

from __future__ import annotations

import click

from ontonym.cli.add_terms import change_shape, tell_rows, typed_terms
from ontonym.cli.options import json_option, place_options
from ontonym.cli.shapes import to_json
from ontonym.cli.show import count
from ontonym.cli.term_files import SHOWN, TermFile, user
from ontonym.errors import CheckFailed, InputError
from ontonym.index import remove_terms

EXAMPLES = """\b
Examples:
  ontonym remove-terms hp.index our-words.csv
  ontonym remove-terms hp.index --term HP:0001250 "funny turn"
  ontonym remove-terms hp.index --concept HP:0001250
"""


@click.command("remove-terms", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("file", nargs=-1, metavar="FILE…")
@click.option("--term", "typed", nargs=2, multiple=True, metavar="ID TEXT", help="A term, in place of a file. May be "
              "repeated.")  # fmt: skip
@click.option("--concept", multiple=True, metavar="ID", help="All added terms of a concept. May be repeated.")
@click.option("--who", default=None, metavar="NAME", help="Who removes them; by default your user name.")
@click.option("--why", default="", metavar="TEXT", help="Why, where the file does not say.")
@place_options
@json_option
def command(
    *,
    index: str,
    file: tuple[str, ...],
    typed: tuple[tuple[str, str], ...],
    concept: tuple[str, ...],
    who: str | None,
    why: str,
    terminology: tuple[str, ...],
    encoder: str | None,
    as_json: bool,
) -> None:
    """Remove added terms from an index; without any left, it answers as if there had never been one.

    FILE is one that `ontonym add-terms` takes. Names of the terminology itself cannot be removed. The journal keeps who
    added and who removed what; exit code 1 where a term was not there.
    """
    if not (file or typed or concept):
        raise InputError("no terms: give a FILE, --term ID TEXT or --concept ID")
    who = user() if who is None else who
    files = [TermFile(path, who=who, why=why, removal=True) for path in file]
    terms = typed_terms([*typed, *((one, "") for one in concept)], who, why)
    terms += [term for one in files for term in one.terms()]
    change = remove_terms(index, terms, terminologies=terminology or None, encoder=encoder)
    if as_json:
        click.echo(to_json(change_shape(change, files)))
    else:
        click.echo(f"{count(change.removed, 'term')} removed; {index} holds {change.held:,} now")
        tell_rows(files)
    if change.missing:
        named = ", ".join(f"{term.id} {term.text!r}" if term.text else term.id for term in change.missing[:SHOWN])
        raise CheckFailed(f"{count(len(change.missing), 'term')} not held, so not removed: {named}")
