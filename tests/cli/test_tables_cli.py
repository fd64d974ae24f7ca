"""Tables in and out of `ontonym normalize`: every column and row is kept, answers are added, formats go by endings."""

from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import json
import lzma
import zipfile
from pathlib import Path

import pytest

from ontonym.tasks.columns import ANSWER_COLUMNS

ROWS = [
    ["L1", "fits", "120", "=1+1"],
    ["L2", "", "4", ""],
    ["L3", "Heart attack", "30", "two\nlines"],
    ["L4", "xyzzy plugh", "2", "-7"],
]
HEADER = ["code", "local name", "frequency", "note"]
IDS = ["T:6", None, "T:3", None]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "local.csv"
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([HEADER, *ROWS])
    return path


def read(path: Path) -> list[list[object]]:
    """The rows with the header; empty cells are None."""
    if path.suffix == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        cells = openpyxl.load_workbook(path).active.iter_rows()
        rows = [[cell.value for cell in row] for row in cells if not any(cell.data_type == "f" for cell in row)]
    elif path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        found = parquet.read_table(path)
        rows = [found.column_names, *map(list, zip(*found.to_pydict().values(), strict=True))]
    elif path.suffix == ".jsonl":
        objects = [json.loads(line) for line in path.read_text().splitlines()]
        rows = [list(objects[0])[:-1], *([*one.values()][:-1] for one in objects)]
    else:
        with path.open(newline="") as stream:
            rows = list(csv.reader(stream, csv.excel_tab if path.suffix == ".tsv" else csv.excel))
    return [[None if cell == "" else cell for cell in row] for row in rows]


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet", "jsonl"])
def test_every_format_keeps_all_columns_and_rows(run, tiny, table, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    done = run("normalize", tiny / "tiny.index", table, "--column", "local name", "-o", out)
    assert done.exit_code == 0, done.stderr
    header, *rows = read(out)
    assert header == [*HEADER, *ANSWER_COLUMNS]
    guarded = ending in ("csv", "tsv")
    notes = ["'=1+1" if guarded else "=1+1", None, "two lines" if ending == "tsv" else "two\nlines", "-7"]
    assert [row[:4] for row in rows] == [
        [row[0], row[1] or None, row[2], note] for row, note in zip(ROWS, notes, strict=True)
    ]
    assert [row[4] for row in rows] == IDS
    assert [row[5] for row in rows] == ["Seizure", None, "Myocardial infarction", None]
    assert [row[7] for row in rows] == ["sure", None, "sure", "none"]
    confidences = [row[6] if row[6] is None else float(row[6]) for row in rows]
    assert confidences[1] is None
    assert confidences[0] > 0.9
    assert confidences[3] < 0.5


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet", "jsonl"])
def test_what_the_text_denies_is_said_in_every_format(run, tiny, tmp_path, ending):
    (tmp_path / "dx.csv").write_text("n,dx\n1,no fever\n2,fits\n3,zzz qqq\n4,\n5,denies fits\n")
    out = tmp_path / f"out.{ending}"
    done = run("normalize", tiny / "tiny.index", tmp_path / "dx.csv", "--column", "dx", "-o", out)
    assert done.stderr.splitlines()[0].endswith("reaches the confidence 0.5); 2 negated")
    header, *rows = read(out)
    place = header.index("ontonym_negated")
    assert [(row[2], row[place]) for row in rows] == [
        ("T:5", "yes"), ("T:6", None), (None, None), (None, None), ("T:6", "yes"),
    ]  # fmt: skip


@pytest.mark.parametrize("given", ["csv", "tsv", "semicolons.csv"])
def test_cells_beyond_the_last_column_are_kept_in_it(run, tiny, tmp_path, given):
    path, out = tmp_path / f"dx.{given}", tmp_path / "out.jsonl"
    rows = [["mrn", "dx", "note"], ["7", "fits", "free", " unquoted, or not", "text"], ["8", "fits", "x", "", ""]]
    delimiter = {"tsv": "\t", "semicolons.csv": ";"}.get(given, ",")
    with path.open("w", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)
    done = run("normalize", tiny / "tiny.index", path, "--column", "dx", "-o", out)
    assert "5 columns, where the table has 3: the last one has the rest" in done.stderr
    first, second = read(out)[1:]
    assert first[:4] == ["7", "fits", f"free{delimiter} unquoted, or not{delimiter}text", None]
    assert second[:4] == ["8", "fits", "x", "T:6"]


def test_json_lines_of_a_table_with_two_columns_of_one_name(run, tiny, tmp_path):
    path, out = tmp_path / "dx.csv", tmp_path / "out.jsonl"
    path.write_text("mrn,dx,note,note\n7,fits,alpha,beta\n")
    for more in (("-o", out), ()):
        done = run("normalize", tiny / "tiny.index", path, "--column", "dx", *more)
        assert (done.exit_code, out.exists(), done.stdout) == (2, False, "")
        assert "two columns are called 'note', which JSON lines cannot hold: rename one" in done.stderr
    path.write_text("mrn,dx,,\n7,fits,alpha,beta\n")
    assert run("normalize", tiny / "tiny.index", path, "--column", "dx", "-o", out).exit_code == 0
    assert {"column_3": "alpha", "column_4": "beta"}.items() <= json.loads(out.read_text()).items()


@pytest.mark.parametrize("given", ["csv", "tsv", "xlsx"])
def test_rows_without_cells_stay_where_they_are(run, tiny, tmp_path, given):
    path, out = tmp_path / f"dx.{given}", tmp_path / "out.csv"
    rows = [["mrn", "dx"], [1, "fits"], ["", ""], [3, "fever"], [], [], [6, "fits"], ["", ""], []]
    if given == "xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        for row in rows:
            book.active.append([cell or None for cell in row])
        book.save(path)
    else:
        path.write_text("".join(("\t" if given == "tsv" else ",").join(map(str, row)) + "\n" for row in rows))
    done = run("normalize", tiny / "tiny.index", path, "--column", "dx", "-o", out)
    assert done.exit_code == 0, done.stderr
    assert [(row[0], row[2]) for row in read(out)[1:]] == [
        ("1", "T:6"), (None, None), ("3", "T:5"), (None, None), (None, None), ("6", "T:6"),
    ]  # fmt: skip
    blank = 4 if given == "xlsx" else 5  # openpyxl writes no row that never had a cell at the end
    assert f"{blank + 3} rows ({given}) = 3 mentions + {blank} blank + 0 malformed" in done.stderr


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_guarded_cell_gets_no_further_apostrophe_each_time(run, tiny, tmp_path, ending):
    (tmp_path / "a.csv").write_text("sign,note\nfits,=1+1\nfever,'quoted'\n")
    for given, out in (("a.csv", f"b.{ending}"), (f"b.{ending}", f"c.{ending}"), (f"c.{ending}", "d.xlsx")):
        assert (
            run("normalize", tiny / "tiny.index", tmp_path / given, "--column", "sign", "-o", tmp_path / out).exit_code
            == 0
        )
    assert (tmp_path / f"b.{ending}").read_bytes() == (tmp_path / f"c.{ending}").read_bytes()
    assert "'=1+1" in (tmp_path / f"b.{ending}").read_text()
    assert [row[1] for row in read(tmp_path / "d.xlsx")] == ["note", "=1+1", "'quoted'"]


@pytest.mark.parametrize("ending", ["tsv", "xlsx", "parquet", "jsonl"])
def test_what_was_written_is_read_again_and_answered_anew(run, tiny, table, tmp_path, ending):
    first, second, third = tmp_path / "a.csv", tmp_path / f"b.{ending}", tmp_path / "c.csv"
    for given, out in ((table, first), (first, second), (second, third)):
        options = ["--raw"] if out.suffix == ".csv" else []
        assert (
            run("normalize", tiny / "tiny.index", given, "--column", "local name", "-o", out, *options).exit_code == 0
        )
    if ending == "tsv":
        assert [row[:3] for row in read(third)] == [row[:3] for row in read(first)]
    else:
        assert read(third) == read(first)


def test_columns_that_answers_replace_are_told(run, tiny, tmp_path):
    given = tmp_path / "in" / "a.csv"
    given.parent.mkdir()
    given.write_text("text,ontonym_id,ontonym_candidates\nfits,MINE,x\n")
    said = "2 columns of earlier answers (ontonym_id, ontonym_candidates) replaced by the new ones: what is to be kept"
    done = run("normalize", tiny / "tiny.index", given, "-o", tmp_path / "out.csv")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (0, f"{said} needs other names")
    assert read(tmp_path / "out.csv")[0] == ["text", *ANSWER_COLUMNS]
    done = run("normalize", tiny / "tiny.index", given.parent, "-o", f"{tmp_path / 'out'}/")
    assert f"a.csv: {said} needs other names\n" in done.stderr


def test_lists_in_place_of_a_text_are_no_mentions(run, tiny, tmp_path):
    given, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    given.write_text('{"words": "fits", "n": 1}\n{"words": ["fits"], "n": 2}\n{"words": {"a": "fits"}, "n": 3}\n')
    done = run("normalize", tiny / "tiny.index", given, "--column", "words", "-o", out)
    assert done.stderr.startswith("3 rows (jsonl) = 1 mention + 2 malformed; 1 sure")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["n"], row["words"], row["ontonym_id"]) for row in rows] == [
        (1, "fits", "T:6"), (2, ["fits"], None), (3, {"a": "fits"}, None),
    ]  # fmt: skip
    parquet, pyarrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    parquet.write_table(pyarrow.table({"words": [["fits"]]}), tmp_path / "a.parquet")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.parquet", "--column", "words")
    said = "the column 'words' holds lists or objects (list<element: string>). Name a column of texts, one in each row"
    assert (done.exit_code, done.stderr) == (2, f"error: {tmp_path / 'a.parquet'}: {said}\n")


def test_standard_output_has_the_row_beside_the_answer(run, tiny, table):
    lines = run("normalize", tiny / "tiny.index", table, "--column", "local name").stdout.splitlines()
    first = json.loads(lines[0])
    assert (first["text"], first["id"]) == ("fits", "T:6")
    assert first["row"] == dict(zip(HEADER, ROWS[0], strict=True))


def test_a_date_of_a_workbook_has_no_midnight(run, tiny, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    seen, at = datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 7, 30)
    for row in (["text", "seen", "at"], ["fits", seen, at]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert run("normalize", tiny / "tiny.index", tmp_path / "a.xlsx", "-o", tmp_path / "b.csv").exit_code == 0
    (row,) = csv.DictReader((tmp_path / "b.csv").read_text().splitlines())
    assert (row["seen"], row["at"]) == ("2024-01-02", "2024-01-02T07:30:00")
    run("normalize", tiny / "tiny.index", tmp_path / "a.xlsx", "-o", tmp_path / "b.xlsx")
    cells = [cell.value for cell in openpyxl.load_workbook(tmp_path / "b.xlsx").active[2]][1:3]
    assert cells == [datetime.datetime(2024, 1, 2), at]


def test_types_of_a_parquet_file_stay(run, tiny, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    given = pa.table(
        {"n": pa.array([3, 4], pa.int16()), "text": ["fits", "fever"], "at": pa.array([1, 2], pa.date32())}
    )
    parquet.write_table(given, tmp_path / "a.parquet")
    run("normalize", tiny / "tiny.index", tmp_path / "a.parquet", "-o", tmp_path / "b.parquet")
    found = parquet.read_table(tmp_path / "b.parquet")
    assert found.select(["n", "text", "at"]) == given
    assert found.column("ontonym_id").to_pylist() == ["T:6", "T:5"]
    assert found.schema.field("ontonym_confidence").type == pa.float64()


def test_json_lines_with_other_keys_are_a_table(run, tiny, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"q": "fits", "n": 1}\n{"q": null, "late": [2]}\n')
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.jsonl", "--column", "q", "-o", tmp_path / "b.csv")
    assert done.exit_code == 0, done.stderr
    header, first, second = read(tmp_path / "b.csv")
    assert header == ["q", "n", "late", *ANSWER_COLUMNS]
    assert (first[:4], second[:4]) == (["fits", "1", None, "T:6"], [None, None, "[2]", None])
    typed = run("normalize", tiny / "tiny.index", "-", "--column", "q", input=(tmp_path / "a.jsonl").read_text())
    assert "a key that the first object lacks, 'late'" in typed.stderr


def test_json_lines_are_a_table_where_a_later_object_has_other_keys(run, tiny, tmp_path):
    given = '{"text": "fits"}\n{"text": "fever", "ward": "A"}\n'
    (tmp_path / "a.jsonl").write_text(given)
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.jsonl", "-o", tmp_path / "b.csv")
    assert done.exit_code == 0, done.stderr
    header, first, second = read(tmp_path / "b.csv")
    assert header == ["text", "ward", *ANSWER_COLUMNS]
    assert (first[:3], second[:3]) == (["fits", None, "T:6"], ["fever", "A", "T:5"])
    typed = run("normalize", tiny / "tiny.index", "-", "--format", "jsonl", input=given)
    assert (typed.exit_code, "a key that the first object lacks, 'ward'" in typed.stderr) == (2, True)
    assert run("annotate", tiny / "tiny.index", "-", "--format", "jsonl", "--json", input=given).exit_code == 0


def test_semicolons_and_rows_of_another_width(run, tiny, tmp_path):
    (tmp_path / "a.csv").write_text("name;n\nfits;1;;\nfever\nfever;2;3\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.csv", "-o", tmp_path / "b.csv")
    assert [row[:3] for row in read(tmp_path / "b.csv")[1:]] == [
        ["fits", "1", "T:6"], ["fever", None, "T:5"], ["fever", "2;3", None],
    ]  # fmt: skip
    assert "4 rows (csv)" not in done.stderr
    assert "3 rows (csv) = 2 mentions + 1 malformed" in done.stderr
    assert "a.csv:4: 3 columns, where the table has 2" in done.stderr


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_what_parts_the_columns_of_a_csv_is_detected(run, tiny, tmp_path, mark):
    (tmp_path / "a.csv").write_text(f"n{mark}name{mark}note, and more\n1{mark}fits{mark}a, b, c\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.csv", "--column", "name", "-o", tmp_path / "b.csv")
    assert done.exit_code == 0, done.stderr
    assert read(tmp_path / "b.csv")[1][:4] == ["1", "fits", "a, b, c", "T:6"]


@pytest.mark.parametrize("mark", [";", ",", "|"])
def test_the_line_that_states_the_separator_for_excel_is_no_row(run, tiny, tmp_path, mark):
    (tmp_path / "a.csv").write_text(f"sep={mark}\r\nname{mark}n\r\nfits{mark}1\r\nsep=x{mark}2\r\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.csv", "-o", tmp_path / "b.csv")
    assert done.exit_code == 0, done.stderr
    header, *rows = read(tmp_path / "b.csv")
    assert (header[:2], [row[:3] for row in rows]) == (["name", "n"], [["fits", "1", "T:6"], ["sep=x", "2", None]])
    done = run("import", tmp_path / "a.csv", "--column", "id=n", "--column", "preferred=name", "-o", tmp_path / "a.t")
    assert done.exit_code == 0, done.stderr
    shown = run("info", tmp_path / "a.t", "--json")
    assert '"concepts": 2' in shown.stdout or '"concepts":2' in shown.stdout


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_carriage_return_in_a_cell_comes_there_and_back(run, tiny, tmp_path, ending):
    (tmp_path / "a.jsonl").write_text('{"text": "fits", "note": "first\\rsecond"}\n{"text": "fever", "note": "3"}\n')
    index, made = tiny / "tiny.index", tmp_path / f"b.{ending}"
    assert run("normalize", index, tmp_path / "a.jsonl", "--column", "text", "-o", made).exit_code == 0
    done = run("normalize", index, made, "--column", "text", "-o", tmp_path / "c.jsonl")
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert [row["note"] for row in rows] == ["first\rsecond" if ending == "csv" else "first second", "3"]


def test_a_carriage_return_in_a_tsv_is_a_part_of_its_cell(run, tiny, tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"text\tnote\r\nfits\tfirst\rsecond\r\nfever\t3\r\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.tsv", "-o", tmp_path / "b.jsonl")
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert [row["note"] for row in rows] == ["first\rsecond", "3"]


@pytest.mark.parametrize("name", ["a.csv.gz", "A.CSV.GZ", "a.csv.bz2", "a.csv.xz", "a.csv.zip", "a.zip"])
def test_a_packed_table_is_read_as_what_is_in_it(run, tiny, tmp_path, name):
    table, place = b"text,n\nfits,1\nfever,2\n", tmp_path / name
    if name.endswith("zip"):
        with zipfile.ZipFile(place, "w") as archive:
            archive.writestr("visits.csv", table)
    else:
        place.write_bytes({"gz": gzip, "bz2": bz2, "xz": lzma}[name.lower().rpartition(".")[2]].compress(table))
    done = run("normalize", tiny / "tiny.index", place, "-o", tmp_path / "b.jsonl")
    assert (done.exit_code, done.stderr.partition(";")[0]) == (0, "2 rows (csv) = 2 mentions + 0 malformed")


def test_a_cell_may_be_longer_than_a_note_ever_is(run, tiny, tmp_path):
    text = "She has fits. " * 10_000
    (tmp_path / "a.csv").write_text(f'id,text\n1,"{text}"\n2,fever\n')
    done = run("annotate", tiny / "tiny.index", tmp_path / "a.csv", "-o", tmp_path / "b.jsonl", "--find", "names")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.startswith("2 rows (csv) = 2 documents")


def test_a_quote_that_is_never_closed_takes_no_rows_with_it(run, tiny, tmp_path):
    (tmp_path / "a.csv").write_text('name,n\n"fits\nwith ""fever""",1\n"fever,2\nfits,3\n')
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.csv", "-o", tmp_path / "b.csv")
    assert done.exit_code == 2
    assert "a.csv:4: a quote is opened and never closed. Close it" in done.stderr
    assert not (tmp_path / "b.csv").exists()
    (tmp_path / "a.csv").write_text('name,n\n"fits\nwith ""fever""",1\nfever,"2"')
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.csv", "-o", tmp_path / "b.csv")
    assert "2 rows (csv) = 2 mentions" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.xlsx", b"not a workbook", "cannot be read as an Excel workbook"),
        ("a.parquet", b"PAR1 no", "cannot be read as Parquet"),
        ("none.xlsx", None, "no such file"),
    ],
)
def test_a_damaged_file_is_one_error(run, tiny, tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run("normalize", tiny / "tiny.index", tmp_path / name, "--column", "1")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_an_unknown_ending_is_an_error(run, tiny, table, tmp_path):
    done = run("normalize", tiny / "tiny.index", table, "--column", "2", "-o", tmp_path / "out.docx")
    assert (done.exit_code, sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".docx")) == (2, [])
    assert "out.docx: no format has this ending. Give one of .csv, .tsv, " in done.stderr
    assert done.stderr.rstrip().endswith("or --output-format NAME")


@pytest.mark.parametrize(
    ("verb", "name"), [("normalize", "tsv"), ("normalize", "JSONL"), ("annotate", "concepts"), ("annotate", "html")]
)
def test_the_name_of_a_format_is_not_taken_for_a_file(run, tiny, tmp_path, monkeypatch, verb, name):
    (tmp_path / "mentions.txt").write_text("seizure\n")
    monkeypatch.chdir(tmp_path)
    done = run(verb, tiny / "tiny.index", "mentions.txt", "-o", name)
    assert (done.exit_code, [path.name for path in tmp_path.iterdir()]) == (2, ["mentions.txt"])
    assert f"{name} is the name of a format, not of a file: give it as --output-format {name.lower()}" in done.stderr
    assert run(verb, tiny / "tiny.index", "mentions.txt", "-o", f"./{name}").exit_code == 0
    assert (tmp_path / name).read_text().count("\n") == 1


def test_a_workbook_with_entities_is_refused(run, tiny, tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as package:
        package.writestr("xl/workbook.xml", '<!DOCTYPE x [<!ENTITY a "b">]><workbook>&a;</workbook>')
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.xlsx", "--column", "1")
    assert "declares entities" in done.stderr


def test_two_columns_of_the_name_are_not_chosen_from(run, tiny, tmp_path):
    (tmp_path / "two.csv").write_text("id,sign,sign\n1,fits,fever\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "two.csv", "--column", "sign")
    said = f"error: {tmp_path / 'two.csv'}:1: 2 columns are called 'sign'. Give them different names\n"
    assert (done.exit_code, done.stderr) == (2, said)


def test_a_column_that_answers_would_replace_is_not_read(run, tiny, tmp_path):
    (tmp_path / "again.csv").write_text("id,ontonym_name\n1,fits\n")
    done = run(
        "normalize", tiny / "tiny.index", tmp_path / "again.csv", "--column", "ontonym_name", "-o", tmp_path / "x.csv"
    )
    said = "error: the column 'ontonym_name' is read, and the answers would replace it: give it another name\n"
    assert (done.exit_code, done.stderr, (tmp_path / "x.csv").exists()) == (2, said, False)


@pytest.mark.parametrize(("header", "column"), [("Code;Sign, text;No", "Sign, text"), ('No,"a;b",sign', "sign")])
def test_semicolons_part_columns_where_they_are_more_than_commas(run, tiny, tmp_path, header, column):
    mark = ";" if header.startswith("Code") else ","
    (tmp_path / "sets.csv").write_text(f"{header}\n" + mark.join(["1", "fits", "fits"]) + "\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "sets.csv", "--column", column, "-o", tmp_path / "o.csv")
    assert done.exit_code == 0, done.stderr
    (row,) = csv.DictReader((tmp_path / "o.csv").read_text().splitlines())
    assert (row[column], row["ontonym_id"], len(row)) == ("fits", "T:6", 3 + len(ANSWER_COLUMNS))
