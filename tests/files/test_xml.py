from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.files.source import open_source
from ontonym.files.xml import iter_elements, plain_text, whole_text

Write = Callable[[str, str | bytes], Path]


def texts(path: Path, *tags: str) -> list[str]:
    return [whole_text(e) for e in iter_elements(open_source(path), tags)]


def test_elements_come_in_order_with_what_is_in_them(write: Write) -> None:
    path = write("a.xml", "<r><v>1</v><c>a <b>\n b</b><!-- no -->c<?pi no?></c><other>x</other><c>&amp;&#233;</c></r>")
    assert texts(path, "v", "c") == ["1", "a bc", "&é"]


def test_plain_text_stops_at_the_first_child(write: Write) -> None:
    source = open_source(write("a.xml", "<r><c> a\n b <i>no</i></c></r>"))
    assert [plain_text(e) for e in iter_elements(source, ["c"])] == ["a b"]
    assert plain_text(None) == whole_text(None) == ""


def test_tags_with_and_without_a_namespace(write: Write) -> None:
    path = write("a.xml", '<r xmlns="urn:x" xmlns:y="urn:y"><c>1</c><y:c>2</y:c><c xmlns="">3</c></r>')
    assert texts(path, "{urn:x}c") == ["1"]
    assert texts(path, "{*}c") == ["1", "2", "3"]
    assert texts(path, "c") == ["3"]


def test_an_inner_element_stays_in_the_outer_one(write: Write) -> None:
    assert texts(write("a.xml", "<r><c>1<d>2</d><d>3</d></c><d>4</d></r>"), "c", "d") == ["2", "3", "123", "4"]


def test_elements_are_emptied_and_those_before_them_dropped(write: Write) -> None:
    body = "".join(f"<junk>x</junk><g><c>{i}</c></g>\n" for i in range(20_000))
    source = open_source(write("a.xml", f"<r><before>{'<x/>' * 999}</before>{body}</r>"))
    elements = iter_elements(source, ["c"])
    sizes = [sum(1 for _ in e.getroottree().getroot().iter()) for e in elements if int(e.text or 0) % 1000 == 999]
    assert len(sizes) == 20
    assert max(sizes) < 4_000  # what 32 KiB of the file hold, of 60,000 elements in all


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1"])
def test_the_declared_encoding_is_read(write: Write, encoding: str) -> None:
    declaration = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    path = write("a.xml", f"{declaration}<r><c>Ménière</c></r>".encode(encoding))
    assert texts(path, "c") == ["Ménière"]


def test_a_document_type_that_names_a_dtd_is_not_fetched(write: Write, tmp_path: Path) -> None:
    write("x.dtd", "<!ENTITY e 'SECRET'>")
    text = '<!DOCTYPE r SYSTEM "x.dtd"><r><c>a</c></r>'
    assert texts(write("a.xml", text), "c") == ["a"]
    with pytest.raises(FormatError, match=r"b\.xml:1: the entity &e; is not defined in the file"):
        texts(write("b.xml", text.replace("a<", "a&e;<")), "c")
    external = text.replace("x.dtd", "http://127.0.0.1:9/x.dtd")
    assert texts(write("c.xml", external), "c") == ["a"]


@pytest.mark.parametrize(
    "subset",
    [
        '<!ENTITY e "x">',
        '<!ENTITY e SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;',
        '<!ENTITY a "lol">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1 or str()};" * 10}">' for i in range(1, 12)),
    ],
    ids=["internal", "external", "parameter", "bomb"],
)
def test_entity_declarations_are_refused(write: Write, subset: str) -> None:
    text = f"<!DOCTYPE r [{subset}]><r><c>a</c></r>"
    with pytest.raises(FormatError, match=r"a\.xml:1: the document type declares entities.+xmllint --noent"):
        texts(write("a.xml", text), "c")


def test_a_bomb_in_an_attribute_of_the_root_does_not_expand(write: Write) -> None:
    entities = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    with pytest.raises(FormatError, match=r"a\.xml:1: not well-formed XML"):
        texts(write("a.xml", f'<!DOCTYPE r [{entities}]><r x="&a11;"><c>a</c></r>'), "c")


def test_a_document_type_without_entities_is_fine(write: Write) -> None:
    assert texts(write("a.xml", "<!DOCTYPE r [<!ELEMENT r (c)><!ELEMENT c (#PCDATA)>]><r><c>a</c></r>"), "c") == ["a"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<r>\n<c>a</c>\n<c>b", r":3: not well-formed XML"),
        ("<r>\n<c>a</d></r>", r":2: not well-formed XML"),
        ("<r><c>a\x00</c></r>", r"NUL|not well-formed XML"),
        ("not xml at all", r":1: not well-formed XML"),
        ("<r><c>&e;</c></r>", r":1: not well-formed XML"),
        ("<r>" * 300 + "</r>" * 300, r"not well-formed XML \(Excessive depth"),
        (f"<r><c>{'x' * 11_000_000}</c></r>", r"not well-formed XML"),
        (" " * 1_100_000, r"not well-formed XML|no element in the first 1,048,576 bytes"),
        (b"<r><c>\xff\xfe</c></r>", r"not well-formed XML"),
        (gzip.compress(b"<r><c>a</c></r>" + bytes(9))[:-12], r"truncated|damaged"),
    ],
    ids=["cut", "tags", "nul", "text", "undeclared", "deep", "long", "blank", "bytes", "gzip"],
)
def test_what_cannot_be_read_is_a_format_error(write: Write, content: str | bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        texts(write("a.xml", content), "c")
