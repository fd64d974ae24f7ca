"""XML read safely: as elements one by one, or as checked bytes for parsers that are not hardened themselves.

`iter_elements` expands no entity, and refuses a file that declares some. `CheckedXml` is for OWL files, which commonly
abbreviate namespaces by entities of an internal DTD subset: those keep working, but one that grows or that names a file
or an address does not. Nothing loads a DTD or touches the network."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn
from xml.parsers import expat

from lxml import etree

from ontonym.files.archive import MAX_EXPANSION
from ontonym.files.packing import AGAIN, Readable
from ontonym.files.source import Source

MAX_PROLOG = 1 << 20
"""Most bytes before the start tag of the root element."""

MAX_TAGS = 4_000_000
"""Most tags before the end of an element that is read."""

_STEP = 1 << 12
HARDENED: dict[str, Any] = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip


def iter_elements(source: Source, tags: Collection[str]) -> Iterator[etree._Element]:
    """The elements with one of ``tags`` as each ends, in the order of the file.

    A tag is ``name``, ``{namespace}name`` or ``{*}name``. An element is whole until the next one is asked for, then it
    is emptied and all before it is dropped, whatever its tag; one inside another element with one of ``tags`` stays
    until that one was yielded.

    Raises:
        FormatError: not well-formed XML (names the line), deeper than 256 elements or a text beyond 10 MB, or a
            document type with entity declarations. A document type that names a DTD is fine; it is not fetched.
    """
    has_doctype = _check_prolog(source)
    wanted = tuple(tags)
    with source.open() as stream:
        counted = _Tags(source, stream)
        parser = etree.iterparse(counted, events=("end",), tag=wanted, **HARDENED)
        with _naming_syntax_errors(source, parser):
            for _, element in parser:
                if has_doctype:
                    _refuse_references(source, element)
                yield element
                if next(element.iterancestors(*wanted), None) is None:
                    _drop(element)
                    counted.tags = 0


class _Tags:
    """A stream that counts tags, which all stay in memory until an element that is wanted has ended."""

    def __init__(self, source: Source, stream: Readable) -> None:
        self._source, self._stream = source, stream
        self.tags = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self.tags += data.count(b"<")
        if self.tags > MAX_TAGS:
            self._source.fail(None, f"more than {MAX_TAGS:,} tags that belong to one element", "Is the file whole?")
        return data


def plain_text(element: etree._Element | None) -> str:
    """The element's own text with white space made single; empty where there is no element."""
    return " ".join((element.text or "").split()) if element is not None else ""


def whole_text(element: etree._Element | None) -> str:
    """The text of the element and of all in it, with white space made single; empty where there is no element."""
    return " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""


def line_of(element: etree._Element) -> int | None:
    """The 1-based line on which the element begins, where it is known."""
    line: Any = element.sourceline
    return line if isinstance(line, int) else None


def _check_prolog(source: Source) -> bool:
    """Whether there is a document type declaration; raises for one that declares entities."""
    document: Any = _root(source).getroottree().docinfo
    subset = document.internalDTD
    if subset is not None and next(subset.iterentities(), None) is not None:
        problem = "the document type declares entities, which a terminology release has no need of"
        hint = "If you trust the file, write it anew with entities replaced: xmllint --noent --dropdtd FILE"
        source.fail(1, problem, hint)
    return bool(document.doctype)


def _root(source: Source) -> etree._Element:
    """The root element as of its start tag; little more than the prolog is parsed."""
    parser: Any = etree.XMLPullParser(events=("start",), **HARDENED)
    got = 0
    with source.open() as stream, _naming_syntax_errors(source, parser):
        while data := stream.read(_STEP):
            fault: etree.XMLSyntaxError | None = None
            try:
                parser.feed(data)
            except etree.XMLSyntaxError as error:
                fault = error  # it may lie behind the start tag, and what is before that is what we ask for
            started: tuple[str, etree._Element] | None = next(parser.read_events(), None)
            if started is not None:
                return started[1]
            if fault is not None:
                raise fault
            got += len(data)
            if got > MAX_PROLOG:
                source.fail(1, f"no element in the first {MAX_PROLOG:,} bytes", "Is it really XML?")
        parser.close()
    return source.fail(1, "no element in it", AGAIN)


def _refuse_references(source: Source, element: etree._Element) -> None:
    """Raises for a reference to an undefined entity: its text would be lost silently."""
    entities: Any = element.iter(etree.Entity)
    for entity in entities:
        hint = "Replace it by the character it stands for, or run: xmllint --noent --loaddtd FILE"
        source.fail(entity.sourceline, f"the entity {entity.text} is not defined in the file", hint)


def _drop(element: etree._Element) -> None:
    """Empties the element, and removes what precedes it and each of its ancestors."""
    element.clear()
    node: etree._Element | None = element
    while node is not None:
        parent = node.getparent()
        while parent is not None and node.getprevious() is not None:
            del parent[0]
        node = parent


@contextmanager
def _naming_syntax_errors(source: Source, parser: Any) -> Iterator[None]:
    try:
        yield
    except etree.XMLSyntaxError as error:
        line, problem = error.lineno, error.msg
        if not line:  # the first of several errors ended the parse, and only the parser's own log has it
            line, problem = next(((e.line, e.message) for e in parser.error_log), (0, problem))
        source.fail(line or None, f"not well-formed XML ({str(problem).strip()})", AGAIN)


MAX_ENTITY = 3 * MAX_EXPANSION
"""Most characters an entity may stand for: its shortest reference ``&a;`` has three, so a file at most grows by
``MAX_EXPANSION``, as a compressed one may."""
MAX_ENTITIES = 1024
MAX_NESTING = 16
MAX_DEPTH = 10_000
"""Deepest nesting of elements. Real files nest tens of levels; a parser's time may grow with the square of it."""
SHORT_TAGS = 1_000_000
_SHORT = 8
"""Most tags of a file whose tags have less than eight bytes on average, with the text that follows them."""

_BLOCK = 1 << 16
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_REFERENCE = re.compile(r"&([^#&;][^&;]*);")
_CHARACTER = re.compile(r"&#(x[0-9a-fA-F]{1,5}|[0-9]{1,6});")
_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_NOENT = "If you trust the file, write it anew with entities replaced: xmllint --noent --dropdtd FILE"


class CheckedXml:
    """A stream of the file's bytes whose document type, if any, holds nothing but flat entities.

    ``read`` raises ``FormatError``, with the line, for XML that is not well-formed, ends early, nests deeper than
    ``MAX_DEPTH``, is not UTF-8, or declares an entity that stands for markup or for more than ``MAX_ENTITY``
    characters. External entities and DTDs are never fetched: a reference to one is an undefined entity.
    """

    def __init__(self, source: Source, stream: Readable) -> None:
        self._source = source
        self._stream = stream
        self._parser = expat.ParserCreate()
        self._parser.XmlDeclHandler = self._check_encoding
        self._parser.EntityDeclHandler = self._declare
        self._parser.StartDoctypeDeclHandler = self._start_doctype
        self._parser.EndDoctypeDeclHandler = self._end_doctype
        self._parser.StartElementHandler = self._start_root
        self._entities: dict[str, str | None] = {}
        self._doctype: tuple[str, int] | None = None
        self._doctype_end = 0
        self._flat = b""
        self._in_prolog = True
        self._ended = False
        self._ahead: bytes | None = None
        self._pending = b""
        self._depth = 0
        self._tags = self._read = 0

    def read(self, size: int = _BLOCK) -> bytes:
        """Up to ``size`` bytes (any number where it is negative); empty at the end."""
        if self._ahead is None:
            self._ahead = self._read_prolog()
        if not self._ahead:
            self._ahead = self._checked()
        size = len(self._ahead) if size is None or size < 0 else size
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data

    def _checked(self) -> bytes:
        if self._ended:
            return b""
        data = self._stream.read(_BLOCK)
        self._ended = not data
        if data.startswith(_UTF16) and self._ahead is None:
            self._refuse_encoding("UTF-16")
        try:
            self._parser.Parse(data, not data)
        except expat.ExpatError as error:
            early = not data or error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
            problem = "the XML ends early" if early else "not well-formed XML"
            self._fail(f"{problem} ({expat.ErrorString(error.code)})", AGAIN, error.lineno)
        self._measure_depth(data)
        return data

    def _read_prolog(self) -> bytes:
        """The bytes up to and beyond the root's start tag, with the document type written anew."""
        read = b""
        while self._in_prolog:
            data = self._checked()
            read += data
            if not data:
                break
            if self._in_prolog and len(read) > MAX_PROLOG:
                self._fail(f"no element in the first {MAX_PROLOG:,} bytes", "Is it really XML?", 1)
        self._parser.StartElementHandler = None
        if self._doctype is not None:
            begin = read.rfind(b"<!DOCTYPE", 0, self._doctype[1] + 1)
            end = read.index(b">", self._doctype_end) + 1
            lines = b"\n" * read.count(b"\n", begin, end)
            read = read[:begin] + self._flat + lines + read[end:]
        return read.removeprefix(_BOM)

    def _flat_doctype(self, name: str) -> bytes:
        """A document type with every internal entity at its full value, and nothing else."""
        line = self._parser.CurrentLineNumber
        if len(self._entities) > MAX_ENTITIES:
            self._fail(f"{len(self._entities):,} entities declared, more than {MAX_ENTITIES:,}", _NOENT, line)
        flat: list[str] = []
        for entity in self._entities:
            value = self._resolve(entity, ())
            if value is None or entity in _PREDEFINED:
                continue
            escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace("%", "&#37;").replace('"', "&#34;")
            flat.append(f'<!ENTITY {entity} "{escaped}">')
        return f"<!DOCTYPE {name} [{''.join(flat)}]>".encode()

    def _resolve(self, entity: str, within: tuple[str, ...]) -> str | None:
        """What the entity stands for; None where it is external or not declared."""
        if entity in _PREDEFINED:
            return _PREDEFINED[entity]
        value = self._entities.get(entity)
        if value is None:
            return None
        line = self._parser.CurrentLineNumber
        if "<" in value:
            self._fail(f"the entity {entity} stands for markup", _NOENT, line)
        if len(value) > _BLOCK:
            self._refuse_growth(entity, line)
        if entity in within or len(within) > MAX_NESTING:
            self._fail(f"the entity {entity} refers to itself, or through too many others", _NOENT, line)
        for inner in set(_REFERENCE.findall(value)):
            part = self._resolve(inner, (*within, entity))
            if part is None:
                self._fail(f"the entity {entity} refers to {inner}, which is not defined in the file", _NOENT, line)
            grown = len(value) + (len(part) - len(inner) - 2) * value.count(f"&{inner};")
            if grown > MAX_ENTITY:
                self._refuse_growth(entity, line)
            # Resolved ampersands are hidden from further passes, so that text is never taken for a reference.
            value = value.replace(f"&{inner};", part.replace("&", "\0"))
        if len(value) > MAX_ENTITY:
            self._refuse_growth(entity, line)
        value = _CHARACTER.sub(_character, value).replace("\0", "&")
        self._entities[entity] = value.replace("&", "&amp;").replace("<", "&lt;")
        return value

    def _refuse_growth(self, entity: str, line: int) -> NoReturn:
        self._fail(f"the entity {entity} stands for more than {MAX_ENTITY} characters", _NOENT, line)

    def _measure_depth(self, data: bytes) -> None:
        text = self._pending + data
        self._pending = text[-1:] if text[-1:] in (b"<", b"/") else b""
        text = text[: len(text) - len(self._pending)]
        other = text.count(b"<!") + text.count(b"<?") + text.count(b"/>") + 2 * text.count(b"</")
        tags = text.count(b"<")
        self._tags += tags
        self._read += len(text)
        if self._tags > SHORT_TAGS and self._read < _SHORT * self._tags:
            self._fail(f"{self._tags:,} tags of hardly a character each", "Is it really a release?", 1)
        self._depth += tags - other
        if self._depth > MAX_DEPTH:
            problem = f"elements nested deeper than {MAX_DEPTH:,}"
            self._fail(problem, "Is it really a release?", self._parser.CurrentLineNumber)

    def _check_encoding(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding and encoding.lower() not in _UTF8:
            self._refuse_encoding(encoding)

    def _refuse_encoding(self, encoding: str) -> NoReturn:
        name = self._source.path.name
        hint = f'iconv -f {encoding} -t UTF-8 {name} > {name}.utf8, and write encoding="UTF-8" in its first line'
        self._fail(f"the XML is in {encoding} where UTF-8 is needed", hint, 1)

    def _declare(
        self,
        name: str,
        is_parameter: bool,
        value: str | None,
        base: str | None,
        system_id: str | None,
        public_id: str | None,
        notation: str | None,
    ) -> None:
        if not is_parameter:
            self._entities.setdefault(name, value)

    def _start_doctype(self, name: str, system_id: str | None, public_id: str | None, has_subset: bool) -> None:
        self._doctype = (name, self._parser.CurrentByteIndex)

    def _end_doctype(self) -> None:
        self._doctype_end = self._parser.CurrentByteIndex
        if self._doctype is not None:
            self._flat = self._flat_doctype(self._doctype[0])  # now, before the parser expands any

    def _start_root(self, name: str, attributes: dict[str, str]) -> None:
        self._in_prolog = False

    def _fail(self, problem: str, hint: str, line: int) -> NoReturn:
        self._source.fail(line, problem, hint)


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16) if code.startswith("x") else int(code))
