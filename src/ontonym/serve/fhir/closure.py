"""$closure: tables of subsumption that grow as a client meets new concepts (FHIR R5, ConceptMap-closure)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
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
        with self._database.transaction() as database:
            if not codings and not since:
                _start(database, name)
                return _map(name, 0, [])
            found = database.execute("SELECT number, version FROM closure WHERE name = ?", (name,)).fetchone()
            if found is None:
                raise refused(404, "not-found", "CLOSURE_NAME", name=name)
            number, version = found
            database.execute(
                "UPDATE closure SET used = (SELECT max(used) + 1 FROM closure) WHERE number = ?", (number,)
            )
            again: Relations = []
            if since:
                since_version = whole_number(since)
                if since_version is None or since_version > version:
                    raise refused(400, "invalid", "CLOSURE_VERSION", name=name, version=since, last=version)
                again = database.execute(
                    "SELECT system, below, above FROM relation WHERE closure = ? AND version > ? ORDER BY rowid",
                    (number, since_version),
                ).fetchall()
                if not codings:
                    return _map(name, version, again)
            new = _add(database, number, version + 1, _systems(library, settings, codings), codings)
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


def _add(
    database: sqlite3.Connection,
    number: int,
    version: int,
    systems: dict[str, CodeSystemContent],
    codings: Sequence[FhirJson],
) -> list[tuple[str, str, str]]:
    """Adds concepts to a closure table; gives the relations that are new."""
    (held,) = database.execute("SELECT count(*) FROM concept WHERE closure = ?", (number,)).fetchone()
    if held + len(codings) > MOST_CONCEPTS:
        raise refused(422, "too-costly", "TOO_MANY", count=len(codings), what="concepts", limit=MOST_CONCEPTS)
    new: list[tuple[str, str, str]] = []
    for url, system in systems.items():
        asked = (str(one.get("code", "")) for one in codings if one.get("system", "") == url)
        known = database.execute("SELECT code FROM concept WHERE closure = ? AND system = ?", (number, url))
        codes = [code for (code,) in known.fetchall() if system.row(code) is not None]
        there = set(codes)
        added = [code for code in dict.fromkeys(asked) if code not in there]
        rows = np.fromiter((row_of(system, code) for code in (*codes, *added)), np.int64, len(codes) + len(added))
        for at, code in enumerate(added, len(codes)):
            row = int(rows[at])
            codes.append(code)
            before = rows[:at]
            other = before != row
            new += ((url, code, codes[place]) for place in np.flatnonzero(system.above(row)[before] & other))
            new += ((url, codes[place], code) for place in np.flatnonzero(system.below(row)[before] & other))
        database.executemany("INSERT INTO concept VALUES (?, ?, ?)", [(number, url, code) for code in added])
    database.execute("UPDATE closure SET version = ? WHERE number = ?", (version, number))
    database.executemany(
        "INSERT INTO relation VALUES (?, ?, ?, ?, ?)", [(number, version, *relation) for relation in new]
    )
    return new


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
