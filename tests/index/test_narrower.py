"""A narrower concept whose preferred term has the query's further words is found before the broader one."""

from __future__ import annotations

from typing import Any

import pytest

from ontonym.index import IndexOptions
from ontonym.tasks import search

COLITIS = (
    'id: T:1\nname: Enterocolitis due to Clostridium difficile\nsynonym: "C. difficile colitis" EXACT []',
    "id: T:2\nname: Enterocolitis due to Clostridium difficile, recurrent\nis_a: T:1",
    "id: T:3\nname: Enterocolitis due to Clostridium difficile, not specified as recurrent\nis_a: T:1",
    "id: T:4\nname: Recurrent fever",
    "id: T:5\nname: Ulcerative colitis",
)


@pytest.fixture
def index(workshop: Any) -> Any:
    return workshop.index(workshop.terminology("made", *COLITIS), options=IndexOptions(everyday=False))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("C. difficile colitis, recurrent", "T:2"),
        ("recurrent C difficile colitis", "T:2"),
        ("C. difficile colitis", "T:1"),
        ("C. difficile colitis, not recurrent", "T:1"),
        ("C. difficile colitis, severe", "T:1"),
    ],
)
def test_further_words_of_a_query_are_those_of_a_narrower_concept(index: Any, text: str, first: str) -> None:
    (hit, *others) = search(index, text)
    assert hit.id == first or (first == "T:1" and {hit.id, others[0].id} == {"T:1", "T:3"})
    assert hit.confidence >= max(one.confidence for one in others)
