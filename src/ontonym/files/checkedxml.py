"""XML as checked bytes, for parsers that are not hardened themselves.

OWL files commonly abbreviate namespaces by entities of an internal DTD subset. Those keep working, but one that grows
or that names a file or an address does not. Nothing loads a DTD or touches the network.
"""

from __future__ import annotations

import re
from typing import NoReturn
from xml.parsers import expat

from ontonym.files.archive import MAX_EXPANSION
from ontonym.files.packing import AGAIN, Readable
from ontonym.files.source import Source
from ontonym.files.xml import MAX_PROLOG

MAX_ENTITY = 3 * MAX_EXPANSION
"""Most characters an entity may stand for: its shortest reference ``&a;`` has three, so a file at most grows by
``MAX_EXPANSION``, as a compressed one may."""

MAX_ENTITIES = 1024
"""Most entities that a file may declare."""

MAX_NESTING = 16
"""Most entities that refer to one another in a row."""

MAX_DEPTH = 10_000
"""Deepest nesting of elements. Real files nest tens of levels; a parser's time may grow with the square of it."""

SHORT_TAGS = 1_000_000
"""Most tags of a file whose tags have less than `_SHORT` bytes on average, with the text that follows them."""

_SHORT = 8

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
