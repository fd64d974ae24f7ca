"""Mentions to normalize, from text lines, CSV, TSV, JSONL, PubTator or BioC; every row is accounted for."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import orjson

from ontonym.cli import pubtator
from ontonym.cli.documents import Document, Mark
from ontonym.documents import bioc
from ontonym.documents.bioc import begins_json, json_documents, xml_documents
from ontonym.errors import FormatError, UnknownNameError
from ontonym.files.source import Source, open_source
from ontonym.types import Mention

STANDARD_INPUT = "standard input"
SHOWN = 5

_ENDINGS = MappingProxyType({".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".xml": "bioc"})
_JSON_LINES = (".jsonl", ".ndjson")
_TEXT_COLUMNS = ("text", "mention", "name", "term", "query")


@dataclass(slots=True)
class RowCounts:
    """What became of every row: ``rows == mentions + sum(skipped.values()) + malformed``."""

    rows: int = 0
    mentions: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    malformed: int = 0
    examples: list[str] = field(default_factory=list)

    def skip(self, rule: str) -> None:
        """Counts a row that holds no mention."""
        self.skipped[rule] = self.skipped.get(rule, 0) + 1

    def note(self, problem: str) -> None:
        """Counts a malformed row, of which the first few are shown."""
        self.malformed += 1
        if len(self.examples) < SHOWN:
            self.examples.append(problem)


class MentionFile:
    """The mentions of a file, or of standard input for ``-``; iterating streams them once, ``counts`` tells the rest.

    ``format`` None tells the format by the file's ending and first line. ``column`` names the column of the text in a
    CSV or TSV file (header or 1-based number). ``whole`` keeps spaces around a text, so that places in it hold. Raises
    FormatError for a file that cannot be read, and under ``strict`` for a malformed row; UnknownNameError for an
    unknown format or column.
    """

    def __init__(
        self,
        path: str,
        *,
        format: str | None = None,
        column: str | None = None,
        strict: bool = False,
        whole: bool = False,
    ) -> None:
        if format is not None and format not in FORMATS:
            raise UnknownNameError("format", format, FORMATS)
        self.path = path
        self.column = column
        self.strict = strict
        self.whole = whole
        self.counts = RowCounts()
        self.source = None if path == "-" else open_source(path)
        self.lines: Iterator[str]
        if self.source:
            first, self.lines = _first(self.source.head().split("\n")), self.source.lines()
        else:
            lines = _typed()
            start: list[str] = []
            while not _first(start) and (line := next(lines, None)) is not None:
                start.append(line)
            first, self.lines = _first(start), chain(start, lines)
        self.format = format or self._tell(first)

    def __iter__(self) -> Iterator[Mention]:
        for document in self.documents():
            yield from (mark.mention for mark in document.marks)

    @property
    def has_documents(self) -> bool:
        """Whether the format has documents, with their text, and not mentions alone."""
        return self.format in DOCUMENT_FORMATS

    def documents(self) -> Iterator[Document]:
        """The documents with their mentions; in a format without documents one for each mention, without text."""
        if self.has_documents:
            yield from DOCUMENT_FORMATS[self.format](self)
            return
        for mention in MENTION_FORMATS[self.format](self, self.lines):
            yield Document(mention.document or mention.id, marks=(Mark(mention),))

    @property
    def place(self) -> str:
        """What messages call the file."""
        return STANDARD_INPUT if self.path == "-" else self.path

    def cut(self, text: str) -> str:
        """The text of a line or cell without the spaces around it, unless it is wanted whole."""
        return text if self.whole else text.strip()

    def _tell(self, first: str) -> str:
        ending = Path(self.path.removesuffix(".gz")).suffix.lower()
        if ending in _ENDINGS:
            return _ENDINGS[ending]
        if self.column is not None:
            return "tsv" if "\t" in first else "csv"
        if pubtator.begins_pubtator(first):
            return "pubtator"
        if first.lstrip().startswith(("<?xml", "<collection", "<!DOCTYPE")):
            return "bioc"
        if begins_json(first):
            return "bioc-json"
        return "jsonl" if ending in _JSON_LINES or first.lstrip().startswith("{") else "lines"

    def malformed(self, line: int, problem: str) -> None:
        """Counts a malformed row, or raises FormatError under ``strict``."""
        if self.strict:
            raise FormatError(self.place, problem, line=line, hint="Fix the row, or run without --strict to skip it")
        self.counts.note(f"{self.place}:{line}: {problem}")

    def mention(self, mention: Mention) -> Iterator[Mention]:
        """Counts and yields a mention, unless it is blank."""
        if mention.text.strip():
            self.counts.mentions += 1
            yield mention
        else:
            self.counts.skip("blank")


def _first(lines: Iterable[str]) -> str:
    """The first line that is not blank."""
    return next((line for line in lines if line.strip()), "")


def _typed() -> Iterator[str]:
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise FormatError(STANDARD_INPUT, "not UTF-8", line=number, hint="Convert it with iconv") from None


def _read_lines(file: MentionFile, lines: Iterable[str]) -> Iterator[Mention]:
    for number, line in enumerate(lines, 1):
        file.counts.rows += 1
        yield from file.mention(Mention(file.cut(line), str(number)))


def _read_jsonl(file: MentionFile, lines: Iterable[str]) -> Iterator[Mention]:
    """Objects with ``text``, and if they have them ``id``, ``document``, ``start``, ``end``, ``type``."""
    for number, line in enumerate(lines, 1):
        file.counts.rows += 1
        if not line.strip():
            file.counts.skip("blank")
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            file.malformed(number, f"not JSON ({error})")
            continue
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            file.malformed(number, 'not an object with a string "text"')
            continue
        start, end = (row[name] if isinstance(row.get(name), int) else None for name in ("start", "end"))
        document, kind, passage = (str(row.get(name) or "") for name in ("document", "type", "passage"))
        yield from file.mention(Mention(row["text"], str(row.get("id", number)), document, start, end, kind, passage))


def _pubtator_documents(file: MentionFile) -> Iterator[Document]:
    return pubtator.documents(file, file.lines)


def _bioc_documents(file: MentionFile) -> Iterator[Document]:
    return _annotated(file, xml_documents)


def _bioc_json_documents(file: MentionFile) -> Iterator[Document]:
    return _annotated(file, json_documents)


def _annotated(file: MentionFile, read: Callable[[Source], Iterator[bioc.Document]]) -> Iterator[Document]:
    """The documents with the annotated mentions; an id that is there already is not looked at."""
    if file.source is None:
        raise FormatError(STANDARD_INPUT, "BioC is read from a file only", hint="Save it, and give the file's name")
    document = None
    for document in read(file.source):
        text = document.text
        marks: list[Mark] = []
        for one in document.annotations:
            file.counts.rows += 1
            if one.problem:
                file.malformed(one.line, f"document {document.id}: {one.problem}")
                continue
            place = f"{document.id}:{one.id}"
            mention = Mention(one.text, place, document.id, one.start, one.end, one.type, text)
            marks += [Mark(kept, one.infons, one.places) for kept in file.mention(mention)]
        yield Document(document.id, document.passages, tuple(marks), document.infons)
    if document is None:
        raise FormatError(file.place, "no document in it", hint="Is it BioC? --format names another format")


class _Plain(csv.excel_tab):
    """TSV as it is exchanged: quotes mean nothing, so that ``5" wide`` is plain text."""

    quoting = csv.QUOTE_NONE


def _read_csv(file: MentionFile, lines: Iterable[str]) -> Iterator[Mention]:
    return _read_table(file, lines, csv.excel)


def _read_tsv(file: MentionFile, lines: Iterable[str]) -> Iterator[Mention]:
    return _read_table(file, lines, _Plain)


def _read_table(file: MentionFile, lines: Iterable[str], dialect: type[csv.Dialect]) -> Iterator[Mention]:
    """A column of a table; the first line is a header unless the column is given by its number."""
    reader = csv.reader((f"{line}\n" for line in lines), dialect)
    position: int | None = None
    try:
        for row in reader:
            if position is None:
                position, headed = _position(file, row)
                if headed:
                    continue
            file.counts.rows += 1
            if not row:
                file.counts.skip("blank")
            elif len(row) <= position:
                file.malformed(reader.line_num, f"only {len(row)} of at least {position + 1} columns")
            else:
                yield from file.mention(Mention(file.cut(row[position]), str(reader.line_num)))
    except csv.Error as error:
        raise FormatError(file.place, f"not a table ({error})", line=reader.line_num, hint="Fix the row") from None


def _position(file: MentionFile, first: list[str]) -> tuple[int, bool]:
    """The 0-based position of the text, and whether the first line is a header."""
    header = [cell.strip() for cell in first]
    if file.column is not None:
        if file.column in header:
            return header.index(file.column), True
        if file.column.isdecimal() and 1 <= int(file.column) <= len(header):
            return int(file.column) - 1, False
        raise UnknownNameError("column", file.column, header)
    folded = [name.lower() for name in header]
    named = next((folded.index(name) for name in _TEXT_COLUMNS if name in folded), None)
    if named is not None:
        return named, True
    if len(header) == 1:
        return 0, False
    hint = f"Say which column holds the text: --column NAME (or its number); there are {', '.join(header)}"
    raise FormatError(file.place, "several columns, and none is called text", line=1, hint=hint)


MENTION_FORMATS: MappingProxyType[str, Callable[[MentionFile, Iterable[str]], Iterator[Mention]]] = MappingProxyType(
    {
        "lines": _read_lines,
        "csv": _read_csv,
        "tsv": _read_tsv,
        "jsonl": _read_jsonl,
    }
)
"""The input formats that have mentions without a document."""

DOCUMENT_FORMATS: MappingProxyType[str, Callable[[MentionFile], Iterator[Document]]] = MappingProxyType(
    {"pubtator": _pubtator_documents, "bioc": _bioc_documents, "bioc-json": _bioc_json_documents}
)
"""The input formats that have documents with mentions marked in them."""

FORMATS = (*MENTION_FORMATS, *DOCUMENT_FORMATS)
"""Every input format of ``ontonym normalize``."""
