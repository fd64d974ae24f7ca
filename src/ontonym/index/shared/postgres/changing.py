"""A change of users' terms in PostgreSQL: one transaction, with what is searched because of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ontonym.index.added import Journal
from ontonym.index.open import Index
from ontonym.index.shared.mirror import mirrored_terms
from ontonym.index.shared.opening import backend_of
from ontonym.index.shared.outgoing import searched_terms
from ontonym.index.shared.postgres.database import Transaction
from ontonym.index.shared.postgres.journal import amend, stored_journal, write_entries
from ontonym.index.shared.postgres.schema import quoted, read_state
from ontonym.index.shared.postgres.storage import PostgresStorage

T = TypeVar("T")


def change(index: Index, storage: PostgresStorage, changed: Callable[[Journal, Index], T]) -> tuple[bool, T | None]:
    """Whether the change was made, and what it returned; not made if another generation took the place of the opened.

    Others who change terms at the same time wait for each other; who searches does not.
    """
    schema = quoted(storage.address.index)
    with storage.database.transaction() as transaction:
        if _locked(transaction, schema) != backend_of(index.signals).state.generation:
            return False, None
        journal = stored_journal(transaction, schema)
        first = len(journal.entries)
        done = changed(journal, index)
        if len(journal.entries) > first:
            old = mirrored_terms(storage, read_state(storage.database))
            write_entries(transaction, schema, journal.entries[first:], first)
            amend(transaction, schema, searched_terms(index, journal, old))
    return True, done


def _locked(transaction: Transaction, schema: str) -> int:
    ((generation,),) = transaction.fetch(f"SELECT generation FROM {schema}.state FOR UPDATE")  # noqa: S608 (names are quoted, values go apart)
    return int(generation)
