"""Changes a shared index: terms of users in one transaction, releases as a generation of their own beside the present
one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ontonym.errors import LockedError
from ontonym.index.added import Entry, Journal
from ontonym.index.open import Index, IndexPlace, open_index
from ontonym.index.shared.address import Address
from ontonym.index.shared.database import Transaction
from ontonym.index.shared.journal import amend, read_journal, stored_journal, write_entries
from ontonym.index.shared.loading import load_index
from ontonym.index.shared.mirror import mirrored_terms
from ontonym.index.shared.opening import backend_of
from ontonym.index.shared.pulling import pull_index
from ontonym.index.shared.schema import quoted, read_state
from ontonym.types import Progress

T = TypeVar("T")

_TRIES = 3


def change_terms(place: IndexPlace, change: Callable[[Journal, Index], T]) -> T:
    """Applies a change to the journal of a shared index, in one transaction with what is searched because of it.

    Others who change terms at the same time wait for each other; who searches does not. Raises LockedError if the
    index itself is replaced all the time.
    """
    for _ in range(_TRIES):
        with place.open() as index:
            database = backend_of(index.signals).database
            with database.transaction() as transaction:
                schema = quoted(database.address.index)
                generation = _locked(transaction, schema)
                if generation != backend_of(index.signals).state.generation:
                    continue
                state = read_state(database)
                journal = stored_journal(transaction, schema)
                first = len(journal.entries)
                done = change(journal, index)
                if len(journal.entries) > first:
                    old = mirrored_terms(database, state.revision, state.added.get("files", {}))
                    write_entries(transaction, schema, journal.entries[first:], first)
                    amend(transaction, schema, journal, index.find, index.signals.ontology, index.encoder, old)
            return done
    raise LockedError(f"{database.address.shown}: was replaced again and again while it was changed")


def _locked(transaction: Transaction, schema: str) -> int:
    ((generation,),) = transaction.fetch(f"SELECT generation FROM {schema}.state FOR UPDATE")  # noqa: S608 (names are quoted, values go apart)
    return int(generation)


def shared_journal(index: Index) -> list[Entry]:
    """All entries of the journal of an open shared index."""
    return read_journal(backend_of(index.signals).database).entries


@contextmanager
def working_copy(
    address: Address, place: IndexPlace, encoder: Path | str | None, progress: Progress | None
) -> Iterator[Path]:
    """Lends a copy of a shared index in a folder; when the block ends well, the copy is the next generation.

    ``encoder`` is where the encoder of the changed copy is, if not where it was.
    """
    with tempfile.TemporaryDirectory(prefix="ontonym-update-") as made:
        folder = Path(made) / "update.index"
        with place.open() as index:
            pull_index(index, folder, progress=progress)
        yield folder
        with open_index(folder, encoder=encoder) as changed:
            load_index(changed, address, progress)
