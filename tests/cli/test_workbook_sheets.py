"""Workbooks of several sheets: any sheet is read where it is named, and what is not read is said."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest

import ontonym
from ontonym.files.workbooks import other_sheets

openpyxl = pytest.importorskip("openpyxl")

INFO, MEDICINE, SURGERY = "codes für uns.xlsx#Info", "codes für uns.xlsx#Medicine", "codes für uns.xlsx#Surgery"


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    path = tmp_path / "codes für uns.xlsx"
    book = openpyxl.Workbook()
    book.active.title = "Info"
    book.active.append(["Catalogue of the hospital"])
    for name, rows in {
        "Medicine": [
            ["Code", "Diagnose", "Aktiv", "Häufigkeit"],
            ["1", "fits", "ja", 3],
            ["2", "heart attack", "nein", 9],
        ],
        "Surgery": [["Code", "Diagnose"], ["9", "arrhythmia"]],
        "Empty": [],
    }.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_named_sheet_is_normalized_and_the_others_are_named(run, tiny, workbook, tmp_path):
    sheet, out = f"{workbook}#Medicine", tmp_path / "out.csv"
    done = run("normalize", tiny / "tiny.index", sheet, "--column", "Diagnose", "-o", out)
    assert done.exit_code == 0, done.stderr
    assert [line.split(",")[4] for line in out.read_text().splitlines()] == ["ontonym_id", "T:6", "T:3"]
    assert f"not read: {INFO}, {SURGERY}\n" in done.stderr  # and not the one that is empty


def test_a_sheet_whose_name_has_several_words_is_annotated_and_no_text(run, tiny, workbook, tmp_path):
    out = tmp_path / "out.csv"
    done = run("annotate", tiny / "tiny.index", f"{workbook}#Medicine", "--column", "Diagnose", "-o", out)
    assert done.exit_code == 0, done.stderr
    assert "T:3" in out.read_text()
    assert f"not read: {INFO}, {SURGERY}\n" in done.stderr
    done = run("annotate", tiny / "tiny.index", f"{workbook}#No such one")
    assert (done.exit_code, "unknown sheet 'No such one'" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "words",
    [("normalize", "INDEX", "FILE", "--column", "Diagnose", "-o"), ("match", "FILE", "INDEX", "-o"),
     ("import", "FILE", "-o")],
)  # fmt: skip
def test_where_the_first_sheet_is_not_the_table_the_error_names_the_others(run, tiny, workbook, tmp_path, words):
    places = {"FILE": workbook, "INDEX": tiny / "tiny.index"}
    done = run(*(places.get(word, word) for word in words), tmp_path / "out.tsv")
    assert done.exit_code == 2
    assert f"The workbook has other sheets: name one, as '{MEDICINE}', '{SURGERY}'" in done.stderr


def test_an_unknown_sheet_is_an_error_that_names_the_sheets(run, tiny, workbook, tmp_path):
    done = run(
        "normalize", tiny / "tiny.index", f"{workbook}#Medicin", "--column", "Diagnose", "-o", tmp_path / "o.csv"
    )
    assert done.exit_code == 2
    assert "unknown sheet 'Medicin'. Did you mean 'Medicine'? Valid: Empty, Info, Medicine, Surgery" in done.stderr


def test_a_missing_workbook_is_said_as_such(run, tmp_path):
    done = run("import", tmp_path / "none.xlsx#Medicine", "-o", tmp_path / "t.terminology")
    assert done.exit_code == 2
    assert "none.xlsx: no such file" in done.stderr


def test_several_sheets_become_one_terminology(run, workbook, tmp_path):
    out = tmp_path / "t.terminology"
    done = run("import", f"{workbook}#Surgery", f"{workbook}#Medicine", "-o", out)
    assert done.exit_code == 0, done.stderr
    assert f"left out     {INFO}\n" in done.stdout
    with ontonym.open(out) as terminology:
        found = {concept.id: (concept.preferred, concept.status) for concept in terminology}
    assert found == {
        "9": ("arrhythmia", "active"), "1": ("fits", "active"), "2": ("heart attack", "retired")
    }  # fmt: skip


def test_a_named_sheet_is_matched_by_its_national_headers(run, tiny, workbook, tmp_path):
    out = tmp_path / "out.sssom.tsv"
    done = run("match", f"{workbook}#Medicine", tiny / "tiny.index", "-o", out, "--mode", "best")
    assert done.exit_code == 0, done.stderr
    assert "columns    id=Code, preferred=Diagnose, status=Aktiv, frequency=Häufigkeit" in done.stdout
    assert "3× 1 fits" in done.stdout
    assert "heart attack" not in done.stdout  # no longer active


def test_a_file_whose_name_looks_like_a_sheet_is_that_file(run, tiny, workbook, tmp_path):
    odd = tmp_path / "x.xlsx#y.csv"
    odd.write_text("text\nfits\n")
    done = run("normalize", tiny / "tiny.index", odd, "-o", tmp_path / "out.tsv")
    assert done.exit_code == 0, done.stderr
    assert "T:6" in (tmp_path / "out.tsv").read_text()


@pytest.mark.parametrize("verb", ["normalize", "import"])
def test_a_title_above_the_header_is_no_header(run, tiny, tmp_path, verb):
    path = tmp_path / "titled.xlsx"
    book = openpyxl.Workbook()
    for row in (["Catalogue 2026"], [], ["Code", "Diagnosis"], ["1", "fits"], ["2", "heart attack"]):
        book.active.append(row)
    book.save(path)
    if verb == "import":
        done = run("import", path, "-o", tmp_path / "t.terminology")
        assert "columns      id=Code, preferred=Diagnosis" in done.stdout
        assert "2 active" in done.stdout
    else:
        done = run("normalize", tiny / "tiny.index", path, "--column", "Diagnosis", "-o", tmp_path / "out.csv")
        lines = (tmp_path / "out.csv").read_text().splitlines()
        assert [line.split(",")[:3] for line in lines[1:]] == [["1", "fits", "T:6"], ["2", "heart attack", "T:3"]]
    assert done.exit_code == 0, done.stderr


def test_a_title_above_a_column_that_is_called_text_is_no_header(run, tiny, tmp_path):
    path, out = tmp_path / "titled.xlsx", tmp_path / "out.csv"
    book = openpyxl.Workbook()
    for row in (["Complaints 2026"], [], ["Nr", "Text"], ["1", "fits"]):
        book.active.append(row)
    book.save(path)
    done = run("normalize", tiny / "tiny.index", path, "-o", out)
    assert done.exit_code == 0, done.stderr
    assert [line.split(",")[:3] for line in out.read_text().splitlines()] == [
        ["Nr", "Text", "ontonym_id"],
        ["1", "fits", "T:6"],
    ]


def test_a_column_without_a_name_stays_a_column(run, tiny, tmp_path):
    path = tmp_path / "one.xlsx"
    book = openpyxl.Workbook()
    for row in (["Diagnosis"], ["fits", "a note"], ["heart attack", "another"]):
        book.active.append(row)
    book.save(path)
    done = run("normalize", tiny / "tiny.index", path, "--column", "Diagnosis", "-o", tmp_path / "out.csv")
    assert done.exit_code == 0, done.stderr
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert [line.split(",")[:3] for line in lines] == [
        ["Diagnosis", "", "ontonym_id"],
        ["fits", "a note", "T:6"],
        ["heart attack", "another", "T:3"],
    ]


def test_a_filled_review_sheet_behind_another_sheet_is_read_where_it_is_named(run, tiny, workbook, tmp_path):
    found, review = tmp_path / "all.sssom.tsv", tmp_path / "codes.review"
    sheet, index = f"{workbook}#Medicine", tiny / "tiny.index"
    assert run("match", sheet, index, "-o", tmp_path / "m.sssom.tsv", "--candidates", found).exit_code == 0
    assert run("review", "start", found, "-o", review).exit_code == 0
    assert run("review", "sheet", review, "-o", tmp_path / "todo.xlsx").exit_code == 0
    book = openpyxl.load_workbook(tmp_path / "todo.xlsx")
    cells = book["ontonym"]
    cells.cell(2, [cell.value for cell in cells[1]].index("decision") + 1).value = "exact"
    book.create_sheet("Notes", 0).append(["mine"])
    book.save(tmp_path / "todo.xlsx")
    done = run("review", "sheet", review, "--read", tmp_path / "todo.xlsx")
    assert (done.exit_code, "name one, as 'todo.xlsx#ontonym'" in done.stderr) == (2, True)
    done = run("review", "sheet", review, "--read", f"{tmp_path / 'todo.xlsx'}#ontonym")
    assert (done.exit_code, "1 new decision" in done.stdout) == (0, True), done.output


@pytest.mark.parametrize(
    ("form", "old", "new", "found"),
    [
        ("strict", b"schemas.openxmlformats.org/officeDocument/2006/rel", b"purl.oclc.org/ooxml/x/rel",
         ("given.xlsx#Medicine", "given.xlsx#Surgery")),
        ("odd", b"xl/workbook.xml", b"xl/book.xml", ()),
    ],
)  # fmt: skip
def test_sheets_of_workbooks_that_are_laid_out_in_another_way(workbook, tmp_path, form, old, new, found):
    given = tmp_path / "given.xlsx"
    with zipfile.ZipFile(workbook) as package, zipfile.ZipFile(given, "w") as made:
        for name in package.namelist():
            moved = name.replace("workbook.xml", "book.xml") if form == "odd" else name
            content = package.read(name)
            made.writestr(moved, content.replace(old, new) if form == "odd" or name == "xl/workbook.xml" else content)
    assert other_sheets(given) == found


def test_a_header_of_two_rows(run, tiny, tmp_path):
    path, out = tmp_path / "two.xlsx", tmp_path / "out.csv"
    book = openpyxl.Workbook()
    for row in (["Problem", None, "Uses", None], ["Code", "Label", 2024, 2025], ["W1", "Fits", 3, 4]):
        book.active.append(row)
    book.save(path)
    done = run("normalize", tiny / "tiny.index", path, "--column", "Label", "-o", out)
    assert done.exit_code == 0, done.stderr
    with out.open(newline="") as stream:
        (answered,) = csv.DictReader(stream)
    assert (answered["Code"], answered["2025"]) == ("W1", "4")
    found = tmp_path / "m.sssom.tsv"
    done = run("match", path, tiny / "tiny.index", "--column", "id=Code", "--column", "Label", "-o", found)
    assert done.exit_code == 0, done.stderr
    assert "\tFits\t" in found.read_text()


TITLED = (
    "Problems of ward 3\nexported 2026-11-27\n\nCode;Diagnosis\nW1;fits\nW2;heart attack\n",
    "Problems of ward 3,\r\n,\r\nCode,Diagnosis\r\nW1,fits\r\nW2,heart attack\r\n",
    '"Problems, of ward 3",,\n"by Ann, 2026",,\nCode,Diagnosis,\nW1,fits,\nW2,heart attack,\n',
    "Problems | ward 3\nCode,Diagnosis\nW1,fits\nW2,heart attack\n",
    "Problems of ward 3\nCode|Diagnosis\nW1|fits\nW2|heart attack\n",
    "Problems of ward 3\t\nCode\tDiagnosis\nW1\tfits\nW2\theart attack\n",
)


@pytest.mark.parametrize("text", TITLED)
def test_titles_above_the_header_of_a_table_of_text(run, tiny, tmp_path, text):
    path, out = tmp_path / ("given.tsv" if "\t" in text else "given.csv"), tmp_path / "out.csv"
    path.write_text(text, newline="")
    found, index = tmp_path / "m.sssom.tsv", tiny / "tiny.index"
    done = run("match", path, index, "-o", found, "--json")
    assert done.exit_code == 0, done.stderr
    assert {line.split("\t")[0].rpartition(":")[2] for line in found.read_text().splitlines() if "W" in line[:12]} == {
        "W1",
        "W2",
    }
    named = tmp_path / "named.sssom.tsv"
    done = run("match", path, index, "--column", "Diagnosis", "-o", named)  # the column of codes is found by its header
    assert (done.exit_code, "id=Code, preferred=Diagnosis" in done.stdout) == (0, True), done.stderr
    done = run("normalize", index, path, "--column", "Diagnosis", "-o", out)
    assert done.exit_code == 0, done.stderr
    with out.open(newline="") as stream:
        assert [(one["Code"], one["ontonym_id"]) for one in csv.DictReader(stream)] == [("W1", "T:6"), ("W2", "T:3")]


def test_a_name_alone_is_the_header_of_a_table_of_one_column(run, tiny, tmp_path):
    path, out = tmp_path / "given.csv", tmp_path / "out.jsonl"
    path.write_text("complaint\nfits\nheart attack,complaint\nfits\n")
    done = run("normalize", tiny / "tiny.index", path, "--column", "complaint", "-o", out)
    assert done.exit_code == 0, done.stderr
    assert "3 rows (csv) = 2 mentions + 1 malformed" in done.stderr
    path.write_text("complaint\nnr,complaint\n1,fits\n")  # a title may be called as the column is
    done = run("normalize", tiny / "tiny.index", path, "--column", "complaint", "-o", out)
    assert [json.loads(line)["nr"] for line in out.read_text().splitlines()] == ["1"]


def test_semicolons_below_the_name_of_a_single_column_part_nothing(run, tiny, tmp_path):
    path, out = tmp_path / "given.csv", tmp_path / "out.jsonl"
    path.write_text("complaint\nfits; heart attack\nheart attack; fits\n")
    done = run("normalize", tiny / "tiny.index", path, "--column", "complaint", "-o", out)
    assert done.exit_code == 0, done.stderr
    answered = [json.loads(line) for line in out.read_text().splitlines()]
    assert [one["complaint"] for one in answered] == ["fits; heart attack", "heart attack; fits"]


def _with_formula(path: Path, cell: str) -> Path:
    """A workbook with a formula, whose cell is then written as ``cell``."""
    book = openpyxl.Workbook()
    for row in (["code", "text"], ["1", "fits"], ["2", "=A1"]):
        book.active.append(row)
    book.save(path)
    with zipfile.ZipFile(path) as package:
        parts = {one: package.read(one) for one in package.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    start = sheet.index(b'<c r="B3"')
    end = sheet.index(b"</c>", start) + len(b"</c>")
    parts["xl/worksheets/sheet1.xml"] = sheet[:start] + cell.encode() + sheet[end:]
    with zipfile.ZipFile(path, "w") as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "cell", ['<c r="B3"><f>A1</f><v></v></c>', '<c r="B3"><f>A1</f><v/></c>', '<c r="B3" t="str"><f ca="1">A1</f></c>']
)
@pytest.mark.parametrize("verb", ["normalize", "import"])
def test_a_formula_that_was_never_computed_is_no_empty_cell(run, tiny, tmp_path, verb, cell):
    given = _with_formula(tmp_path / "a.xlsx", cell)
    words = ["normalize", tiny / "tiny.index", given] if verb == "normalize" else ["import", given]
    done = run(*words, "-o", tmp_path / ("b.csv" if verb == "normalize" else "b.terminology"))
    said = "the formula in cell B3 has no value: it was never computed. Open the workbook in a spreadsheet program and"
    assert (done.exit_code, said in done.stderr, len(done.stderr.splitlines())) == (2, True, 1)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c r="B3" t="str"><f>A1</f><v>fever</v></c>', "fever"),
        ('<c r="B3" t="str"><f>A1</f><v></v></c>', ""),
        ('<c r="B3"><f t="shared" si="0"/><v>5</v></c>', "5"),
    ],
)
def test_the_value_of_a_formula_is_read(run, tiny, tmp_path, cell, text):
    done = run("normalize", tiny / "tiny.index", _with_formula(tmp_path / "a.xlsx", cell), "-o", tmp_path / "b.csv")
    assert done.exit_code == 0, done.stderr
    with (tmp_path / "b.csv").open(newline="") as stream:
        assert [row["text"] for row in csv.DictReader(stream)] == ["fits", text]


def test_a_row_of_a_sheet_that_ends_before_the_text_is_blank(run, tiny, tmp_path):
    book = openpyxl.Workbook()
    for row in (["code", "text"], ["1", "fits"], ["2"], ["3", "fever"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.xlsx", "-o", tmp_path / "b.csv", "--strict")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.startswith("3 rows (xlsx) = 2 mentions + 1 blank + 0 malformed;")
