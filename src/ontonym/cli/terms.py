"""``ontonym add-terms``, ``remove-terms`` and ``terms``: a user's own names for concepts, and who added them."""

from __future__ import annotations

import csv
import getpass
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from io import StringIO

import click

from ontonym.cli.options import PLACE, Command, json_option
from ontonym.documents.pubtator import begins_pubtator
from ontonym.errors import CheckFailed, InputError, UnknownIdError
from ontonym.evaluate.texts import corpus_terms, first_line
from ontonym.files.output import written_file
from ontonym.index import AddedTerm, Holding, TermsChange, add_terms, holdings, read_journal, remove_terms
from ontonym.index.open import IndexPlace
from ontonym.index.termfile import TermFile, read_terms
from ontonym.serve.shapes import to_json
from ontonym.serve.show import count

_SHOWN = 5

COLUMNS = ("id", "text", "count", "who", "when", "why", "status", "concept")
JOURNAL_COLUMNS = ("did", "id", "text", "count", "who", "when", "why")

ADD_EXAMPLES = """\b
Examples:
  ontonym add-terms hp.index our-words.csv
  ontonym add-terms hp.index --term HP:0001250 "funny turn" --why "ward 3 writes so"
  ontonym add-terms medic.index NCBItrainset_corpus.txt
  ontonym add-terms medic.index CDR_TrainingSet.PubTator.txt --type Disease
"""

REMOVE_EXAMPLES = """\b
Examples:
  ontonym remove-terms hp.index our-words.csv
  ontonym remove-terms hp.index --term HP:0001250 "funny turn"
  ontonym remove-terms hp.index --concept HP:0001250
"""

LIST_EXAMPLES = """\b
Examples:
  ontonym terms hp.index
  ontonym terms hp.index -o our-words.csv
  ontonym terms hp.index --gone
  ontonym terms hp.index --journal
"""


def _terms_arguments(command: Command) -> Command:
    """INDEX, FILE…, ``--term`` and ``--why``: the terms, and what the journal says of them."""
    for option in (
        click.option("--why", default="", metavar="TEXT", help="Why, where the file does not say."),
        click.option("--who", default=None, metavar="NAME", help="Who makes the change, where the file does not say; "
                     "by default your user name."),
        click.option("--term", "typed", nargs=2, multiple=True, metavar="ID TEXT", help="A term, in place of a file. "
                     "May be repeated."),
        click.argument("file", nargs=-1, metavar="FILE…"),
        click.argument("index", metavar="INDEX"),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command("add-terms", epilog=ADD_EXAMPLES)
@_terms_arguments
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Of a corpus only mentions of this type. May be "
              "repeated.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Add nothing where a row is malformed or a concept unknown.")
@PLACE.as_("place")
@json_option
def add_command(
    *,
    index: str,
    file: tuple[str, ...],
    typed: tuple[tuple[str, str], ...],
    who: str | None,
    why: str,
    types: tuple[str, ...],
    strict: bool,
    place: IndexPlace,
    as_json: bool,
) -> None:
    """Add terms to an index: searches find them from now on.

    FILE is a CSV or TSV file with columns id and text (count, who, when and why may follow), JSON lines of the same, or
    an annotated corpus in PubTator format, whose mentions are added as often as they occur. A term that is there
    already is replaced. Terms stay through updates of the index; `ontonym terms` lists them.
    """
    if not file and not typed:
        raise InputError("no terms: give a FILE, or --term ID TEXT")
    files = [
        corpus_terms(path, types) if begins_pubtator(first_line(path)) else read_terms(path, strict=strict)
        for path in file
    ]
    terms = list(_signed(typed, files, who, why))
    if strict:
        with place.at(index).open() as opened:
            for term in terms:
                if opened.find(term.id) is None:
                    raise UnknownIdError(term.id, opened.name)
    change = add_terms(index, terms, terminologies=place.terminologies, encoder=place.encoder)
    if as_json:
        click.echo(to_json(_change_shape(change, files)))
        return
    click.echo(f"{count(change.added, 'term')} added, {change.replaced:,} replaced; {index} holds {change.held:,} now")
    _show_rows(files)
    if change.unknown:
        ids = list(dict.fromkeys(term.id for term in change.unknown))
        named = ", ".join(ids[:_SHOWN]) + ", …" * (len(ids) > _SHOWN)
        click.echo(
            f"  {count(len(change.unknown), 'term')} of {count(len(ids), 'id')} that no active concept has: kept, and "
            f"searched when a release has them ({named})",
            err=True,
        )


@click.command("remove-terms", epilog=REMOVE_EXAMPLES)
@_terms_arguments
@click.option("--concept", multiple=True, metavar="ID", help="All added terms of a concept. May be repeated.")
@PLACE.as_("place")
@json_option
def remove_command(
    *,
    index: str,
    file: tuple[str, ...],
    typed: tuple[tuple[str, str], ...],
    concept: tuple[str, ...],
    who: str | None,
    why: str,
    place: IndexPlace,
    as_json: bool,
) -> None:
    """Remove added terms from an index; without any left, it answers as if there had never been one.

    FILE is one that `ontonym add-terms` takes. Names of the terminology itself cannot be removed. The journal keeps who
    added and who removed what; exit code 1 where a term was not there.
    """
    if not (file or typed or concept):
        raise InputError("no terms: give a FILE, --term ID TEXT or --concept ID")
    files = [
        corpus_terms(path) if begins_pubtator(first_line(path)) else read_terms(path, removal=True) for path in file
    ]
    terms = _signed([*typed, *((one, "") for one in concept)], files, who, why)
    change = remove_terms(index, terms, terminologies=place.terminologies, encoder=place.encoder)
    if as_json:
        click.echo(to_json(_change_shape(change, files)))
    else:
        click.echo(f"{count(change.removed, 'term')} removed; {index} holds {change.held:,} now")
        _show_rows(files)
    if change.missing:
        named = ", ".join(f"{term.id} {term.text!r}" if term.text else term.id for term in change.missing[:_SHOWN])
        raise CheckFailed(f"{count(len(change.missing), 'term')} not held, so not removed: {named}")


def _signed(
    typed: Sequence[tuple[str, str]], files: Sequence[TermFile], who: str | None, why: str
) -> Iterator[AddedTerm]:
    """The terms given and those of files, with who and why where they do not say it themselves."""
    who = _user() if who is None else who
    for term in (*(AddedTerm(*one) for one in typed), *(term for one in files for term in one.terms)):
        yield replace(term, who=term.who or who, why=term.why or why)


def _user() -> str:
    """Who works here, as the system has it; empty where it does not know."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _show_rows(files: Sequence[TermFile]) -> None:
    """One line on stderr for each file with counts that add up, and its first malformed rows."""
    for one in files:
        counts = one.counts
        others = {"blank": counts.skipped["blank"], "malformed": counts.malformed, **counts.skipped}
        parts = [f"{number:,} {rule.replace('_', ' ')}" for rule, number in others.items() if number]
        click.echo(f"  {one.path}: {counts.rows:,} rows = {' + '.join([f'{counts.kept:,} terms', *parts])}", err=True)
        for row in counts.examples:
            click.echo(f"    {row.file}:{row.line}: {row.problem}", err=True)


def _change_shape(change: TermsChange, files: Sequence[TermFile]) -> dict[str, object]:
    """A change as JSON values."""
    return {
        "added": change.added,
        "replaced": change.replaced,
        "removed": change.removed,
        "held": change.held,
        "unknown": [{"id": term.id, "text": term.text} for term in change.unknown],
        "missing": [{"id": term.id, "text": term.text} for term in change.missing],
        "files": [
            {"path": one.path, "rows": one.counts.rows, "blank": 0, "malformed": one.counts.malformed,
             **one.counts.skipped} for one in files
        ],
    }  # fmt: skip


@click.command("terms", epilog=LIST_EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.option("-o", "--output", metavar="FILE", help="Where to write; by default standard output.")
@click.option("--gone", is_flag=True, help="Only terms whose concept is retired, replaced or unknown.")
@click.option("--journal", is_flag=True, help="Everything that was ever added and removed, in order.")
@PLACE.as_("place")
@click.option("--json", "as_json", is_flag=True, help="JSON lines in place of CSV.")
def list_command(
    *,
    index: str,
    output: str | None,
    gone: bool,
    journal: bool,
    place: IndexPlace,
    as_json: bool,
) -> None:
    """List the terms that were added to an index, as CSV that `ontonym add-terms` takes.

    The column status says what became of their concepts: active; moved (another concept has its place: see the column
    concept); gone (retired or unknown, and so not searched).
    """
    with place.at(index).open() as opened:
        if journal:
            columns: Sequence[str] = JOURNAL_COLUMNS
            rows = [{"did": entry.did, **asdict(entry.term)} for entry in read_journal(opened)]
        else:
            columns = COLUMNS
            rows = [_row(one) for one in holdings(opened) if not gone or one.moved or one.concept is None]
    lines = (to_json(row) for row in rows) if as_json else _csv(columns, rows)
    if output is None:
        for line in lines:
            click.echo(line)
        return
    with written_file(output) as stream:
        for line in lines:
            stream.write(f"{line}\n".encode())


def _row(one: Holding) -> dict[str, object]:
    status = "gone" if one.concept is None else "moved" if one.moved else "active"
    return {**asdict(one.term), "status": status, "concept": one.concept or ""}


def _csv(columns: Sequence[str], rows: Sequence[dict[str, object]]) -> Iterator[str]:
    for cells in (columns, *([row[name] for name in columns] for row in rows)):
        line = StringIO()
        csv.writer(line, lineterminator="").writerow(cells)
        yield line.getvalue()
