"""XML read safely, as elements one by one: no entity is expanded, and a file that declares some is refused.

Nothing loads a DTD or touches the network. `ontonym.files.checkedxml` is for formats whose files declare entities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from lxml import etree

from ontonym.files.packing import AGAIN, Readable
from ontonym.files.source import Source

MAX_PROLOG = 1 << 20
"""Most bytes before the start tag of the root element."""

MAX_TAGS = 2_000_000
"""Most tags before the end of an element that is read."""

_STEP = 1 << 12
"""Bytes of the prolog that are read at once."""

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


def spaced_text(element: etree._Element) -> str:
    """The same with a space between the texts of elements that stand side by side."""
    return " ".join(" ".join(map(str, element.itertext())).split())


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
