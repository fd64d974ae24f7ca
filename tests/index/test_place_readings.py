"""A finding is found where a query tells a place too that no name of it does."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.tasks import search

FINDINGS = """id\tpreferred\tsynonyms
T:1\tUrticaria\thives
T:2\tLocalized swelling, mass and lump, neck\tbump on neck
T:3\tPneumonia\t
T:4\tAbscess of lung with pneumonia\t
T:5\tWebbed neck\t
T:6\tPain\t
T:7\tTraumatic cataract, left eye\t
T:8\tTraumatic cataract, right eye\t
T:9\tCataract\t
T:10\tPresence of artificial left elbow\t
"""

index = index_fixture({"made.tsv": FINDINGS})


@pytest.mark.parametrize(
    ("text", "first"),
    [("urticaria around the neck", "T:1"), ("hives on my elbow", "T:1"), ("pneumonia of left lung", "T:3")],
)
def test_the_finding_is_likely_and_less_sure_than_alone(index: Any, text: str, first: str) -> None:
    found = search(index, text)[0]
    assert found.id == first
    assert 0.5 < found.confidence < 0.9


def test_a_concept_with_the_side_is_left_first(index: Any) -> None:
    assert search(index, "cataract of left eye")[0].id == "T:7"


def test_a_finding_that_depends_on_its_place_is_no_answer_without_it(index: Any) -> None:
    found = search(index, "pain in forehead")
    assert not found or found[0].confidence < 0.5
