"""What ``ontonym normalize`` writes: PubTator and BioC come out again with text, offsets and notes, and can be read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from ontonym.cli import main
from ontonym.documents import Document, Mark, Passage, read_documents, write_documents
from ontonym.documents.bioc import json_documents, laid_out, xml_documents
from ontonym.errors import UnknownNameError
from ontonym.evaluate.corpora import PubTatorCorpus
from ontonym.files.source import open_source
from ontonym.serve.answers import OutputChoice
from ontonym.types import Mention

PUBTATOR = """
1|t|Heart attack 🫀 and fits
1|a|Pyrexia, then nothing.
1\t0\t12\tHeart attack\tDisease\tX:1
1\t19\t23\tfits\tDisease
1\t24\t31\tPyrexia\t
1\tCID\tX:1\tX:2

2|t|No mention here
2|a|
3|t|
3|a|Zzz qqq
3\t1\t8\tZzz qqq\tDisease\tX:1
"""

FULL: dict[str, Any] = {
    "id": "PMC1",
    "infons": {"license": "CC BY"},
    "passages": [
        {"offset": 0, "infons": {"type": "front", "section_type": "TITLE"}, "text": "Heart attack", "annotations": []},
        {
            "offset": 20,
            "infons": {"type": "paragraph"},
            "sentences": [
                {"offset": 20, "text": "Left and right"},
                {
                    "offset": 36,
                    "text": "fits.",
                    "annotations": [
                        {
                            "id": "T9",
                            "infons": {"type": "Sign", "identifier": "OLD:1", "annotator": "me"},
                            "text": "left fits",
                            "locations": [{"offset": 20, "length": 4}, {"offset": 36, "length": 4}],
                        },
                        {"id": "T10", "infons": {}, "text": "fits", "locations": []},
                    ],
                },
            ],
        },
    ],
}


def answers(path: Path) -> list[tuple[str, int | None, int | None, str]]:
    mentions = [mark.mention for document in read_documents(path) for mark in document.marks]
    return [(one.id, one.start, one.end, one.text) for one in mentions]


def test_an_id_of_null_in_json_lines_is_none(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "fever"}, {"id": None, "text": "fever"}, {"text": "fever"}, {"id": 0, "text": "fever"}]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert [id_ for id_, *_ in answers(tmp_path / "in.jsonl")] == ["a", "2", "3", "0"]


def test_pubtator_comes_out_as_it_went_in_with_the_ids(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(PUBTATOR, encoding="utf-8")
    out = tmp_path / "out.pubtator"
    done = run("normalize", tiny / "tiny.index", tmp_path / "in.txt", "-o", out, "--threshold", "0.5")
    assert done.exit_code == 0, done.stderr
    assert out.read_text(encoding="utf-8") == (
        "1|t|Heart attack 🫀 and fits\n1|a|Pyrexia, then nothing.\n"
        "1\t0\t12\tHeart attack\tDisease\tT:3\n1\t19\t23\tfits\tDisease\tT:6\n1\t24\t31\tPyrexia\t\tT:5\n\n"
        "2|t|No mention here\n2|a|\n\n"
        "3|t|\n3|a|Zzz qqq\n3\t1\t8\tZzz qqq\tDisease\t-\n\n"
    )
    first, second, third = PubTatorCorpus(out, strict=True)
    assert [sorted(one.ids) for one in first.mentions] == [["T:3"], ["T:6"], ["T:5"]]
    assert (second.mentions, third.mentions[0].nil) == ((), True)


@pytest.mark.parametrize("middle", ["out.bioc.xml", "out.bioc.json", "out.xml.gz"])
def test_pubtator_through_bioc_is_the_same_pubtator(run, tiny: Path, tmp_path: Path, middle: str) -> None:
    (tmp_path / "in.txt").write_text(PUBTATOR, encoding="utf-8")
    for source, target in (("in.txt", "a.pubtator"), ("in.txt", middle), (middle, "b.pubtator")):
        done = run("normalize", tiny / "tiny.index", tmp_path / source, "-o", tmp_path / target)
        assert done.exit_code == 0, done.stderr
    assert (tmp_path / "a.pubtator").read_bytes() == (tmp_path / "b.pubtator").read_bytes()
    assert answers(tmp_path / middle) == answers(tmp_path / "a.pubtator")


def test_bioc_keeps_notes_offsets_and_broken_mentions(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps({"documents": [FULL]}))
    for name in ("out.bioc.json", "out.xml"):
        done = run("normalize", tiny / "tiny.index", tmp_path / "in.json", "-o", tmp_path / name, "--threshold", 0)
        assert done.exit_code == 0, done.stderr
    found = json.loads((tmp_path / "out.bioc.json").read_text())
    assert found["source"] == "ontonym normalize, tiny"
    (document,) = found["documents"]
    assert document["infons"] == {"license": "CC BY"}
    front, paragraph = document["passages"]
    assert (front["offset"], paragraph["offset"]) == (0, 20)
    assert front["infons"] == {"type": "front", "section_type": "TITLE"}
    assert paragraph["text"] == "Left and right  fits."
    assert [one["id"] for one in front["annotations"] + paragraph["annotations"]] == ["T10", "T9"]
    (kept,) = paragraph["annotations"]
    assert kept["locations"] == [{"offset": 20, "length": 4}, {"offset": 36, "length": 4}]
    assert list(kept["infons"]) == ["type", "annotator", "identifier", "name", "confidence"]
    assert (kept["infons"]["identifier"], kept["infons"]["name"]) == ("T:6", "Seizure")
    assert 0 < float(kept["infons"]["confidence"]) <= 1
    from_xml = list(xml_documents(open_source(tmp_path / "out.xml")))
    assert [one.passages for one in from_xml] == [
        one.passages for one in json_documents(open_source(tmp_path / "out.bioc.json"))
    ]
    assert [one.places for one in from_xml[0].marks] == [(), ((20, 24), (36, 40))]


def test_bioc_notes_the_nearest_concept_of_nil(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps({"documents": [FULL]}))
    run("normalize", tiny / "tiny.index", tmp_path / "in.json", "-o", tmp_path / "out.bioc.json", "--threshold", 1)
    (document,) = json.loads((tmp_path / "out.bioc.json").read_text())["documents"]
    (kept,) = document["passages"][1]["annotations"]
    assert {name: kept["infons"].get(name) for name in ("identifier", "name", "nearest")} == {
        "identifier": "-",
        "name": None,
        "nearest": "T:6",
    }
    run("normalize", tiny / "tiny.index", tmp_path / "out.bioc.json", "-o", tmp_path / "b.bioc.json", "--threshold", 0)
    (document,) = json.loads((tmp_path / "b.bioc.json").read_text())["documents"]
    assert "nearest" not in document["passages"][1]["annotations"][0]["infons"]


def test_bioc_as_pubtator_counts_in_the_text_written_and_leaves_out_what_has_no_place(
    run, tiny: Path, tmp_path: Path
) -> None:
    (tmp_path / "in.json").write_text(json.dumps({"documents": [FULL]}))
    done = run("normalize", tiny / "tiny.index", tmp_path / "in.json", "--output-format", "pubtator",
               "--threshold", 0)  # fmt: skip
    assert done.exit_code == 0
    assert done.stdout == ("PMC1|t|Heart attack\nPMC1|a|Left and right  fits.\nPMC1\t13\t33\tleft fits\tSign\tT:6\n\n")
    assert "1 mention without a place in the text left out" in done.stderr


def test_formats_without_documents_cannot_become_documents(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("fits\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "in.txt", "-o", tmp_path / "out.pubtator")
    assert done.exit_code == 2
    assert "lines has mentions without their documents" in done.stderr
    assert "pubtator, bioc, bioc-json" in done.stderr
    assert not (tmp_path / "out.pubtator").exists()


def test_a_terminal_shows_a_line_for_each_mention(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    (tmp_path / "in.txt").write_text("heart attack\nno pyrexia\nzzz\x1b[2J\n")
    command = ["normalize", str(tiny / "tiny.index"), str(tmp_path / "in.txt")]

    def printed(*flags: str) -> list[str]:
        with pytest.raises(SystemExit) as end:
            main([*command, *flags])
        assert end.value.code == 0
        return capsys.readouterr().out.splitlines()

    lines = [line.split("  ") for line in printed()]
    found = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert [(words, *rest) for words, _, *rest in found] == [
        ("heart attack", "T:3", "Myocardial infarction"),
        ("no pyrexia", "T:5", "Fever", "negated"),
        ("zzz\\x1b[2J", "-", "no concept is likely enough"),
    ]
    assert [json.loads(line)["id"] for line in printed("--json")] == ["T:3", "T:5", None]
    assert all(json.loads(line)["explanation"] for line in printed("--explain"))
    assert printed("--output-format", "csv")[0].startswith("mention,document,")


def test_an_input_that_breaks_off_leaves_no_output(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "in.xml").write_text("<collection><document><id>1</id></document><document>")
    done = run("normalize", tiny / "tiny.index", tmp_path / "in.xml", "-o", tmp_path / "out.xml")
    assert done.exit_code == 2
    assert [one.name for one in tmp_path.iterdir()] == ["in.xml"]


@pytest.mark.parametrize(
    ("path", "name", "as_json", "told"),
    [
        (None, None, False, "jsonl"),
        ("a", None, False, "jsonl"),
        ("a.csv.gz", None, False, "csv"),
        ("a.XLSX", None, False, "xlsx"),
        ("a.json", None, False, "jsonl"),
        ("a.TSV", None, False, "tsv"),
        ("a.tsv.gz", None, False, "tsv"),
        ("a.pubtator", None, False, "pubtator"),
        ("a.xml", None, False, "bioc"),
        ("a.bioc.json.gz", None, False, "bioc-json"),
        ("a.xml", "pubtator", False, "pubtator"),
        ("a.tsv", None, True, "jsonl"),
    ],
)
def test_the_output_format_is_told_by_name_then_ending(
    path: str | None, name: str | None, as_json: bool, told: str
) -> None:
    assert OutputChoice(path, name, as_json).written_as == told


def test_an_unknown_output_format_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="bioc, bioc-json, csv, jsonl, parquet, pubtator, tsv, xlsx"):
        OutputChoice(format="brat").written_as  # noqa: B018


ANY = st.text(st.characters(blacklist_categories=["Cs"]), max_size=30)


@given(st.lists(ANY, min_size=1, max_size=4), ANY)
def test_any_text_is_written_so_that_it_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], name: str
) -> None:
    passages, start = [], 0
    for text in texts:
        passages.append(Passage(text, start))
        start += len(text) + 1
    end = passages[-1].offset + len(texts[-1])
    mention = Mention(texts[-1], f"{name}:1", name, passages[-1].offset, end, "Any")
    document = Document(name, tuple(passages), (Mark(mention).answered("T:1", 0.5),))
    folder = tmp_path_factory.mktemp("any")
    for ending in ("xml", "bioc.json", "pubtator"):
        write_documents(folder / f"a.{ending}", [document], source="made up")
    if "\0" not in "".join(texts):
        (read,) = json_documents(open_source(folder / "a.bioc.json"))
        found = read.marks[0].mention
        assert (read.text, found.start, found.end) == (document.text, mention.start, end)
    (read,) = xml_documents(open_source(folder / "a.xml"))
    assert len(read.text) == len(document.text)
    lines = (folder / "a.pubtator").read_text(encoding="utf-8").split("\n")
    title, abstract = (line.split("|", 2)[2] for line in lines[:2])
    columns = lines[2].split("\t")
    written = f"{title} {abstract}"[int(columns[1]) : int(columns[2])]
    assert (len(columns), written.rstrip()) == (6, columns[3].rstrip())  # line breaks at the end of a text are left out


def test_xml_has_a_sign_for_what_it_cannot_hold(tmp_path: Path) -> None:
    write_documents(tmp_path / "a.xml", [Document("1", (Passage("a\x01b\x0c <&> \U0001fac0", 0),))], source="made up")
    assert etree.parse(tmp_path / "a.xml").findtext(".//text") == "a\ufffdb\ufffd <&> \U0001fac0"


def test_half_a_surrogate_pair_does_no_harm(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps({"documents": [{**FULL, "id": "\ud800"}]}))
    for name in ("jsonl", "bioc", "bioc-json", "pubtator"):
        done = run("normalize", tiny / "tiny.index", tmp_path / "in.json", "--output-format", name)
        assert (done.exit_code, "?" in done.stdout) == (0, True)


def test_the_same_input_gives_the_same_bytes(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(PUBTATOR, encoding="utf-8")
    for name in ("a.xml.gz", "b.xml.gz"):
        run("normalize", tiny / "tiny.index", tmp_path / "in.txt", "-o", tmp_path / name)
    assert (tmp_path / "a.xml.gz").read_bytes() == (tmp_path / "b.xml.gz").read_bytes()
    assert b'<!DOCTYPE collection SYSTEM "BioC.dtd">' in gzip.decompress((tmp_path / "a.xml.gz").read_bytes())


def test_sentences_lie_where_their_offsets_say() -> None:
    assert laid_out([(5, "ab"), (9, "c"), (10, "d"), (None, "e"), (2, "f")], 5) == "ab  cd e f"
