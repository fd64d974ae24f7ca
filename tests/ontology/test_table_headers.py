"""Headers that tell the id, the language or nothing: what a table's columns are where they are not all named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.ontology.tables.headers import guess_columns
from ontonym.types import Concept, Term

Read = Callable[..., Any]


def test_the_header_says_the_id_where_the_columns_given_do_not(read: Read) -> None:
    table = "Code;Was;Rest\nA1;Husten;x; y\n".replace("x; y", '"x; y"')
    ((concept,), release) = read("t.csv", table, columns=ColumnMapping.parse(["preferred@de=Was"]))
    assert (concept.id, concept.terms) == ("A1", (Term("Husten", "preferred", language="de"),))
    assert release.metadata.columns == {"id": "Code", "preferred@de": "Was"}
    with pytest.raises(FormatError, match=r"cannot tell which column holds the ids. .*id=COLUMN.* are Wo, Was"):
        read("t.csv", "Wo,Was\nA1,Husten\n", columns=ColumnMapping.parse(["preferred=Was"]))
    with pytest.raises(FormatError, match=r"the columns are 1 to 2"):
        read("t.csv", "A1,Husten\n", columns=ColumnMapping.parse(["preferred=2"]))
    with pytest.raises(FormatError, match=r"cannot tell which key holds the ids"):
        read("t.jsonl", '{"a": "A1", "b": "Husten"}\n', columns=ColumnMapping.parse(["preferred=b"]))


def test_a_separator_alone_leaves_the_columns_to_the_header(read: Read) -> None:
    ((concept,), _) = read(
        "t.csv", "code,name,synonyms\nA1,Fever,hot;heat\n", columns=ColumnMapping.parse(["separator=;"])
    )
    assert [term.text for term in concept.terms] == ["Fever", "hot", "heat"]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (
            ["Code", "Bezeichnung (DE)", "English name", "Synonyme", "Übergeordnet"],
            ["id=Code", "preferred@de=Bezeichnung (DE)", "preferred@en=English name", "synonyms@de=Synonyme",
             "parents=Übergeordnet"],
        ),
        (["code", "Deutsch", "English", "note"], ["id=code", "preferred@de=Deutsch", "preferred@en=English"]),
        (["id", "Name [fr]", "Synonym (fr)"], ["id=id", "preferred@fr=Name [fr]", "synonyms@fr=Synonym (fr)"]),
        (["id", "name", "local name", "source name"], ["id=id", "preferred=name"]),
    ],
)  # fmt: skip
def test_headers_that_say_their_language(header: list[str], columns: list[str]) -> None:
    mapping = guess_columns(header)
    assert mapping is not None
    assert mapping.settings() == columns


def test_ids_that_a_spreadsheet_changed_are_noted(read: Read) -> None:
    table = "code,name\n1.00E+05,a\n1-Mar,b\n2024-03-01,c\nE11.9,d\n1E50,e\n250.0,f\nDecubitus-01,g\n"
    found, release = read("t.csv", table)
    assert len(found) == 7
    noted = release.metadata.details["ids_changed_by_a_spreadsheet"]
    assert noted == {"count": 3, "first": ["t.csv:2: 1.00E+05", "t.csv:3: 1-Mar", "t.csv:4: 2024-03-01"]}


BIOPORTAL = """Class ID,Preferred Label,Synonyms,Definitions,Obsolete,CUI,Semantic Types,Parents
http://purl.obolibrary.org/obo/HP_2,Snout ache,Sore snout|Snout pain,It hurts.,false,C01|C02,T184|T033,HP:1
http://purl.obolibrary.org/obo/HP_3,Snout bother,,,true,,,
"""


def test_the_csv_that_bioportal_gives(read: Read) -> None:
    concepts, release = read("HP.csv", BIOPORTAL)
    assert concepts == [
        Concept(
            "HP:2",
            (Term("Snout ache", "preferred"), Term("Sore snout"), Term("Snout pain")),
            parents=("HP:1",),
            definitions=("It hurts.",),
            tags=("T184", "T033"),
            xrefs=("UMLS:C01", "UMLS:C02"),
        ),
        Concept("HP:3", (Term("Snout bother", "preferred"),), status="retired"),
    ]
    assert "columns_unread" not in release.metadata.details


@pytest.mark.parametrize(
    ("header", "answers", "retired"),
    [
        ("retired", "no yes", [False, True]),
        ("is_deprecated", "0 1", [False, True]),
        ("inactive", "Nein Ja", [False, True]),
        ("obsolete", " x", [False, True]),
        ("retired", " 2019-01-01", [False, False]),
    ],
)
def test_a_column_that_says_what_is_retired(read: Read, header: str, answers: str, retired: list[bool]) -> None:
    first, second = answers.split(" ")
    concepts, release = read("t.csv", f"code,name,{header}\nA,Ache,{first}\nB,Bother,{second}\n")
    assert [concept.status == "retired" for concept in concepts] == retired
    assert (header in release.metadata.details.get("columns_unread", ())) is not any(retired)


def test_an_answer_that_is_neither_yes_nor_no_is_a_malformed_row(read: Read) -> None:
    columns = ColumnMapping.parse(["id=code", "preferred=name", "retired=gone"])
    concepts, release = read("t.csv", "code,name,gone\nA,Ache,perhaps\nB,Bother,Yes\n", columns=columns)
    assert [(concept.id, concept.status) for concept in concepts] == [("B", "retired")]
    assert release.counts.examples[0].problem.startswith("unknown answer to retired 'perhaps' (known: active, 1, true")


def test_json_lines_say_what_is_retired(read: Read) -> None:
    concepts, _ = read(
        "t.jsonl", '{"id":"A","label":"Ache","deprecated":false}\n{"id":"B","label":"B","deprecated":true}\n'
    )
    assert [concept.status for concept in concepts] == ["active", "retired"]
