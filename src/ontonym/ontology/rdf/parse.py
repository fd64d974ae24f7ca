"""RDF files, recognized and parsed into triples: RDF/XML, Turtle, N-Triples and JSON-LD, through pyoxigraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from types import MappingProxyType
from typing import Literal, Protocol

import pyoxigraph as ox

from ontonym.files.checkedxml import CheckedXml
from ontonym.files.jsontext import check_json
from ontonym.files.packing import AGAIN_OR_TELL
from ontonym.files.source import Source
from ontonym.ontology.rdf.names import OWL, RDF, SKOS
from ontonym.ontology.rdf.triples import Triples
from ontonym.ontology.release import ReleaseLog

Serialization = Literal["RDF/XML", "Turtle", "JSON-LD", "OWL/XML"]
"""How a file writes its triples. N-Triples are Turtle too. OWL/XML is not RDF; `read_owlxml` makes triples of it."""

_PROLOG = re.compile(
    r"""(?>\s+ | <\?.*?\?> | <!--.*?-->
        | <!DOCTYPE (?>[^\[>"']+ | "[^"]*" | '[^']*')*+ (?>\[ (?><!--.*?--> | "[^"]*" | '[^']*' | [^\]"'])*+ \]\s*)? >
        )*+""",
    re.DOTALL | re.VERBOSE,
)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)[\s>]")
_TURTLE = re.compile(
    r"""\s* (?:\#[^\n]*\n\s*)*
        (?: @?prefix\s+[\w.-]*:\s*< | @?base\s*< | (?:<[^<>\s]*>|_:\S+)\s+(?:a|<[^<>\s]*>)\s+[<_"] )""",
    re.IGNORECASE | re.VERBOSE,
)
_JSON_LD = re.compile(r"\s*[\[{].*?\"@(?:context|graph|id|type)\"\s*:", re.DOTALL)
_SKOS_TYPES = re.compile(r"[:#<\"](?:Concept|ConceptScheme)\b(?!:)")
_OWL_TYPES = re.compile(r"[:#<\"](?:Class|AnnotationProperty|ObjectProperty|DatatypeProperty|Restriction)\b")
_FORMATS = MappingProxyType(
    {"RDF/XML": ox.RdfFormat.RDF_XML, "Turtle": ox.RdfFormat.TURTLE, "JSON-LD": ox.RdfFormat.JSON_LD}
)
TripleReader = Callable[[Source, Triples, int], None]
"""Adds the triples of a file that is not RDF; the number separates the blank nodes of different documents."""

_BOM = b"\xef\xbb\xbf"
_NESTED = re.compile(rb"(?:[\[(]\s*){1000}")


def serialization(head: str) -> Serialization | None:
    """The serialization of a file that begins with ``head``; None if it is neither RDF nor OWL/XML."""
    if head.lstrip().startswith("<"):
        prolog = _PROLOG.match(head)
        root = _ROOT.match(head, prolog.end() if prolog else 0)
        if root is not None and root[1] == "RDF" and RDF in head:
            return "RDF/XML"
        if root is not None and root[1] == "Ontology" and OWL in head:
            return "OWL/XML"
    if _TURTLE.match(head):
        return "Turtle"
    return "JSON-LD" if _JSON_LD.match(head) else None


def is_owl(head: str) -> bool:
    """Whether a file that begins so is an ontology: OWL/XML, or RDF that speaks of OWL more than of SKOS concepts."""
    written = serialization(head)
    return written == "OWL/XML" or (written is not None and OWL in head and not is_skos(head))


def is_skos(head: str) -> bool:
    """Whether a file that begins so is a SKOS vocabulary: RDF with more SKOS concepts than OWL classes."""
    if serialization(head) in {None, "OWL/XML"} or SKOS not in head:
        return False
    return OWL not in head or len(_SKOS_TYPES.findall(head)) > len(_OWL_TYPES.findall(head))


def read_triples(
    sources: Sequence[Source],
    log: ReleaseLog,
    role_of: Callable[[str], str],
    read_other: TripleReader | None = None,
) -> Triples:
    """The triples of all files whose predicate has a role; ``read_other`` parses OWL/XML where that is welcome.

    Raises:
        FormatError: a file that is none of these, or broken anywhere: after a syntax error nothing can be relied on.
    """
    triples = Triples(role_of)
    written: dict[str, None] = {}
    for document, source in enumerate(sources):
        form = serialization(source.head())
        if form is None or (form == "OWL/XML" and read_other is None):
            known = "RDF/XML, Turtle, N-Triples or JSON-LD" + (", or OWL/XML" if read_other is not None else "")
            return source.fail(1, f"not {known}", "Convert it, for example with ROBOT: robot convert")
        written[form] = None
        if form == "OWL/XML" and read_other is not None:
            read_other(source, triples, document)
        elif form == "JSON-LD":
            _add_json(source, triples, document)
        else:
            with source.open() as raw, _naming_faults(source, form):
                stream: _Readable = CheckedXml(source, raw) if form == "RDF/XML" else _Plain(source, raw)
                triples.add(_parse(stream, form, source), document)
    log.details["serializations"] = list(written)
    return triples


class _Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class _Plain:
    """A stream without its byte order mark; it refuses deep nesting, since the parser holds all of it."""

    def __init__(self, source: Source, stream: _Readable) -> None:
        self._source = source
        self._stream = stream
        self._begun = False

    def read(self, size: int = 1 << 16) -> bytes:
        data = self._stream.read(max(size, 3) if size >= 0 else 1 << 16)
        if not self._begun:
            self._begun = True
            data = data.removeprefix(_BOM) or self._stream.read(size)
        if _NESTED.search(data):
            self._source.fail(None, "lists or blank nodes more than 1,000 deep", "Is it really a release?")
        return data


class _ByLine:
    """A stream that gives no more than one line at a time, and so knows how far its reader has come."""

    def __init__(self, stream: _Readable) -> None:
        self._stream = stream
        self._rest = b""
        self.line = 0

    def read(self, size: int = 1 << 16) -> bytes:
        if not self._rest:
            self._rest = self._stream.read(1 << 16)
        end = self._rest.find(b"\n") + 1 or len(self._rest)
        data, self._rest = self._rest[:end][:size], self._rest[min(end, size) :]
        self.line += data.endswith(b"\n")
        return data


def _parse(stream: _Readable, form: str, source: Source) -> Iterator[ox.Quad]:
    # Lenient: an IRI with a space in it is a flaw of many releases, and costs us nothing.
    base = f"file:///{source.path.name.replace(' ', '_')}"
    return ox.parse(stream, format=_FORMATS[form], base_iri=base, lenient=True)  # type: ignore[arg-type]


def _add_json(source: Source, triples: Triples, document: int) -> None:
    """Adds a JSON-LD file, which cannot be streamed: its context may come last."""
    data = source.read()
    check_json(source, data)  # refuses deep nesting, which would break the parser below
    with _naming_faults(source, "JSON-LD"):
        triples.add(_parse(BytesIO(data), "JSON-LD", source), document)


@contextmanager
def _naming_faults(source: Source, form: str) -> Iterator[None]:
    """Turns the parser's errors into a FormatError with the line."""
    try:
        yield
    except SyntaxError as error:
        problem, line = str(error.msg), error.lineno
        if "LoadDocumentCallback" in problem:
            hint = "Put the context itself into the file where its address stands; nothing is fetched from elsewhere"
            source.fail(line, "the JSON-LD names a context at an address", hint)
        if line is None:
            line = _line_of_fault(source, form)
        source.fail(line, f"not valid {form} ({problem})", AGAIN_OR_TELL)
    except MemoryError:
        source.fail(None, "a single value of more than 16 MB", "Is it really a release?")


def _line_of_fault(source: Source, form: str) -> int | None:
    """The line of a syntax error, which the parser does not give: found by parsing again, line by line."""
    if form != "RDF/XML":
        return None
    with source.open() as raw:
        lines = _ByLine(CheckedXml(source, raw))
        try:
            for _ in _parse(lines, form, source):
                pass
        except SyntaxError:
            return max(lines.line, 1)
    return None
