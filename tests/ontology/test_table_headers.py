"""Headers that tell the id, the language or nothing: what a table's columns are where they are not all named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.ontology.tables.headers import guess_columns
from ontonym.types import Term

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
