"""A document: its passages of text with their offsets, and the mentions that are marked in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from ontonym.types import Mention

CharSpan = tuple[int, int]
"""Start and end in characters, the end exclusive."""

NIL = "-"
"""The identifier of a mention that no concept fits, as PubTator writes it."""

_NOTHING: Mapping[str, str] = MappingProxyType({})
_ANSWER = ("identifier", "confidence", "name", "nearest")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document that begins at ``offset``, in characters, by the count of its file.

    ``infons`` are BioC's notes by key; ``type`` among them is *title*, *abstract* and the like.
    """

    text: str
    offset: int
    infons: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mention as a file marks it; its ``start`` and ``end`` are offsets by the count of the file.

    ``infons`` are its notes by key: ``identifier`` has its concepts, ``name`` what these are called. ``places`` are its
    locations, several where it is in pieces. ``line`` is where it, or in JSON its document, begins in the file, and
    ``problem`` says what is wrong with it, if anything.
    """

    mention: Mention
    infons: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    places: tuple[CharSpan, ...] = ()
    line: int | None = None
    problem: str = ""

    def answered(
        self,
        identifier: str,
        confidence: float,
        name: str = "",
        context: tuple[str, ...] | None = None,
        *,
        nearest: str = "",
    ) -> Mark:
        """The mark with an answer in its notes, which replaces the one that they had.

        ``identifier`` is empty where no concept fits, and ``nearest`` then the best candidate's; ``context`` says how
        the text speaks of it (``negated``…).
        """
        infons = {key: text for key, text in self.infons.items() if key not in _ANSWER}
        if self.mention.type:
            infons["type"] = self.mention.type
        infons["identifier"] = identifier or NIL
        if name:
            infons["name"] = name
        if nearest:
            infons["nearest"] = nearest
        infons["confidence"] = f"{confidence:.4f}"
        return replace(self, infons=infons | dict.fromkeys(context or (), "true"))


@dataclass(frozen=True, slots=True)
class Document:
    """A document; ``offset`` and ``position`` convert between the offsets of its file and places in its ``text``.

    In a format of mentions without documents each mention is a document without a text; ``row`` are the cells of a
    row of a table.
    """

    id: str
    passages: tuple[Passage, ...] = ()
    marks: tuple[Mark, ...] = ()
    infons: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    row: tuple[Any, ...] | None = None

    @property
    def text(self) -> str:
        """The text of all passages, one line break between two."""
        return "\n".join(passage.text for passage in self.passages)

    @property
    def separated(self) -> str:
        """The text with a paragraph separator, which no name crosses, for each line break between two passages."""
        return "\u2029".join(passage.text for passage in self.passages)

    def position(self, offset: int) -> int | None:
        """The place in ``text`` of an offset of the file; None where it lies in no passage."""
        if not self.passages:
            return offset
        for start, passage in self._placed():
            if passage.offset <= offset <= passage.offset + len(passage.text):
                return start + offset - passage.offset
        return None

    def offset(self, position: int) -> int:
        """The offset in the file's count of a place in ``text``."""
        found = position
        for start, passage in self._placed():
            if start > position:
                break
            found = passage.offset + position - start
        return found

    def _placed(self) -> Iterator[tuple[int, Passage]]:
        """The passages, each with where it begins in the text."""
        start = 0
        for passage in self.passages:
            yield start, passage
            start += len(passage.text) + 1
