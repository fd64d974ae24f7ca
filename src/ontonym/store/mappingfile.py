"""Mapping files as rows that keep their bytes: SSSOM TSV, so that what does not change can be written as it was."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ontonym.errors import FormatError
from ontonym.files.records import comments_of, unquoted
from ontonym.files.source import open_source
from ontonym.store.mappings.iris import BARE, escaped, expanded, split_id
from ontonym.store.mappings.rows import NO_TERM, denied
from ontonym.store.mappings.sssom import metadata_of
from ontonym.text.counting import count

NEEDED = ("subject_id", "predicate_id", "object_id")
"""The columns without which a row is no mapping."""


@dataclass(frozen=True, slots=True)
class MappingRow:
    """One row: its line, 1-based, its bytes with their line ending, and its cells by column as they are written.

    ``ids`` are those of ``subject`` and ``object`` as everywhere in ontonym, whatever the prefixes of the file.
    """

    line: int
    raw: bytes
    cells: dict[str, str]
    ids: Mapping[str, str]

    @property
    def denied(self) -> bool:
        """Whether it says that the mapping does not hold (``predicate_modifier`` Not)."""
        return denied(self.cells)

    @property
    def statement(self) -> str:
        """What the row says: ``X:1 skos:exactMatch T:1``, or ``X:1 not skos:exactMatch T:1``."""
        return f"{self.ids['subject']} {'not ' * self.denied}{self.cells['predicate_id']} {self.ids['object']}"

    @property
    def subject(self) -> str:
        """The subject's id."""
        return self.ids["subject"]

    @property
    def object(self) -> str:
        """The object's id, empty where the row says that nothing fits."""
        found = self.ids["object"]
        return "" if found == NO_TERM else found


class MappingFile:
    """A mapping file that is read once and walked as often as wanted; held in memory.

    ``head`` is all before the first row, with comments and header, ``columns`` are those of the header, ``facts`` what
    the comments say, and ``prefixes`` what prefixes stand for. Raises FormatError, with the line where there is one,
    for a file that is no SSSOM TSV.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lines = io.BytesIO(open_source(path).read()).readlines()
        place = next((n for n, line in enumerate(self._lines) if not line.startswith(b"#")), len(self._lines))
        self.facts = comments_of(self._text(place))
        self.prefixes = metadata_of(self._text(place))[1]
        if place == len(self._lines):
            raise FormatError(path, "no line with the names of columns", hint=_HINT)
        self.columns = tuple(unquoted(name).strip() for name in self._decoded(place).split("\t"))
        missing = [name for name in NEEDED if name not in self.columns]
        if missing:
            raise FormatError(path, f"no column {' and no column '.join(missing)}", line=place + 1, hint=_HINT)
        self._first = place + 1

    @property
    def head(self) -> bytes:
        """Comments and header, as they are."""
        return b"".join(self._lines[: self._first])

    def rows(self) -> Iterator[MappingRow]:
        """The rows in their order; FormatError for one with more cells than columns, or without an id."""
        for place in range(self._first, len(self._lines)):
            text = self._decoded(place)
            if not text.strip():
                continue
            fields = [unquoted(cell).strip() for cell in text.split("\t")] if '"' in text else text.split("\t")
            if len(fields) > len(self.columns):
                problem = f"{count(len(fields), 'cell')}, but there are {len(self.columns)} columns"
                raise FormatError(self.path, problem, line=place + 1, hint="Is there a tab inside a cell?")
            cells = dict(zip(self.columns, fields + [""] * (len(self.columns) - len(fields)), strict=True))
            for name in NEEDED:
                cells[name] = cells[name].strip()
                if not cells[name]:
                    raise FormatError(self.path, f"no {name}", line=place + 1, hint="Take the row out")
            ids = {end: expanded(cells[f"{end}_id"], self.prefixes) for end in ("subject", "object")}
            yield MappingRow(place + 1, self._lines[place], cells, ids)

    def written(self, id_: str) -> str:
        """An id as this file writes it."""
        bare = next((prefix for prefix, stands_for in self.prefixes.items() if stands_for == BARE), "")
        return f"{bare}:{escaped(id_)}" if bare and not split_id(id_)[0] else id_

    def _decoded(self, place: int) -> str:
        try:
            return self._lines[place].decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise FormatError(self.path, "not UTF-8 text", line=place + 1, hint="Save it as UTF-8") from None

    def _text(self, stop: int) -> str:
        return "\n".join(self._decoded(place) for place in range(stop))


_HINT = (
    f"Give SSSOM TSV with the columns {', '.join(NEEDED)}, which `export_mappings()` makes of every other format of "
    "mappings"
)
