"""Cells that a spreadsheet would run, and characters that a terminal would obey: one place for each, and back."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.files.cells import RAW_NOTE, guarded, twofold, unguarded, whole_count
from ontonym.files.output import tsv_line
from ontonym.index.added import AddedTerm
from ontonym.index.termfile import read_terms
from ontonym.jsonbytes import json_bytes
from ontonym.ontology.formats import read_release
from ontonym.serve.show import to_json
from ontonym.serve.terms import _csv
from ontonym.store import build_terminology, open_terminology
from ontonym.store.export import export_terminology
from ontonym.text.visible import visible, visible_json

SOURCE = Path(__file__).parent.parent.parent / "src" / "ontonym"
NAMES = ("=1+1", "+A", "-cillin", "@me", "'=x", "''-y", "'quoted'", "-5", "+1.5e3", "plain")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("+1-800", "'+1-800"), ("-cillin", "'-cillin"), ("@x", "'@x"),
        ("\t=1", "'\t=1"), ("\r=1", "'\r=1"), ("'=1", "''=1"), ("''@", "'''@"), ("'plain", "'plain"), ("", ""),
        ("-5", "-5"), ("+1.5", "+1.5"), ("-2,5", "-2,5"), ("-1e-9", "-1e-9"), ("-5\n", "'-5\n"), ("a=1", "a=1"),
    ],
)  # fmt: skip
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str, cell: str) -> None:
    assert guarded(text) == cell
    assert unguarded(cell) == text


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n1a, "), max_size=6) | st.text(max_size=8))
def test_nothing_is_lost_on_the_way_back(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert not re.match(r"[=@\t\r\n]", guarded(text))


def test_every_table_of_tabs_is_guarded_unless_raw() -> None:
    assert tsv_line(["=1", "a\tb", "-0.5"]) == "'=1\ta b\t-0.5"
    assert tsv_line(["=1", "a\tb"], raw=True) == "=1\ta b"
    assert tsv_line([]) == tsv_line([""]) == ""


@given(st.lists(st.text("a1=+-@'\t\r\n .", max_size=5), max_size=4), st.booleans())
def test_a_line_of_cells_is_its_cells_each_by_itself(cells: list[str], raw: bool) -> None:
    assert tsv_line(cells, raw=raw) == "\t".join(tsv_line([cell], raw=raw) for cell in cells)
    assert tsv_line(cells, raw=raw).count("\t") == max(len(cells) - 1, 0)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize("raw", [False, True])
def test_an_exported_table_comes_back_whole(tmp_path: Path, ending: str, raw: bool) -> None:
    synonyms = "".join(f'synonym: "{name}" EXACT []\n' for name in NAMES[1:])
    (tmp_path / "a.obo").write_text(f"ontology: a\n\n[Term]\nid: A:1\nname: {NAMES[0]}\n{synonyms}", encoding="utf-8")
    build_terminology(read_release([tmp_path / "a.obo"]), tmp_path / "a.terminology")
    file = tmp_path / f"a.{ending}"
    with open_terminology(tmp_path / "a.terminology") as opened:
        export_terminology(opened, file, raw=raw)
    text = file.read_text(encoding="utf-8")
    assert text.startswith(RAW_NOTE) == raw
    cells = list(csv.reader(io.StringIO(text), delimiter="," if ending == "csv" else "\t"))[-1]
    assert cells[1] == ("=1+1" if raw else "'=1+1")
    concepts = list(read_release([file]).concepts())
    assert [term.text for concept in concepts for term in concept.terms] == list(NAMES)


def test_added_terms_are_listed_guarded_and_read_back(tmp_path: Path) -> None:
    columns = ("id", "text", "count", "who", "when", "why", "status", "concept")
    row = dict.fromkeys(columns, "") | {"id": "A:1", "text": "=1+1", "count": 2, "who": "@me", "why": "-"}
    lines = list(_csv(columns, [row]))
    assert lines[1] == "A:1,'=1+1,2,'@me,,'-,,"
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert read_terms(str(tmp_path / "t.csv")).terms == [AddedTerm("A:1", "=1+1", 2, "@me", "", "-")]


def test_the_guard_is_written_once() -> None:
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if file.name != "cells.py":
            assert "[=+" not in text, file
        if file.name != "terminal.py" or file.parent.name != "cli":
            assert "click.echo(" not in text, f"{file}: print with ontonym.cli.terminal.echo"


# Terminals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"), ("a\x07\x00", "a\\x07\\x00"), ("\x9b2J", "\\x9b2J"), ("a\u202eb", "a\\u202eb"),
        ("caf\udce9", "caf\\xe9"), ("\ud800", "\\ud800"), ("tab\tline\n", "tab\tline\n"), ("Ménière ✓", "Ménière ✓"),
        ("a\rb", "a\\x0db"),
    ],
)  # fmt: skip
def test_what_a_terminal_would_obey_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


@given(st.text(max_size=20))
def test_json_stays_the_same_value(text: str) -> None:
    line = to_json({"a": text})
    assert visible(line) == line
    assert orjson.loads(line) == {"a": text}
    assert orjson.loads(visible_json(orjson.dumps(text).decode())) == text


def test_json_of_what_json_cannot_say() -> None:
    value = {"caf\udce9": [2**70, -(2**70), True, {"a": ("\ud800", None)}], "b": 1.5}
    assert orjson.loads(json_bytes(value)) == {
        "caf\\xe9": [str(2**70), str(-(2**70)), True, {"a": ["\\ud800", None]}],
        "b": 1.5,
    }
    assert json_bytes(AddedTerm("A:1", "x\udcff")).startswith(b'{"id":"A:1","text":"x\\\\xff"')
    assert json_bytes({"n": 10**5000})[:8] == b'{"n":"0x'


@pytest.mark.parametrize(("written", "number"), [
    ("1234", 1234), ("007", 7), (" 12 ", 12), ("1,234", 1234), ("1.234", 1234), ("1 234 567", 1234567),
    ("1\u202f234", 1234), ("12'345", 12345), ("12’345", 12345), ("1.234,00", 1234), ("1,234.0", 1234), ("48,0", 48),
    ("7.0000", 7), ("1,000", 1000),
    ("1.000", None), ("0.125", None), ("0,125", None), ("7.5", None), ("1.23", None), ("1234.567", None),
    ("12 34", None), ("-3", None), ("", None), ("about 5", None), ("1,234,56", None), ("9" * 19, None),
])  # fmt: skip
def test_counts_are_read_as_people_of_any_country_write_them(written, number):
    assert whole_count(written) == number


def test_a_count_that_may_be_two_numbers_says_which():
    assert (twofold("12.000"), twofold("12,000"), twofold("1.000.000")) == ("may be 12 or 12000", "", "")
