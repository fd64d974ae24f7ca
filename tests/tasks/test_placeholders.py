"""Cells in which nothing is said: no concept is theirs, unless one is called so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from built import imported, indexed
from ontonym.index import AddedTerm, Index, add_terms, open_index
from ontonym.store import open_terminology
from ontonym.tasks import explain_mention, normalize
from ontonym.tasks.explain.texts import described_mention
from ontonym.tasks.match.matching import match
from ontonym.tasks.match.rows import proposal_rows
from ontonym.text.placeholders import is_placeholder
from ontonym.types import Mention

CSV = """id,name
T:1,"Lymphocytes, Null"
T:1,NULL
T:2,Sodium
T:2,NA
T:3,None
T:4,Test
T:4,Testing
T:5,Fever
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return indexed(tmp_path, {"t.csv": CSV})


@pytest.fixture
def index(made: Path) -> Iterator[Index]:
    with open_index(made) as opened:
        yield opened


def answered(index: Index, text: str, passage: str = "") -> str | None:
    (answer,) = normalize(index, [Mention(text, "m", passage=passage)])
    return answer.id


@pytest.mark.parametrize(
    "text",
    ["NULL", "N/A", "n.a.", "#N/A", "<NA>", "Not known", "TBC", "-", "?", ".", "x", "see notes", "As above", "k.A.",
     "nicht bekannt", "non renseigné", "不明", "", "[unknown]", "Unknown / undiagnosed",
     "other/unknown"],
)  # fmt: skip
def test_what_tables_hold_where_nothing_is_said(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text", ["NaCl", "null cell", "other hand pain", "X syndrome", "nil by mouth", "XX", "1", "other/pain"]
)
def test_names_with_such_words_are_names(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize("text", ["NULL", "NA", "testing"])
def test_a_synonym_is_not_what_such_a_cell_means(index: Index, text: str) -> None:
    assert answered(index, text) is None
    explained = explain_mention(index, Mention(text, "m"))
    assert explained.nil is not None and explained.nil.rule == "placeholder"
    assert "it holds the place of a name where nothing is said" in described_mention(explained)


def test_a_concept_that_is_called_so_is_meant(index: Index) -> None:
    assert answered(index, "none") == "T:3"
    assert answered(index, "Test") == "T:4"


def test_running_text_says_something(index: Index) -> None:
    assert answered(index, "NA", passage="The serum NA was low.") == "T:2"


def test_a_term_that_was_added_is_meant(made: Path, index: Index) -> None:
    add_terms(made, [AddedTerm("T:5", "misc")])
    with open_index(made) as now:
        assert answered(now, "misc") == "T:5"


def test_a_local_code_without_a_name_is_matched_to_nothing(tmp_path: Path, index: Index) -> None:
    (tmp_path / "own").mkdir()
    (own,) = imported(tmp_path / "own", {"own.csv": "id,name\nL:1,NULL\nL:2,None\nL:3,fever\nL:4,unknown\n"})
    with open_terminology(own) as source:
        rows = {row["subject_id"]: row for row in proposal_rows(match(source, index))}
    assert rows["L:1"]["object_id"] == rows["L:4"]["object_id"] == "sssom:NoTermFound"
    assert rows["L:1"]["comment"] == "nothing is proposed: its name says nothing"
    assert (rows["L:2"]["object_id"], rows["L:3"]["object_id"]) == ("T:3", "T:5")
