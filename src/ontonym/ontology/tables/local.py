"""Tables of local codes as people have them: columns that are named only in part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontonym.errors import FormatError, InputError
from ontonym.files.records import delimiter_of, sample_lines, text_records
from ontonym.files.source import open_source
from ontonym.files.titles import below_titles
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.ontology.tables.headers import guess_columns
from ontonym.ontology.tables.layout import NOT_UTF8, NOT_UTF8_HINT, unreadable


def completed_columns(path: Path | str, words: Sequence[str]) -> ColumnMapping:
    """The mapping of a table: the ``words`` (``ROLE=COLUMN``, or just the names' column), completed by its header.

    Raises InputError where neither says which column holds the codes.
    """
    given = [word if "=" in word else f"preferred={word}" for word in words]
    head = open_source(path).head()
    delimiter = delimiter_of(head) or ","
    records = [list(map(str, one.fields)) for one in text_records(sample_lines(head), delimiter)]
    role_of = {word.partition("=")[2]: word.partition("=")[0].partition("@")[0] for word in given}
    below = below_titles(records, lambda one: role_of.keys() <= {*one} and len(one) > 1)
    header = next(iter(below), [])
    named = [role_of.get(name, name) for name in header]
    guessed = guess_columns(named, below[1:])
    for role, columns in guessed.by_role().items() if guessed is not None else ():
        if role not in role_of.values() and role != "synonyms":
            given += [f"{role}={header[named.index(column)]}" for column in columns if column in named]
    if unreadable(header):
        raise FormatError(path, NOT_UTF8, line=1, hint=NOT_UTF8_HINT)
    if not any(word.startswith("id=") for word in given):
        listed = ", ".join(header)
        raise InputError(
            f'{path}: which column holds the codes? Name it: `columns=["id=COLUMN"]`; the columns are {listed}. '
            "In a list without codes name the column of the names twice, as id and as preferred"
        )
    return ColumnMapping.parse(given)
