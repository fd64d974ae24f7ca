"""The files of ``ontonym add-terms`` and ``remove-terms``: tables, JSON lines, and annotated corpora (PubTator)."""

from __future__ import annotations

import csv
import getpass
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from ontonym.documents.pubtator import begins_pubtator
from ontonym.errors import FormatError
from ontonym.evaluate.texts import annotated_texts, first_line
from ontonym.files.source import open_source
from ontonym.index import AddedTerm
from ontonym.text.normalization import tokens

COLUMNS = MappingProxyType(
    {
        "id": ("id", "concept_id", "concept", "code", "curie"),
        "text": ("text", "term", "name", "synonym", "mention"),
        "count": ("count", "frequency"),
        "who": ("who", "author"),
        "when": ("when", "date"),
        "why": ("why", "comment"),
    }
)
"""The columns of a table, each with the headers that name it."""

SHOWN = 5


@dataclass(slots=True)
class TermFile:
    """The terms of a file, counted: ``rows == terms + blank + malformed``, in PubTator ``+ sum(left_out)`` too.

    ``who`` and ``why`` are of rows that do not say it themselves; ``types`` keeps mentions of a corpus by their type.
    For ``removal`` a row may be an id alone: all terms of that concept. Raises FormatError for a file that is none of
    these, and under ``strict`` for a malformed row.
    """

    path: str
    who: str = ""
    why: str = ""
    types: tuple[str, ...] = ()
    strict: bool = False
    removal: bool = False
    rows: int = 0
    blank: int = 0
    malformed: int = 0
    examples: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def terms(self) -> list[AddedTerm]:
        """All terms of the file."""
        if begins_pubtator(first_line(self.path)):
            read = self._corpus()
        elif Path(self.path.removesuffix(".gz")).suffix.lower() in (".jsonl", ".ndjson"):
            read = self._json_lines()
        else:
            read = self._table()
        return [replace(term, who=term.who or self.who, why=term.why or self.why) for term in read]

    def _corpus(self) -> Iterator[AddedTerm]:
        """The mentions of one concept each."""
        found, left_out = annotated_texts([self.path], self.types)
        self.malformed = left_out.pop("malformed", 0)
        self.left_out.update(left_out)
        self.rows = len(found) + sum(left_out.values()) + self.malformed
        self.why = self.why or f"annotated in {Path(self.path).name}"
        for text, concept_id in found:
            yield AddedTerm(concept_id, text)

    def _json_lines(self) -> Iterator[AddedTerm]:
        for number, line in enumerate(open_source(self.path).lines(), 1):
            self.rows += 1
            if not line.strip():
                self.blank += 1
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                self._bad(number, f"not JSON ({error})")
                continue
            if isinstance(row, dict):
                yield from self._term(number, row)
            else:
                self._bad(number, "not an object")

    def _table(self) -> Iterator[AddedTerm]:
        """CSV or TSV with a header, or a text and an id on each line with a tab between."""
        lines = open_source(self.path).lines()
        first = next(lines, "")
        dialect = csv.excel_tab if "\t" in first else csv.excel
        try:
            header = [cell.strip().lower() for cell in next(csv.reader([first], dialect), [])]
            places = {name: place for name, place in _places(header) if place is not None}
            if "id" in places and ("text" in places or self.removal):
                yield from self._rows(csv.reader((f"{line}\n" for line in lines), dialect), places, 1)
            elif "\t" in first and len(header) == 2:
                rows = csv.reader((f"{line}\n" for line in (first, *lines)), dialect, quoting=csv.QUOTE_NONE)
                yield from self._rows(rows, {"text": 0, "id": 1}, 0)
            else:
                wanted = "column id" if self.removal else "columns id and text"
                raise FormatError(
                    self.path, f"its first line names no {wanted}", line=1,
                    hint=f"Give a table with the {wanted} (count, who, when, why may follow), JSON lines, a text and "
                    "an id with a tab between, or a PubTator corpus",
                )  # fmt: skip
        except csv.Error as error:
            raise FormatError(self.path, f"not a table ({error})", line=self.rows + 1, hint="Fix the row") from None

    def _rows(self, rows: Iterable[list[str]], places: dict[str, int], before: int) -> Iterator[AddedTerm]:
        for number, row in enumerate(rows, before + 1):
            self.rows += 1
            if not any(cell.strip() for cell in row):
                self.blank += 1
                continue
            yield from self._term(number, {name: row[place] for name, place in places.items() if place < len(row)})

    def _term(self, number: int, row: dict[str, Any]) -> Iterator[AddedTerm]:
        told = {name: str(row.get(name) or "").strip() for name in COLUMNS}
        count = told.pop("count") or "1"
        if not told["id"]:
            self._bad(number, "no concept id")
        elif not tokens(told["text"]) and (told["text"] or not self.removal):
            self._bad(number, f"no letter or digit in the text {told['text']!r}" if told["text"] else "no text")
        elif not count.isdecimal() or not 1 <= int(count) < 1 << 31:
            self._bad(number, f"the count {count!r} is not a whole number from 1")
        else:
            yield AddedTerm(**told, count=int(count))

    def _bad(self, line: int, problem: str) -> None:
        if self.strict:
            raise FormatError(self.path, problem, line=line, hint="Fix the row, or run without --strict to skip it")
        self.malformed += 1
        if len(self.examples) < SHOWN:
            self.examples.append(f"{self.path}:{line}: {problem}")


def _places(header: list[str]) -> Iterator[tuple[str, int | None]]:
    for name, known in COLUMNS.items():
        yield name, next((header.index(one) for one in known if one in header), None)


def user() -> str:
    """Who works here, as the system has it; empty where it does not know."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
