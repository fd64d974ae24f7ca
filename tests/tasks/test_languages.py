"""Searching in any language whose names are in the index, also in those that put no space between words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from made import concept, opened
from ontonym.index import Index, build_index, open_index
from ontonym.index.calibration import SUREST
from ontonym.tasks import SearchOptions, search
from ontonym.types import Term


def named(concept_id: str, english: str, **names: str):
    terms = [Term(text, "synonym", language=language) for language, text in names.items()]
    return concept(concept_id, english, *terms)


CONCEPTS = [
    named("T:1", "Acute myocardial infarction", ja="急性心筋梗塞", zh="急性心肌梗死", tr="akut miyokard enfarktüsü"),
    named("T:2", "Heart failure", ja="心不全", zh="心力衰竭", tr="kalp yetmezliği", es="insuficiencia cardíaca"),
    named("T:3", "Fever", ja="発熱", zh="发热", tr="ateş", es="fiebre", ko="발열"),
    named("T:4", "Abnormality of body height", ja="身長の異常", zh="身高异常", es="anomalía de la estatura"),
    named("T:5", "Old myocardial infarction", ja="陳旧性心筋梗塞", zh="陈旧性心肌梗死"),
    named("T:6", "Low blood pressure", ja="低血圧症", zh="低血压"),
    named("T:7", "Diabetes type 2", ja="2型糖尿病", zh="2型糖尿病"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("languages")
    with opened(folder, CONCEPTS) as (terminology,):
        build_index([terminology], folder / "a.index")
    with open_index(folder / "a.index") as made:
        yield made


@pytest.mark.parametrize("language", ["en", "ja", "zh", "tr", "es", "ko"])
@pytest.mark.parametrize("signal", ["fused", "lexical", "char", "dense"])
def test_every_name_finds_its_concept(index: Index, signal: str, language: str) -> None:
    asked = [(term.text, one.id) for one in CONCEPTS for term in one.terms if term.language == language]
    assert asked
    for text, expected in asked:
        best = search(index, text, SearchOptions(k=1, signal=signal))[0]
        assert best.id == expected
        assert best.confidence >= SUREST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("心筋梗塞（急性）", "T:1"),  # the words the other way round, in full-width brackets
        ("急性の心筋梗塞", "T:1"),
        ("急性心肌梗死症", "T:1"),
        ("陳旧性の心筋梗塞", "T:5"),
        ("身高的异常", "T:4"),
        ("身長異常", "T:4"),
        ("糖尿病2型", "T:7"),
        ("enfarktüs miyokard akut", "T:1"),
        ("cardiaca insuficiencia", "T:2"),
    ],
)
@pytest.mark.parametrize("signal", ["fused", "lexical", "char"])
def test_other_wordings_find_it_too(index: Index, signal: str, text: str, expected: str) -> None:
    assert search(index, text, SearchOptions(k=3, signal=signal))[0].id == expected


def test_another_character_is_another_word_and_no_misspelling(index: Index) -> None:
    """高血圧症 is high blood pressure, one character from low blood pressure: nothing to be sure of."""
    best = search(index, "高血圧症")[0]
    assert best.id == "T:6"
    assert best.reason.rule not in ("exact", "normalized")
    assert "read as" not in best.reason.detail
    assert best.confidence < 0.95
