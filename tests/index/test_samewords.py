"""A concept that is called just what the query says, but for such as *of* and *with*, is a sure answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from built import index_fixture
from ontonym.index.samewords import with_same_words
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.search import scan_of
from ontonym.tasks.strategy import Module

ULCERS = """id\tpreferred\tsynonyms\tparents
T:1\tOther dislocation of right shoulder joint\t\t
T:2\tDislocation of right shoulder joint\t\t
T:3\tDislocation of left shoulder joint\t\t
T:4\tChronic gastric ulcer with perforation\t\t
T:5\tChronic gastric ulcer without hemorrhage or perforation\t\t
T:6\tChronic gastric ulcer with hemorrhage and with perforation\t\t
"""

ulcers = index_fixture({"ulcers.tsv": ULCERS})


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("RIGHT SHOULDER JOINT OTHER DISLOCATION", "T:1"),
        ("right shoulder joint dislocation", "T:2"),
        ("gastric ulcer chronic perforation", "T:4"),
        ("perforation, hemorrhage, chronic gastric ulcer", "T:6"),
    ],
)
def test_the_words_of_one_name_in_another_order_are_sure(ulcers: Any, text: str, first: str) -> None:
    (hit, *others) = search(ulcers, text)
    assert hit.id == first
    assert hit.confidence >= 0.85
    assert max(one.confidence for one in others) < 0.15


def test_what_a_name_denies_and_the_query_says_are_not_the_same(ulcers: Any) -> None:
    (hit, *_) = search(ulcers, "chronic gastric ulcer, perforation, without hemorrhage")
    assert hit.id == "T:4"


def test_an_answer_of_other_words_stays_the_very_same(ulcers: Any) -> None:
    signals = ulcers.signals
    scan = scan_of(ulcers, SearchOptions(), Module("O", "T"))
    (other, same) = ulcers.interpreter.candidates.interpretations(
        signals.queries(["left shoulder joint fracture", "right shoulder joint dislocation"]), scan
    )
    assert with_same_words(other, signals) is other
    less = replace(same, confidences=same.confidences / 2)
    assert with_same_words(less, signals).surest == pytest.approx(0.85, abs=1e-3)
