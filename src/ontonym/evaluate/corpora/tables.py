"""Mentions with their concepts in a table (CSV, TSV, xlsx, Parquet): the layout for users' own gold data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import FormatError
from ontonym.evaluate.corpora.files import CorpusFiles, only
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions, GoldDocument, GoldMention, spans_of
from ontonym.files.records import DELIMITERS, fold_header, sample_lines, text_records
from ontonym.files.source import Source
from ontonym.ontology.xrefs import curie
from ontonym.types import Mention

COLUMNS = MappingProxyType(
    {
        "text": ("text", "mention", "term", "phrase", "query", "name", "label"),
        "ids": ("gold", "gold_id", "gold_ids", "concept_id", "concept_ids", "concept", "curie", "cui", "code", "codes"),
        "type": ("type", "semantic_type", "kind"),
        "document": ("document", "document_id", "doc", "doc_id", "note", "note_id", "pmid"),
        "start": ("start", "begin"),
        "end": ("end",),
        "passage": ("passage", "context", "sentence", "example"),
    }
)
"""The headers of each column, in lower case with ``_`` between words; the first one present counts."""

OWN_IDS = ("id", "ids", "identifier")
"""The gold ids if no column has one of their headers; else the mention's own id."""

_SEPARATOR = re.compile(r"\||\+(?=\w)")  # ICD-10 has codes that end with a +

_HINT = "The header needs a column text (or mention, term…) and one with the right ids: id (or gold, concept_id, cui…)"


class TableCorpus(Corpus):
    """The mentions of a table, one in each record below the header, with the right ids, separated by ``|``.

    A row is a record. Ids are CURIEs, or get ``default_prefix``; of ids joined by ``+`` any is right too. An empty cell
    and other words of `NIL_WORDS` say that no concept fits. ``passage`` is the text that ``start`` and ``end`` count
    in. Consecutive records of one ``document`` are one document, those of another passage of it one more with the same
    id; without that column each mention is one. Offsets that are not numbers, or do not point at the mention, are
    dropped and counted; with ``strict`` they make the row malformed.
    """

    nothing = ("no mention in it", _HINT)

    def _documents(self) -> Iterator[GoldDocument]:
        found: list[GoldMention] = []
        for gold in self._mentions():
            own, first = gold.mention, found[0].mention if found else gold.mention
            if own.document != first.document or own.passage not in ("", first.passage):
                yield GoldDocument(first.document, first.passage, tuple(found))
                found = []
            found.append(gold)
        if found:
            yield GoldDocument(found[0].mention.document, found[0].mention.passage, tuple(found))

    def _mentions(self) -> Iterator[GoldMention]:
        """The mentions of the rows; malformed rows are counted."""
        records = text_records(self.source.lines(), _delimiter(self.source) or ",")
        first = next(records, None)
        header = [fold_header(str(cell)) for cell in first.fields] if first is not None else []
        places = columns_of(header)
        if not {"text", "ids"} <= places.keys():
            raise FormatError(self.source.label, f"no column of texts, or none of ids, among {', '.join(header)}",
                              line=first.line if first is not None else None, hint=_HINT)  # fmt: skip
        for record in records:
            self.counts.rows += 1
            cells = [str(cell).strip() for cell in record.fields]
            row = {name: cells[place] for name, place in places.items() if place < len(cells)}
            if record.problem or len(cells) != len(header) or not row["text"]:
                right_number = len(cells) == len(header)
                expected = "no text" if right_number else f"expected {len(header)} columns, got {len(cells)}"
                problem = record.problem or expected
                self._malformed(self.source.label, record.line, problem)
            elif self._wanted(row.get("type", "")):
                yield self._mention(row, record.line or 0)

    def _mention(self, row: Mapping[str, str], line: int) -> GoldMention:
        """The mention of a row; places that do not point at its text are left out and counted."""
        text, passage = row["text"], row.get("passage", "")
        document = row.get("document") or str(line)
        name = row.get("own") or (f"{document}:{line}" if row.get("document") else document)
        mention = Mention(text, name, document, None, None, row.get("type", ""), passage)
        given = (row.get("start", ""), row.get("end", ""))
        if any(given):
            if spans := spans_of(given):
                mention = replace(mention, start=spans[0][0], end=spans[0][1])
            if mention.start is None or (passage and passage[mention.start : mention.end].split() != text.split()):
                if self.options.strict:
                    problem = f"start and end ({'-'.join(given)}) do not point at {text!r}"
                    self._malformed(self.source.label, line, problem)
                self.counts.without_offsets += 1
                mention = replace(mention, start=None, end=None)
        return GoldMention(mention, (self._ids(*gold_ids(row["ids"])),))


def gold_ids(cell: str) -> list[str]:
    """The ids of a cell, separated by ``|``, or by ``+`` before another id: those of a composite in PubTator files."""
    return [curie(one) for one in _SEPARATOR.split(cell) if one.strip()]


def columns_of(header: list[str]) -> dict[str, int]:
    """The positions of the columns of `COLUMNS` in a folded header, and of ``own``, the mention's own id."""
    places = {}
    for name, called in COLUMNS.items():
        known = [header.index(one) for one in called if one in header]
        if known:
            places[name] = known[0]
    own = [header.index(one) for one in OWN_IDS if one in header]
    if own:
        places["own" if "ids" in places else "ids"] = own[0]
    return places


def is_table(found: CorpusFiles) -> bool:
    """Whether a file begins with a header that has columns of texts and of ids."""
    return any(map(_delimiter, found.samples))


def _delimiter(source: Source) -> str:
    """The separator of a header with columns of texts and of ids; empty if the file does not begin with one."""
    lines = sample_lines(source.head())
    for delimiter in DELIMITERS:
        first = next(text_records(lines, delimiter), None)
        header = [fold_header(str(cell)) for cell in first.fields] if first is not None else []
        if {"text", "ids"} <= columns_of(header).keys():
            return delimiter
    return ""


def open_table(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The mentions of the only table."""
    source = only(found, lambda source: bool(_delimiter(source)), TableCorpus.nothing)
    return TableCorpus(Path(source.label), options, source)
