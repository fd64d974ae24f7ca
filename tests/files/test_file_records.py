"""Tables as records, and what a fault in one of them costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontonym.documents import Document, read_documents
from ontonym.files.records import text_records


def test_a_quote_that_is_never_closed_says_which_lines_are_lost_with_it() -> None:
    lines = ["id,name", "1,fits", '2,"fever', "3,cough", "4,chills"]
    found = [(record.line, record.problem) for record in text_records(lines, ",")]
    assert found[:2] == [(1, ""), (2, "")]
    assert found[2:] == [(5, "not valid CSV (unexpected end of data); lines 3 to 5 are lost with it")]


@pytest.mark.parametrize("titles", ["", '"A report"\n\n'])
def test_quotes_around_the_cells_of_a_tsv_are_no_part_of_a_header_or_mention(tmp_path: Path, titles: str) -> None:
    rows = ['"id"\t"text"', '"1"\t"heart ""attack"", old"', '2\t5" nail', '3\t"open']
    (tmp_path / "r.tsv").write_text(titles + "\n".join(rows) + "\n")
    documents: list[Document] = list(read_documents(tmp_path / "r.tsv"))
    assert [one.marks[0].mention.text for one in documents] == ['heart "attack", old', '5" nail', '"open']
    assert [one.row for one in documents] == [tuple(row.split("\t")) for row in rows[1:]], "cells stay as they were"
