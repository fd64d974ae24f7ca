"""Annotated notes: the page, brat's files, and one row a concept."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from built import SMALL, index_fixture
from ontonym.documents import Document, Passage
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.serve.answers import OutputChoice
from ontonym.serve.notes import NOTE_OUTPUTS, note_format, opened_notes
from ontonym.serve.notes.names import DocumentNames
from ontonym.tasks import AnnotateOptions
from ontonym.tasks.documents import annotate_documents

TABLE = """id\tpreferred\tsynonyms\tparents
M:1\tAll\t\t
M:2\tNervous system\t\tM:1
M:3\tSeizure\tFits\tM:2
M:4\tHeart\t\tM:1
M:5\tHeart attack\t\tM:4
"""
TEXT = "No seizure. <b>Fits</b> & heart\nattack: possible fits."


LIKELY = AnnotateOptions()


index = index_fixture({"made.tsv": TABLE}, SMALL)


def written(index: Index, output: OutputChoice, *documents: Document, options: AnnotateOptions = LIKELY) -> None:
    with opened_notes(output, index, source="notes of <made>", left_out=Counter()) as write:
        for document, found in annotate_documents(index, documents, options):
            write(document, found)


NOTE = Document("a/note.txt", (Passage(TEXT, 0),))


def test_a_page_has_every_mention_in_the_colour_of_its_branch_and_escapes_what_is_written(
    index: Index, tmp_path: Path
) -> None:
    written(index, OutputChoice(str(tmp_path / "notes.html")), NOTE)
    page = (tmp_path / "notes.html").read_text(encoding="utf-8")
    attributes = r'class="([^"]*)" data-branch="(\d)" data-id="([^"]*)" data-context="([^"]*)"'
    marks = re.findall(rf'<mark tabindex="0" {attributes}[^>]*>(.*?)</mark>', page)
    assert marks == [
        ("b0 is-negated", "0", "M:3", "negated", "seizure"),
        ("b0", "0", "M:3", "", "Fits"),
        ("b1", "1", "M:5", "", "heart<br>attack"),
        ("b0 is-uncertain", "0", "M:3", "uncertain", "fits"),
    ]  # fmt: skip
    assert "&lt;b&gt;" in page
    assert "<b>Fits" not in page
    assert "notes of &lt;made&gt;" in page
    assert '<li class="b0" data-branch="0">Nervous system</li>\n<li class="b1" data-branch="1">Heart</li>' in page
    assert page.count("data-id") - len(marks) == 4  # Seizure negated, plain, uncertain; Heart attack
    assert "script-src 'unsafe-inline'" in page
    assert page.rstrip().endswith("</html>")


def test_line_ends_of_every_system_and_tabs_are_no_boxes_on_the_page(index: Index, tmp_path: Path) -> None:
    note = Document("-", (Passage("Fits,\r\nheart\r\nattack\tnow.\rNo\x07 seizure\r\n", 0),))
    written(index, OutputChoice(str(tmp_path / "notes.html")), note, options=AnnotateOptions(nested=True))
    page = (tmp_path / "notes.html").read_text(encoding="utf-8")
    shown = re.search(r'<div class="text marked">\n(.*)\n</div><aside', page)
    assert shown is not None
    words = re.sub(r"</?mark[^>]*>", "", shown[1])
    assert words == "Fits,<br>heart<br>attack\tnow.<br>No□ seizure<br>"
    assert page.count("□") == 1


SECTIONS = Document("-", (Passage("PMH: fits, heart attack\n\nNo seizure", 0),))


def test_nested_mentions_and_sections_are_on_the_page(index: Index, tmp_path: Path) -> None:
    written(index, OutputChoice(str(tmp_path / "notes.html")), SECTIONS, options=AnnotateOptions(nested=True))
    page = (tmp_path / "notes.html").read_text(encoding="utf-8")
    marks = re.findall(r'<mark [^>]*data-id="([^"]*)"[^>]*data-section="([^"]*)" [^>]*title="([^"]*)">', page)
    assert [(id_, section) for id_, section, _ in marks] == [
        ("M:3", "past medical history"), ("M:5", "past medical history"), ("M:4", "past medical history"), ("M:3", ""),
    ]  # fmt: skip
    assert marks[2][2].startswith("heart: historical&#10;Heart&#10;M:4")
    assert "&#10;section: past medical history" in marks[0][2]
    assert "&#10;else: M:4 Heart" in marks[1][2]
    assert re.search(r"<mark [^>]*>(?=<mark [^>]*is-nested[^>]*>heart</mark> attack</mark>)", page)
    assert page.count("<mark") == page.count("</mark>") == 4


def test_a_note_of_text_has_brackets_and_a_line_for_each_mention(index: Index, tmp_path: Path) -> None:
    options = AnnotateOptions(nested=True)
    written(index, OutputChoice(str(tmp_path / "note.txt"), "note"), SECTIONS, NOTE, options=options)
    first, _, second = (tmp_path / "note.txt").read_text(encoding="utf-8").partition("a/note.txt\n")
    assert re.sub(r"\d\.\d\d", "1.00", first).splitlines() == [
        "PMH: [fits], [heart attack]",
        "",
        "No [seizure]",
        "",
        "fits          M:3  Seizure       1.00  historical, in past medical history",
        "heart attack  M:5  Heart attack  1.00  historical, in past medical history",
        "  heart       M:4  Heart         1.00  historical, in past medical history",
        "seizure       M:3  Seizure       1.00  negated",
        "",
    ]
    assert second.startswith("No [seizure]. <b>[Fits]</b> & [heart\nattack]: possible [fits].\n\nseizure ")


def test_a_terminal_has_colours_and_shows_what_it_would_obey(
    index: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    document = Document("-", (Passage("No seizure\x1b[2J. Heart attack", 0),))
    written(index, OutputChoice(None, "note"), document)
    shown = capsys.readouterr().out
    assert "\x1b[2J" not in shown
    text = re.sub(r"\x1b\[[0-9;]*m", "|", shown).splitlines()[0]
    assert re.fullmatch(r"No \|seizure\|.+2J\. \|Heart attack\|", text)
    denied, other = re.findall(r"\x1b\[([0-9;]+)m(?:seizure|Heart attack)\x1b", shown)[:2]
    assert "9" in denied.split(";")
    assert denied.split(";")[-1] != other.split(";")[-1]
    monkeypatch.setenv("NO_COLOR", "1")
    written(index, OutputChoice(None, "note"), document)
    assert "[seizure]" in re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)


def test_the_same_place_on_the_page_tells_the_name_and_why(index: Index, tmp_path: Path) -> None:
    written(index, OutputChoice(str(tmp_path / "notes.html")), NOTE)
    page = (tmp_path / "notes.html").read_text(encoding="utf-8")
    assert re.search(r'title="negated&#10;Seizure&#10;M:3, confidence \d\.\d\d&#10;matched: Seizure&#10;', page)


def test_one_row_a_concept_and_context(index: Index, tmp_path: Path) -> None:
    written(index, OutputChoice(str(tmp_path / "notes.csv"), "concepts"), NOTE)
    rows = csv.DictReader((tmp_path / "notes.csv").read_text(encoding="utf-8").splitlines())
    columns = ("id", "preferred", "branch", "context", "mentions", "texts")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("M:3", "Seizure", "Nervous system", "negated", "1", "seizure"),
        ("M:3", "Seizure", "Nervous system", "", "1", "Fits"),
        ("M:5", "Heart attack", "Heart", "", "1", "heart attack"),
        ("M:3", "Seizure", "Nervous system", "uncertain", "1", "fits"),
    ]  # fmt: skip


def test_brat_has_text_and_annotations_with_places_that_cross_no_line(index: Index, tmp_path: Path) -> None:
    written(index, OutputChoice(str(tmp_path / "brat"), "brat"), NOTE, Document("a note", (Passage("Fits", 0),)), NOTE)
    names = {"a_note.txt", "a_note.ann", "a_note-2.txt", "a_note-2.ann", "a_note-3.txt", "a_note-3.ann"}
    assert {file.name for file in (tmp_path / "brat").iterdir()} == {*names, "annotation.conf"}
    assert (tmp_path / "brat/a_note.txt").read_bytes().decode() == TEXT
    lines = (tmp_path / "brat/a_note.ann").read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["T1\tmade 3 10\tseizure", "N1\tReference T1 M:3\tSeizure", "A1\tNegated T1"]
    start = TEXT.index("heart")
    assert f"T3\tmade {start} {start + 5};{start + 6} {start + 12}\theart attack" in lines
    assert "#3\tAnnotatorNotes T3\trunner-up: M:4 Heart" in lines
    for line in lines:
        if line.startswith("T"):
            _, places, words = line.split("\t")
            pieces = [piece.split() for piece in places.partition(" ")[2].split(";")]
            assert " ".join(TEXT[int(first) : int(last)] for first, last in pieces) == words
    assert (tmp_path / "brat/annotation.conf").read_text().splitlines()[:2] == ["[entities]", "made"]


@pytest.mark.parametrize("gap", ["\r\n", "\x0b", "\x85", "\u2028"])
def test_fields_of_brat_have_no_tab_and_no_break_and_the_words_are_those_of_the_text(
    index: Index, tmp_path: Path, gap: str
) -> None:
    text = f"PMH{gap}and others:\nheart{gap}attack"
    written(index, OutputChoice(str(tmp_path), "brat"), Document("a", (Passage(text, 0),)))
    lines = (tmp_path / "a.ann").read_bytes().decode().splitlines()
    assert [line[:2] for line in lines][:2] == ["T1", "N1"]
    _, place, words = lines[0].split("\t")
    pieces = [tuple(map(int, piece.split())) for piece in place.partition(" ")[2].split(";")]
    assert len(pieces) == 2
    assert words == " ".join(text[first:last] for first, last in pieces)
    assert words.split() == ["heart", "attack"]
    assert all(line.count("\t") == (1 if line[0] == "A" else 2) for line in lines)


def test_a_mention_that_begins_a_passage_right_after_another_begins_there(index: Index, tmp_path: Path) -> None:
    written(
        index, OutputChoice(str(tmp_path), "brat"), Document("a", (Passage("No pain.", 0), Passage("Fits today", 8)))
    )
    assert (tmp_path / "a.txt").read_text().index("Fits") == 9
    first, *_ = (tmp_path / "a.ann").read_text().splitlines()
    assert first.endswith(" 9 13\tFits")


def test_formats_go_by_name_or_by_the_ending_of_a_page(index: Index) -> None:
    assert [note_format(OutputChoice(None, name)) for name in NOTE_OUTPUTS] == list(NOTE_OUTPUTS)
    assert note_format(OutputChoice("notes.HTML")) == "html"
    assert note_format(OutputChoice("notes.html", as_json=True)) is None
    assert note_format(OutputChoice("notes.csv")) is None
    assert note_format(OutputChoice("notes.html", "tsv")) is None
    with pytest.raises(InputError, match="brat is a folder"):
        written(index, OutputChoice(None, "brat"), NOTE)
    with pytest.raises(InputError, match=r"notes\.foo: no format has this ending\. Give one of \.csv, .*\.xml.*\.html"):
        note_format(OutputChoice("notes.foo"))
    with pytest.raises(UnknownNameError, match=r"unknown output format .foo.\. Valid: .*html"):
        note_format(OutputChoice(None, "foo"))
    with pytest.raises(InputError, match="is a table"):
        written(index, OutputChoice("notes.jsonl", "concepts"), NOTE)


def test_names_of_documents_are_names_on_every_system() -> None:
    names = DocumentNames()
    given = ["../x.txt", "Note", "note", "NOTE-2", "con", "Aux.1", "..", "\N{FIRE}", "\u6f22" * 300, ""]
    given += ["caf\xe9", "cafe\u0301"]
    found = [names.of(document) for document in given]
    assert found[:6] == ["x", "Note", "note-2", "NOTE-2-2", "con_", "Aux_.1"]
    assert found[6:8] == ["document", "document-2"]
    assert found[-2:] == ["caf\xe9", "caf\xe9-2"]
    assert len({name.casefold() for name in found}) == len(given)
    assert all(len(f"{name}-99.json".encode()) < 255 for name in found)
