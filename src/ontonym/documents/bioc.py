"""Reading BioC, XML and JSON: documents of passages with annotated mentions as PubMed Central and PubTator 3 give them.

Documents are streamed, whatever the size of the collection. In XML annotations lie in passages or in their sentences;
JSON may be a collection, several in a list, PubTator 3's export, or one document a line.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ontonym.documents.passages import NOTHING, Passage, Span, joined, laid_out, sound
from ontonym.errors import FormatError
from ontonym.files.source import GuardedStream, Source
from ontonym.files.xml import iter_elements, line_of

_AGAIN = "Download or write the file again"
_OPENING = re.compile(r'\s*[\[{](?:(?!"passages").)*?"(?:documents|PubTator3)"\s*:\s*\[', re.DOTALL)
"""What comes before the first document of a collection."""
_ARRAY = re.compile(r'"(?:documents|PubTator3)"\s*:\s*\[')
_BEGINNING = re.compile(r"\[|\{|\[\s*\{.*")
_KEYS = ("passages", "documents", "PubTator3")
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Annotation:
    """A mention: ``start`` and ``end`` are offsets in the document, None where none is given; ``text`` may be empty.

    ``line`` is where it, or in JSON its document, begins in the file. ``problem`` says what is wrong with it, if
    anything. ``infons`` are its notes by key, and ``places`` its locations, several where it is broken.
    """

    id: str
    text: str
    start: int | None
    end: int | None
    type: str
    line: int
    problem: str = ""
    infons: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    places: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its passages, and what is annotated in them."""

    id: str
    passages: tuple[Passage, ...]
    annotations: tuple[Annotation, ...]
    infons: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def text(self) -> str:
        """The text of its passages, each on lines of its own."""
        return joined(self.passages)


def xml_documents(source: Source) -> Iterator[Document]:
    """The documents of BioC XML; raises FormatError for what is not well-formed, or declares entities."""
    for element in iter_elements(source, ["document"]):
        passages: list[Passage] = []
        for passage in element.iter("passage"):
            start = _start(passage.findtext("offset"), passages)
            passages.append(Passage(_text(passage, start), start, _infons(passage)))
        annotations = tuple(map(_from_element, element.iter("annotation")))
        yield Document(_child(element, "id"), tuple(passages), annotations, _infons(element))


def json_documents(source: Source) -> Iterator[Document]:
    """The documents of BioC JSON; raises FormatError for what is not JSON."""
    for line, value in _values(source):
        for document in _documents_in(value):
            passages: list[Passage] = []
            annotations: list[Any] = []
            for passage in _objects(document.get("passages")):
                start = _start(passage.get("offset"), passages)
                sentences = _objects(passage.get("sentences"))
                parts = [(_whole(each.get("offset")), str(each.get("text") or "")) for each in sentences]
                text = str(passage.get("text") or "") or laid_out(parts, start)
                passages.append(Passage(sound(text), start, _notes(passage)))
                annotations += [one for part in (passage, *sentences) for one in _list(part.get("annotations"))]
            yield Document(
                sound(str(document.get("id", ""))),
                tuple(passages),
                tuple(_from_object(one, line) for one in annotations),
                _notes(document),
            )


def _start(offset: Any, before: list[Passage]) -> int:
    """The offset of a passage as it is given, else one after the end of the passage before."""
    given = _whole(offset)
    if given is not None:
        return given
    return before[-1].offset + len(before[-1].text) + 1 if before else 0


def _whole(value: Any) -> int | None:
    try:
        return max(0, int(value))
    except (TypeError, ValueError, OverflowError):
        return None


def begins_json(first: str) -> bool:
    """Whether the first line of a file begins BioC JSON, rather than JSON lines or text."""
    return bool(_BEGINNING.fullmatch(first.strip())) or any(f'"{key}"' in first for key in _KEYS if first[:1] in "[{")


# XML -----------------------------------------------------------------------------------------------------------------


def _child(element: etree._Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _infons(element: etree._Element) -> dict[str, str]:
    return {each.get("key", ""): (each.text or "").strip() for each in element.findall("infon")}


def _text(passage: etree._Element, start: int) -> str:
    """The passage's own text, or that of its sentences."""
    sentences = [(_whole(each.findtext("offset")), each.findtext("text") or "") for each in passage.iter("sentence")]
    return passage.findtext("text") or laid_out(sentences, start)


def _from_element(element: etree._Element) -> Annotation:
    infons = _infons(element)
    places, problem = _spans([(each.get("offset"), each.get("length")) for each in element.findall("location")])
    text = element.findtext("text") or ""
    return Annotation(
        str(element.get("id", "")), text, *_ends(places), infons.get("type", ""), line_of(element) or 0, problem,
        infons, places,
    )  # fmt: skip


# JSON ----------------------------------------------------------------------------------------------------------------


def _from_object(found: Any, line: int) -> Annotation:
    if not isinstance(found, dict):
        return Annotation("", "", None, None, "", line, "an annotation that is not an object")
    infons = _notes(found)
    places, problem = _spans([(each.get("offset"), each.get("length")) for each in _objects(found.get("locations"))])
    text = sound(str(found.get("text") or ""))
    kind = infons.get("type", "")
    return Annotation(sound(str(found.get("id", ""))), text, *_ends(places), kind, line, problem, infons, places)


def _notes(found: dict[str, Any]) -> dict[str, str]:
    """The infons of an object that are a text, a number or a truth."""
    infons = found.get("infons")
    if not isinstance(infons, dict):
        return {}
    return {sound(key): sound(str(value)) for key, value in infons.items() if isinstance(value, str | int | float)}


def _spans(places: list[tuple[Any, Any]]) -> tuple[tuple[Span, ...], str]:
    """Where each location begins and ends, and what is wrong with them."""
    try:
        return tuple((int(offset), int(offset) + int(length)) for offset, length in places), ""
    except (TypeError, ValueError, OverflowError):
        return (), "a location without a whole number as its offset and length"


def _ends(places: tuple[Span, ...]) -> tuple[int | None, int | None]:
    """From the first to the last character of all locations."""
    if not places:
        return None, None
    return min(start for start, _ in places), max(end for _, end in places)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _documents_in(value: Any) -> Iterator[dict[str, Any]]:
    """The documents in a value: itself, those of a collection, or of each in a list."""
    if isinstance(value, list):
        for one in value:
            yield from _documents_in(one)
    elif isinstance(value, dict) and "passages" in value:
        yield value
    elif isinstance(value, dict):
        yield from _documents_in([*_list(value.get("documents")), *_list(value.get("PubTator3"))])


def _values(source: Source) -> Iterator[tuple[int, Any]]:
    """The documents of all collections in a file, else its values one after another; with the line each begins on."""
    with source.open() as stream:
        text = _Text(source, stream)
        if not _OPENING.match(text.buffer):
            while text.next():
                yield text.line, text.value()
            return
        while text.enter(_ARRAY):
            while (following := text.next()) != "]":
                if not following:
                    raise text.error("it ends in the middle of its documents")
                yield text.line, text.value()


class _Text:
    """The text of a file, of which as much is in memory as the value being read."""

    def __init__(self, source: Source, stream: GuardedStream) -> None:
        self._source, self._stream = source, stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.buffer, self.line = "", 1
        self._place = 0
        self._more()

    def _more(self) -> bool:
        """Reads on; False at the end."""
        data = self._stream.read(_CHUNK)
        try:
            read = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise self.error("not UTF-8") from None
        self.buffer, self._place = self.buffer[self._place :] + read, 0
        return bool(data)

    def _pass(self, end: int) -> None:
        self.line += self.buffer.count("\n", self._place, end)
        self._place = end

    def enter(self, pattern: re.Pattern[str]) -> bool:
        """Goes behind the next match, and says whether there is one."""
        while not (found := pattern.search(self.buffer, self._place)):
            if not self._more():
                return False
        self._pass(found.end())
        return True

    def next(self) -> str:
        """The next character that is no space or comma, empty at the end."""
        while True:
            begins = _BETWEEN.match(self.buffer, self._place)
            self._pass(begins.end() if begins else self._place)
            if self._place < len(self.buffer):
                return self.buffer[self._place]
            if not self._more():
                return ""

    def value(self) -> Any:
        """The JSON value that begins here."""
        while True:
            try:
                found, end = _DECODER.raw_decode(self.buffer, self._place)
            except json.JSONDecodeError as error:
                within = error.pos - self._place
                if self._more():
                    continue
                self._pass(self._place + within)
                raise self.error(f"not JSON ({error.msg})") from None
            except RecursionError:
                raise self.error("nested too deeply") from None
            self._pass(end)
            return found

    def error(self, problem: str) -> FormatError:
        return FormatError(self._source.label, problem, line=self.line, hint=_AGAIN)
