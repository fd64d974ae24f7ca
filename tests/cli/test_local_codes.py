"""Local codes to mappings: columns of any name, xlsx, targets that are checked, prefixes, hints that can be run."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest

from ontonym.files.tables import written_table
from ontonym.ontology.tables.local import completed_columns
from ontonym.tasks.review.items import Item, ReviewCandidate
from ontonym.tasks.review.targets import completed_target

ROWS = [["ward", "kode", "wort", "frequency"], ["A", "L1", "Fits", "3"], ["B", "L2", "zzz qqq", "900"]]


@pytest.fixture
def codes(tmp_path: Path) -> Path:
    path = tmp_path / "local.csv"
    with path.open("w", newline="") as out:
        csv.writer(out).writerows(ROWS)
    return path


@pytest.fixture
def begun(run, tiny, codes, tmp_path, monkeypatch):
    """A folder with a match and the review that its hint begins."""
    monkeypatch.chdir(tmp_path)
    done = run("match", codes, tiny / "tiny.index", "--column", "wort", "--column", "id=kode", "--mode", "best", "-o",
               "map.sssom.tsv", "--candidates", "all.sssom.tsv", "--aggregate", "max", "--threshold", 0.6)  # fmt: skip
    assert done.exit_code == 0, done.stderr
    for _ in range(2):
        hint = next(line.removeprefix("next: ") for line in done.stdout.splitlines() if line.startswith("next: "))
        done = run(*shlex.split(hint)[1:])
        assert done.exit_code == 0, done.stderr
    assert done.stdout.index("L2") < done.stdout.index("L1")
    return tmp_path


def test_columns_are_completed_by_the_header(codes, tmp_path):
    found = completed_columns(codes, ["wort", "id=kode"])
    assert found.by_role() == {"id": ("kode",), "preferred": ("wort",), "frequency": ("frequency",)}
    codes.write_text("source_code,source_name,frequency\nL1,Fits,3\n")
    assert completed_columns(codes, ["source_name"]).id == ("source_code",)


def test_a_table_without_codes_says_what_to_name(run, tiny, codes, tmp_path):
    codes.write_text(codes.read_text().replace("kode", "sign", 1))
    done = run("match", codes, tiny / "tiny.index", "--column", "wort", "-o", tmp_path / "m.sssom.tsv")
    assert done.exit_code == 2
    assert "which column holds the codes? Name it: --column id=COLUMN; the columns are ward, sign, wort" in done.stderr
    assert "In a list without codes name the column of the names twice, as id and as preferred" in done.stderr


def test_a_table_that_is_not_there_and_one_whose_header_says_nothing(run, tiny, tmp_path):
    done = run("match", tmp_path / "no.csv", tiny / "tiny.index", "--column", "wort", "-o", tmp_path / "m.sssom.tsv")
    assert (done.exit_code, "no.csv: no such file" in done.stderr) == (2, True)
    (tmp_path / "x.csv").write_text("Kürzel;Bezeichnung\nL1;Fits\n")
    done = run("match", tmp_path / "x.csv", tiny / "tiny.index", "-o", tmp_path / "m.sssom.tsv")
    assert done.exit_code == 2
    assert (
        "Name them, for example --column id=Kürzel --column preferred=Bezeichnung, or by number if the first line is "
        "no header, --column id=1 --column preferred=2. The first line reads: 1='Kürzel', 2='Bezeichnung'"
    ) in done.stderr
    (tmp_path / "x.csv").write_text("Mein Kürzel;Die Bezeichnung\nL1;Fits\n")
    done = run("import", tmp_path / "x.csv", "-o", tmp_path / "x.terminology")
    assert "--column 'id=Mein Kürzel' --column 'preferred=Die Bezeichnung', or" in done.stderr


def test_rows_of_a_table_that_are_not_matched_are_counted_and_shown(run, tiny, tmp_path):
    rows = "code;display;frequency\r\nL1;Fits;3\r\n;no code;1\r\nL2;;4\r\nL3;Fever;abc\r\nL4\r\n"
    (tmp_path / "odd.csv").write_bytes(b"\xef\xbb\xbf" + rows.encode())
    asked = ["match", tmp_path / "odd.csv", tiny / "tiny.index", "--mode", "best", "-o", tmp_path / "m.sssom.tsv"]
    said = run(*asked).stdout
    assert "5 read = 3 kept + 0 skipped + 2 malformed" in said
    unread = "1 frequency that cannot be read: odd.csv:5: the frequency 'abc' is not a whole number"
    assert unread in " ".join(said.split()), "it may be wrapped"
    assert "columns    id=code, preferred=display, frequency=frequency" in said
    assert "nameless   1 concept without a name: not searched for" in said
    assert "L3\tFever" in (tmp_path / "m.sssom.tsv").read_text(), "its code is matched all the same"
    assert [line.strip() for line in said.splitlines() if line.strip().startswith("odd.csv:")] == [
        "odd.csv:3: an empty id: ;no code;1",
        "odd.csv:6: expected 3 fields, found 1: L4",
    ]
    shape = json.loads(run(*asked, "--json").stdout)
    assert (shape["reader"]["rows"]["malformed"], shape["nameless"]) == (2, 1)
    assert run("import", tmp_path / "odd.csv", "-o", tmp_path / "odd.terminology", "--strict").exit_code == 2
    done = run("match", tiny / "tiny.terminology", tiny / "tiny.index", "-o", tmp_path / "m2.sssom.tsv")
    assert "malformed" not in done.stdout


def test_ids_without_prefix_and_ids_of_a_spreadsheet_are_told(run, tmp_path):
    (tmp_path / "s.csv").write_text("id,name\nL1,Fits\n1E+05,Cough\n")
    said = " ".join(run("import", tmp_path / "s.csv", "-o", tmp_path / "s.terminology", "--strict").stdout.split())
    assert "1 id that a spreadsheet seems to have changed (format the column as text there, " in said
    assert "and save it again): s.csv:3: 1E+05" in said
    assert "ids without a prefix, so cross-references such as NAME:123 do not find them" in said
    said = run("import", tmp_path / "s.csv", "-o", tmp_path / "p.terminology", "--prefix", "L").stdout
    assert "without a prefix" not in said


def test_lists_with_another_separator_are_told(run, tmp_path):
    (tmp_path / "s.csv").write_text("id,name,synonyms\nL1,Fits,seizure; convulsion\n")
    said = " ".join(run("import", tmp_path / "s.csv", "-o", tmp_path / "s.terminology", "--strict").stdout.split())
    assert (
        "1 cell with a semicolon, each taken as one value (the column setting separator=; splits such): s.csv:2: "
        "seizure; convulsion"
    ) in said
    split = run("import", tmp_path / "s.csv", "--column", "id=id", "--column", "preferred=name", "--column",
                "synonyms=synonyms", "--column", "separator=;", "-o", tmp_path / "t.terminology").stdout  # fmt: skip
    assert ("semicolon" in split, "3 read = 3 kept" in split) == (False, True)


@pytest.mark.parametrize(("written", "number"), [
    ("1,000", "1000"), ("1 200", "1200"), ("7.0", "7"), ("48,0", "48"), ("1.234", "1234"), ("1.234,00", "1234"),
    ("1.000.000", "1000000"), ("1.000", None), ("0.125", None),
])  # fmt: skip
def test_a_frequency_is_read_as_people_write_it_unless_it_may_be_two_numbers(run, tmp_path, written, number):
    (tmp_path / "f.csv").write_text(f'code,display,frequency\nA1,Fits,"{written}"\n')
    said = " ".join(run("import", tmp_path / "f.csv", "-o", tmp_path / "f.terminology").stdout.split())
    why = "may be 1 or 1000" if written == "1.000" else "is not a whole number"
    assert (f"the frequency '{written}' {why}" in said) == (number is None)
    shown = json.loads(run("show", tmp_path / "f.terminology", "A1", "--json").stdout)
    assert [one["value"] for one in shown["properties"] if one["name"] == "frequency"] == ([number] if number else [])


def test_parents_by_a_name_that_leads_nowhere_are_counted(run, tmp_path):
    (tmp_path / "t.csv").write_text("id,name,parent_names\n1,A,\n2,B,A\n3,B,Z\n4,C,B\n")
    said = run("import", tmp_path / "t.csv", "-o", tmp_path / "t.terminology").stdout
    said = " ".join(said.split())  # it may be wrapped
    assert "1 parent left out, given by a name that no concept has" in said
    assert "1 parent left out, given by a name that several concepts have" in said
    assert "1 parent left out" in run("info", tmp_path / "t.terminology").stdout


def test_an_id_that_comes_again_with_another_name_is_told(run, tmp_path):
    path, to = tmp_path / "t.csv", tmp_path / "t.terminology"
    rows = [
        "id,name,synonyms",
        "A1,Chest radiograph,CXR",
        "A2,Cough,",
        "A1,Chest film,",
        "A2,Cough,tussis",
        "A1,X-ray,",
    ]
    path.write_text("\n".join(rows))
    said = " ".join(run("import", path, "-o", to, "--prefix", "L").stdout.split())
    told = "1 id whose rows name it differently, the later names are synonyms: L:A1 Chest radiograph, Chest film"
    assert told in said
    assert told in " ".join(run("info", to).stdout.split())
    path.write_text("id,name,synonyms\nA1,Chest radiograph,CXR\nA2,Cough,\nA2,Cough,tussis\n")
    assert "differently" not in run("import", path, "-o", to, "--prefix", "L", "--force").stdout


def test_a_header_that_is_not_utf8_says_how_to_save_it(run, tiny, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes("Kód;Häufigkeit;Text\r\nL1;3;Fits\r\n".encode("cp1252"))
    for columns in ([], ["--column", "id=Kód"], ["--column", "id=Kód", "--column", "preferred=Text"]):
        done = run("match", path, tiny / "tiny.index", *columns, "-o", tmp_path / "m.sssom.tsv")
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert f"{path}:1: the header is not UTF-8. Save the table as CSV UTF-8, or re-encode it: iconv" in done.stderr


def test_names_of_a_windows_file_that_was_read_as_latin1_are_named(run, tmp_path):
    windows = "code,display\nA1,“wide” eyes\nA2,Sjögren’s\nA3,fever\n".encode("cp1252")
    (tmp_path / "right.csv").write_text(windows.decode("cp1252"))
    (tmp_path / "wrong.csv").write_text(windows.decode("latin-1"))
    said = "2 names of a Windows file that was read as Latin-1 (iconv -f WINDOWS-1252)"
    for name, told in (("right", False), ("wrong", True)):
        done = run("import", tmp_path / f"{name}.csv", "-o", tmp_path / f"{name}.terminology")
        assert done.exit_code == 0
        assert (said in " ".join(done.stdout.split())) == told
        assert ("\\x93wide\\x94 eyes" in done.stdout) == told


@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
def test_a_workbook_is_imported_and_unread_columns_are_named(run, tmp_path, ending):
    pytest.importorskip("openpyxl")
    with written_table(tmp_path / f"codes.{ending}", ending, ROWS[0]) as write:
        for row in ROWS[1:]:
            write(row)
    place = tmp_path / "codes.terminology"
    done = run("import", tmp_path / f"codes.{ending}", "-o", place, "--column", "id=kode", "--column", "preferred=wort")
    assert (done.exit_code, "not read   ward, frequency" in done.stdout) == (0, True), done.output
    assert "zzz qqq" in run("show", place, "L2").stdout
    (tmp_path / "all.csv").write_text("id,preferred\nL1,Fits\n")
    assert "not read" not in run("import", tmp_path / "all.csv", "-o", tmp_path / "all.terminology").stdout


@pytest.mark.parametrize("rows", [
    [["code", "display", "comment"], ["A1", "Headache", "x"], ["A2", "Fits"], [], ["A3", "Fever", None, None]],
    [[None], ["code", "display", "comment"], ["A1", "Headache"], ["A2", "Fits"], ["A3", "Fever"]],
])  # fmt: skip
def test_a_workbook_whose_rows_end_with_empty_cells_loses_no_code(run, tiny, tmp_path, rows):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "ward.xlsx")
    done = run("match", tmp_path / "ward.xlsx", tiny / "tiny.index", "-o", tmp_path / "m.sssom.tsv", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["concepts"], told["reader"]["rows"]["malformed"]) == (3, 0)
    written = (tmp_path / "m.sssom.tsv").read_text()
    assert all(f"local:{code}\t" in written for code in ("A1", "A2", "A3"))


def test_a_workbook_is_called_by_its_own_name(run, tiny, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["A1", "Headache"], [], ["A2", "Fits"]):
        book.active.append(row)
    book.save(tmp_path / "ward.xlsx")
    done = run("match", tmp_path / "ward.xlsx", tiny / "tiny.index", "-o", tmp_path / "m.sssom.tsv")
    assert (done.exit_code, f"{tmp_path / 'ward.xlsx'}:1: cannot tell which" in done.stderr) == (2, True)
    for row in (["A3", "Fever", "more"],):
        book.active.append(row)
    book.active["A1"], book.active["B1"] = "code", "display"
    book.save(tmp_path / "ward.xlsx")
    done = run("match", tmp_path / "ward.xlsx", tiny / "tiny.index", "-o", tmp_path / "m.sssom.tsv")
    assert "ward.xlsx:5: expected 2 fields, found 3" in done.stdout


def test_targets_are_completed_and_checked(run, begun):
    def decide(*more):
        return run("review", "decide", "map.review", "L1", "exact", *more)

    assert decide("5").stdout.endswith("exact T:5 Fever\n")
    assert "no concept 'I50.9' in tiny" in decide("I50.9").stderr
    assert "is retired" in decide("T:9").stderr
    assert decide("X:1", "--unchecked").stdout.endswith("exact X:1\n")
    assert decide("X:2").exit_code == 2
    again = json.loads(run("review", "list", "map.review", "--filter", "mapped", "--json").stdout)
    assert [one["decisions"][0]["target"] for one in again["items"]] == ["X:1"]


def test_where_the_index_is_gone_it_is_said(run, begun):
    text = (begun / "all.sssom.tsv").read_text()
    (begun / "all.sssom.tsv").write_text(text.replace("target index: ", "target index: gone/"))
    run("review", "start", "all.sssom.tsv", "-o", "other.review")
    done = run("review", "decide", "other.review", "L1", "exact", "77")
    assert done.stdout.endswith("exact T:77\n")
    assert "targets were not checked" in done.stderr


def test_a_prefix_is_completed_where_all_candidates_share_it():
    item, other = (Item(name, name, (ReviewCandidate(f"{name}:1"),), None) for name in ("A", "B"))
    assert completed_target(item, [item], "7") == "A:7"
    assert completed_target(item, [item, other], "7") == "7"
    assert completed_target(item, [item], "C:7") == "C:7"


def test_options_of_prefixes_reach_codes_without_one_and_say_where_they_do_not(run, begun):
    done = run("export-mappings", "map.sssom.tsv", "-o", "map.r4.json", "--system", "local=http://mine", "--system",
               "LAB=http://lab")  # fmt: skip
    assert json.loads((begun / "map.r4.json").read_text())["group"][0]["source"] == "http://mine"
    assert "1 option for the prefix LAB, which no mapping has" in done.stdout


def test_what_a_match_left_open_is_not_taken_as_decided(run, tiny, begun, codes):
    done = run("match", codes, tiny / "tiny.index", "--column", "wort", "--column", "id=kode", "-o", "b.sssom.tsv",
               "--known", "map.sssom.tsv", "--threshold", 0.6, "--json")  # fmt: skip
    told = json.loads(done.stdout)
    assert (told["concepts"], told["kept"], [one["id"] for one in told["unmatched"]]) == (1, 1, ["L2"])


def test_names_of_several_findings_are_counted_where_none_is_the_same(run, tiny, tmp_path):
    path, out = tmp_path / "local.csv", tmp_path / "map.sssom.tsv"
    path.write_text('code,name\nL1,"fits; heart attack"\nL2,fits\nL3,zzz qqq\n')
    for more in ((), ("--related",)):
        done = run("match", path, tiny / "tiny.index", "--mode", "best", "-o", out, "--force", *more)
        assert done.exit_code == 0, done.stderr
        said = " ".join(done.stdout.split())  # long paths break the lines elsewhere
        assert "1 name tells several findings (L1): normalizing gives a concept for each" in said
    done = run("match", path, tiny / "tiny.index", "--mode", "best", "-o", out, "--force", "--json")
    assert json.loads(done.stdout)["several"] == ["L1"]
    path.write_text("code,name\nL2,fits\nL3,zzz qqq\n")
    assert (
        "several findings" not in run("match", path, tiny / "tiny.index", "--mode", "best", "-o", out, "--force").stdout
    )
