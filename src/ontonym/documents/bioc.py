"""BioC, XML and JSON: documents of passages with annotated mentions as PubMed Central and PubTator 3 give them.

Documents are streamed, whatever the size of the collection. In XML annotations lie in passages or in their sentences;
JSON may be a collection, several in a list, PubTator 3's export, or one document a line. What is written has the
passages and notes of the documents, and each mention with its own notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

from lxml import etree

from ontonym.documents.document import CharSpan, Document, Mark, Passage
from ontonym.documents.rows import STANDARD_INPUT, Input
from ontonym.errors import FormatError
from ontonym.files.cells import cell_text
from ontonym.files.jsontext import JsonScan
from ontonym.files.source import Source
from ontonym.files.xml import iter_elements, line_of
from ontonym.jsonbytes import json_bytes
from ontonym.text.strings import encodable
from ontonym.types import Mention

_OPENING = re.compile(r'\s*[\[{](?:(?!"passages").)*?"(?:documents|PubTator3)"\s*:\s*\[', re.DOTALL)
"""What comes before the first document of a collection."""
_ARRAY = re.compile(r'"(?:documents|PubTator3)"\s*:\s*\[')
_BEGINNING = re.compile(r"\[|\{|\[\s*\{.*")
_KEYS = ("passages", "documents", "PubTator3")
_WIDEST_GAP = 1000
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 cannot contain in any form."""
_REPLACEMENT = "\ufffd"


def begins_xml(first: str) -> bool:
    """Whether the first line of a file begins XML."""
    return first.lstrip().startswith(("<?xml", "<collection", "<!DOCTYPE"))


def begins_json(first: str) -> bool:
    """Whether the first line of a file begins BioC JSON, rather than JSON lines or text."""
    return bool(_BEGINNING.fullmatch(first.strip())) or any(f'"{key}"' in first for key in _KEYS if first[:1] in "[{")


def read_bioc_xml(rows: Input) -> Iterator[Document]:
    """The documents of a BioC XML file."""
    return _read(rows, xml_documents)


def read_bioc_json(rows: Input) -> Iterator[Document]:
    """The documents of a BioC JSON file."""
    return _read(rows, json_documents)


def _read(rows: Input, read: Callable[[Source], Iterator[Document]]) -> Iterator[Document]:
    if rows.source is None:
        raise FormatError(STANDARD_INPUT, "BioC is read from a file only", hint="Save it, and give the file's name")
    document = None
    for document in read(rows.source):
        yield document
    if document is None:
        raise FormatError(rows.place, "no document in it", hint="Is it BioC? `format=` names another format")


def xml_documents(source: Source) -> Iterator[Document]:
    """The documents of BioC XML; raises FormatError for what is not well-formed, or declares entities."""
    for element in iter_elements(source, ["document"]):
        passages: list[Passage] = []
        for passage in element.iter("passage"):
            start = _start(passage.findtext("offset"), passages)
            passages.append(Passage(_text(passage, start), start, _infons(passage)))
        document = Document(_stripped(element, "id"), tuple(passages), infons=_infons(element))
        yield _with_marks(document, map(_from_element, element.iter("annotation")))


def json_documents(source: Source) -> Iterator[Document]:
    """The documents of BioC JSON; raises FormatError for what is not JSON."""
    for line, value in _values(source):
        for found in _documents_in(value):
            passages: list[Passage] = []
            annotations: list[Any] = []
            for passage in _objects(found.get("passages")):
                start = _start(passage.get("offset"), passages)
                sentences = _objects(passage.get("sentences"))
                parts = [(_whole(each.get("offset")), str(each.get("text") or "")) for each in sentences]
                text = str(passage.get("text") or "") or laid_out(parts, start)
                passages.append(Passage(encodable(text), start, _notes(passage)))
                annotations += [one for part in (passage, *sentences) for one in _list(part.get("annotations"))]
            document = Document(_id(found), tuple(passages), infons=_notes(found))
            yield _with_marks(document, (_from_object(one, line) for one in annotations))


class _Annotation(NamedTuple):
    """An annotation as it stands in a file: ``locations`` are offsets and lengths; ``problem`` is what is wrong."""

    id: str
    text: str
    infons: Mapping[str, str]
    locations: list[tuple[Any, Any]]
    line: int
    problem: str = ""


def _with_marks(document: Document, annotations: Iterable[_Annotation]) -> Document:
    """The document with its annotations as marks."""
    text = document.text
    marks = []
    for one in annotations:
        places, misplaced = _spans(one.locations)
        start = min((start for start, _ in places), default=None)
        end = max((end for _, end in places), default=None)
        kind = one.infons.get("type", "")
        mention = Mention(one.text, f"{document.id}:{one.id}", document.id, start, end, kind, text)
        wrong = one.problem or misplaced
        marks.append(Mark(mention, one.infons, places, one.line, f"document {document.id}: {wrong}" if wrong else ""))
    return replace(document, marks=tuple(marks))


def _spans(locations: list[tuple[Any, Any]]) -> tuple[tuple[CharSpan, ...], str]:
    """Where each location begins and ends, and what is wrong with them."""
    try:
        return tuple((int(offset), int(offset) + int(length)) for offset, length in locations), ""
    except (TypeError, ValueError, OverflowError):
        return (), "a location without a whole number as its offset and length"


def _start(offset: Any, before: list[Passage]) -> int:
    """The offset of a passage as it is given, else one after the end of the passage before."""
    given = _whole(offset)
    if given is not None:
        return given
    return before[-1].end + 1 if before else 0


def _whole(value: Any) -> int | None:
    try:
        return max(0, int(value))
    except (TypeError, ValueError, OverflowError):
        return None


def laid_out(parts: Sequence[tuple[int | None, str]], start: int) -> str:
    """Sentences, each with its offset, as one text that begins at ``start``; a space where the offset says nothing."""
    text = ""
    for offset, sentence in parts:
        gap = 1 if offset is None else offset - start - len(text)
        text += (" " * gap if 0 <= gap <= _WIDEST_GAP else " ") * bool(text) + sentence
    return text


# XML -----------------------------------------------------------------------------------------------------------------


def _stripped(element: etree._Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _infons(element: etree._Element) -> dict[str, str]:
    return {each.get("key", ""): (each.text or "").strip() for each in element.findall("infon")}


def _text(passage: etree._Element, start: int) -> str:
    """The passage's own text, or that of its sentences."""
    sentences = [(_whole(each.findtext("offset")), each.findtext("text") or "") for each in passage.iter("sentence")]
    return passage.findtext("text") or laid_out(sentences, start)


def _from_element(element: etree._Element) -> _Annotation:
    locations = [(each.get("offset"), each.get("length")) for each in element.findall("location")]
    text = element.findtext("text") or ""
    return _Annotation(str(element.get("id", "")), text, _infons(element), locations, line_of(element) or 0)


# JSON ----------------------------------------------------------------------------------------------------------------


def _from_object(found: Any, line: int) -> _Annotation:
    if not isinstance(found, dict):
        return _Annotation("", "", {}, [], line, "an annotation that is not an object")
    locations = [(each.get("offset"), each.get("length")) for each in _objects(found.get("locations"))]
    text = encodable(str(found.get("text") or ""))
    return _Annotation(_id(found), text, _notes(found), locations, line)


def _id(found: dict[str, Any]) -> str:
    """The id of an object, empty where it has none."""
    return "" if found.get("id") is None else encodable(str(found["id"]))


def _notes(found: dict[str, Any]) -> dict[str, str]:
    """The infons of an object that are a text, a number or a truth."""
    infons = found.get("infons")
    if not isinstance(infons, dict):
        return {}
    kept = {key: cell_text(value) for key, value in infons.items() if isinstance(value, str | int | float)}
    return {encodable(key): encodable(value) for key, value in kept.items()}


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
    with JsonScan.of(source) as scan:
        if not _OPENING.match(scan.buffer):
            while scan.next():
                yield scan.line, scan.value()
            return
        while scan.enter(_ARRAY):
            while (following := scan.next()) != "]":
                if not following:
                    raise scan.error("it ends in the middle of its documents")
                yield scan.line, scan.value()


# Writing -------------------------------------------------------------------------------------------------------------


class BioCXmlWriter:
    """Writes documents into a collection that is open in an lxml stream."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, document: Document) -> None:
        """One document with all its mentions."""
        shape = _shape(document)
        root = etree.Element("document")
        _child(root, "id", shape["id"])
        _add_infons(root, shape["infons"])
        for passage in shape["passages"]:
            element = etree.SubElement(root, "passage")
            _add_infons(element, passage["infons"])
            _child(element, "offset", str(passage["offset"]))
            _child(element, "text", passage["text"])
            for annotation in passage["annotations"]:
                mention = etree.SubElement(element, "annotation", id=_written(annotation["id"]))
                _add_infons(mention, annotation["infons"])
                for location in annotation["locations"]:
                    etree.SubElement(mention, "location", {key: str(value) for key, value in location.items()})
                _child(mention, "text", annotation["text"])
        self._file.write(root)
        self._file.write("\n")


class BioCJsonWriter:
    """Writes documents into the list of a collection, one on each line."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._written = 0

    def write(self, document: Document) -> None:
        """One document with all its mentions."""
        self._stream.write((b",\n" if self._written else b"\n") + json_bytes(_shape(document)))
        self._written += 1


@contextmanager
def xml_collection(stream: BinaryIO, source: str) -> Iterator[BioCXmlWriter]:
    """A BioC XML collection; ``source`` says in it where the identifiers come from."""
    with etree.xmlfile(stream, encoding="UTF-8") as file:
        file.write_declaration()
        file.write_doctype('<!DOCTYPE collection SYSTEM "BioC.dtd">')
        with file.element("collection"):
            for name, text in (("source", source), ("date", ""), ("key", "")):
                element = etree.Element(name)
                element.text = _written(text)
                file.write(element)
            file.write("\n")
            yield BioCXmlWriter(file)
    stream.write(b"\n")


@contextmanager
def json_collection(stream: BinaryIO, source: str) -> Iterator[BioCJsonWriter]:
    """A BioC JSON collection; ``source`` says in it where the identifiers come from."""
    head = {"source": source, "date": "", "key": "", "infons": {}}
    stream.write(json_bytes(head)[:-1] + b',"documents":[')
    yield BioCJsonWriter(stream)
    stream.write(b"\n]}\n")


def _shape(document: Document) -> dict[str, Any]:
    """A document as BioC JSON has it: each mention in the passage where it begins, without a place in the first."""
    passages = document.passages or (Passage("", 0),)
    found: list[list[dict[str, Any]]] = [[] for _ in passages]
    begun = [-1 if mark.mention.start is None else mark.mention.start for mark in document.marks]  # -1: in no passage
    holding = document.holding(begun, starts=True)
    for number, (mark, place) in enumerate(zip(document.marks, holding, strict=True), 1):
        mention, start = mark.mention, mark.mention.start
        places = mark.places or (() if start is None or mention.end is None else ((start, mention.end),))
        annotation = {
            "id": mention.id.removeprefix(f"{document.id}:") or str(number),
            "infons": {**({} if "type" in mark.infons or not mention.type else {"type": mention.type}), **mark.infons},
            "text": mention.text,
            "locations": [{"offset": start, "length": end - start} for start, end in places],
        }
        found[place or 0].append(annotation)
    shapes = [
        {
            "offset": passage.offset,
            "infons": dict(passage.infons),
            "text": passage.text,
            "sentences": [],
            "annotations": annotations,
            "relations": [],
        }
        for passage, annotations in zip(passages, found, strict=True)
    ]
    return {"id": document.id, "infons": dict(document.infons), "passages": shapes, "relations": []}


def _add_infons(parent: etree._Element, infons: Mapping[str, str]) -> None:
    for key, text in infons.items():
        etree.SubElement(parent, "infon", key=_written(key)).text = _written(text)


def _child(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = _written(text)


def _written(text: str) -> str:
    """The text with a replacement for each character that XML cannot contain, so that offsets stay."""
    return _NOT_XML.sub(_REPLACEMENT, text)
