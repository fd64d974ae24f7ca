"""The one name among words that no concept says is found: by a search, and where a mention is normalized."""

from __future__ import annotations

import pytest

from built import index_fixture
from ontonym.index import Index
from ontonym.tasks import NormalizeOptions, normalize, search
from ontonym.tasks.answer import Normalization
from ontonym.types import Mention

SIDES = """id,name,synonyms
D:1,Left,
D:2,Left sided colitis,
D:3,Weakness,
D:4,"Colic, left side",
D:5,Colic,
D:6,Migraine,
D:7,Hemiparesis,
D:8,Thoracic pain,chest pain
D:9,Right sided chestwall pain,
"""

sided = index_fixture({"sides.csv": SIDES})

MANNERS = """id,name,synonyms
M:1,Edema,
M:2,Mild,
M:3,Wheezes,
M:4,Nausea,
M:5,Headache,
M:6,Gross hematuria,
M:7,Hematuria,
M:8,Bilateral,
M:9,Severe headache,
M:10,Severe,
M:11,Lid edema,
M:12,Persistent,
M:13,Adult onset,
M:14,Ataxia,
M:15,X-linked inheritance,
"""

told = index_fixture({"manners.csv": MANNERS})

SURGERY = """id,name,synonyms
E:1,Presence of artificial hip joint,hip replacement
E:2,Leg swelling,swollen leg
E:3,Cough,
E:4,Productive cough,
E:5,Headache,
E:6,Headache due to lumbar puncture,
E:7,Kidney stone,
E:8,Pain,
E:9,Infection of joint prosthesis,
"""

surgical = index_fixture({"surgery.csv": SURGERY})


def normalized(index: Index, text: str, passage: str = "", options: NormalizeOptions | None = None) -> Normalization:
    (answer,) = normalize(index, [Mention(text, passage=passage)], options or NormalizeOptions())
    return answer


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("left-sided weakness", "D:7"),
        ("weakness on my right side", "D:7"),
        ("L-sided migraine", "D:6"),
        ("migraine on the left", "D:6"),
        ("c/o L sided weakness", "D:7"),
        ("right sided chest pain", "D:8"),
    ],
)
def test_a_finding_on_one_side_is_found_and_not_the_side(sided: Index, text: str, concept: str) -> None:
    assert search(sided, text)[0].confidence > 0.5
    assert {search(sided, text)[0].id, normalized(sided, text).id} == {concept}


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("pitting oedema", "M:1"),
        ("mild edema", "M:1"),
        ("bilateral wheezes", "M:3"),
        ("severe persistent nausea", "M:4"),
        ("dull headache", "M:5"),
        ("wheezes - bilateral", "M:3"),
        ("ataxia, adult-onset", "M:14"),
        ("right ataxia", "M:14"),
        ("ataxia, left", "M:14"),
        ("ataxia (right)", "M:14"),
        ("ataxia/left", "M:14"),
        ("really bad ataxia", "M:14"),
        ("ataxia, X-linked", "M:14"),
    ],
)
def test_a_finding_is_found_and_not_how_it_is(told: Index, text: str, concept: str) -> None:
    assert search(told, text)[0].confidence > 0.5
    assert {search(told, text)[0].id, normalized(told, text).id} == {concept}


def test_a_name_that_says_how_a_finding_is_stays_whole(told: Index) -> None:
    for text, concept in (("gross haematuria", "M:6"), ("severe headache", "M:9")):
        assert {search(told, text)[0].id, normalized(told, text).id} == {concept}


def test_a_name_with_its_side_stays_whole(sided: Index) -> None:
    for text, concept in (("left-sided colitis", "D:2"), ("colic on the left side", "D:4")):
        assert {search(sided, text)[0].id, normalized(sided, text).id} == {concept}


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("leg swelling after hip replacement", "E:2"),
        ("leg swelling since my hip replacement", "E:2"),
        ("cough due to ramipril", "E:3"),
        ("cough because of the ramipril", "E:3"),
    ],
)
def test_what_is_told_is_found_beside_what_it_came_from(surgical: Index, text: str, concept: str) -> None:
    for first in (search(surgical, text)[0], normalized(surgical, text)):
        assert first.id == concept
        assert 0.5 < first.confidence < 0.8


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("headache after lumbar puncture", "E:6"),
        ("pain from kidney stones", "E:7"),
        ("letter from the council", None),
    ],
)
def test_what_it_came_from_counts_where_a_name_says_it_or_it_is_what_is_wrong(
    surgical: Index, text: str, concept: str | None
) -> None:
    sure = [hit.id for hit in search(surgical, text) if hit.confidence >= 0.5]
    assert sure[:1] == ([concept] if concept else [])
    assert normalized(surgical, text).id == concept


def test_an_answer_to_a_name_among_other_words_says_what_was_looked_up_and_keeps_what_the_whole_is_like(
    told: Index,
) -> None:
    answer = normalized(told, "ataxia, adult-onset")
    assert (answer.text, answer.lookup, answer.certainty) == ("ataxia, adult-onset", "ataxia", "doubtful")
    assert {"M:13", "M:14"} <= {hit.id for hit in answer.candidates}
    assert [hit.confidence for hit in answer.candidates] == sorted(
        (hit.confidence for hit in answer.candidates), reverse=True
    )


def test_a_name_among_other_words_has_an_abbreviation_of_the_document_written_out(sided: Index) -> None:
    passage = "Thoracic pain (TP) came back. Right-sided TP since Monday."
    assert normalized(sided, "right-sided TP", passage).id == "D:8"


def test_without_composites_a_mention_is_looked_up_as_a_whole(told: Index) -> None:
    assert normalized(told, "ataxia, adult-onset", options=NormalizeOptions(composites=False)).id != "M:14"
