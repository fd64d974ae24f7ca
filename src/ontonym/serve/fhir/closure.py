"""$closure: tables of subsumption that grow as a client meets new concepts (FHIR R5, ConceptMap-closure)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ontonym.serve.fhir.concepts import CodeSystemContent
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.lookup import row_of
from ontonym.serve.fhir.outcomes import FhirJson, refused
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.values import Arguments
from ontonym.text.numbers import whole_number

MOST_TABLES = 200
MOST_CONCEPTS = 10_000


@dataclass
class ClosureTable:
    """One closure table: its concepts, and the relations found at each version."""

    concepts: list[tuple[str, str]] = field(default_factory=list)
    relations: list[tuple[int, str, str, str]] = field(default_factory=list)
    version: int = 0


class Closures:
    """The closure tables of a server, by name; the one that was not used for longest goes when there are too many."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, ClosureTable] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, library: Library, arguments: Arguments, settings: Settings) -> FhirJson:
        """The ConceptMap with what is new in a table.

        A name alone starts the table anew; with ``version`` everything since that version is given again. Raises
        FhirError where the table, its version, a code system or a code is unknown.
        """
        name = arguments.string("name")
        if not name:
            raise refused(400, "invalid", "MISSING_PARAMETER", wanted="name, the name of the closure table")
        since = arguments.string("version")
        codings = [value for value in arguments.values("concept") if isinstance(value, dict)]
        with self._lock:
            if not codings and not since:
                self._start(name)
                return _map(name, 0, [])
            table = self._tables.get(name)
            if table is None:
                raise refused(404, "not-found", "CLOSURE_NAME", name=name)
            self._tables.move_to_end(name)
            if since:
                version = whole_number(since)
                if version is None or version > table.version:
                    raise refused(400, "invalid", "CLOSURE_VERSION", name=name, version=since, last=table.version)
                again = [relation for relation in table.relations if relation[0] > version]
                if not codings:
                    return _map(name, table.version, again)
            else:
                again = []
            new = _add(table, library, settings, codings)
            return _map(name, table.version, [*again, *new])

    def _start(self, name: str) -> None:
        self._tables[name] = ClosureTable()
        self._tables.move_to_end(name)
        while len(self._tables) > MOST_TABLES:
            self._tables.popitem(last=False)


def _add(
    table: ClosureTable, library: Library, settings: Settings, codings: list[FhirJson]
) -> list[tuple[int, str, str, str]]:
    if len(table.concepts) + len(codings) > MOST_CONCEPTS:
        raise refused(422, "too-costly", "TOO_MANY", count=len(codings), what="concepts", limit=MOST_CONCEPTS)
    systems: dict[str, CodeSystemContent] = {}
    added = []
    for coding in codings:
        url, code = str(coding.get("system", "")), str(coding.get("code", ""))
        if url not in systems:
            version, _ = settings.version("system", url, "")
            found = library.system(url, version)
            if found is None:
                raise refused(404, "not-found", "UNKNOWN_CODESYSTEM", detail="not-found", system=url)
            systems[url] = found
        row_of(systems[url], code)
        if (url, code) not in table.concepts and (url, code) not in added:
            added.append((url, code))
    table.version += 1
    new: list[tuple[int, str, str, str]] = []
    for url, code in added:
        system = systems[url]
        row = row_of(system, code)
        below, above = system.below(row), system.above(row)
        for other_url, other in table.concepts:
            other_row = system.row(other) if other_url == url else None
            if other_row is None or other_row == row:
                continue
            if above[other_row]:
                new.append((table.version, url, code, other))
            elif below[other_row]:
                new.append((table.version, url, other, code))
        table.concepts.append((url, code))
    table.relations.extend(new)
    return new


def _map(name: str, version: int, relations: list[tuple[int, str, str, str]]) -> FhirJson:
    groups: dict[str, dict[str, list[str]]] = {}
    for _, url, below, above in relations:
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
