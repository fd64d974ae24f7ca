"""Recognizes the files of an RRF release by their names, as RRF files have no header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ontonym.files.delimited import BlockTable
from ontonym.files.source import Source
from ontonym.ontology.release import ReleaseLog

FIELDS = {
    "CONSO": 18, "STY": 6, "REL": 16, "DEF": 8, "RANK": 4, "CUI": 7, "SAB": 25,
}  # fmt: skip
"""The tables that are read, and the number of their fields; RxNorm's retired ids (RXNCUI) have five."""

_NAME = re.compile(r"(MR|RXN)([A-Z]+)\.RRF$", re.IGNORECASE)
_CONSO_LINE = re.compile(r"(?:C\d{7}|\d+)\|[A-Z]{3}\|[PSsp]?\|[LS]?\d*\|(?:[^|\n]*\|){14}\r?\n")


@dataclass(frozen=True, slots=True)
class RrfFiles:
    """The files of a release by table; ``is_rxnorm`` says whose layout it has."""

    tables: dict[str, list[Source]]
    is_rxnorm: bool
    first: Source

    @property
    def prefix(self) -> str:
        """The prefix of concept ids, with what every id begins with."""
        return "RXNORM:" if self.is_rxnorm else "UMLS:C"

    @property
    def id_start(self) -> int:
        """How many characters of an id come before its number."""
        return 0 if self.is_rxnorm else 1

    @property
    def id_width(self) -> int:
        """The least digits of an id's number."""
        return 1 if self.is_rxnorm else 7

    def open(self, table: str, log: ReleaseLog) -> list[BlockTable]:
        """The files of one table, ready to be read; none where the release has none."""
        fields = 5 if table == "CUI" and self.is_rxnorm else FIELDS[table]
        sources = self.tables.get(table, [])
        return [BlockTable(source, log, delimiter=b"|", fields=fields, closed=True) for source in sources]


def is_rrf(head: str, name: str = "") -> bool:
    """Whether a file is named like those of UMLS and RxNorm, or begins like their names table."""
    return bool(_NAME.search(name) or _CONSO_LINE.match(head))


def sorted_files(sources: Sequence[Source], log: ReleaseLog) -> RrfFiles:
    """The files by table; raises ``FormatError`` where the names table is missing."""
    tables: dict[str, list[Source]] = {}
    is_rxnorm = False
    unread = []
    for source in sources:
        named = _NAME.search(source.name)
        table = named[2].upper() if named else "CONSO"
        is_rxnorm |= bool(named and named[1].upper() == "RXN")
        tables.setdefault(table, []).append(source)
        if table not in FIELDS:
            unread.append(source.name)
    if "CONSO" not in tables:
        hint = "Give the folder META (RxNorm: rrf), or the zip it comes in"
        sources[0].fail(None, "no names table (MRCONSO.RRF or RXNCONSO.RRF)", hint)
    log.details["files_not_read"] = sorted(unread)
    log.used = tuple(source for table in FIELDS for source in tables.get(table, []))
    return RrfFiles(tables, is_rxnorm, tables["CONSO"][0])
