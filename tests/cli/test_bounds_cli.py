"""Tables that mean harm or are damaged: an error of one line in a moment; what a workbook cannot hold is text."""

from __future__ import annotations

import datetime
import time
import zipfile

import pytest


def test_a_workbook_has_as_text_what_it_cannot_hold_otherwise(run, tiny, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    born = [datetime.date(1850, 1, 2), datetime.date(1950, 1, 2)]
    given = pa.table({"text": ["fits", "fever"], "n": [float("inf"), 2.5], "born": born})
    parquet.write_table(given, tmp_path / "a.parquet")
    run("normalize", tiny / "tiny.index", tmp_path / "a.parquet", "-o", tmp_path / "b.xlsx")
    cells = [[cell.value for cell in row[1:3]] for row in openpyxl.load_workbook(tmp_path / "b.xlsx").active]
    assert cells[1:] == [["inf", "1850-01-02"], [2.5, datetime.datetime(1950, 1, 2)]]


def test_a_table_whose_rows_have_ever_new_keys_is_refused(run, tiny, tmp_path):
    (tmp_path / "a.jsonl").write_text("\n".join(f'{{"text": "fits", "k{n}": 1}}' for n in range(3_000)))
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.jsonl", "-o", tmp_path / "b.csv")
    assert (done.exit_code, "3,001 different keys, where 2,000 are the most" in done.stderr) == (2, True)


def test_one_of_many_columns_that_has_the_name_of_another_is_named_at_once(run, tiny, tmp_path):
    names = ",".join(f"c{n}" for n in range(20_000))
    (tmp_path / "a.csv").write_text(f"text,{names},c19999\nfits{',' * 20_001}\n")
    begun = time.process_time()
    done = run("normalize", tiny / "tiny.index", tmp_path / "a.csv", "-o", tmp_path / "b.jsonl")
    assert "two columns are called 'c19999'" in done.stderr
    assert time.process_time() - begun < 2


def test_a_workbook_of_which_bytes_are_damaged_is_one_error(run, tiny, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for number in range(200):
        book.active.append([f"fits {number}"])
    book.save(tmp_path / "a.xlsx")
    whole = (tmp_path / "a.xlsx").read_bytes()
    (name,) = (one for one in zipfile.ZipFile(tmp_path / "a.xlsx").infolist() if one.filename.endswith("sheet1.xml"))
    packed = name.header_offset + 30 + len(name.filename) + 20
    end = whole.rindex(b"PK\x01\x02")
    for damaged in (
        whole[:packed] + b"\xff" * 40 + whole[packed + 40 :],
        whole[:end - 200] + whole[end:],  # each member is elsewhere than the directory says
    ):  # fmt: skip
        (tmp_path / "a.xlsx").write_bytes(damaged)
        done = run("normalize", tiny / "tiny.index", tmp_path / "a.xlsx", "--column", "1")
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert "a.xlsx: cannot be read as an Excel workbook" in done.stderr
