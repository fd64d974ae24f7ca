"""``ontonym review sheet``: decisions that reviewers make in a spreadsheet."""

from __future__ import annotations

import csv
import json

import pytest

from ontonym.tasks.review import read_journal
from reviewed import begun


def fill(path, decisions):
    """Writes decisions into a sheet by source and target, and saves it as spreadsheets in many countries do."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["decision"] = decisions.get((row["source_id"], row["target_id"]), row["decision"])
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)


def test_a_sheet_there_and_back(run, tmp_path):
    state, sheet = begun(tmp_path), tmp_path / "s.csv"
    done = run("review", "sheet", state, "-o", sheet, "--each", 1)
    assert done.stdout == f"{sheet}: 5 source concepts in 5 rows\n"
    run("review", "sheet", state, "-o", sheet, "--force")
    fill(sheet, {("L:1", "T:1"): "X", ("L:1", "T:2"): "no", ("L:4", ""): "None", ("L:2", "T:4"): "broader"})
    done = run("review", "sheet", state, "--read", sheet, "--reviewer", "anna")
    assert done.stdout.startswith("4 new decisions of anna; 3 of 5 decided")
    decided = [(event.source, *event.decision) for event in read_journal(state).events]
    assert decided == [("L:2", "broad", "T:4"), ("L:4", "none", ""), ("L:1", "exact", "T:1"), ("L:1", "reject", "T:2")]
    assert run("review", "sheet", state, "--read", sheet, "--reviewer", "anna").stdout.startswith("0 new decisions")
    assert "changed since it was made" in run("review", "sheet", state, "-o", sheet).stderr  # it was filled in
    run("review", "sheet", state, "-o", sheet, "--filter", "mine", "--reviewer", "anna", "--force")
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        filled = {(row["source_id"], row["target_id"]): row["decision"] for row in csv.DictReader(stream)}
    assert filled["L:1", "T:1"] == "exact"
    assert filled["L:2", "T:3"] == ""


def test_a_sheet_that_replaces_what_others_decided_since_names_it(run, tmp_path):
    state, sheet = begun(tmp_path), tmp_path / "s.csv"
    run("review", "sheet", state, "-o", sheet)
    run("review", "decide", state, "L:1", "none", "--reviewer", "ben")
    run("review", "decide", state, "L:2", "exact", "T:3", "--reviewer", "ben")
    fill(sheet, {("L:1", "T:1"): "x", ("L:2", "T:3"): "x"})
    done = run("review", "sheet", state, "--read", sheet, "--reviewer", "anna", "--json")
    (replaced,) = json.loads(done.stdout)["replaced"]
    assert (replaced["source"], replaced["who"], replaced["verdict"]) == ("L:1", "ben", "none")
    run("review", "decide", state, "L:1", "none", "--reviewer", "ben")
    done = run("review", "sheet", state, "--read", sheet, "--reviewer", "anna")
    assert "1 decision of others replaced: L:1, which ben decided “none”" in done.stdout


@pytest.mark.parametrize(
    ("source", "label", "said"),
    [("2", "heart failure", ""), ("L:2", "", ""), ("L:2", "our own words", ""),
     ("L:1", "heart failure", "L:1 is 'kidney failure', and not 'heart failure'. Spreadsheets change"),
     ("2", "", "no source concept '2'"), ("2", "our own words", "no source concept '2'")],
)  # fmt: skip
def test_a_code_that_a_spreadsheet_changed_is_found_by_its_label(run, tmp_path, source, label, said):
    state, sheet = begun(tmp_path), tmp_path / "s.csv"
    sheet.write_text(f"source_id,source_label,target_id,decision\n{source},{label},T:3,x\n")
    done = run("review", "sheet", state, "--read", sheet, "--reviewer", "anna")
    if said:
        assert (done.exit_code, said in done.stderr, read_journal(state).events) == (2, True, []), done.stderr
    else:
        assert [event.source for event in read_journal(state).events] == ["L:2"]


def test_the_same_sheet_twice_repeats_no_comment(run, tmp_path):
    state, sheet = begun(tmp_path), tmp_path / "s.csv"
    sheet.write_text("source_id,target_id,decision,comment\nL:1,T:1,x,as in 2020\n")
    for _ in range(2):
        assert run("review", "sheet", state, "--read", sheet, "--reviewer", "anna").exit_code == 0
    assert [event.text for event in read_journal(state).events if event.text] == ["as in 2020"]


def test_a_sheet_as_a_workbook_there_and_back(run, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    state, sheet = begun(tmp_path), tmp_path / "s.xlsx"
    done = run("review", "sheet", state, "-o", sheet, "--each", 1)
    assert done.stdout == f"{sheet}: 5 source concepts in 5 rows\n", done.output
    book = openpyxl.load_workbook(sheet)
    assert book.active.freeze_panes == "A2", "the header stays in sight"
    header, *rows = ([cell.value for cell in row] for row in book.active.iter_rows())
    number = next(number for number, row in enumerate(rows, 2) if row[0] == "L:1")
    said = dict(zip(header, rows[number - 2], strict=True))
    assert [type(said[name]) for name in ("frequency", "confidence")] == [int, float], "so that Excel sorts by them"
    book.active.cell(number, header.index("decision") + 1).value = "x"
    book.active.append([None] * len(header))
    book.save(sheet)
    done = run("review", "sheet", state, "--read", sheet, "--reviewer", "anna")
    assert done.stdout.startswith("1 new decision of anna"), done.output
    assert [(event.source, *event.decision) for event in read_journal(state).events] == [("L:1", "exact", "T:1")]


def test_a_sheet_says_what_parts_it_and_every_quote_is_closed(run, tmp_path):
    state, sheet = begun(tmp_path), tmp_path / "s.csv"
    sheet.write_text("sep=;\nsource_id;target_id;decision\nL:1;T:1;x\n")
    assert run("review", "sheet", state, "--read", sheet).stdout.startswith("1 new decision")
    sheet.write_text('source_id,target_id,decision,comment\nL:2,T:3,x,"never closed\nL:3,T:1,x,\n')
    done = run("review", "sheet", state, "--read", sheet)
    assert (done.exit_code, "not valid CSV (unexpected end of data)" in done.stderr) == (2, True)


def test_a_sheet_is_no_parquet(run, tmp_path):
    done = run("review", "sheet", begun(tmp_path), "-o", tmp_path / "s.parquet")
    assert (done.exit_code, "a sheet is csv, tsv, xlsx, by the ending of its name" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        ({("L:1", "T:1"): "perhaps"}, ":5: 'perhaps' is no decision. Write one of exact"),
        ({("L:1", "T:1"): "x", ("L:1", "T:2"): "none"}, ":6: L:1 has no match by one line and one by line 5"),
        ({("L:4", ""): "x"}, ":4: exact without a target"),
    ],
)
def test_a_wrong_line_of_a_sheet_takes_nothing(run, tmp_path, decisions, said):
    state, sheet = begun(tmp_path), tmp_path / "s.csv"
    run("review", "sheet", state, "-o", sheet)
    fill(sheet, {("L:2", "T:3"): "x", **decisions})
    before = state.read_bytes()
    done = run("review", "sheet", state, "--read", sheet)
    assert (done.exit_code, state.read_bytes()) == (2, before)
    assert f"s.csv{said}" in done.stderr
