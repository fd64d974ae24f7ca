"""A shared index in PostgreSQL as a storage: its state, its files, its journal."""

from __future__ import annotations

from collections.abc import Iterator

from ontonym.index.added import Journal
from ontonym.index.shared.address import Address
from ontonym.index.shared.postgres.backend import PostgresBackend
from ontonym.index.shared.postgres.database import Database
from ontonym.index.shared.postgres.journal import read_journal
from ontonym.index.shared.postgres.schema import IN_TABLES, quoted, read_state
from ontonym.index.shared.storage import State


class PostgresStorage:
    """See `ontonym.index.shared.storage.Storage`."""

    in_tables = IN_TABLES

    def __init__(self, address: Address) -> None:
        self.address, self.database = address, Database(address)

    def state(self) -> State:
        """See `Storage`."""
        return read_state(self.database)

    def parts(self, owner: str, name: str) -> Iterator[bytes]:
        """See `Storage`."""
        table = f"{quoted(self.address.index)}.file"
        statement = f"SELECT data FROM {table} WHERE owner = $1 AND path = $2 AND part = $3"  # noqa: S608 (names are quoted, values go apart)
        part = 0
        while found := self.database.fetch(statement, owner, name, part):
            yield found[0][0]
            part += 1

    def backend(self, state: State, dim: int) -> PostgresBackend:
        """See `Storage`."""
        return PostgresBackend(self, self.database, state, dim)

    def journal(self) -> Journal:
        """See `Storage`."""
        return read_journal(self.database)

    def close(self) -> None:
        """See `Storage`."""
        self.database.close()
