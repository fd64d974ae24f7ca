"""Plain text: a mention on each line, or whole texts, one in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ontonym.documents.document import Document, Mark, Passage
from ontonym.documents.rows import STANDARD_INPUT, Input
from ontonym.errors import FormatError
from ontonym.files.counts import MalformedRow
from ontonym.files.source import OTHER_ENCODINGS, Source, open_source
from ontonym.types import Mention

_ENDINGS = (".txt", ".text", ".note")
_BOM = b"\xef\xbb\xbf"
_REENCODE = f"Re-encode it, for example: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW {OTHER_ENCODINGS}"


def read_lines(rows: Input) -> Iterator[Document]:
    """One mention a line, called by the number of the line."""
    for number, line in enumerate(rows.lines, 1):
        yield Document(str(number), marks=(Mark(Mention(rows.cut(line), str(number)), line=number),))


def read_texts(rows: Input) -> Iterator[Document]:
    """The text of a file or of standard input, or of each text file of a folder, called by its path in the folder.

    A row is a file. In a folder an empty file is skipped, and one that is not text is malformed.
    """
    if rows.given is not None:
        yield from _document(rows, "-", rows.given)
    elif rows.path != "-" and Path(rows.path).is_dir():
        yield from _read_folder(rows, Path(rows.path))
    elif rows.source is None:
        yield from _document(rows, "-", decoded(sys.stdin.buffer.read(), STANDARD_INPUT))
    else:
        yield from _document(rows, Path(rows.source.name).name, text_of(rows.source))


def _read_folder(rows: Input, folder: Path) -> Iterator[Document]:
    files = sorted(one for one in folder.rglob("*") if one.suffix.lower() in _ENDINGS and one.is_file())
    if not files:
        raise FormatError(folder, f"no file in it ends with {', '.join(_ENDINGS)}", hint="Name a file")
    for file in files:
        try:
            text = text_of(open_source(file)) if file.stat().st_size else ""
        except FormatError as error:
            if rows.strict:
                raise
            rows.counts.add_malformed(MalformedRow(str(file), error.line, error.problem, ""))
        else:
            yield from _document(rows, file.relative_to(folder).as_posix(), text)


def _document(rows: Input, name: str, text: str) -> Iterator[Document]:
    if text.strip():
        rows.counts.keep()
        yield Document(name, (Passage(text, 0),))
    else:
        rows.skip("empty")


def text_of(source: Source) -> str:
    """The whole text of a file, line breaks as they are and without a byte order mark; FormatError if not UTF-8."""
    return decoded(source.read(), source.label)


def decoded(data: bytes, place: str) -> str:
    """Bytes of UTF-8 as text, without a byte order mark; FormatError, with the line, where they are not."""
    try:
        return data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start:,}"
        raise FormatError(place, problem, line=line, hint=_REENCODE) from None
