"""No name is a sure answer that says the opposite of a query, or has another number."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.tasks import search

NAMES = """id\tpreferred\tsynonyms
N:1\tPersistent bleeding of the gums after trauma\t
N:2\tStorage of GM1 ganglioside in the liver\t
N:3\tHereditary spastic ataxia with deafness type 2\t
N:4\tNasal muscle\tmuscle of nose
N:5\tInsect bite (nonvenomous) of the right thumb\t
"""

names = index_fixture({"names.tsv": NAMES})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("persistent bleeding of the gums before trauma", "“before” is not “after”"),
        ("storage of GM5 ganglioside in the liver", "“gm5” is not “gm1”"),
        ("hereditary spastic ataxia with deafness type 43", "“43” is not “2”"),
        ("storage of GM1 ganglioside in the brain", "“brain” is not “liver”"),
    ],
)
def test_a_name_that_excludes_a_word_is_doubted(names: Any, text: str, why: str) -> None:
    hit = search(names, text)[0]
    assert hit.confidence < 0.5
    assert why in hit.reason.detail


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bleeding of the gums, persistent after a trauma", "N:1"),
        ("GM1 ganglioside storage in liver", "N:2"),
        ("muscle of the nose", "N:4"),
        ("insect bite (non venomous) of right thumb", "N:5"),
    ],
)
def test_a_name_with_the_same_words_is_sure(names: Any, text: str, name: str) -> None:
    hit = search(names, text)[0]
    assert hit.id == name
    assert hit.confidence > 0.5
