"""What the ranking is learned from: queries made from the names of an index."""

from __future__ import annotations

import pytest

from built import index_fixture
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.learning.samples import LearnOptions, draw_samples

index = index_fixture(
    {"a.obo": 'format-version: 1.2\nontology: a\n\n[Term]\nid: A:1\nname: Syncope\nsynonym: "Collapse" EXACT []\n'},
    everyday=True,
)


@pytest.mark.parametrize("shares", [(0.33, 0.56, 0.11), (0.34, 0.55, 0.11), (0.56, 0.33, 0.11)])
def test_shares_that_sum_up_to_one_but_for_rounding_are_taken(index: Index, shares: tuple[float, float, float]) -> None:
    hidden, nothing, everyday = shares
    options = LearnOptions(queries=40, hidden=hidden, nothing=nothing, everyday=everyday)
    drawn = draw_samples(index, lambda _: True, options)
    assert 0 < len(drawn) <= 40
    assert {one.right for one in drawn} == {0}, "there is one concept, and where it is gone nothing is left to be wrong"


def test_queries_of_which_none_has_an_answer_teach_nothing() -> None:
    with pytest.raises(InputError, match="nothing=1"):
        LearnOptions(hidden=0, nothing=1, everyday=0)
