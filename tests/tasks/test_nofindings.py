"""Names that are no findings by the words beside them: services that treat something, and phrases with *fall*."""

from __future__ import annotations

import pytest

from built import SMALL, index_fixture
from mentioned import found
from ontonym.index import Index
from ontonym.tasks.annotation.nofindings import is_no_finding

TABLE = """id\tpreferred\tsynonyms\tparents
N:1\tStroke\t\t
N:2\tHeart failure\tHF\t
N:3\tFalls\tfall\t
N:4\tPain\t\t
N:5\tMedication history\t\t
"""

index = index_fixture({"services.tsv": TABLE}, SMALL)


@pytest.mark.parametrize(
    "text",
    [
        "Seen on the stroke unit.",
        "Call the heart failure specialist nurse.",
        "Referred to the pain clinics.",
        "The pain team will review.",
        "HF nurse to ring.",
        "I fall asleep at work.",
        "He fell ill and fell behind.",
        "A fall in platelet count.",
        "There was a fall in her haemoglobin.",
        "Medical history: none of note.",
    ],
)
def test_who_treats_it_and_what_only_falls_is_no_finding(index: Index, text: str) -> None:
    assert found(index, text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A stroke on the unit.", [("stroke", "N:1")]),
        ("Heart failure. Nurse informed.", [("Heart failure", "N:2")]),
        ("A fall in the ward.", [("fall", "N:3")]),
        ("A fall in the bath.", [("fall", "N:3")]),
        ("Pain, unit informed.", [("Pain", "N:4")]),
    ],
)
def test_other_words_beside_a_name_leave_it_one(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected


def test_words_far_behind_a_name_are_not_looked_at() -> None:
    assert is_no_finding("pain clinic", 0, 4)
    assert not is_no_finding(f"pain{' ' * 80}clinic", 0, 4)
