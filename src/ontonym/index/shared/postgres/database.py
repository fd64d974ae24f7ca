"""A PostgreSQL database, asked from any thread: a few connections, opened when needed and again when they were lost.

Nothing is kept in a session, so that a pooler may stand between, and every question is a transaction of its own.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from ontonym.errors import ArtifactError, OntonymError, needing
from ontonym.index.shared.address import Address

T = TypeVar("T")
SqlRow = Sequence[Any]
SqlStatement = tuple[Any, ...]
"""A statement and its parameters."""

_CONNECTIONS = 4
_PATIENCE = 10.0  # seconds for a connection


class Database:
    """The connections to the database of an address. Close it at the end."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: list[Any] = []

    def fetch(self, statement: str, *given: Any) -> list[SqlRow]:
        """The rows that a statement gives. Asked again once if the connection was lost, so it must not change much."""
        (found,) = self.together((statement, *given))
        return found

    def together(self, *asked: SqlStatement) -> list[list[SqlRow]]:
        """The rows of several statements, asked at the same time over several connections."""

        async def all_of() -> list[list[SqlRow]]:
            room = asyncio.Semaphore(_CONNECTIONS)

            async def one(ask: SqlStatement) -> list[SqlRow]:
                async with room:
                    return await self._asked(ask)

            found = await asyncio.gather(*map(one, asked), return_exceptions=True)
            for failed in (rows for rows in found if isinstance(rows, BaseException)):
                raise failed
            return [rows for rows in found if not isinstance(rows, BaseException)]

        return self._run(all_of())

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Lends a transaction, which is committed when the block ends, and undone if it raises."""
        connection = self._run(self._connection())
        transaction = connection.transaction()
        try:
            self._run(transaction.start())
            yield Transaction(connection, self._run)
        except BaseException:
            self._undo(connection, transaction)
            raise
        try:
            self._run(transaction.commit())
        except BaseException:
            connection.terminate()
            raise
        self._run(self._given_back(connection))

    def _undo(self, connection: Any, transaction: Any) -> None:
        try:
            self._run(transaction.rollback())
            self._run(self._given_back(connection))
        except (OntonymError, OSError):  # the server undoes it when the connection is gone
            self._loop_now().call_soon_threadsafe(connection.terminate)

    def close(self) -> None:
        """Closes all connections."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None or self._process != os.getpid():
            return
        for connection in self._idle:
            loop.call_soon_threadsafe(connection.terminate)
        self._idle.clear()
        loop.call_soon_threadsafe(loop.stop)

    # The thread of the connections --------------------------------------------------------------------------------

    def _loop_now(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._process != os.getpid():  # forked: the thread stayed behind, and the connections are the parent's
                self._begin()
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_turn, args=(self._loop,), name="ontonym-database", daemon=True).start()
            return self._loop

    def _run(self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        try:
            return asyncio.run_coroutine_threadsafe(awaited(), self._loop_now()).result()
        except OntonymError:
            raise
        except Exception as error:
            raise as_ours(self.address, error) from error

    async def _asked(self, ask: SqlStatement) -> list[SqlRow]:
        again = bool(self._idle)
        connection = await self._connection()
        try:
            found = await self._rows(connection, ask)
        except Exception as error:
            if not connection.is_closed() and not _is_lost(error):
                await self._given_back(connection)
                raise
            connection.terminate()
            if not again:
                raise
            self._idle.clear()  # the server was started again: the others are lost too
            connection = await self._connection()
            found = await self._rows(connection, ask)
        await self._given_back(connection)
        return found

    async def _rows(self, connection: Any, ask: SqlStatement) -> list[SqlRow]:
        if self.address.prepared:
            return await connection.fetch(*ask)  # type: ignore[no-any-return]
        async with connection.transaction():  # a pooler keeps one server for all messages of a transaction
            return await connection.fetch(*ask)  # type: ignore[no-any-return]

    async def _connection(self) -> Any:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return await _connected(self.address)

    async def _given_back(self, connection: Any) -> None:
        if len(self._idle) < _CONNECTIONS and not connection.is_closed():
            self._idle.append(connection)
        else:
            await connection.close()


class Transaction:
    """An open transaction."""

    def __init__(self, connection: Any, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._connection, self._run = connection, run

    def fetch(self, statement: str, *given: Any) -> list[SqlRow]:
        """The rows that a statement gives."""
        return list(self._run(self._connection.fetch(statement, *given)))

    def run(self, *statements: str) -> None:
        """Runs statements without parameters."""
        for statement in statements:
            self._run(self._connection.execute(statement))

    def insert(self, statement: str, rows: Sequence[SqlRow]) -> None:
        """Runs a statement for each row of parameters."""
        self._run(self._connection.executemany(statement, rows))

    def copy(self, schema: str, table: str, columns: Sequence[str], rows: bytes) -> None:
        """Appends rows in PostgreSQL's binary format, without its header and end, to a table."""

        async def pieces() -> Any:
            yield b"PGCOPY\n\xff\r\n\0" + bytes(8)
            yield rows
            yield b"\xff\xff"

        self._run(
            self._connection.copy_to_table(
                table, schema_name=schema, columns=list(columns), source=pieces(), format="binary"
            )
        )


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _connected(address: Address) -> Any:
    with needing("asyncpg", "postgres", "a shared index"):
        import asyncpg
    return await asyncpg.connect(
        host=address.host,
        port=address.port,
        user=address.user,
        password=address.password,
        database=address.database or None,
        ssl=address.sslmode,
        timeout=_PATIENCE,
        statement_cache_size=100 if address.prepared else 0,
        server_settings={"application_name": "ontonym"},
    )


# Errors ---------------------------------------------------------------------------------------------------------------


def _is_lost(error: BaseException) -> bool:
    import asyncpg

    lost = (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.OperatorInterventionError)
    return isinstance(error, (OSError, *lost))


def as_ours(address: Address, error: Exception) -> OntonymError:
    """What an error of the connection or of the server means for the user, in one line and without the password."""
    import asyncpg

    told = (getattr(error, "message", None) or str(error)).split("\n", 1)[0]
    refused = "give the password in the URL, in PGPASSWORD or in ~/.pgpass"
    meanings: Sequence[tuple[tuple[type[BaseException], ...], str]] = (
        (
            (asyncpg.InvalidPasswordError, asyncpg.InvalidAuthorizationSpecificationError),
            f"the server refuses the user: {told}; {refused}",
        ),
        ((asyncpg.InvalidCatalogNameError,), f"{told}: make it with `createdb {address.database}`"),
        ((asyncpg.InsufficientPrivilegeError,), f"{told}: grant it to the user, as docs/shared-index.md shows"),
        (
            (asyncpg.ReadOnlySQLTransactionError,),
            "the server is a replica, which cannot be changed: give the URL of the primary",
        ),
        (
            (asyncpg.UndefinedTableError, asyncpg.UndefinedFunctionError),
            "was replaced twice or removed since it was opened: open it again",
        ),
        (
            (asyncpg.TooManyConnectionsError,),
            f"the server has no free connection: {told}; put a pooler between, as docs/shared-index.md shows",
        ),
        (
            (TimeoutError, OSError),
            f"no answer from a PostgreSQL server at {address.server}: {told or 'not within 10 seconds'}",
        ),
        (
            (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.OperatorInterventionError),
            f"the connection to the server at {address.server} was lost: {told}",
        ),
        ((asyncpg.PostgresError, asyncpg.ClientConfigurationError), f"the server refuses: {told}"),
    )
    meaning = next((said for kinds, said in meanings if isinstance(error, kinds)), f"{type(error).__name__}: {told}")
    return ArtifactError(f"{address.shown}: {meaning}")
