"""What clients leave with the server between requests, in small databases that its worker processes share.

Closure tables and the resources that clients cached by a cache-id: each request of a client may reach another worker.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import orjson

from ontonym.serve.fhir.library import Shelf, resource_key
from ontonym.serve.fhir.outcomes import FhirJson, refused

MOST_CACHES = 100
MOST_CACHED = 5000
MOST_BYTES = 64 << 20
"""Bytes of JSON that all caches together may hold."""

_WAIT = 30.0

_CACHES = """
CREATE TABLE IF NOT EXISTS clock (now INTEGER NOT NULL);
INSERT INTO clock SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM clock);
CREATE TABLE IF NOT EXISTS cache (
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS resource (
    number INTEGER PRIMARY KEY AUTOINCREMENT, cache INTEGER NOT NULL REFERENCES cache ON DELETE CASCADE,
    key TEXT, size INTEGER NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS of_cache ON resource (cache, number);
CREATE INDEX IF NOT EXISTS of_key ON resource (cache, key);
"""


class StateDatabase:
    """A small database that threads share, and processes where it has a place; without one it is this process's own.

    It is scratch: it ends with the server, and nothing waits for the disk.
    """

    def __init__(self, place: Path | None, schema: str) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            ":memory:" if place is None else place, timeout=_WAIT, isolation_level=None, check_same_thread=False
        )
        self._connection.execute("PRAGMA foreign_keys = ON")
        if place is not None:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.executescript(f"BEGIN IMMEDIATE;{schema}COMMIT;")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The database for one change that is made whole or not at all; others wait until it ends."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


class CachedResources:
    """The resources that clients cached, by cache-id; the caches that were not used for longest go when it is full."""

    def __init__(self, place: Path | None = None) -> None:
        self._database = StateDatabase(place, _CACHES)
        self._shelves: OrderedDict[str, tuple[int, int, Shelf]] = OrderedDict()

    def shelf(self, name: str, resources: Sequence[FhirJson]) -> Shelf:
        """The shelf of a cache, with resources that a request adds to it, in the place of those of the same canonical.

        FhirError (422) where they are too many.
        """
        with self._database.transaction() as database:
            number = self._number(database, name)
            if resources:
                self._add(database, number, name, resources)
            known, last, shelf = self._shelves.pop(name, (number, 0, Shelf()))
            if known != number:  # it was given up meanwhile, and begun again
                last, shelf = 0, Shelf()
            rows = database.execute(
                "SELECT number, body FROM resource WHERE cache = ? AND number > ? ORDER BY number", (number, last)
            ).fetchall()
            if rows:
                shelf = shelf.copy()  # whoever reads the former one goes on with it
            for row, body in rows:
                last = row
                shelf.add(orjson.loads(body))
            self._shelves[name] = number, last, shelf
            while len(self._shelves) > MOST_CACHES:
                self._shelves.popitem(last=False)
        return shelf

    def _number(self, database: sqlite3.Connection, name: str) -> int:
        """The number of a cache, which is begun where there is none, and counts as used now."""
        database.execute("UPDATE clock SET now = now + 1")
        database.execute(
            "INSERT INTO cache (name, used) SELECT ?, now FROM clock WHERE true "
            "ON CONFLICT (name) DO UPDATE SET used = excluded.used",
            (name,),
        )
        database.execute(
            "DELETE FROM cache WHERE number NOT IN (SELECT number FROM cache ORDER BY used DESC LIMIT ?)",
            (MOST_CACHES,),
        )
        (number,) = database.execute("SELECT number FROM cache WHERE name = ?", (name,)).fetchone()
        return int(number)

    def _add(self, database: sqlite3.Connection, number: int, name: str, resources: Sequence[FhirJson]) -> None:
        bodies = [orjson.dumps(resource) for resource in resources]
        keys = ["|".join(resource_key(resource)) if resource.get("url") else None for resource in resources]
        database.executemany("DELETE FROM resource WHERE cache = ? AND key = ?", [(number, key) for key in keys])
        count, size = database.execute(
            "SELECT count(*), coalesce(sum(size), 0) FROM resource WHERE cache = ?", (number,)
        ).fetchone()
        if count + len(bodies) > MOST_CACHED or size + sum(map(len, bodies)) > MOST_BYTES:
            raise refused(422, "too-costly", "CACHE_FULL", id=name[:64], limit=MOST_CACHED, size=MOST_BYTES >> 20)
        database.executemany(
            "INSERT INTO resource (cache, key, size, body) VALUES (?, ?, ?, ?)",
            [(number, key, len(body), body) for key, body in zip(keys, bodies, strict=True)],
        )
        while database.execute("SELECT sum(size) FROM resource").fetchone()[0] > MOST_BYTES:
            database.execute("DELETE FROM cache WHERE number = (SELECT number FROM cache ORDER BY used LIMIT 1)")
