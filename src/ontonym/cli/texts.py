"""Documents to annotate: text files, a folder of them, one document a line, tables, JSON lines, PubTator and BioC."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ontonym.cli.documents import Document
from ontonym.cli.mentions import FORMATS, STANDARD_INPUT, MentionFile, RowCounts
from ontonym.documents.passages import Passage
from ontonym.errors import FormatError, UnknownNameError
from ontonym.files.source import open_source

TEXT_FORMATS = ("text", *FORMATS)
"""Every input format of ``ontonym annotate``; ``text`` is one document."""

_TEXT_ENDINGS = (".txt", ".text", ".note")
_BOM = b"\xef\xbb\xbf"
_REENCODE = "Re-encode it, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW"


class TextFile:
    """The documents of a file, of the ``.txt`` files of a folder, or of standard input for ``-``, streamed.

    ``read`` counts the documents, and ``counts`` tells what became of every row; a text file is one row. Options and
    errors are those of `MentionFile`; a file of a folder that is no text is malformed, and an empty one skipped.
    """

    def __init__(self, path: str, *, format: str | None = None, column: str | None = None, strict: bool = False):
        if format is not None and format not in TEXT_FORMATS:
            raise UnknownNameError("format", format, TEXT_FORMATS)
        self.path = path
        self.read = 0
        self.folder = path != "-" and Path(path).is_dir()
        self._rows: MentionFile | None = None
        self.format = format or ("text" if self.folder or path == "-" else "")
        if self.folder and self.format != "text":
            raise FormatError(path, "is a folder, of which only text files are read", hint="Name one file of it")
        if self.format != "text":
            self._rows = MentionFile(path, format=format, column=column, strict=strict, whole=True)
            self.format = self._rows.format
            if format is None and self.format == "lines":  # only where it is asked for is a line a document
                self._rows, self.format = None, "text"
        self._strict = strict
        self._counts = RowCounts()

    @property
    def counts(self) -> RowCounts:
        """What became of every row."""
        return self._counts if self._rows is None else self._rows.counts

    @property
    def place(self) -> str:
        """What messages call the input."""
        return STANDARD_INPUT if self.path == "-" else self.path

    def documents(self) -> Iterator[Document]:
        """The documents; mentions that are marked in them already are left out."""
        for document in self._texts() if self._rows is None else self._rows.documents():
            self.read += 1
            if self._rows is None or self._rows.has_documents:
                yield Document(document.id, document.passages, (), document.infons)
            else:
                yield Document(document.id, (Passage(document.marks[0].mention.text, 0),))

    @property
    def has_rows(self) -> bool:
        """Whether every row is a document, skipped, or malformed."""
        return self._rows is None or not self._rows.has_documents

    def _texts(self) -> Iterator[Document]:
        if self.path == "-":
            data = sys.stdin.buffer.read()
            yield from self._one(STANDARD_INPUT, "-", data)
        elif not self.folder:
            source = open_source(self.path)
            yield from self._one(self.path, Path(source.name).name, source.read())
        else:
            yield from self._in_folder(Path(self.path))

    def _in_folder(self, folder: Path) -> Iterator[Document]:
        files = sorted(one for one in folder.rglob("*") if one.suffix.lower() in _TEXT_ENDINGS and one.is_file())
        if not files:
            raise FormatError(folder, f"no file in it ends with {', '.join(_TEXT_ENDINGS)}", hint="Name a file")
        for file in files:
            if not file.stat().st_size:
                self._counts.rows += 1
                self._counts.skip("empty")
                continue
            try:
                data = open_source(file).read()
                yield from self._one(str(file), file.relative_to(folder).as_posix(), data)
            except FormatError as error:
                if self._strict:
                    raise
                self._counts.rows += 1
                self._counts.note(str(error))

    def _one(self, place: str, name: str, data: bytes) -> Iterator[Document]:
        try:
            text = data.removeprefix(_BOM).decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise FormatError(place, "not UTF-8", line=line, hint=_REENCODE) from None
        self._counts.rows += 1
        if not text.strip():
            self._counts.skip("empty")
            return
        self._counts.mentions += 1
        yield Document(name, (Passage(text, 0),))
