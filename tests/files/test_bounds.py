"""Input that would cost time or memory without end: one clear error, or a counted skip, long before that."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest

from built import indexed
from ontonym.documents import read_documents
from ontonym.errors import FormatError, InputError
from ontonym.files import jsontext, source
from ontonym.files.archive import growth
from ontonym.files.jsontext import JsonScan, read_json
from ontonym.files.source import MAX_LINE, SHORT_LINES, open_source
from ontonym.files.xml import iter_elements
from ontonym.index import open_index
from ontonym.index.termfile import read_terms
from ontonym.ontology.batch import Batch
from ontonym.ontology.formats import read_release
from ontonym.ontology.obo import flat
from ontonym.ontology.options import TOO_LONG, ReadOptions
from ontonym.store import build_terminology
from ontonym.tasks import search
from ontonym.text.numbers import whole_number
from ontonym.types import LONGEST_ID, LONGEST_TEXT, Concept, Term

OBO = "format-version: 1.2\nontology: tiny\n\n[Term]\nid: T:1\nname: {name}\n\n[Term]\nid: T:2\nname: Fever\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("blank", ["\n", "\r\n", " \n", "!\n", "!\tb\n"])
def test_blank_lines_without_end_are_an_error(tmp_path: Path, blank: str) -> None:
    file = written(tmp_path / "a.obo", OBO.format(name="Ataxia") + blank * (SHORT_LINES + 100))
    with pytest.raises(FormatError, match=r"lines of hardly a character each\. Take its blank lines out"):
        list(read_release([file]).concepts())


def test_many_blank_lines_are_read_and_keep_the_numbers(tmp_path: Path) -> None:
    text = OBO.format(name="Ataxia") + "\n" * 9_000 + "[Term]\n\n\nid: T:3\n\n\\\n\nname: Rash\nbroken\n"
    release = read_release([written(tmp_path / "a.obo", text)])
    assert [concept.id for concept in release.concepts()] == ["T:1", "T:2"]
    (row,) = release.counts.examples
    assert (row.line, row.problem, row.excerpt) == (9_019, "a line without a tag (T:3 is left out)", "broken")


def test_a_stanza_without_end_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "MAX_STANZA", 10_000)
    file = written(tmp_path / "a.obo", OBO.format(name="Ataxia") + "comment: again\n" * 500)
    with pytest.raises(FormatError, match="a stanza of more than 10,000 bytes"):
        list(read_release([file]).concepts())


def test_a_continued_line_is_still_one(tmp_path: Path) -> None:
    file = written(tmp_path / "a.obo", OBO.format(name="Ata\\\nxi\\\na") + "broken")
    release = read_release([file])
    assert [concept.preferred for concept in release.concepts()] == ["Ataxia"]
    assert release.counts.examples[0].line == 13


def test_a_long_name_is_left_out_and_counted(tmp_path: Path) -> None:
    name = "x" * (LONGEST_TEXT + 1)
    release = read_release([written(tmp_path / "a.obo", OBO.format(name=f'Ataxia\nsynonym: "{name}" EXACT []'))])
    assert [term.text for concept in release.concepts() for term in concept.terms] == ["Ataxia", "Fever"]
    assert dict(release.counts.terms_skipped) == {TOO_LONG: 1}


def test_long_names_of_a_batch_are_left_out_and_counted(tmp_path: Path) -> None:
    file = written(tmp_path / "a.obo", OBO.format(name="Ataxia"))
    release = read_release([file])
    names = [Term("a"), Term("b" * (LONGEST_TEXT + 1)), Term("c" * LONGEST_TEXT)]
    batch = Batch.of([Concept("T:1", tuple(names)), Concept("T:2", (names[1],)), Concept("T:3", (names[0],))])
    taken = release._bounded(batch, release.counts)
    assert [[len(term.text) for term in concept.terms] for concept in taken.concepts()] == [[1, LONGEST_TEXT], [], [1]]
    assert dict(release.counts.terms_skipped) == {TOO_LONG: 2}


def test_a_long_id_is_an_error(tmp_path: Path) -> None:
    file = written(tmp_path / "a.obo", OBO.replace("T:1", "T:" + "1" * LONGEST_ID).format(name="Ataxia"))
    with pytest.raises(FormatError, match=r"an id of 2,002 characters, T:111\S+…; 2,000 are the most"):
        list(read_release([file], options=ReadOptions()).concepts())


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("is_a: T:{}", "an id of 2,003 characters, T:aaa"),
        ("alt_id: T:{}", "an id of 2,003 characters, T:aaa"),
        ("relationship: part_of T:{}", "an id of 2,003 characters, T:aaa"),
        ("subset: b{}", "a tag of 2,002 characters, baaa"),
    ],
)
def test_a_long_reference_or_tag_is_an_error(tmp_path: Path, given: str, problem: str) -> None:
    file = written(tmp_path / "a.obo", OBO.format(name="Rash\n" + given.format("a" * (LONGEST_ID + 1))))
    with pytest.raises(FormatError, match=problem):
        build_terminology(read_release([file]), tmp_path / "a.terminology")
    assert not (tmp_path / "a.terminology").exists()


def test_a_long_version_is_an_error(tmp_path: Path) -> None:
    text = OBO.replace("ontology: tiny", "data-version: " + "1" * (LONGEST_TEXT + 1)).format(name="Rash")
    with pytest.raises(FormatError, match=r"a version of 10,001 characters, 1{60}…; 10,000 are the most"):
        build_terminology(read_release([written(tmp_path / "a.obo", text)]), tmp_path / "a.terminology")


CONCEPTS = (
    "concept_id\tconcept_name\tdomain_id\tvocabulary_id\tconcept_class_id\tstandard_concept\tconcept_code\t"
    "valid_start_date\tvalid_end_date\tinvalid_reason\n1\tRash\tCondition\tX\tDisorder\tS\t1\t20200101\t20991231\t\n"
)


def test_lines_of_a_big_table_are_bounded_and_those_malformed_are_all_counted(tmp_path: Path) -> None:
    file = written(
        tmp_path / "CONCEPT.csv", CONCEPTS + "not a row\n" * 9 + "b\t" * 10 + "\n" + "a" + "\t1" * 9 + "\n" * 9
    )
    release = read_release([file], format="omop")
    assert len(list(release.concepts())) == 1
    counts = release.counts
    assert (counts.rows, counts.malformed, [row.line for row in counts.examples]) == (12, 11, [3, 4, 5, 6, 7])
    written(tmp_path / "CONCEPT.csv", CONCEPTS + " \n" * (SHORT_LINES + 100))
    with pytest.raises(FormatError, match="lines of hardly a character each"):
        list(read_release([file], format="omop").concepts())


def test_a_packed_file_may_grow_by_its_ratio(tmp_path: Path) -> None:
    assert growth(1 << 20) == 100 << 20
    assert growth(1) == 64 << 20
    packed = tmp_path / "a.obo.gz"
    packed.write_bytes(gzip.compress(OBO.format(name="Ataxia").encode() + b"! a comment of some length\n" * 5_000_000))
    with pytest.raises(FormatError, match="unpacks to more than 67,108,864 bytes"):
        list(read_release([packed], options=ReadOptions()).concepts())


def test_a_json_document_of_empty_parts_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "SMALL_PARTS", 1_000)
    with pytest.raises(FormatError, match="1,502 objects and lists of hardly a value each"):
        read_json(open_source(written(tmp_path / "a.json", "[" + "[]," * 1_500 + "{}]")))
    wide = json.dumps([{"a name": f"number {i}"} for i in range(1_500)])
    assert len(read_json(open_source(written(tmp_path / "b.json", wide)))) == 1_500


def test_numbers_of_thousands_of_digits_are_an_error_with_a_line(tmp_path: Path) -> None:
    file = written(tmp_path / "a.json", '[\n {"a":1},\n {"a":' + "9" * 5_000 + "}]")
    with JsonScan.of(open_source(file)) as scan:
        scan.take("[")
        assert scan.value() == {"a": 1}
        with pytest.raises(FormatError, match=r"a\.json:3: a number of hundreds of digits"):
            scan.value()


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("0012", 12), ("9" * 18, 10**18 - 1), ("9" * 19, None), ("", None), ("-1", None), ("\u0661", None)],
)
def test_whole_numbers_are_of_few_digits(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_tags_that_nothing_is_made_of_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontonym.files.xml.MAX_TAGS", 20_000)
    few = "".join(f"<a><b/><c>{i}</c></a>" for i in range(9_000))
    assert sum(1 for _ in iter_elements(open_source(written(tmp_path / "a.xml", f"<r>{few}</r>")), ["a"])) == 9_000
    with pytest.raises(FormatError, match="more than 20,000 tags that belong to one element"):
        list(iter_elements(open_source(written(tmp_path / "b.xml", "<r>" + "<b/>" * 100_000 + "</r>")), ["a"]))


def test_tags_of_hardly_a_character_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontonym.files.checkedxml.SHORT_TAGS", 20_000)
    root = '<rdf:RDF xmlns="http://x.org/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    file = written(tmp_path / "a.owl", root + "<a/>" * 100_000 + "</rdf:RDF>")
    with pytest.raises(FormatError, match="tags of hardly a character each"):
        list(read_release([file], format="owl").concepts())


def test_a_long_query_is_refused_with_the_bound(tmp_path: Path) -> None:
    with open_index(indexed(tmp_path, {"a.obo": OBO.format(name="Ataxia")})) as index:
        assert search(index, "ataxia " + "x" * 100)[0].id == "T:1"
        with pytest.raises(InputError, match=r"a query of 100,000 characters, 'a+'…; 10,000 are the most"):
            search(index, "a" * 100_000)


def test_a_long_mention_is_malformed(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", f"ataxia\n{'x' * (LONGEST_TEXT + 1)}\nfever\n")
    documents = read_documents(file)
    assert [mark.mention.text for document in documents for mark in document.marks] == ["ataxia", "fever"]
    (row,) = documents.counts.examples
    assert (row.line, row.problem) == (2, "a mention of 10,001 characters, where 10,000 are the most")


def test_a_line_of_standard_input_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontonym.documents.rows.MAX_LINE", 100)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"ataxia\n" + b"x" * 1_000)))
    with pytest.raises(FormatError, match="standard input:2: line longer than 100 bytes"):
        list(read_documents("-", format="lines"))


@pytest.mark.parametrize("count", ["9" * 5_000, "0", "4294967296", "²"])
def test_counts_of_terms_are_bounded(tmp_path: Path, count: str) -> None:
    file = read_terms(str(written(tmp_path / "t.tsv", f"id\ttext\tcount\nT:1\tlurching\t{count}\n")))
    assert not file.terms
    assert file.counts.malformed == 1


def test_a_cell_beside_terms_may_be_long_whatever_was_read_before(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)  # Python's own, which reading another table may have raised
    file = read_terms(str(written(tmp_path / "t.tsv", f"lurching\tT:1\nsway\tT:{'9' * 200_000}\n")))
    assert ([term.id for term in file.terms], file.counts.malformed) == (["T:1"], 1)


def test_the_bounds_fit_each_other() -> None:
    assert LONGEST_TEXT < MAX_LINE
    assert source.SHORT_LINES * source._SHORT < MAX_LINE
    assert np.iinfo(np.int32).max > MAX_LINE
