"""Tables as records, and what a fault in one of them costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontonym.documents import Document, read_documents
from ontonym.errors import FormatError
from ontonym.files.records import text_records
from ontonym.ontology.formats import read_release


def test_a_quote_that_is_never_closed_says_which_lines_are_lost_with_it() -> None:
    lines = ["id,name", "1,fits", '2,"fever', "3,cough", "4,chills"]
    found = [(record.line, record.problem) for record in text_records(lines, ",")]
    assert found[:2] == [(1, ""), (2, "")]
    assert found[2:] == [(5, "not valid CSV (unexpected end of data); lines 3 to 5 are lost with it")]


@pytest.mark.parametrize("name", ["a.txt", "a.tsv", "a.jsonl"])
def test_lines_that_end_with_a_carriage_return_alone_are_not_read_as_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"text\rheart attack\rfits\r")
    told = r"a\.\w+:1: lines end with a carriage return alone.*tr '\\r' '\\n' < a\.\w+ > "
    with pytest.raises(FormatError, match=told):
        list(read_documents(tmp_path / name, format=name[2:] if name != "a.txt" else "lines"))
    (tmp_path / name).write_bytes(b"id,name\r1,heart attack\r2,fits\r")
    with pytest.raises(FormatError, match=told):
        read_release(tmp_path / name)


@pytest.mark.parametrize("titles", ["", '"A report"\n\n'])
def test_quotes_around_the_cells_of_a_tsv_are_no_part_of_a_header_or_mention(tmp_path: Path, titles: str) -> None:
    rows = ['"id"\t"text"', '"1"\t"heart ""attack"", old"', '2\t5" nail', '3\t"open']
    (tmp_path / "r.tsv").write_text(titles + "\n".join(rows) + "\n")
    documents: list[Document] = list(read_documents(tmp_path / "r.tsv"))
    assert [one.marks[0].mention.text for one in documents] == ['heart "attack", old', '5" nail', '"open']
    assert [one.row for one in documents] == [tuple(row.split("\t")) for row in rows[1:]], "cells stay as they were"


@pytest.mark.parametrize("start", ["-1", "0.0", "+3"])
def test_a_mention_of_pubtator_with_a_wrong_offset_is_malformed_and_no_relation(tmp_path: Path, start: str) -> None:
    relation = "1\tCID\tD1\t12345"
    mention = f"1\t{start}\t4\tfits\tDisease\tD1"
    (tmp_path / "a.txt").write_text(f"1|t|fits\n1|a|\n{relation}\n{mention}\n1\t0\t4\tfits\tDisease\tD1\n")
    documents = read_documents(tmp_path / "a.txt")
    assert [mark.mention.start for document in documents for mark in document.marks] == [0]
    assert dict(documents.counts.skipped) == {"title or abstract": 2, "relation": 1}
    assert [row.line for row in documents.counts.examples] == [4]
