"""What leaves comes back: JSON lines, CSV and TSV, compared concept by concept."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawn_concepts import LANGUAGES, TIDY, concepts, full, many, terms, there_and_back
from hypothesis import given
from hypothesis import strategies as st

from ontonym.errors import InputError
from ontonym.files.lists import join_list, split_list
from ontonym.ontology.formats import read_release
from ontonym.store.export import export_terminology
from ontonym.types import SCOPES, Concept, Property, Relation, Term

# JSONL ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(full())
@many
def test_jsonl_loses_nothing(given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, "jsonl")
    assert read == stored
    assert done.left_out == {}


def test_jsonl_is_what_it_says(store: Any, tmp_path: Path) -> None:
    concept = Concept("T:1", (Term("Fever", "preferred"), Term("Fieber", language="de")), parents=("T:0",))
    export_terminology(store(concept), tmp_path / "t.jsonl")
    header, line = (tmp_path / "t.jsonl").read_text().splitlines()
    assert json.loads(header) == {"ontonym_terminology": 1, "name": "tiny", "version": "2024-01"}
    assert json.loads(line) == {
        "id": "T:1",
        "terms": [{"text": "Fever", "kind": "preferred"}, {"text": "Fieber", "language": "de"}],
        "parents": ["T:0"],
    }
    metadata = read_release([tmp_path / "t.jsonl"])
    assert [c.id for c in metadata.concepts()] == ["T:1"]
    assert (metadata.metadata.name, metadata.metadata.version) == ("tiny", "2024-01")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"terms":[]}', "no id"),
        ('{"id":"T:1","termz":[]}', "unknown field 'termz'"),
        ('{"id":"T:1","terms":[{"kind":"preferred"}]}', "a term without 'text'"),
        ('{"id":"T:1","terms":[{"text":"a","kind":"fancy"}]}', "unknown kind 'fancy'"),
        ('{"id":"T:1","terms":[{"text":5}]}', "'text' of a term is int, not str"),
        ('{"id":"T:1","status":"gone"}', "unknown status 'gone'"),
        ('{"id":"T:1","parents":"T:0"}', "'parents' is not a list"),
        ('{"id":"T:1","parents":[1]}', "'parents' is not a list of texts"),
        ('{"id":"T:1","mappings":[{"predicate_id":"a"}]}', "a mapping without 'object_id'"),
        ('{"id":"T:1","properties":["x"]}', "a property is not an object"),
        ('{"id":"T:0"}', "duplicate id T:0"),
        ("[", "not valid JSON"),
    ],
)
def test_a_broken_line_of_our_own_jsonl_is_malformed(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"ontonym_terminology":1}}\n{{"id":"T:0"}}\n{line}\n')
    release = read_release([path])
    assert [concept.id for concept in release.concepts()] == ["T:0"]
    assert problem in release.counts.examples[0].problem
    assert release.counts.examples[0].line == 3


def test_jsonl_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"ontonym_terminology":2}\n{"id":"T:0"}\n')
    with pytest.raises(InputError, match="Upgrade ontonym"):
        list(read_release([path]).concepts())


# CSV and TSV ------------------------------------------------------------------------------------------------------

TABLE_KINDS = [("synonym", scope) for scope in SCOPES] + [("lay", "exact"), ("abbreviation", "exact")]


@st.composite
def tabular(draw: st.DrawFn) -> list[Concept]:
    """Concepts of what a table can hold."""
    kinds = st.sampled_from(TABLE_KINDS)

    def with_kinds(given: tuple[Term, ...], pairs: list[tuple[Any, Any]]) -> tuple[Term, ...]:
        rest = (replace(term, kind=k, scope=s) for term, (k, s) in zip(given[1:], pairs, strict=False))
        return (given[0], *rest)

    names = st.builds(with_kinds, terms(TIDY, language=LANGUAGES), st.lists(kinds, min_size=4, max_size=4))
    return [replace(c, consider=(), relations=()) for c in draw(concepts(names, TIDY))]


def sorted_terms(given: Iterable[Concept]) -> list[Concept]:
    return [replace(c, terms=tuple(sorted(c.terms, key=str))) for c in given]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["csv", "tsv"])
@given(given=tabular())
@many
def test_tables_come_back(format: str, given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, format)
    assert sorted_terms(read) == sorted_terms(stored)
    assert done.left_out == {}


@given(st.lists(st.text("a|\\ ", min_size=1), min_size=1))
def test_lists_in_a_cell_come_back(values: list[str]) -> None:
    assert split_list(join_list(values)) == values


def test_a_csv_row(store: Any, tmp_path: Path) -> None:
    concept = Concept(
        "T:1",
        (
            Term('Say "ah"', "preferred"), Term("a|b"), Term("c\nd"), Term("Doctor's", "lay"),
            Term("AH", "abbreviation"), Term("wide", scope="broad"), Term("Sag A", "preferred", language="de"),
            Term("old", status="retired"), Term("Say ah (act)", "fsn", source="900000000000003001"),
        ),
        parents=("T:0", "T:2"), definitions=("One.", "Two."), tags=("act",), status="retired", replaced_by=("T:3",),
        consider=("T:4",), relations=(Relation("r", "T:5"),), properties=(Property("p", "v"),),
    )  # fmt: skip
    done = export_terminology(store(concept), tmp_path / "t.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text(), newline="")))
    assert rows[0] == {
        "id": "T:1", "preferred": 'Say "ah"', "synonyms": "a\\|b|c\nd|Say ah (act)", "related_synonyms": "",
        "broad_synonyms": "wide", "narrow_synonyms": "", "lay": "Doctor's", "abbreviations": "AH",
        "parents": "T:0|T:2", "definition": "One.", "xrefs": "", "tags": "act", "status": "retired", "language": "en",
        "alternative_ids": "", "replaced_by": "T:3",
    }  # fmt: skip
    assert {key: value for key, value in rows[1].items() if value} == {
        "id": "T:1", "preferred": "Sag A", "definition": "Two.", "status": "retired", "language": "de",
    }  # fmt: skip
    assert done.left_out == {
        "kinds of names (written as synonyms)": 1,
        "properties": 1,
        "relations": 1,
        "retired names": 1,
        "weaker suggestions for a retired concept": 1,
        "where a name comes from": 1,
    }


def test_a_carriage_return_in_a_cell_comes_back_from_csv(store: Any, tmp_path: Path) -> None:
    pair = (Concept("T:1", (Term("A", "preferred"),), definitions=("First line.\rSecond line.",)),
            Concept("T:2", (Term("B", "preferred"),)))  # fmt: skip
    export_terminology(store(*pair), tmp_path / "t.csv")
    assert tuple(read_release([tmp_path / "t.csv"]).concepts()) == pair


def test_parents_with_spaces_in_their_codes_are_still_ids(store: Any, tmp_path: Path) -> None:
    pair = (Concept("my-codes:a b", (Term("A", "preferred"),)), Concept("my-codes:c", (Term("C", "preferred"),),
            parents=("my-codes:a b",)))  # fmt: skip
    export_terminology(store(*pair), tmp_path / "t.csv")
    assert tuple(read_release([tmp_path / "t.csv"]).concepts()) == pair
