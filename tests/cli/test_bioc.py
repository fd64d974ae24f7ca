"""BioC as input of ``ontonym normalize``: XML and JSON in the forms that publishers use, and broken ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.documents import Document, read_documents
from ontonym.documents.bioc import json_documents, xml_documents
from ontonym.errors import FormatError
from ontonym.files import jsontext
from ontonym.files.source import open_source
from ontonym.types import Mention

XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>made up</source><date>2026</date><key>k</key>
<document><id>1</id>
<passage><infon key="type">title</infon><offset>0</offset><text>Heart attack</text>
<annotation id="T1"><infon key="type">Disease</infon><infon key="identifier">MESH:1</infon>
<location offset="0" length="12"/><text>Heart attack</text></annotation></passage>
<passage><offset>13</offset>
<sentence><offset>13</offset><text>and pyrexia &amp; fits</text>
<annotation id="T2"><location offset="17" length="7"/><text>pyrexia</text></annotation></sentence>
<sentence><offset>32</offset><text>and more.</text></sentence></passage>
</document>
<document><id>2</id><passage><offset>0</offset><text>Fits</text>
<annotation id="T3"><location offset="0" length="four"/><text>Fits</text></annotation>
<annotation id="T4"><text>Fits</text></annotation></passage></document>
</collection>
"""


def annotation(number: int, text: str, *places: tuple[int, int]) -> dict[str, Any]:
    locations = [{"offset": offset, "length": length} for offset, length in places]
    return {"id": f"T{number}", "infons": {"type": "Disease"}, "text": text, "locations": locations}


ONE: dict[str, Any] = {
    "id": "1",
    "passages": [
        {"offset": 0, "text": "Heart attack", "annotations": [annotation(1, "Heart attack", (0, 12))]},
        {
            "offset": 13,
            "sentences": [
                {"offset": 13, "text": "and pyrexia & fits", "annotations": [annotation(2, "pyrexia", (17, 7))]},
                {"offset": 32, "text": "and more.", "annotations": []},
            ],
        },
    ],
}
TWO = {"id": 2, "passages": [{"text": "Fits", "annotations": [annotation(3, "Fits", (0, 2), (3, 1))]}]}


def read(path: Path, content: str) -> list[Document]:
    path.write_text(content, encoding="utf-8")
    return list((xml_documents if path.suffix == ".xml" else json_documents)(open_source(path)))


def mentions(document: Document) -> list[Mention]:
    return [mark.mention for mark in document.marks]


def told(documents: list[Document]) -> list[tuple[str, str, list[tuple[str, str, int | None, int | None]]]]:
    return [
        (one.id, one.text, [(each.id, each.text, each.start, each.end) for each in mentions(one)]) for one in documents
    ]


FIRST = (
    "1",
    "Heart attack\nand pyrexia & fits and more.",
    [("1:T1", "Heart attack", 0, 12), ("1:T2", "pyrexia", 17, 24)],
)
SECOND = ("2", "Fits", [("2:T3", "Fits", 0, 4)])


def test_xml_annotations_are_those_of_passages_and_sentences(tmp_path: Path) -> None:
    first, second = read(tmp_path / "m.xml", XML)
    assert told([first]) == [FIRST]
    assert [each.type for each in mentions(first)] == ["Disease", ""]
    assert "whole number" in second.marks[0].problem
    assert (second.marks[1].mention.start, second.marks[1].problem) == (None, "")


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"source": "", "documents": [ONE, TWO], "infons": {"documents": "not these"}}),
        json.dumps({"documents": [ONE, TWO]}, indent=1),
        json.dumps([{"source": "", "documents": [ONE]}, {"source": "", "documents": [TWO]}]),
        json.dumps({"PubTator3": [ONE, TWO]}),
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n",
        json.dumps([ONE, TWO]),
        json.dumps(ONE, indent=2) + json.dumps(TWO, indent=2),
    ],
    ids=["collection", "indented", "list of collections", "PubTator 3", "lines", "list of documents", "one by one"],
)
@pytest.mark.parametrize("chunk", [7, 1 << 20])
def test_json_in_every_form(tmp_path: Path, content: str, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if chunk == 7 and content.startswith(
        ('{"source"', '{"documents"', '{\n "documents"', '[{"source"', '{"PubTator3"')
    ):
        chunk = 40  # what tells a collection is looked for in the first chunk
    monkeypatch.setattr(jsontext, "_CHUNK", chunk)
    assert told(read(tmp_path / "m.json", content)) == [FIRST, SECOND]


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1), min_size=1, max_size=5))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    documents = [
        {"id": str(number), "passages": [{"text": text, "annotations": [annotation(1, text, (0, len(text)))]}]}
        for number, text in enumerate(texts)
    ]
    file = tmp_path_factory.mktemp("bioc") / "m.json"
    found = read(file, json.dumps({"documents": documents}, ensure_ascii=False))
    assert [one.marks[0].mention.text for one in found] == texts


@pytest.mark.parametrize(("given", "name"), [({"id": None}, ""), ({}, ""), ({"id": 0}, "0"), ({"id": "T1"}, "T1")])
def test_an_id_that_is_null_is_none(tmp_path: Path, given: dict[str, Any], name: str) -> None:
    passage = {"offset": 0, "text": "fits", "annotations": [{**given, "text": "fits"}]}
    (tmp_path / "a.json").write_text(json.dumps({"documents": [{**given, "passages": [passage]}]}))
    (document,) = read_documents(tmp_path / "a.json")
    assert (document.id, [mark.mention.id for mark in document.marks]) == (name, [f"{name}:{name}"])


def test_a_truth_among_the_infons_is_written_as_json_has_it(tmp_path: Path) -> None:
    infons = {"valid": True, "count": 3, "type": "D"}
    content = json.dumps({"passages": [{"offset": 0, "text": "fits", "infons": infons}], "id": "1"})
    (document,) = read(tmp_path / "a.json", content)
    assert document.passages[0].infons == {"valid": "true", "count": "3", "type": "D"}


def test_errors_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"m.json:3: not valid JSON"):
        read(tmp_path / "m.json", '{"documents": [\n{"id": "1", "passages": []},\n{"id": oops}\n]}')
    with pytest.raises(FormatError, match="in the middle of its documents"):
        read(tmp_path / "m.json", '{"documents": [{"id": "1", "passages": []},')
    with pytest.raises(FormatError, match=r"m.xml:2"):
        read(tmp_path / "m.xml", "<collection>\n<document></collection>")
    (tmp_path / "m.json").write_bytes(b'{"documents": [{"id": "\xff"}]}')
    with pytest.raises(FormatError, match="UTF-8"):
        list(json_documents(open_source(tmp_path / "m.json")))
    with pytest.raises(FormatError, match="declares entities"):
        read(tmp_path / "m.xml", '<!DOCTYPE collection [<!ENTITY a "b">]><collection/>')
    with pytest.raises(FormatError, match="too deeply"):
        read(tmp_path / "m.json", '{"documents": [' + "[" * 200_000)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("m.xml", XML, "bioc"),
        ("m", XML, "bioc"),
        ("m.json", json.dumps({"documents": [ONE]}, indent=1), "bioc-json"),
        ("m.jsonl", json.dumps(ONE), "bioc-json"),
        ("m.jsonl", '\n{"text": "fits"}', "jsonl"),
        ("m.json", '{"text": "fits"}', "jsonl"),
        ("m.txt", "[D]Chest pain", "lines"),
    ],
)
def test_formats_are_told_apart(tmp_path: Path, name: str, content: str, format: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert read_documents(tmp_path / name).format == format


@pytest.mark.parametrize("name", ["m.xml", "m.xml.gz", "m.json"])
def test_normalize_reads_bioc_and_accounts_for_every_annotation(run, tiny: Path, tmp_path: Path, name: str) -> None:
    content = json.dumps({"documents": [ONE, TWO]}) if name == "m.json" else XML
    data = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    done = run("normalize", tiny / "tiny.index", tmp_path / name)
    assert done.exit_code == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == ["T:3", "T:5", "T:6"]
    assert {key: answers[1][key] for key in ("mention", "document", "start", "end")} == {
        "mention": "1:T2", "document": "1", "start": 17, "end": 24,
    }  # fmt: skip
    assert ("whole number" in done.stderr) == (name != "m.json")


def test_bioc_from_standard_input_says_what_to_do(run, tiny: Path) -> None:
    done = run("normalize", tiny / "tiny.index", "-", input=XML)
    assert done.exit_code == 2
    assert "Save it" in done.stderr


@pytest.mark.parametrize("name", ["m.xml", "m.json"])
def test_a_collection_on_one_long_line_is_streamed(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [{**ONE, "id": str(number)} for number in range(500)]
    rest = XML[XML.index("<document>") : XML.index("</collection>")].replace("\n", "")
    content = json.dumps({"documents": many}) if name == "m.json" else f"<collection>{rest * 500}</collection>"
    (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr("ontonym.files.source.MAX_LINE", 20_000)
    assert len(content) > 200_000 > content.count("\n") == 0
    documents = read_documents(tmp_path / name)
    found = [mention.text for document in documents for mention in mentions(document)]
    assert found[:2] == ["Heart attack", "pyrexia"]
    assert documents.counts.kept == (1000 if name == "m.json" else 1500)


@pytest.mark.parametrize(("name", "content"), [("m.xml", "<html><body/></html>"), ("m.json", '{"documents": []}')])
def test_a_file_without_a_document_is_an_error(run, tiny: Path, tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    done = run("normalize", tiny / "tiny.index", tmp_path / name)
    assert done.exit_code == 2
    assert "no document in it" in done.stderr
