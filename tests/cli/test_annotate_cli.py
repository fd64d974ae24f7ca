"""``ontonym annotate``: texts of every format in, every format out, and input that is no text."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from ontonym.documents import read_documents
from ontonym.documents.bioc import json_documents, xml_documents
from ontonym.evaluate.corpora import PubTatorCorpus
from ontonym.files.source import open_source
from ontonym.serve.answers import ANNOTATION_COLUMNS

NOTE = "No fever. 🫀 Heart attack\nwith possible fits (F1).\n"
FOUND = [("fever", 3, 8, "T:5"), ("Heart attack", 12, 24, "T:3"), ("fits", 39, 43, "T:6")]


def told(output: str) -> list[tuple[str, int, int, str]]:
    rows = [json.loads(line) for line in output.splitlines()]
    return [(row["text"], row["start"], row["end"], row["id"]) for row in rows]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    (tmp_path / "note.txt").write_text(NOTE, encoding="utf-8")
    return tmp_path / "note.txt"


def test_a_text_as_json_lines(run, tiny: Path, note: Path) -> None:
    done = run("annotate", tiny / "tiny.index", note)
    assert done.exit_code == 0, done.stderr
    assert told(done.stdout) == FOUND
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [NOTE[row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows]
    assert {key: rows[0][key] for key in ("mention", "document", "negated", "uncertain", "historical", "family")} == {
        "mention": "note.txt:3-8", "document": "note.txt", "negated": True, "uncertain": False, "historical": False,
        "family": False,
    }  # fmt: skip
    assert [row["uncertain"] for row in rows] == [False, False, True]
    assert "1 row (text) = 1 document + 0 malformed" in done.stderr
    assert "3 mentions = 3 with a concept + 0 without + 0 left out by --except" in done.stderr


def test_standard_input_is_a_text(run, tiny: Path) -> None:
    done = run("annotate", tiny / "tiny.index", "-", input=NOTE)
    assert told(done.stdout) == FOUND


def test_a_text_may_be_typed_and_is_shown_with_its_mentions(run, tiny: Path) -> None:
    done = run("annotate", tiny / "tiny.index", "PMH: fits. No fever.")
    assert done.exit_code == 0, done.stderr
    assert re.sub(r"\d\.\d\d", "1.00", done.stdout).splitlines() == [
        "PMH: [fits]. No [fever].",
        "",
        "fits   T:6  Seizure  1.00  historical, in past medical history",
        "fever  T:5  Fever    1.00  negated, historical, in past medical history",
        "",
    ]
    assert done.stderr == ""
    rows = run("annotate", tiny / "tiny.index", "PMH: fits. No fever.", "--json").stdout.splitlines()
    assert [(json.loads(row)["text"], json.loads(row)["section"]) for row in rows] == [
        ("fits", "past medical history"), ("fever", "past medical history"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["missing", "my missing letter.txt", "my missing letter.docx"])
def test_what_looks_like_a_file_is_one(run, tiny: Path, name: str) -> None:
    done = run("annotate", tiny / "tiny.index", name)
    assert done.exit_code == 2
    assert "no such file" in done.stderr
    assert ("For a word use `ontonym search`" in done.stderr) == (name == "missing")


def test_a_long_text_may_be_typed_too(run, tiny: Path) -> None:
    done = run("annotate", tiny / "tiny.index", "No fever. " * 2000)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("T:5") == 2000


def test_nested_mentions_on_request(run, tiny: Path) -> None:
    done = run("annotate", tiny / "tiny.index", "An epileptic seizure.", "--nested", "--output-format", "tsv")
    rows = list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))
    assert [(row["text"], row["nested"]) for row in rows] == [("epileptic seizure", ""), ("seizure", "yes")]


def test_operating_points(run, tiny: Path, note: Path) -> None:
    index = tiny / "tiny.index"
    assert told(run("annotate", index, note, "--recall", "0.3").stdout) == FOUND
    assert told(run("annotate", index, note, "--precision", "0.5").stdout) == FOUND
    for given, said in (
        (("--recall", "0.99"), "at most 0."),
        (("--precision", "0.99"), "with --accept 0."),
        (("--precision", "0.5", "--accept", "0.5"), "--accept and --precision say the same"),
        (("--precision", "0.5", "--find", "names"), "--find names finds none"),
    ):
        done = run("annotate", index, note, *given)
        assert done.exit_code == 2, given
        assert said in done.stderr


def test_an_unknown_ending_lists_all_of_them(run, tiny: Path, note: Path) -> None:
    done = run("annotate", tiny / "tiny.index", note, "-o", note.parent / "out.foo")
    assert done.exit_code == 2
    for ending in (".csv", ".tsv", ".xlsx", ".parquet", ".jsonl", ".pubtator", ".xml", ".bioc.json", ".html"):
        assert ending in done.stderr


def test_a_table_has_the_context(run, tiny: Path, note: Path) -> None:
    done = run("annotate", tiny / "tiny.index", note, "-o", note.parent / "out.tsv")
    assert done.exit_code == 0
    header, *rows = csv.reader(io.StringIO((note.parent / "out.tsv").read_text(encoding="utf-8")), delimiter="\t")
    assert tuple(header) == ANNOTATION_COLUMNS
    assert [(row[5], row[6], row[19]) for row in rows] == [
        ("fever", "T:5", "negated"), ("Heart attack", "T:3", ""), ("fits", "T:6", "uncertain"),
    ]  # fmt: skip


def test_pubtator_and_bioc_count_in_the_same_places(run, tiny: Path, note: Path) -> None:
    for name in ("out.pubtator", "out.xml", "out.bioc.json"):
        assert run("annotate", tiny / "tiny.index", note, "-o", note.parent / name).exit_code == 0
    lines = (note.parent / "out.pubtator").read_text(encoding="utf-8").split("\n")
    assert lines[:3] == [
        "note.txt|t|No fever. 🫀 Heart attack", "note.txt|a|with possible fits (F1).",
        "note.txt\t3\t8\tfever\ttiny\tT:5",
    ]  # fmt: skip
    (document,) = PubTatorCorpus(note.parent / "out.pubtator", strict=True)
    assert [sorted(one.ids)[0] for one in document.mentions] == ["T:5", "T:3", "T:6"]
    for read, name in ((xml_documents, "out.xml"), (json_documents, "out.bioc.json")):
        (one,) = read(open_source(note.parent / name))
        assert one.text == NOTE
        found = [
            (each.mention.text, each.mention.start, each.mention.end, each.infons["identifier"]) for each in one.marks
        ]
        assert found == FOUND
        assert [each.infons.get("negated") for each in one.marks] == ["true", None, None]
        assert one.marks[2].infons["uncertain"] == "true"


def test_pubtator_has_the_words_of_a_mention_as_its_document_has_them(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"No fever.\r\nHeart\r\nattack, heart  attack, heart\xc2\xa0attack.\r\n")
    lines = run("annotate", tiny / "tiny.index", tmp_path / "a.txt", "--output-format", "pubtator").stdout.split("\n")
    document = " ".join(line.split("|", 2)[2] for line in lines[:2])
    found = [line.split("\t")[1:4] for line in lines[2:-2]]
    assert [words for *_, words in found] == ["fever", "Heart  attack", "heart  attack", "heart\xa0attack"]
    assert [document[int(start) : int(end)] for start, end, _ in found] == [words for *_, words in found]


def test_mentions_of_a_context_can_be_left_out(run, tiny: Path, note: Path) -> None:
    done = run("annotate", tiny / "tiny.index", note, "--except", "negated", "--except", "uncertain")
    assert told(done.stdout) == FOUND[1:2]
    assert "3 mentions = 1 with a concept + 0 without + 2 left out by --except" in done.stderr
    done = run("annotate", tiny / "tiny.index", note, "--except", "denied")
    assert done.exit_code == 2
    assert "family, historical, hypothetical, negated, uncertain" in done.stderr


def test_options_reach_the_search(run, tiny: Path, note: Path) -> None:
    assert told(run("annotate", tiny / "tiny.index", note, "--within", "T:2").stdout) == FOUND[1:2]
    nil = run("annotate", tiny / "tiny.index", note, "--threshold", "1")
    assert [row[3] for row in told(nil.stdout)] == [None, None, None]
    assert "3 mentions = 0 with a concept + 3 without" in nil.stderr
    one = json.loads(run("annotate", tiny / "tiny.index", note, "-k", "1", "--type", "Sign").stdout.splitlines()[0])
    assert (len(one["candidates"]), one["type"]) == (1, "Sign")
    assert run("annotate", tiny / "tiny.index", note, "--shortest", "1").exit_code == 2
    assert told(run("annotate", tiny / "tiny.index", note, "--as-written").stdout) == FOUND


def test_a_folder_of_texts(run, tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "ward").mkdir(parents=True)
    (folder / "b.txt").write_text("Fever", encoding="utf-8")
    (folder / "ward" / "a.TXT").write_text("﻿Fits\n", encoding="utf-8")
    (folder / "empty.txt").write_text("")
    (folder / "broken.txt").write_bytes(b"Fever \xff")
    (folder / "binary.txt").write_bytes(b"\x00\x01fever")
    (folder / "other.md").write_text("Fever")
    done = run("annotate", tiny / "tiny.index", folder)
    assert done.exit_code == 2, done.stderr
    assert f"error: {folder}: 2 files cannot be read, and the answers are those of the others" in done.stderr
    assert [(json.loads(line)["document"], *row[:3]) for line, row in
            zip(done.stdout.splitlines(), told(done.stdout), strict=True)] == [
        ("b.txt", "Fever", 0, 5), ("ward/a.TXT", "Fits", 0, 4),
    ]  # fmt: skip
    assert "5 rows (text) = 2 documents + 1 empty + 2 malformed" in done.stderr
    assert "broken.txt:1: not UTF-8" in done.stderr
    assert "NUL byte" in done.stderr
    assert run("annotate", tiny / "tiny.index", folder, "--strict", "-o", tmp_path / "s.csv").exit_code == 2
    assert not (tmp_path / "s.csv").exists()
    for name in ("broken.txt", "binary.txt"):
        (folder / name).unlink()
    assert run("annotate", tiny / "tiny.index", folder).exit_code == 0


def test_lines_tables_and_json_lines_are_documents(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("  fever\n\nfits\n")
    (tmp_path / "a.csv").write_text('id,note\n1," fever, fits"\n2,none\n')
    (tmp_path / "a.jsonl").write_text('{"id": "n7", "text": "fever"}\n{"txt": 1}\n')
    lines = run("annotate", tiny / "tiny.index", tmp_path / "a.txt", "--format", "lines")
    assert [json.loads(line)["mention"] for line in lines.stdout.splitlines()] == ["1:2-7", "3:0-4"]
    assert "3 rows (lines) = 2 documents + 1 blank + 0 malformed" in lines.stderr
    table = run("annotate", tiny / "tiny.index", tmp_path / "a.csv", "--column", "note")
    assert told(table.stdout) == [("fever", 1, 6, "T:5"), ("fits", 8, 12, "T:6")]
    assert "2 rows (csv) = 2 documents + 0 malformed" in table.stderr
    rows = run("annotate", tiny / "tiny.index", tmp_path / "a.jsonl")
    assert json.loads(rows.stdout)["mention"] == "n7:0-5"
    assert "2 rows (jsonl) = 1 document + 1 malformed" in rows.stderr


def test_pubtator_in_gives_its_places_and_drops_what_was_marked(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "a.pubtator").write_text(
        "7|t|Fever\n7|a|and fits\n7\t0\t5\tFever\tX\tX:1\n7\tCID\tX:1\tX:2\n\n8|t|\n8|a|\n"
    )
    done = run("annotate", tiny / "tiny.index", tmp_path / "a.pubtator", "--output-format", "pubtator")
    assert done.stdout == (
        "7|t|Fever\n7|a|and fits\n7\t0\t5\tFever\ttiny\tT:5\n7\t10\t14\tfits\ttiny\tT:6\n\n8|t|\n8|a|\n\n"
    )
    assert "2 documents (pubtator), 0 rows malformed" in done.stderr


def test_bioc_in_gives_the_offsets_of_its_passages(run, tiny: Path, tmp_path: Path) -> None:
    passages = [{"offset": 10, "text": "Heart"}, {"offset": 100, "text": "attack. no\nfits", "infons": {"type": "p"}}]
    (tmp_path / "a.json").write_text(json.dumps({"documents": [{"id": "d", "passages": passages}]}))
    done = run("annotate", tiny / "tiny.index", tmp_path / "a.json", "-o", tmp_path / "b.xml")
    assert done.exit_code == 0
    (one,) = xml_documents(open_source(tmp_path / "b.xml"))
    assert [(each.mention.text, each.mention.start, each.mention.end) for each in one.marks] == [("fits", 111, 115)]
    assert one.marks[0].infons["negated"] == "true"
    assert [passage.offset for passage in one.passages] == [10, 100]


def test_what_is_written_can_be_normalized_again(run, tiny: Path, note: Path) -> None:
    for name in ("a.jsonl", "a.pubtator", "a.xml", "a.bioc.json"):
        run("annotate", tiny / "tiny.index", note, "-o", note.parent / name)
        marks = [mark.mention for document in read_documents(note.parent / name) for mark in document.marks]
        mentions = [(one.text, one.start, one.end) for one in marks]
        assert mentions == [row[:3] for row in FOUND]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "NUL byte"),
        (b"Fever \xe9", "not UTF-8"),
        (b"\xff\xfeF\x00e\x00", "UTF-16"),
    ],
)
def test_what_is_no_text_is_one_line(run, tiny: Path, tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    done = run("annotate", tiny / "tiny.index", tmp_path / "a.txt", "-o", tmp_path / "out.xml")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "a.txt" in done.stderr
    assert message in done.stderr
    assert not (tmp_path / "out.xml").exists()


def test_input_that_is_not_there_or_of_an_unknown_format(run, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    for arguments, message in (
        ([tmp_path / "gone.txt"], "no such file"),
        ([tmp_path / "none"], "no file in it ends with .txt"),
        ([tmp_path / "none", "--format", "pubtator"], "is a folder"),
        ([tmp_path / "none", "--format", "word"], "bioc, bioc-json, csv, jsonl, lines, parquet, pubtator, text"),
    ):
        done = run("annotate", tiny / "tiny.index", *arguments)
        assert (done.exit_code, message in done.stderr) == (2, True), done.stderr


@pytest.mark.slow
def test_hard_texts_are_read(run, tiny: Path, tmp_path: Path) -> None:
    line, long = (("word, " * count) + "fever" for count in (170_000, 20_000))
    assert len(line) > 1_000_000
    others = ("pubtator", "bioc", "bioc-json")
    for text, formats, expected in (
        (line, ("jsonl",), [("fever", len(line) - 5, len(line), "T:5")]),
        (long, others, []),  # the writers take any text as it comes
        ("\x01\x02 fever\x1b[0m\x0c fits", ("jsonl", *others), [("fever", 3, 8, "T:5"), ("fits", 14, 18, "T:6")]),
        ("👩‍⚕️ fever", ("jsonl", *others), [("fever", 5, 10, "T:5")]),
    ):
        (tmp_path / "a.txt").write_text(text, encoding="utf-8")
        for name in formats:
            done = run("annotate", tiny / "tiny.index", tmp_path / "a.txt", "--output-format", name)
            assert done.exit_code == 0, done.stderr
            if name == "jsonl":
                assert told(done.stdout) == expected
