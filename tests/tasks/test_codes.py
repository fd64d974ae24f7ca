from __future__ import annotations

from pathlib import Path

import pytest

from built import index_fixture, indexed
from made import concept, opened
from ontonym.index import Index, open_index
from ontonym.tasks import NormalizeOptions, SearchOptions, explain_hits, normalize, search
from ontonym.tasks.codes import code_hits
from ontonym.tasks.completing import unfinished_word
from ontonym.tasks.explain.texts import described
from ontonym.types import Mention

CODES = """format-version: 1.2
ontology: codes

[Term]
id: ICD:E11.9
name: Type 2 diabetes mellitus without complications

[Term]
id: ICD:I10
name: Essential hypertension

[Term]
id: ICD:Z99
name: obsolete Old code
is_obsolete: true
replaced_by: ICD:I10

[Term]
id: ICD:Z98
name: obsolete Split code
is_obsolete: true
replaced_by: ICD:I10
replaced_by: ICD:E11.9

[Term]
id: ICD:Z97
name: obsolete Lost code
is_obsolete: true

[Term]
id: ICD:0000123
name: Vitamin B12 deficiency
synonym: "B12" EXACT []

[Term]
id: ICD:B12
name: Another thing
"""


index = index_fixture({"codes": CODES})


@pytest.mark.parametrize("text", ["ICD:E11.9", "E11.9", "e11.9", "E119", "icd:e11.9", "ICD_E11.9", " E11.9 "])
def test_a_code_written_otherwise(index: Index, text: str) -> None:
    (hit,) = search(index, text)
    assert (hit.id, hit.confidence, hit.reason.rule) == ("ICD:E11.9", 1.0, "code")
    assert hit.reason.detail == "the code ICD:E11.9"
    assert hit.status == "active"


@pytest.mark.parametrize("text", ["I10.", "I10.-", "I10-", "I10.x", "i10 -", "E11 9", "e11 9"])
def test_a_code_of_which_more_is_to_be_said_or_without_its_dot(index: Index, text: str) -> None:
    (hit,) = search(index, text)
    assert (hit.id, hit.reason.rule) == ("ICD:I10" if "10" in text else "ICD:E11.9", "code")


@pytest.mark.parametrize("text", ["I10 9", "10.", "type -", "hypertension."])
def test_what_ends_alike_is_no_code(index: Index, text: str) -> None:
    assert code_hits(index, text) == []


@pytest.mark.parametrize("text", ["ICD10: I10", "ICD-10-CM code: I10", "dx code I10", "Code I10"])
def test_a_code_that_is_called_one(index: Index, text: str) -> None:
    (hit,) = search(index, text)
    assert (hit.id, hit.reason.rule) == ("ICD:I10", "code")


@pytest.mark.parametrize(
    "text", ["E11.9 diabetes", "E11.9 - type 2 diabetes", "diabetic (E11.9)", "ICD:E11.9 Diabetes mellitus"]
)
def test_a_code_beside_words_that_its_name_has(index: Index, text: str) -> None:
    (hit,) = search(index, text)
    assert (hit.id, hit.confidence, hit.reason.detail) == ("ICD:E11.9", 1.0, "the code ICD:E11.9")


def test_normalization_is_as_sure_of_codes_as_search(index: Index) -> None:
    texts = ["I10", "E11.9 diabetes", "hypertension"]
    sure = [answer.confidence for answer in normalize(index, [Mention(text) for text in texts])]
    assert sure[:2] == [1.0, 1.0]
    assert sure[2] < 1
    ids = [answer.id for answer in normalize(index, [Mention(text) for text in texts], NormalizeOptions(threshold=1.0))]
    assert ids == ["ICD:I10", "ICD:E11.9", None]


def test_a_code_beside_other_words_is_no_answer(index: Index) -> None:
    (hit, *_) = search(index, "E11.9 hypertension")
    assert (hit.id, hit.reason.rule != "code") == ("ICD:I10", True)


def test_what_replaced_a_retired_code(index: Index) -> None:
    (hit,) = search(index, "Z99")
    assert (hit.id, hit.confidence) == ("ICD:I10", 1.0)
    assert hit.reason.detail == "the code ICD:Z99, which this concept replaced"


def test_several_replacements_share_the_confidence(index: Index) -> None:
    hits = search(index, "ICD:Z98")
    assert [(hit.id, hit.confidence) for hit in hits] == [("ICD:I10", 0.5), ("ICD:E11.9", 0.5)]
    assert "was replaced by ICD:I10, ICD:E11.9" in hits[0].reason.detail


def test_a_retired_code_that_nothing_replaced(index: Index) -> None:
    (hit,) = search(index, "Z97")
    assert (hit.id, hit.status, hit.reason.detail) == ("ICD:Z97", "retired", "the code ICD:Z97, which is retired")


def test_leading_zeros_only_with_the_prefix(index: Index) -> None:
    assert search(index, "ICD:123")[0].reason.rule == "code"
    assert code_hits(index, "123") == []


def test_a_name_comes_before_a_code(index: Index) -> None:
    assert search(index, "B12")[0].id == "ICD:0000123"
    assert search(index, "ICD:B12")[0].id == "ICD:B12"


def test_words_and_numbers_are_no_codes(index: Index) -> None:
    for text in ("hypertension", "type 2", "10", "2012", ""):
        assert code_hits(index, text) == []


@pytest.mark.parametrize("code", ["Ä1234", "ä1234", "LAB/77", "lab/77", "krebs-nr_2019"])
def test_codes_of_ones_own_are_found_whatever_letters_they_have(tmp_path: Path, code: str) -> None:
    concepts = [concept(one, f"name {at}") for at, one in enumerate(("Ä1234", "LAB/77", "KREBS-NR_2019"))]
    with opened(tmp_path, concepts) as (terminology,):
        row = terminology.coded(code)
        assert row is not None
        assert terminology.id(row) == code.upper()


def test_filters_hold_for_codes(index: Index) -> None:
    hits = search(index, "E11.9", SearchOptions(within=("ICD:I10",)))
    assert all(hit.reason.rule != "code" for hit in hits)
    assert [hit.id for hit in search(index, "ICD:Z98", SearchOptions(k=1))] == ["ICD:I10"]
    bare, whole = (search(index, "diabetes", SearchOptions(within=(id_,))) for id_ in ("i10", "ICD:I10"))
    assert [hit.id for hit in bare] == [hit.id for hit in whole] != []


def test_a_code_is_explained_as_it_is_found(index: Index) -> None:
    (one,) = explain_hits(index, "e119")
    assert (one.hit, one.rank, one.rival) == (search(index, "e119")[0], 1, None)
    assert described(one) == [
        "“Type 2 diabetes mellitus without complications” (preferred term, codes): the code ICD:E11.9"
    ]


@pytest.mark.parametrize(
    "text",
    ["icd10 E11.9", "icd E11.9", "ICD-10-CM code E11.9", "code E11.9", "dx E11.9", "E11.9 (icd10)", "codes E11.9"],
)
def test_words_that_only_say_whose_code_it_is_stand_beside_it(index: Index, text: str) -> None:
    (hit,) = code_hits(index, text)
    assert hit.id == "ICD:E11.9"


def test_other_words_beside_a_code_have_to_be_those_of_its_concept(index: Index) -> None:
    assert code_hits(index, "E11.9 diabetes")
    assert code_hits(index, "E11.9 fracture") == []


@pytest.mark.parametrize(
    ("typed", "unfinished"),
    [
        ("ICD:E11.9", ""), ("e119", ""), ("E11.9.", "E11.9."), ("0000123", ""), ("ICD:000123", "ICD:000123"),
        ("code ICD:123", "ICD:123"), ("Z99", ""),
    ],
)  # fmt: skip
def test_a_code_that_lacks_digits_may_be_the_beginning_of_another(index: Index, typed: str, unfinished: str) -> None:
    assert code_hits(index, typed.rstrip("."), None)
    assert unfinished_word(index, typed) == unfinished


LISTS = {
    "ward.tsv": "id\tname\ttag\nX12\tFever\tsign\nX13\tAsthma\tsign\n",
    "clinic.tsv": "id\tname\ttag\nX12\tCough\tillness\nX13\tRash\tillness\n",
}
"""Two lists that give the same codes to different things."""


def test_one_code_of_two_lists_is_told_apart_by_the_words_beside_it(tmp_path: Path) -> None:
    with open_index(indexed(tmp_path, LISTS)) as index:
        assert [hit.preferred for hit in code_hits(index, "X12")] == ["Fever", "Cough"]
        for text, meant in (("X12 - cough", "Cough"), ("X12 - fever", "Fever"), ("X13 - rash", "Rash")):
            assert [hit.preferred for hit in code_hits(index, text)] == [meant]


def test_expected_tags_are_those_of_the_terminology_that_a_hit_is_of(tmp_path: Path) -> None:
    with open_index(indexed(tmp_path, LISTS)) as index:
        sure = {}
        for tag in ("sign", "illness"):
            options = NormalizeOptions(expected=(tag,), composites=False)
            (answer,) = normalize(index, [Mention("rashes asthma")], options)
            sure[tag] = {hit.preferred: hit.confidence for hit in answer.candidates}
    assert sure["sign"]["Asthma"] > sure["illness"]["Asthma"]
    assert sure["sign"]["Rash"] < sure["illness"]["Rash"]
