"""BioC in XML and JSON: documents of passages with annotated mentions, as PubMed Central and PubTator 3 give them.

Documents are streamed, whatever the size of the collection. In XML annotations lie in passages or in their sentences;
JSON may be a collection, several in a list, PubTator 3's export, or one document a line.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ontonym.errors import FormatError
from ontonym.ontology.release import Reading, ReadOptions
from ontonym.ontology.source import GuardedStream, Source
from ontonym.ontology.xml import iter_elements, line_of

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
    anything.
    """

    id: str
    text: str
    start: int | None
    end: int | None
    type: str
    line: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document: the text of its passages, each on lines of its own, and what is annotated in them."""

    id: str
    text: str
    annotations: tuple[Annotation, ...]


def xml_documents(source: Source) -> Iterator[Document]:
    """The documents of BioC XML; raises FormatError for what is not well-formed, or declares entities."""
    for element in iter_elements(source, Reading(ReadOptions()), ["document"]):
        texts = [_text(passage) for passage in element.iter("passage")]
        annotations = tuple(map(_from_element, element.iter("annotation")))
        yield Document(_child(element, "id"), "\n".join(filter(None, texts)), annotations)


def json_documents(source: Source) -> Iterator[Document]:
    """The documents of BioC JSON; raises FormatError for what is not JSON."""
    for line, value in _values(source):
        for document in _documents_in(value):
            passages = [one for one in _list(document.get("passages")) if isinstance(one, dict)]
            parts = [part for passage in passages for part in (passage, *_list(passage.get("sentences")))]
            annotations = [one for part in parts if isinstance(part, dict) for one in _list(part.get("annotations"))]
            texts = [str(passage.get("text") or "") or _joined(passage) for passage in passages]
            yield Document(
                str(document.get("id", "")),
                "\n".join(filter(None, texts)),
                tuple(_from_object(one, line) for one in annotations),
            )


def begins_json(first: str) -> bool:
    """Whether the first line of a file begins BioC JSON, rather than JSON lines or text."""
    return bool(_BEGINNING.fullmatch(first.strip())) or any(f'"{key}"' in first for key in _KEYS if first[:1] in "[{")


# XML -----------------------------------------------------------------------------------------------------------------


def _child(element: etree._Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _text(passage: etree._Element) -> str:
    """The passage's own text, or that of its sentences."""
    return passage.findtext("text") or " ".join(
        filter(None, (each.findtext("text") for each in passage.iter("sentence")))
    )


def _from_element(element: etree._Element) -> Annotation:
    infons = {each.get("key", ""): (each.text or "").strip() for each in element.findall("infon")}
    places = [(each.get("offset"), each.get("length")) for each in element.findall("location")]
    start, end, problem = _span(places)
    text = element.findtext("text") or ""
    return Annotation(
        str(element.get("id", "")), text, start, end, infons.get("type", ""), line_of(element) or 0, problem
    )


# JSON ----------------------------------------------------------------------------------------------------------------


def _from_object(found: Any, line: int) -> Annotation:
    if not isinstance(found, dict):
        return Annotation("", "", None, None, "", line, "an annotation that is not an object")
    infons = found.get("infons")
    kind = str(infons.get("type") or "") if isinstance(infons, dict) else ""
    places = [
        (each.get("offset"), each.get("length")) for each in _list(found.get("locations")) if isinstance(each, dict)
    ]
    start, end, problem = _span(places)
    return Annotation(str(found.get("id", "")), str(found.get("text") or ""), start, end, kind, line, problem)


def _span(places: list[tuple[Any, Any]]) -> tuple[int | None, int | None, str]:
    """From the first to the last character of all locations, and what is wrong with them."""
    try:
        spans = [(int(offset), int(offset) + int(length)) for offset, length in places]
    except (TypeError, ValueError):
        return None, None, "a location without a whole number as its offset and length"
    if not spans:
        return None, None, ""
    return min(start for start, _ in spans), max(end for _, end in spans), ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _joined(passage: dict[str, Any]) -> str:
    sentences = _list(passage.get("sentences"))
    return " ".join(str(each.get("text") or "") for each in sentences if isinstance(each, dict))


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
        return FormatError(self._source.label, problem, line=self.line, mend=_AGAIN)
