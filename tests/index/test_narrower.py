"""A narrower concept whose preferred term has the query's further words is found before the broader one."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.tasks import search

COLITIS = """id\tpreferred\tsynonyms\tparents
T:1\tEnterocolitis due to Clostridium difficile\tC. difficile colitis\t
T:2\tEnterocolitis due to Clostridium difficile, recurrent\t\tT:1
T:3\tEnterocolitis due to Clostridium difficile, not specified as recurrent\t\tT:1
T:4\tRecurrent fever\t\t
T:5\tUlcerative colitis\t\t
T:6\tSeptic arthritis, unspecified type\t\t
T:7\tSeptic arthritis, predominantly migratory type\t\tT:6
"""


index = index_fixture({"made.tsv": COLITIS})


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("C. difficile colitis, recurrent", "T:2"),
        ("recurrent C difficile colitis", "T:2"),
        ("C. difficile colitis", "T:1"),
        ("C. difficile colitis, not recurrent", "T:1"),
        ("C. difficile colitis, severe", "T:1"),
        ("septic arthritis migratory type", "T:7"),
    ],
)
def test_further_words_of_a_query_are_those_of_a_narrower_concept(index: Any, text: str, first: str) -> None:
    (hit, *others) = search(index, text)
    assert hit.id == first or (first == "T:1" and {hit.id, others[0].id} == {"T:1", "T:3"})
    assert hit.confidence >= max(one.confidence for one in others)


POISONING = """id\tpreferred\tsynonyms\tparents
T:1\tPoisoning by bleach, accidental (unintentional)\tbleach poisoning\t
T:2\tPoisoning by bleach, intentional self-harm\t\t
T:3\tUnstable angina\t\t
"""

poisoning = index_fixture({"poisons.tsv": POISONING})


@pytest.mark.parametrize(
    ("text", "first"),
    [("intentional bleach poisoning", "T:2"), ("deliberate bleach poisoning", "T:2"), ("bleach poisoning", "T:1")],
)
def test_a_word_that_the_surest_one_denies_leads_to_the_one_that_has_it(poisoning: Any, text: str, first: str) -> None:
    assert search(poisoning, text)[0].id == first
