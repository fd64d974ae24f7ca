"""A document: its passages of text with their offsets, and the mentions that are marked in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from types import MappingProxyType
from typing import Any

from ontonym.types import Mention

CharSpan = tuple[int, int]
"""Start and end in characters, the end exclusive."""

NIL = "-"
"""The identifier of a mention that no concept fits, as PubTator writes it."""

SEPARATORS = "\t\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What readers of lines and columns may take for an end of one."""

_NOTHING: Mapping[str, str] = MappingProxyType({})
_ANSWER = ("identifier", "confidence", "name", "nearest", "runner_up")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document that begins at ``offset``, in characters, by the count of its file.

    ``infons`` are BioC's notes by key; ``type`` among them is *title*, *abstract* and the like.
    """

    text: str
    offset: int
    infons: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.offset + len(self.text)


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
        further: Mapping[str, str] = _NOTHING,
    ) -> Mark:
        """The mark with an answer in its notes, which replaces the one that they had.

        ``identifier`` is empty where no concept fits, and ``nearest`` then the best candidate's; ``context`` says how
        the text speaks of it (``negated``…). ``further`` notes are added where they are not empty.
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
        infons |= {key: text for key, text in further.items() if text}
        return replace(self, infons=infons | dict.fromkeys(context or (), "true"))


@dataclass(frozen=True, slots=True)
class Document:
    """A document; ``offsets`` and ``positions`` convert between the offsets of its file and places in its ``text``.

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

    def positions(self, offsets: Iterable[int], *, starts: bool = False) -> list[int | None]:
        """The places in ``text`` of offsets of the file; None for one that lies in no passage.

        An offset between two passages without a gap is the end of the first, or with ``starts``, for offsets at which
        mentions start, the beginning of the second.
        """
        if not self.passages:
            return list(offsets)
        asked, placed = list(offsets), list(self._placed())
        found: list[int | None] = []
        for offset, place in zip(asked, self.holding(asked, starts=starts), strict=True):
            start, passage = placed[place or 0]
            found.append(None if place is None else start + offset - passage.offset)
        return found

    def holding(self, offsets: Iterable[int], *, starts: bool = False) -> list[int | None]:
        """For each offset of the file the place among `passages` of the first that holds it; None where none does.

        Both ends belong to a passage; with ``starts`` one that goes on after the offset is preferred.
        """
        asked, passages = list(offsets), self.passages
        coming = sorted(range(len(passages)), key=lambda place: passages[place].offset, reverse=True)
        ending: list[int] = []  # heaps of those that began: the first that has not ended yet is on top
        going_on: list[int] = []
        found: dict[int, int | None] = {}
        for offset in sorted(set(asked)):
            while coming and passages[coming[-1]].offset <= offset:
                place = coming.pop()
                heappush(ending, place)
                heappush(going_on, place)
            while ending and passages[ending[0]].end < offset:
                heappop(ending)
            while going_on and passages[going_on[0]].end <= offset:
                heappop(going_on)
            best = going_on if starts and going_on else ending
            found[offset] = best[0] if best else None
        return [found[offset] for offset in asked]

    def places(self, spans: Iterable[tuple[int | None, int | None]]) -> list[tuple[int | None, int | None]]:
        """Where spans of the file start and end in ``text``, as in `positions`; None is the offset 0."""
        known = [(start or 0, end or 0) for start, end in spans]
        starts = self.positions((start for start, _ in known), starts=True)
        return list(zip(starts, self.positions(end for _, end in known), strict=True))

    def offsets(self, positions: Iterable[int]) -> list[int]:
        """The offsets in the file's count of places in ``text``."""
        placed = list(self._placed())
        if not placed:
            return list(positions)
        starts = [start for start, _ in placed]
        found = [(position, placed[bisect_right(starts, position) - 1]) for position in positions]
        return [passage.offset + position - start for position, (start, passage) in found]

    def _placed(self) -> Iterator[tuple[int, Passage]]:
        """The passages, each with where it begins in the text."""
        start = 0
        for passage in self.passages:
            yield start, passage
            start += len(passage.text) + 1
