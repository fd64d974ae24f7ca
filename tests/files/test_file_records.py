"""Tables as records, and what a fault in one of them costs."""

from __future__ import annotations

from ontonym.files.records import text_records


def test_a_quote_that_is_never_closed_says_which_lines_are_lost_with_it() -> None:
    lines = ["id,name", "1,fits", '2,"fever', "3,cough", "4,chills"]
    found = [(record.line, record.problem) for record in text_records(lines, ",")]
    assert found[:2] == [(1, ""), (2, "")]
    assert found[2:] == [(5, "not valid CSV (unexpected end of data); lines 3 to 5 are lost with it")]
