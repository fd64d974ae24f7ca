"""A finding is found where a query tells its course too; a narrower concept whose name tells both is preferred."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from built import index_fixture
from ontonym.index import barefindings
from ontonym.tasks import search

FINDINGS = """id\tpreferred\tsynonyms\tparents
T:1\tCough\t\t
T:2\tNocturnal cough\tcough at night|coughing during the night\tT:1
T:3\tWrist pain\tsore wrist\t
T:4\tOccasional\t\t
T:5\tPain worse when lying flat\t\t
T:6\tMigraine\t\t
T:7\tInjury of facial nerve, left side\t\t
T:8\tFacial weakness\tfacial droop\t
T:9\tVisual hallucinations\tvisions\t
T:10\tProgressive\t\t
T:11\tOrthopnea\tbreathless when lying down\tT:12
T:12\tDyspnea\tbreathlessness\t
T:13\tGait ataxia\tataxia\t
T:14\tGross motor impairment\t\t
T:16\tPneumonia\t\t
T:15\tAtaxia of gross movements\tgross movements uncoordinated\tT:14
"""

index = index_fixture({"made.tsv": FINDINGS})


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("wrist pain worse in the morning", "T:3"),
        ("occasional sore wrist", "T:3"),
        ("wrist pain getting worse", "T:3"),
        ("wrist pain when lying down", "T:3"),
        ("facial droop left side", "T:8"),
        ("repeated episodes of cough", "T:1"),
        ("cough every night", "T:2"),
        ("breathlessness when lying down", "T:11"),
    ],
)
def test_the_course_of_a_finding_leads_to_no_other_concept(index: Any, text: str, first: str) -> None:
    assert search(index, text)[0].id == first


@pytest.mark.parametrize("text", ["wrist pain worse in the morning", "post-op wrist pain", "cough not improving"])
def test_the_finding_is_a_likely_answer_and_less_sure_than_alone(index: Any, text: str) -> None:
    alone = search(index, "wrist pain" if "wrist" in text else "cough")[0]
    found = search(index, text)[0]
    assert found.id == alone.id
    assert 0.5 < found.confidence < alone.confidence


def test_a_finding_that_is_denied_with_its_course_stays_denied(index: Any) -> None:
    (first, *_) = search(index, "no wrist pain in the morning")
    assert (first.id, first.reason.negated) == ("T:3", True)


def test_the_course_in_an_abbreviation_is_set_aside(index: Any) -> None:
    (first, *_) = search(index, "HAP")
    assert first.id == "T:16"
    assert first.confidence > 0.5


def test_the_degree_of_what_is_denied_leads_to_no_other_concept(index: Any) -> None:
    (first, *_) = search(index, "no gross ataxia")
    assert (first.id, first.reason.negated) == ("T:13", True)


def test_what_the_body_does_is_no_finding_without_its_course(index: Any) -> None:
    assert search(index, "vision worse in the evening")[0].confidence < 0.5


def test_a_course_told_without_end_is_set_aside_a_few_times(index: Any) -> None:
    began = process_time()
    search(index, "cough" + " R" * 600)
    assert process_time() - began < 3  # where it was set aside to its end, minutes, or one call in another too often


def test_the_course_of_a_query_that_is_a_name_is_not_looked_for(index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(text: str) -> str:
        asked.append(text)
        return ""

    monkeypatch.setattr(barefindings, "without_course", noted)
    assert search(index, "Coughing at night")[0].id == search(index, "cough at night")[0].id == "T:2"
    assert "cough at night" not in asked
    search(index, "wrist pain getting worse")
    assert "wrist pain getting worse" in asked
