"""What workbooks and Parquet files have and text does not: bytes, numbers of many digits, a place that is packed."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest

from ontonym.files.cells import cell_text
from ontonym.files.workbooks import sheet_rows

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
openpyxl = pytest.importorskip("openpyxl")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx"])
def test_texts_that_a_parquet_file_has_as_bytes_are_texts(run, tiny, tmp_path, ending):
    parquet.write_table(pa.table({"text": [b"fits", "Fieber \N{FIRE}".encode()]}), tmp_path / "a.parquet")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.parquet", "-o", tmp_path / f"b.{ending}")
    assert done.exit_code == 0, done.stderr
    assert "2 sure" in done.stderr
    texts = {
        "csv": lambda place: [row["text"] for row in csv.DictReader(place.read_text("utf-8").splitlines())],
        "jsonl": lambda place: [json.loads(line)["text"] for line in place.read_text("utf-8").splitlines()],
        "xlsx": lambda place: [row[0] for row in openpyxl.load_workbook(place).active.iter_rows(2, values_only=True)],
    }
    assert texts[ending](tmp_path / f"b.{ending}") == ["fits", "Fieber \N{FIRE}"]


def test_what_is_in_lists_and_records_of_a_parquet_file_is_written_as_json(run, tiny, tmp_path):
    columns = {"text": ["fits"], "tags": [[b"a", None]], "dose": [{"amount": Decimal("1.50"), "unit": b"mg"}]}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.parquet", "-o", tmp_path / "b.jsonl")
    assert done.exit_code == 0, done.stderr
    row = json.loads((tmp_path / "b.jsonl").read_text("utf-8"))
    assert (row["tags"], row["dose"]) == (["a", None], {"amount": "1.50", "unit": "mg"})


def test_a_time_that_no_calendar_has_is_one_error(run, tiny, tmp_path):
    times = pa.array([10**18], pa.timestamp("us"))  # in the year 33658
    parquet.write_table(pa.table({"text": ["fits"], "seen": times}), tmp_path / "a.parquet")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.parquet", "-o", tmp_path / "b.parquet")
    said = f"error: {tmp_path / 'a.parquet'}: cannot be read as Parquet (date value out of range)"
    assert (done.exit_code, done.stderr.startswith(said), done.stderr.count("\n")) == (2, True, 1)


def test_bytes_in_lists_and_those_that_are_no_text():
    assert cell_text([b"a", {"b": b"\xff"}]) == '["a",{"b":"\N{REPLACEMENT CHARACTER}"}]'


def test_a_workbook_keeps_every_digit_and_what_xml_cannot_hold_is_a_space(run, tiny, tmp_path):
    columns = {
        "text": ["fits", "fever", "fits\ufffe"],
        "code": [999000011000000103, 404684003, -100000000000000000],
        "dose": [Decimal("0.1234567890123456"), Decimal("1.5"), None],
    }
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.parquet", "-o", tmp_path / "b.xlsx")
    assert done.exit_code == 0, done.stderr
    rows = [row[:3] for row in openpyxl.load_workbook(tmp_path / "b.xlsx").active.iter_rows(2, values_only=True)]
    assert rows == [
        ("fits", "999000011000000103", "0.1234567890123456"),
        ("fever", 404684003, 1.5),
        ("fits ", -100000000000000000, None),
    ]


def test_codes_that_became_fractions_beside_empty_cells_are_read_as_codes(run, tmp_path):
    columns = {"code": [22298006.0, 38341003.0, 1.5], "display": ["Infarction", "Hypertension", "x"]}
    parquet.write_table(pa.table(columns), tmp_path / "codes.parquet")
    run("import", tmp_path / "codes.parquet", "-o", tmp_path / "codes.terminology")
    listed = run("export", tmp_path / "codes.terminology", "-o", "-", "--format", "csv").stdout
    assert [line.split(",")[0] for line in listed.splitlines()[1:]] == ["22298006", "38341003", "1.5"]


def _packed(folder: Path, name: str) -> Path:
    """The table ``a.xlsx`` or ``b.parquet`` in the folder, in a zip or in gzip, under the name."""
    inner = folder / ("b.parquet" if name.startswith("b") else "a.xlsx")
    if name.endswith(".zip"):
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(inner, inner.name)
    else:
        (folder / name).write_bytes(gzip.compress(inner.read_bytes()))
    return folder / name


@pytest.mark.parametrize(
    ("format", "codes"),
    [
        ("00000", ["00012", "123456", "007", "00007"]),
        ("[$-409]0000;@", ["0012", "123456", "007", "0007"]),
        ("General", ["12", "123456", "007", "7"]),
        ("0.00", ["12", "123456", "007", "7"]),
        ("#,##0", ["12", "123456", "007", "7"]),
    ],
)
def test_numbers_that_a_workbook_shows_with_leading_zeros_are_read_so(tmp_path, format, codes):
    book = openpyxl.Workbook()
    for value in (12, 123456, "007", 7.0):
        book.active.append([value, -3, 1.5, True])
        for cell in book.active[book.active.max_row]:
            cell.number_format = format
    book.save(tmp_path / "codes.xlsx")
    rows = [row for _, row in sheet_rows(tmp_path / "codes.xlsx")]
    assert [str(row[0]).removesuffix(".0") for row in rows] == codes
    assert all(row[1:] == [-3, 1.5, True] for row in rows)


@pytest.mark.parametrize("name", ["a.xlsx.gz", "a.zip", "b.parquet.gz", "b.zip"])
def test_a_packed_workbook_is_read_as_the_workbook(run, tiny, tmp_path, name):
    book = openpyxl.Workbook()
    for row in (["The ward's list"], [], ["id", "text"], [1, "fits"], [2, "pyrexia"]):
        book.active.append(row)
    book.create_sheet("Old").append(["id", "text"])
    book.save(tmp_path / "a.xlsx")
    parquet.write_table(pa.table({"id": [1, 2], "text": ["fits", "pyrexia"]}), tmp_path / "b.parquet")
    packed = _packed(tmp_path, name)
    run("normalize", tiny / "tiny.index", packed, "-o", tmp_path / "out.csv")
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert [(row["id"], row["text"], row["ontonym_id"]) for row in rows] == [
        ("1", "fits", "T:6"),
        ("2", "pyrexia", "T:5"),
    ]
    read = run("import", packed, "--column", "id=id", "--column", "preferred=text", "-o", tmp_path / "x.terminology")
    assert "rows         2 read = 2 kept + 0 skipped + 0 malformed" in read.stdout
    wrong = run("normalize", tiny / "tiny.index", packed, "--column", "txt")
    assert (wrong.exit_code, "Did you mean 'text'?" in wrong.stderr) == (2, True)


def test_a_workbook_among_other_files_of_an_archive_is_not_read(run, tmp_path):
    openpyxl.Workbook().save(tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "a.xlsx", "a.xlsx")
        archive.writestr("codes.csv", "id,name\n1,Fever\n")
    read = run("import", tmp_path / "a.zip")
    assert "concepts     1 active, 0 retired" in read.stdout


def test_a_row_of_a_sheet_with_a_title_is_named_by_its_number(run, tmp_path):
    book = openpyxl.Workbook()
    for row in (["Exported on Monday"], [], ["id", "name", "status"], [1, "Fever", "active"], [2, "Cough", "perhaps"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    read = run("import", tmp_path / "a.xlsx")
    assert "a.xlsx:5: unknown status 'perhaps'" in read.stdout


@pytest.mark.parametrize("verb", ["normalize", "annotate"])
def test_a_dash_as_output_is_standard_output(run, tiny, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("fits\n")
    written = run(verb, tiny / "tiny.index", "a.txt", "-o", "-")
    assert written.stdout == run(verb, tiny / "tiny.index", "a.txt").stdout
    assert json.loads(written.stdout)["id"] == "T:6"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_what_standard_output_cannot_hold_is_refused_before_the_work(run, tiny, tmp_path):
    for command in [
        ("match", tiny / "tiny.terminology", tiny / "tiny.index"),
        ("index", tiny / "tiny.terminology"),
        ("evaluate", "heldout", tiny / "tiny.terminology"),
    ]:
        done = run(*command, "-o", "-")
        assert (done.exit_code, "-: standard output cannot hold this" in done.stderr) == (2, True), command
    assert not (tmp_path / "-").exists()
