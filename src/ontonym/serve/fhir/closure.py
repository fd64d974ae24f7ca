"""$closure: tables of subsumption that grow as a client meets new concepts (FHIR R5, ConceptMap-closure)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ontonym.serve.fhir.concepts import CodeSystemContent
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.lookup import row_of
from ontonym.serve.fhir.outcomes import FhirJson, missing, refused
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.state import StateDatabase
from ontonym.serve.fhir.values import Arguments
from ontonym.text.numbers import whole_number

MOST_TABLES = 200
MOST_CONCEPTS = 10_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS closure (
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, version INTEGER NOT NULL,
    used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS concept (
    closure INTEGER NOT NULL REFERENCES closure ON DELETE CASCADE, system TEXT NOT NULL, code TEXT NOT NULL,
    UNIQUE (closure, system, code));
CREATE TABLE IF NOT EXISTS relation (
    closure INTEGER NOT NULL REFERENCES closure ON DELETE CASCADE, version INTEGER NOT NULL, system TEXT NOT NULL,
    below TEXT NOT NULL, above TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS of_closure ON relation (closure, version);
"""

Relations = Sequence[tuple[str, str, str]]
"""The url of a code system, a code, and one above it."""

Codes = dict[str, list[str]]
"""Codes by the url of their code system."""


class Closures:
    """The closure tables of a server, by name; the one that was not used for longest goes when there are too many.

    ``place`` is the file in which worker processes share them; without it they are those of this process.
    """

    def __init__(self, place: Path | None = None) -> None:
        self._database = StateDatabase(place, _SCHEMA)

    def answer(self, library: Library, arguments: Arguments, settings: Settings) -> FhirJson:
        """The ConceptMap with what is new in a table.

        A name alone starts the table anew; with ``version`` everything since that version is given again. Raises
        FhirError where the table, its version, a code system or a code is unknown.
        """
        name = arguments.string("name")
        if not name:
            raise missing("name, the name of the closure table")
        since = arguments.string("version")
        codings = [value for value in arguments.values("concept") if isinstance(value, dict)]
        if not codings and not since:
            with self._database.transaction() as database:
                _start(database, name)
            return _map(name, 0, [])
        systems = _systems(library, settings, codings)
        while True:  # what is new is found while others may write; it counts if the table is still as it was
            with self._database.transaction() as database:
                number, version = _used(database, name)
                again = _relations_since(database, number, version, since, name)
                held = _held(database, number)
            if not codings:
                return _map(name, version, again)
            added = _added(held, codings)
            if sum(map(len, held.values())) + sum(map(len, added.values())) > MOST_CONCEPTS:
                raise refused(422, "too-costly", "TOO_MANY", count=len(codings), what="concepts", limit=MOST_CONCEPTS)
            new = [one for url in added for one in _relations(url, systems[url], held.get(url, []), added[url])]
            with self._database.transaction() as database:
                if _is_at(database, number, version):
                    _write(database, number, version + 1, added, new)
                    return _map(name, version + 1, [*again, *new])


def _start(database: sqlite3.Connection, name: str) -> None:
    database.execute("DELETE FROM closure WHERE name = ?", (name,))
    database.execute(
        "INSERT INTO closure (name, version, used) SELECT ?, 0, coalesce(max(used), 0) + 1 FROM closure", (name,)
    )
    database.execute(
        "DELETE FROM closure WHERE number NOT IN (SELECT number FROM closure ORDER BY used DESC LIMIT ?)",
        (MOST_TABLES,),
    )


def _systems(library: Library, settings: Settings, codings: Sequence[FhirJson]) -> dict[str, CodeSystemContent]:
    """The code systems of codings by url. Raises FhirError where one is unknown, or a code of theirs."""
    systems: dict[str, CodeSystemContent] = {}
    for coding in codings:
        url = str(coding.get("system", ""))
        if url not in systems:
            version, _ = settings.version("system", url, "")
            found = library.system(url, version)
            if found is None:
                raise refused(404, "not-found", "UNKNOWN_CODESYSTEM", detail="not-found", system=url)
            systems[url] = found
        row_of(systems[url], str(coding.get("code", "")))
    return systems


def _used(database: sqlite3.Connection, name: str) -> tuple[int, int]:
    """The number and the version of a table, which counts as used now. Raises FhirError (404) where there is none."""
    found = database.execute("SELECT number, version FROM closure WHERE name = ?", (name,)).fetchone()
    if found is None:
        raise refused(404, "not-found", "CLOSURE_NAME", name=name)
    database.execute("UPDATE closure SET used = (SELECT max(used) + 1 FROM closure) WHERE number = ?", found[:1])
    return int(found[0]), int(found[1])


def _is_at(database: sqlite3.Connection, number: int, version: int) -> bool:
    """Whether a table is still there, in that version."""
    asked = "SELECT 1 FROM closure WHERE number = ? AND version = ?"
    return database.execute(asked, (number, version)).fetchone() is not None


def _relations_since(database: sqlite3.Connection, number: int, last: int, since: str, name: str) -> Relations:
    """What a table got after a version; nothing for an empty one. FhirError (400) where it had no such version."""
    if not since:
        return []
    version = whole_number(since)
    if version is None or version > last:
        raise refused(400, "invalid", "CLOSURE_VERSION", name=name, version=since, last=last)
    return database.execute(
        "SELECT system, below, above FROM relation WHERE closure = ? AND version > ? ORDER BY rowid", (number, version)
    ).fetchall()


def _held(database: sqlite3.Connection, number: int) -> Codes:
    held: Codes = {}
    for url, code in database.execute("SELECT system, code FROM concept WHERE closure = ? ORDER BY rowid", (number,)):
        held.setdefault(url, []).append(code)
    return held


def _added(held: Codes, codings: Sequence[FhirJson]) -> Codes:
    """The codes of codings that a table does not hold yet."""
    there = {url: set(codes) for url, codes in held.items()}
    added: Codes = {}
    for coding in codings:
        url, code = str(coding.get("system", "")), str(coding.get("code", ""))
        if code not in there.setdefault(url, set()):
            there[url].add(code)
            added.setdefault(url, []).append(code)
    return added


def _relations(
    url: str, system: CodeSystemContent, held: Sequence[str], added: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """What added codes have above and below them among those before; held ones may have left the system."""
    codes = [*(code for code in held if system.row(code) is not None), *added]
    rows = np.fromiter((row_of(system, code) for code in codes), np.int64, len(codes))
    for at in range(len(codes) - len(added), len(codes)):
        row, before = int(rows[at]), rows[:at]
        other = before != row
        yield from ((url, codes[at], codes[place]) for place in np.flatnonzero(system.above(row)[before] & other))
        yield from ((url, codes[place], codes[at]) for place in np.flatnonzero(system.below(row)[before] & other))


def _write(database: sqlite3.Connection, number: int, version: int, added: Codes, new: Relations) -> None:
    """Writes a table's new version."""
    database.executemany(
        "INSERT INTO concept VALUES (?, ?, ?)", [(number, url, code) for url, codes in added.items() for code in codes]
    )
    database.execute("UPDATE closure SET version = ? WHERE number = ?", (version, number))
    database.executemany(
        "INSERT INTO relation VALUES (?, ?, ?, ?, ?)", [(number, version, *relation) for relation in new]
    )


def _map(name: str, version: int, relations: Relations) -> FhirJson:
    groups: dict[str, dict[str, list[str]]] = {}
    for url, below, above in relations:
        groups.setdefault(url, {}).setdefault(below, []).append(above)
    result: FhirJson = {
        "resourceType": "ConceptMap",
        "name": name,
        "version": str(version),
        "status": "active",
        "experimental": True,
        "date": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    }
    if groups:
        result["group"] = [
            {
                "source": url,
                "target": url,
                "element": [
                    {
                        "code": below,
                        "target": [{"code": code, "relationship": "source-is-narrower-than-target"} for code in above],
                    }
                    for below, above in elements.items()
                ],
            }
            for url, elements in groups.items()
        ]
    return result
