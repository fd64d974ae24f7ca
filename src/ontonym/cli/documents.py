"""Documents as files give and take them: passages of text with their offsets, and the mentions marked in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ontonym.tasks.explain import MentionExplanation
from ontonym.types import Hit, Mention

Span = tuple[int, int]

NOTHING: Mapping[str, str] = MappingProxyType({})
_WIDEST_GAP = 1000


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document; it begins at ``offset``, in characters, by the count of its file.

    ``infons`` are BioC's notes by key; ``type`` among them is *title*, *abstract* and the like.
    """

    text: str
    offset: int
    infons: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mention as a file marks it: its notes, and by the offsets of the file its parts, several where it is broken."""

    mention: Mention
    infons: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    places: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document; ``offset`` and ``position`` change between the offsets of its file and places in its ``text``."""

    id: str
    passages: tuple[Passage, ...] = ()
    marks: tuple[Mark, ...] = ()
    infons: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def text(self) -> str:
        """The text of all passages, one line break between two."""
        return joined(self.passages)

    @property
    def parted(self) -> str:
        """The text with a paragraph separator for each line break between two passages, beyond which nothing goes."""
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
        start = 0
        for passage in self.passages:
            yield start, passage
            start += len(passage.text) + 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A mention with its concept, as it is written; ``id`` is None for NIL.

    ``context`` says how the text speaks of it (``negated``…), ``explanation`` why it has its concept or none; None
    where nobody looked. A composite mention has ``parts``, one for each name it stands for.
    """

    mention: Mention
    id: str | None
    confidence: float
    candidates: tuple[Hit, ...]
    context: tuple[str, ...] | None = None
    infons: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    places: tuple[Span, ...] = ()
    parts: tuple[Entry, ...] = ()
    explanation: MentionExplanation | None = None

    @property
    def identifier(self) -> str:
        """The id, or those of a composite's parts with ``|`` between them; empty for NIL."""
        return "|".join(part.id for part in self.parts if part.id is not None) or self.id or ""

    @property
    def hit(self) -> Hit | None:
        """The candidate that is the answer."""
        return next((hit for hit in self.candidates if hit.id == self.id), None)


def joined(passages: tuple[Passage, ...]) -> str:
    """The text of passages, one line break between two."""
    return "\n".join(passage.text for passage in passages)


def laid_out(parts: list[tuple[int | None, str]], start: int) -> str:
    """Sentences, each with its offset, as one text that begins at ``start``; a space where the offset says nothing."""
    text = ""
    for offset, sentence in parts:
        gap = 1 if offset is None else offset - start - len(text)
        text += (" " * gap if 0 <= gap <= _WIDEST_GAP else " ") * bool(text) + sentence
    return text


def sound(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which no file can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()
