"""What points at concepts that are no longer active: in tables of every kind, and in other terminologies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.store.affected import Affected, Checked, Judge, check
from ontonym.store.diff import Difference, diff
from ontonym.types import Concept, Mapping, Term


def c(concept_id: str, name: str, **rest) -> Concept:
    return Concept(concept_id, (Term(name, "preferred"),), **rest)


OLD = (
    c("T:0000001", "Fever"),
    c("T:0000002", "Cough"),
    c("T:0000003", "Chill"),
    c("T:0000004", "Rash"),
    c("T:0000005", "Dropsy", status="retired"),
    c("T:0000006", "Ague", status="retired", replaced_by=("T:0000001",)),
    c("T:0000007", "Eruption", alternative_ids=("T:0000070", "EQ:7")),
)
NEW = (
    c("T:0000001", "Fever", alternative_ids=("T:0000003",)),
    c("T:0000002", "obsolete Cough", status="retired", replaced_by=("T:0000008",), consider=("T:0000001",)),
    c("T:0000005", "Dropsy", status="retired"),
    c("T:0000007", "Eruption", alternative_ids=("T:0000070", "EQ:7")),
    c("T:0000008", "Tussis"),
)


@pytest.fixture
def difference(store) -> Difference:
    return diff(store(*OLD), store(*NEW))


Found = tuple[Checked, list[Affected]]


@pytest.fixture
def checked(difference: Difference, tmp_path: Path) -> Callable[..., Found]:
    def run(name: str, content: str | bytes, *columns: str) -> Found:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        counts, found = check(path, difference, id_columns=columns)
        return counts, list(found)

    return run


def places(found: list[Affected]) -> list[tuple[int | None, str, str, str, list[str]]]:
    return [
        (each.line, each.column, each.outcome.id, each.outcome.why, [link.id for link in each.outcome.replaced_by])
        for each in found
    ]


@pytest.mark.parametrize(
    ("written", "why", "recent", "name", "heirs"),
    [
        ("T:0000002", "retired", True, "Cough", ["T:0000008"]),
        ("T:0000003", "merged", True, "Chill", ["T:0000001"]),
        ("T:0000004", "removed", True, "Rash", []),
        ("T:0000005", "retired", False, "Dropsy", []),
        ("T:0000006", "removed", False, "Ague", ["T:0000001"]),
        ("T:0000070", "merged", False, "", ["T:0000007"]),
        ("0000002", "retired", True, "Cough", ["T:0000008"]),
        ("http://purl.obolibrary.org/obo/T_0000002", "retired", True, "Cough", ["T:0000008"]),
    ],
)
def test_verdicts(difference, written, why, recent, name, heirs) -> None:
    told = Judge(difference).outcome(written)
    assert (told.why, told.recent, told.preferred) == (why, recent, name)
    assert [link.id for link in told.replaced_by] == heirs


@pytest.mark.parametrize(
    ("written", "what"),
    [("T:0000001", "current"), ("EQ:7", "current"), ("0000008", "current"), ("T:9999999", "unknown"),
     ("HP:0000001", "elsewhere"), ("12", "elsewhere"), ("", "elsewhere"), ("skos:exactMatch", "elsewhere")],
)  # fmt: skip
def test_ids_that_are_not_affected(difference, written, what) -> None:
    assert Judge(difference).outcome(written) == what


def test_short_numbers_are_row_numbers(store) -> None:
    judge = Judge(diff(store(c("T:4", "x"), c("T:A4", "y")), store()))
    assert judge.outcome("4") == "elsewhere"
    assert judge.outcome("A4").why == "removed"


def test_a_code_without_a_prefix_has_that_of_our_mappings(store) -> None:
    judge = Judge(diff(store(c("W 1", "x"), c("12", "y")), store(c("12", "y"))))
    assert [judge.outcome("local:W%201").why, judge.outcome("local:12")] == ["removed", "current"]
    assert judge.outcome("local:99") == "unknown"


SSSOM = """\
# mapping_set_id: https://example.org/map
# license: https://creativecommons.org/publicdomain/zero/1.0/
subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification
X:1\tfever\tskos:exactMatch\tt:0000001\tFever\tsemapv:ManualMappingCuration
X:2\tcough\tskos:exactMatch\tT:0000002\tCough\tsemapv:ManualMappingCuration
T:0000003\tChill\tskos:broadMatch\tX:3\tcold\tsemapv:ManualMappingCuration
X:4\trash\tskos:exactMatch
"""


def test_sssom(checked) -> None:
    counts, found = checked("map.sssom.tsv", SSSOM)
    assert places(found) == [
        (5, "object_id", "T:0000002", "retired", ["T:0000008"]),
        (6, "subject_id", "T:0000003", "merged", ["T:0000001"]),
    ]
    assert found[0].text == "X:2 cough skos:exactMatch T:0000002 Cough"
    assert [link.preferred for link in found[0].outcome.consider] == ["Fever"]
    assert (counts.rows, counts.malformed, counts.affected, counts.recent) == (4, 1, 2, 2)
    assert (counts.current, counts.unknown, counts.elsewhere) == (0, 0, 4)
    assert counts.examples == [f"{counts.file}:7: only 3 of at least 4 columns"]


def test_added_terms_as_csv_with_quotes(checked) -> None:
    counts, found = checked("added.csv", 'id,term\nT:0000001,"hot, very"\nT:0000004,"red ""spots"""\n')
    assert places(found) == [(3, "id", "T:0000004", "removed", [])]
    assert found[0].text == 'red "spots"'
    assert counts.current == 1


def test_a_table_whose_columns_only_its_content_tells(checked) -> None:
    counts, found = checked("codes.csv", "who,finding\n1,T:0000001\n2,T:0000002\n3,T:0000001|T:0000003\n")
    assert counts.columns == ("finding",)
    assert [row[:3] for row in places(found)] == [(3, "finding", "T:0000002"), (4, "finding", "T:0000003")]


def test_a_table_without_a_header(checked) -> None:
    counts, found = checked("codes.tsv", "T:0000002\tcough\nT:0000001\tfever\n")
    assert (counts.rows, [row[:3] for row in places(found)]) == (2, [(1, "1", "T:0000002")])


def test_a_list_of_bare_codes(checked) -> None:
    counts, found = checked("codes.txt", "0000001\n0000002\n0000009\n")
    assert (counts.rows, counts.current, len(found)) == (3, 1, 1)


def test_json_lines(checked) -> None:
    rows = [{"text": "coughs", "id": "T:0000002"}, {"text": "none", "id": None}, {"id": ["T:0000001", "T:0000003"]}]
    text = "\n".join([*map(json.dumps, rows), "", "{", "[1]"])
    counts, found = checked("found.jsonl", text)
    assert [row[:3] for row in places(found)] == [(1, "id", "T:0000002"), (3, "id", "T:0000003")]
    assert (counts.rows, counts.malformed) == (5, 2)


def test_a_column_that_is_named(checked) -> None:
    table = "a,b\nT:0000002,T:0000004\n"
    assert [row[1:3] for row in places(checked("x.csv", table, "b")[1])] == [("b", "T:0000004")]
    assert [row[1:3] for row in places(checked("x.csv", table, "1")[1])] == [("a", "T:0000002")]
    with pytest.raises(UnknownNameError, match=r"unknown column 'c'\. Valid: a, b"):
        checked("x.csv", table, "c")


def test_a_table_without_ids_says_what_to_do(checked) -> None:
    with pytest.raises(
        FormatError, match=r"x.csv:1: no column with ids of tiny. Name it, `id_columns=NAME`; the columns are: a, b"
    ):
        checked("x.csv", "a,b\nx,y\n")


@pytest.mark.parametrize("text", ['[{"id": "T:0000002"}]', '{\n "id": "T:0000002"\n}'])
def test_json_that_is_no_lines(checked, text) -> None:
    with pytest.raises(FormatError, match="one object a line"):
        checked("x.json", text)


def test_a_file_in_another_encoding(checked) -> None:
    with pytest.raises(FormatError, match="not UTF-8"):
        checked("x.csv", b"id,term\nT:0000002,h\xf6t\n")


def test_another_terminology(difference, store) -> None:
    related = Mapping("X:1", "skos:exactMatch", "T:0000003", "semapv:ManualMappingCuration")
    other = store(
        c("X:1", "fever", xrefs=("T:0000001", "T:0000002"), mappings=(related,)),
        c("X:2", "cough", xrefs=("Y:9", "T:0000002")),
    )
    counts, walk = check(other.path, difference)
    found = list(walk)
    assert [(each.line, each.column, each.outcome.id, each.text) for each in found] == [
        (None, "xref", "T:0000002", "X:1 fever"),
        (None, "xref", "T:0000002", "X:2 cough"),
        (None, "mapping object", "T:0000003", "X:1 skos:exactMatch T:0000003"),
    ]
    assert (counts.rows, counts.affected, counts.current, counts.elsewhere) == (2, 3, 1, 2)
    with pytest.raises(InputError, match="is a terminology: it has no columns"):
        check(other.path, difference, id_columns=["id"])


def test_the_mappings_of_the_old_release_itself(store) -> None:
    kept = Mapping("T:1", "skos:exactMatch", "X:1", "semapv:ManualMappingCuration")
    lost = Mapping("T:2", "skos:exactMatch", "X:2", "semapv:ManualMappingCuration")
    old = store(c("T:1", "Fever", mappings=(kept,)), c("T:2", "Cough", mappings=(lost,)))
    counts, walk = check(old.path, diff(old, store(c("T:1", "Fever"))))
    assert places(list(walk)) == [(None, "mapping subject", "T:2", "removed", [])]
    assert (counts.current, counts.elsewhere) == (1, 2)


def test_ids_under_the_former_prefix(store) -> None:
    found = diff(store(c("OLD:A1", "x"), c("OLD:A2", "y")), store(c("NEW:A1", "x"), c("NEW:A2", "y")))
    told = Judge(found).outcome("OLD:A1")
    assert (told.why, [link.id for link in told.replaced_by], told.note) == (
        "removed", ["NEW:A1"], "its id has another prefix",
    )  # fmt: skip
