"""A user's own terms in a shared index: the journal as a table that only grows, and the part that is searched.

A change is one transaction: the entries of the journal, the new part and the new revision are there together or not.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from ontonym.index.added import AddedTerm, Entry, Journal
from ontonym.index.shared.postgres.database import Database, Transaction
from ontonym.index.shared.postgres.schema import PART, quoted, terms_owner
from ontonym.index.shared.storage import TermFiles

_KEPT = 2  # revisions whose files stay, for those that are just opening them


def read_journal(database: Database) -> Journal:
    """The journal of the shared index of a database."""
    return _journal(database, quoted(database.address.index))


def stored_journal(transaction: Transaction, schema: str) -> Journal:
    """The journal as a transaction sees it."""
    return _journal(transaction, schema)


def _journal(asked: Database | Transaction, schema: str) -> Journal:
    rows = asked.fetch(
        f"SELECT did, id, text, count, who, written, why FROM {schema}.journal ORDER BY entry"  # noqa: S608 (names are quoted, values go apart)
    )
    return Journal(Entry(did, AddedTerm(*term)) for did, *term in rows)


def write_entries(transaction: Transaction, schema: str, entries: Sequence[Entry], first: int) -> None:
    """Appends entries to the journal; ``first`` is how many it has."""
    rows = []
    for number, entry in enumerate(entries, first):
        term = entry.term
        values = (term.id, term.text, term.count, term.who, term.when, term.why)
        rows.append((number, entry.did, *(v.replace("\0", " ") if isinstance(v, str) else v for v in values)))
    transaction.insert(
        f"INSERT INTO {schema}.journal (entry, did, id, text, count, who, written, why, revision) "  # noqa: S608 (names are quoted, values go apart)
        f"SELECT $1, $2, $3, $4, $5, $6, $7, $8, revision + 1 FROM {schema}.state",
        rows,
    )


def amend(transaction: Transaction, schema: str, terms: TermFiles) -> None:
    """Makes what the terms in effect are searched by the next revision."""
    ((revision,),) = transaction.fetch(f"UPDATE {schema}.state SET revision = revision + 1 RETURNING revision")  # noqa: S608 (names are quoted, values go apart)
    rows = [
        (terms_owner(revision), name, number // PART, data[number : number + PART])
        for name, data in terms.files.items()
        for number in range(0, max(len(data), 1), PART)
    ]
    transaction.insert(f"INSERT INTO {schema}.file VALUES ($1, $2, $3, $4)", rows)  # noqa: S608 (names are quoted, values go apart)
    transaction.fetch(f"UPDATE {schema}.state SET added = $1", orjson.dumps(terms.added).decode())  # noqa: S608 (names are quoted, values go apart)
    transaction.fetch(
        f"DELETE FROM {schema}.file WHERE owner LIKE 'terms-%' AND substr(owner, 7)::bigint <= $1",  # noqa: S608 (names are quoted, values go apart)
        revision - _KEPT,
    )
