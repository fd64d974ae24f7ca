"""COMETA: laypeople's terms, each with an example and two SNOMED CT concepts, in several splits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ontonym.errors import FormatError
from ontonym.evaluate.corpora.files import CorpusFiles, chosen, first_line
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions, GoldDocument, GoldMention
from ontonym.files.records import fold_header, text_records
from ontonym.files.source import Source
from ontonym.types import Mention

LEVELS = ("general", "specific")
"""The meaning of a term taken literally, and in its example."""

_COLUMNS = ("id", "term", "example")


class CometaCorpus(Corpus):
    """The terms of one file of COMETA, with their general or specific concepts. A row is a line below the header.

    Each is a document, its text the example; a term that does not occur exactly once in its example has no offsets.
    """

    nothing = ("no term of COMETA in it", "The columns are ID, Term, General SNOMED ID, Specific SNOMED ID, Example…")

    def __init__(self, path: Path, options: CorpusOptions, source: Source, level: str) -> None:
        super().__init__(path, options, source)
        self._level = level

    def _documents(self) -> Iterator[GoldDocument]:
        records = text_records(self.source.lines(), "\t")
        header = [fold_header(str(cell)) for cell in next(records).fields]
        gold = f"{self._level}_snomed_id"
        if missing := [name for name in (*_COLUMNS, gold) if name not in header]:
            raise FormatError(self.source.label, f"no column {', '.join(missing)}", line=1, hint=self.nothing[1])
        for record in records:
            self.counts.rows += 1
            row = dict(zip(header, map(str, record.fields), strict=False))
            if record.problem or len(record.fields) != len(header) or not row["term"].strip():
                problem = record.problem or f"expected {len(header)} columns with a term, got {len(record.fields)}"
                self._malformed(self.source.label, record.line, problem)
            elif self._wanted(""):
                yield self._term(row, gold)

    def _term(self, row: dict[str, str], gold: str) -> GoldDocument:
        name, term, example = (row[column].strip() for column in _COLUMNS)
        places = [match.span() for match in re.finditer(re.escape(term), example, re.IGNORECASE)]
        start, end = places[0] if len(places) == 1 else (None, None)
        self.counts.without_offsets += start is None
        mention = Mention(term, name, name, start, end, "", example)
        return GoldDocument(name, example, (GoldMention(mention, (self._ids(row[gold]),)),))


def is_cometa(found: CorpusFiles) -> bool:
    """Whether a table has columns for general and for specific concepts."""
    return any(map(_is_table, found.samples))


def _is_table(source: Source) -> bool:
    header = {fold_header(cell) for cell in first_line(source).split("\t")}
    return {f"{level}_snomed_id" for level in LEVELS} <= header


def open_cometa(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The terms of one file: of ``stratified_general/test`` the general concepts, of ``…_specific/…`` the specific.

    If neither the file nor its folder says which, as for the random split, both can be chosen.
    """
    parts: dict[str, tuple[Source, str]] = {}
    for source in found.sources:
        if not _is_table(source):
            continue
        name = PurePosixPath(source.name).with_suffix("").as_posix()
        if not _level(name):
            name = f"{found.name_of('')}/{name}"
        level = _level(name)
        parts |= {name: (source, level)} if level else {f"{name}/{each}": (source, each) for each in LEVELS}
    return CometaCorpus(found.path, options, *chosen(found, parts, split, CometaCorpus.nothing))


def _level(name: str) -> str:
    """``general`` or ``specific`` if one of them is a word of a name, else empty."""
    words = {word for word in re.findall(r"[a-z]+", name.casefold()) if word in LEVELS}
    return words.pop() if len(words) == 1 else ""
