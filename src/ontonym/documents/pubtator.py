"""PubTator: documents of a title and an abstract, and one line for each mention; read and written as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ontonym.documents.document import NIL, SEPARATORS, Document, Mark, Passage
from ontonym.documents.rows import Input, RowListener
from ontonym.types import Mention

_TEXT = re.compile(r"([^|\t]+)\|([ta])\|")
_MENTION = re.compile(r"([^|\t]+)\t(\d{1,12})\t(\d{1,12})\t([^\t]*)(?:\t([^\t]*))?(?:\t([^\t]*))?(?:\t([^\t]*))?")
_RELATION = re.compile(r"[^|\t]+\t(?![+-]?\d)[^\t]+\t[^\t]+\t")
"""A line whose second field is a word; where it is a number, it is a mention of which something is wrong."""
_KINDS = {"t": "title", "a": "abstract"}
_BREAKS = re.compile(f"[{SEPARATORS}]")
_NOT_IN_ID = re.compile(f"[|{SEPARATORS}]")


def begins_pubtator(first: str) -> bool:
    """Whether the first line of a file begins a PubTator document."""
    return bool(_TEXT.match(first))


def read_pubtator(rows: Input) -> Iterator[Document]:
    """The documents of a PubTator file."""
    return parse(rows.lines, rows)


def parse(lines: Iterable[str], listener: RowListener) -> Iterator[Document]:
    """The documents in lines of PubTator; ``listener`` gets all lines but the mentions.

    A document ends at a blank line, and where a title or another id begins. The infons of a mention have its ids as
    ``identifier``, and the names of its parts, where there are any, as ``name``. A document has no passage where
    mentions come without a text.
    """
    draft = _Draft()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            listener.skip("blank")
            yield from draft.taken()
        elif label := _TEXT.match(line):
            listener.skip("title or abstract")
            if label[2] == "t" or draft.id != label[1]:
                yield from draft.taken()
            draft.id = label[1]
            draft.add(line[label.end() :].rstrip("\n"), _KINDS[label[2]])
        elif row := _MENTION.match(line):
            if draft.id != row[1]:
                yield from draft.taken()
            draft.id = row[1]
            draft.rows.append((number, row))
        elif _RELATION.match(line):
            listener.skip("relation")
        else:
            listener.malformed(number, "expected document, start, end, text, type and id with tabs between, or a text")
    yield from draft.taken()


class _Draft:
    """A document while its lines are read."""

    def __init__(self) -> None:
        self.id = ""
        self.passages: list[Passage] = []
        self.rows: list[tuple[int, re.Match[str]]] = []

    def add(self, text: str, kind: str) -> None:
        start = self.passages[-1].offset + len(self.passages[-1].text) + 1 if self.passages else 0
        self.passages.append(Passage(text, start, {"type": kind}))

    def taken(self) -> Iterator[Document]:
        """The document, if there is one; the draft is empty then."""
        if self.passages or self.rows:
            text = Document(self.id, tuple(self.passages)).text
            yield Document(self.id, tuple(self.passages), tuple(_mark(number, row, text) for number, row in self.rows))
        self.id, self.passages, self.rows = "", [], []


def _mark(number: int, row: re.Match[str], passage: str) -> Mark:
    document, start, end, text, kind = row.groups(default="")[:5]
    infons = {key: value for key, value in (("identifier", row[6]), ("name", row[7])) if value is not None}
    mention = Mention(text, f"{document}:{start}-{end}", document, int(start), int(end), kind, passage)
    return Mark(mention, infons, line=number)


class PubTatorWriter:
    """Writes documents as PubTator.

    The title is the text up to its first line break, the abstract the rest with spaces for line breaks, so offsets are
    those of the text, and the words of a mention are those between them. ``placeless`` counts the mentions left out
    because their place is not known.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._written = 0
        self.placeless = 0

    def write(self, document: Document) -> None:
        """One document with all its mentions."""
        self._written += 1
        name = _NOT_IN_ID.sub("_", document.id).strip() or str(self._written)
        title, _, abstract = document.text.rstrip("\r\n").partition("\n")
        lines = [f"{name}|t|{_line(title)}", f"{name}|a|{_line(abstract)}"]
        placed = [mark for mark in document.marks if mark.mention.start is not None and mark.mention.end is not None]
        self.placeless += len(document.marks) - len(placed)
        places = document.places((mark.mention.start, mark.mention.end) for mark in placed)
        for mark, (start, end) in zip(placed, places, strict=True):
            mention = mark.mention
            if start is None or end is None:
                self.placeless += 1
                continue
            identifier = _line(mark.infons.get("identifier") or NIL)
            lines.append(f"{name}\t{start}\t{end}\t{_line(mention.text)}\t{_line(mention.type)}\t{identifier}")
        self._stream.write("".join(f"{line}\n" for line in [*lines, ""]).encode())


def _line(text: str) -> str:
    return _BREAKS.sub(" ", text)
