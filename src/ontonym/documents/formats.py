"""The table of document formats, how each is detected, and the ways in and out: `DocumentFile`, `write_documents`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Protocol

from ontonym.documents.bioc import (
    begins_json,
    begins_xml,
    json_collection,
    read_bioc_json,
    read_bioc_xml,
    xml_collection,
)
from ontonym.documents.document import Document, Passage
from ontonym.documents.jsonl import read_json_lines
from ontonym.documents.pubtator import PubTatorWriter, begins_pubtator, read_pubtator
from ontonym.documents.rows import Input
from ontonym.documents.table import read_csv, read_parquet, read_sheet, read_tsv
from ontonym.documents.text import read_lines, read_texts
from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.files.counts import RowCounts
from ontonym.files.output import written_file
from ontonym.files.workbooks import BINARY, PARQUET, SHEET, other_sheets, workbook_and_sheet


class DocumentWriter(Protocol):
    """Writes one document after another."""

    def write(self, document: Document) -> None:
        """One document with all its mentions."""


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format: how it is read and, if it has whole documents with their text, written.

    A file is of this format if its name has one of ``endings``, or else if ``begins`` holds for its first line.
    ``writer`` takes a stream, and where the identifiers come from, which BioC states.
    """

    read: Callable[[Input], Iterator[Document]]
    endings: tuple[str, ...] = ()
    begins: Callable[[str], bool] = lambda first: False
    writer: Callable[[BinaryIO, str], AbstractContextManager[DocumentWriter]] | None = None
    written_endings: tuple[str, ...] = ()


def _pubtator_writer(stream: BinaryIO, source: str) -> AbstractContextManager[PubTatorWriter]:
    return nullcontext(PubTatorWriter(stream))


FORMATS = MappingProxyType(
    {
        "text": DocumentFormat(read_texts),
        "lines": DocumentFormat(read_lines),
        "csv": DocumentFormat(read_csv, (".csv",)),
        "tsv": DocumentFormat(read_tsv, (".tsv", ".tab")),
        "xlsx": DocumentFormat(read_sheet, BINARY[SHEET]),
        "parquet": DocumentFormat(read_parquet, BINARY[PARQUET]),
        "pubtator": DocumentFormat(
            read_pubtator, (), begins_pubtator, _pubtator_writer, (".pubtator", ".pubtator.txt")
        ),
        "bioc": DocumentFormat(read_bioc_xml, (".xml",), begins_xml, xml_collection, (".xml",)),
        "bioc-json": DocumentFormat(read_bioc_json, (), begins_json, json_collection, (".bioc.json",)),
        "jsonl": DocumentFormat(read_json_lines, (), lambda first: first.lstrip().startswith("{")),
    }
)
"""Every format by name, in the order in which a file is compared with them; ``text`` is a whole text."""

MENTION_FORMATS = tuple(name for name in FORMATS if name != "text")
"""The formats that mentions are read from."""

_BY_LINE = ("lines", "csv", "tsv", "jsonl")

COLUMNED = ("csv", "tsv", "xlsx", "parquet", "jsonl")
"""The formats that have columns."""

WHOLE = tuple(name for name, form in FORMATS.items() if form.writer is not None)
"""The formats that have whole documents, with their text, not only mentions."""

_JSON_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """How a file is read: ``format`` names one of `FORMATS`, None detects it by the file's ending and first line.

    ``column`` names the column of the text in a table (header or 1-based number), or its key in JSON lines. ``strict``
    stops at the first malformed row.
    """

    format: str | None = None
    column: str | None = None
    strict: bool = False


class DocumentFile:
    """The documents of a file with the mentions marked in them, or of standard input for ``-``; streamed once.

    In a format that has no documents each mention is one. With ``texts``, what is read are texts to find mentions in:
    marks are left out, each line or row of a format without documents is a text, and a file of no other format, or
    the text files of a folder, are texts as a whole; ``given`` is a text in place of a file. ``counts`` says what
    became of every row, and ``read`` how many documents there were.

    Raises FormatError for a file that cannot be read, and where the options are strict for a malformed row;
    UnknownNameError for an unknown format or column.
    """

    def __init__(
        self,
        path: Path | str,
        options: DocumentOptions = DocumentOptions(),
        *,
        texts: bool = False,
        given: str | None = None,
    ) -> None:
        format = options.format
        valid = tuple(FORMATS) if texts else MENTION_FORMATS
        if format is not None and format not in valid:
            raise UnknownNameError("format", format, valid)
        self._rows = Input(str(path), options.column, options.strict, texts, given)
        self._texts = texts
        self.read = 0
        folder = texts and given is None and Path(path).is_dir()
        if given is not None or (format is None and texts and (folder or self._rows.source is None)):
            format = "text"
        elif folder and format != "text":
            raise FormatError(path, "is a folder, of which only text files are read", hint="Name one file of it")
        self.format = format or _detected(self._rows)
        if format is None and texts and self.format == "lines":  # only where it is asked for is a line a document
            self.format = "text"

    @property
    def place(self) -> str:
        """What messages call the file."""
        return self._rows.place

    @property
    def counts(self) -> RowCounts:
        """What became of every row read so far."""
        return self._rows.counts

    @property
    def columns(self) -> tuple[str, ...]:
        """The header of a table, once its first row was read; empty for other formats."""
        return self._rows.columns

    @property
    def schema(self) -> Mapping[str, Any]:
        """The Arrow type of each column of a Parquet file, once its first row was read."""
        return self._rows.schema

    @property
    def left_out(self) -> tuple[str, ...]:
        """The sheets of a workbook that are not read, each as ``NAME.xlsx#SHEET``; empty for other formats."""
        return other_sheets(*self._rows.file) if self.format == SHEET else ()

    @property
    def has_documents(self) -> bool:
        """Whether the format has documents, with their text, and not mentions alone."""
        return self.format in WHOLE

    def check(self) -> None:
        """Reads a text file that is read line by line to its end, so that a fault there is known before hours of work.

        Raises FormatError as reading it does.
        """
        if self.format in _BY_LINE and self._rows.given is None and self._rows.source is not None:
            rows = Input(self._rows.path, self._rows.column, self._rows.strict, self._rows.whole)
            for document in FORMATS[self.format].read(rows):
                for mark in document.marks:
                    rows.keeps(mark)

    def __iter__(self) -> Iterator[Document]:
        for document in FORMATS[self.format].read(self._rows):
            marks = tuple(mark for mark in document.marks if self._rows.keeps(mark))
            if not (marks or document.passages or self.has_documents or (document.row is not None and not self._texts)):
                continue
            self.read += 1
            if not self._texts:
                yield document if len(marks) == len(document.marks) else replace(document, marks=marks)
            elif self.has_documents or document.passages:
                yield replace(document, marks=())
            else:
                yield Document(document.id, (Passage(marks[0].mention.text, 0),))


def _detected(rows: Input) -> str:
    """The format by the ending of the file, or of what is packed in it, else by its first line."""
    ending = workbook_and_sheet(rows.path)[0].suffix.lower()
    named = _ending_with(ending)
    if named is None and rows.source is not None:
        ending = Path(rows.source.name).suffix.lower()
        named = _ending_with(ending)
    if named is not None:
        return named
    if rows.column is not None and ending not in _JSON_LINES and not rows.first.lstrip().startswith("{"):
        return "tsv" if "\t" in rows.first else "csv"
    begun = (name for name, form in FORMATS.items() if form.begins(rows.first))
    return next(begun, "jsonl" if ending in _JSON_LINES else "lines")


def _ending_with(ending: str) -> str | None:
    """The format whose files have this ending, if one has."""
    return next((name for name, form in FORMATS.items() if ending in form.endings), None)


def read_documents(
    path: Path | str, *, format: str | None = None, column: str | None = None, strict: bool = False
) -> DocumentFile:
    """The documents of a file with the mentions marked in them; options as in `DocumentOptions`."""
    return DocumentFile(path, DocumentOptions(format, column, strict))


@contextmanager
def document_writer(path: Path | str | None, format: str, source: str = "") -> Iterator[DocumentWriter]:
    """Lends a writer to a file, which takes its place only when all went well; to standard output for None.

    ``source`` says in BioC where the identifiers come from. UnknownNameError for a format that is not in `WHOLE`.
    """
    writer = FORMATS[format].writer if format in FORMATS else None
    if writer is None:
        raise UnknownNameError("format of documents", format, WHOLE)
    with (
        nullcontext(sys.stdout.buffer) if path is None else written_file(path) as stream,
        writer(stream, source) as out,
    ):
        yield out


def written_format(path: Path | str) -> str | None:
    """The format of `WHOLE` that a file to be written has by its ending."""
    name = str(path).lower().removesuffix(".gz")
    return next((format for format in WHOLE if name.endswith(FORMATS[format].written_endings)), None)


def write_documents(
    path: Path | str, documents: Iterable[Document], *, format: str | None = None, source: str = ""
) -> None:
    """Writes documents with their marks, as BioC or PubTator; ``format`` None goes by the ending of the file.

    The identifier of a mention is that in its infons (`Mark.answered` puts it there). PubTator leaves out mentions
    without a place in the text. InputError where neither says the format.
    """
    format = format or written_format(path)
    if format is None:
        raise InputError(f"{path}: its ending is that of no format. Name one with `format=`: {', '.join(WHOLE)}")
    with document_writer(path, format, source) as writer:
        for document in documents:
            writer.write(document)
