"""Words that exclude each other are told from those that may mean the same."""

from __future__ import annotations

import pytest

from ontonym.text.contrasts import contrasted, renumbered


@pytest.mark.parametrize(
    ("words", "others", "pair"),
    [
        (["bleeding", "before"], ["after"], ("before", "after")),
        (["hyperplasia"], ["hypoplasia"], ("hyperplasia", "hypoplasia")),
        (["hyperglobulinemic"], ["hypoglobulinemia"], ("hyperglobulinemic", "hypoglobulinemia")),
        (["kidney"], ["lung"], ("kidney", "lung")),
        (["gm2"], ["gm1"], ("gm2", "gm1")),
        (["4q21.3"], ["4q21.2"], ("4q21.3", "4q21.2")),
    ],
)
def test_words_that_exclude_each_other(words: list[str], others: list[str], pair: tuple[str, str]) -> None:
    assert contrasted(words, others) == pair


@pytest.mark.parametrize(
    ("words", "others"),
    [
        (["kidney"], ["renal"]),
        (["40"], ["30"]),  # may be an amount
        (["cd4"], ["gm1"]),
        (["hyperplasia"], ["dysplasia"]),
        (["posterior"], ["precordial"]),
        (["stomach"], ["abdomen"]),
        (["partial"], ["incomplete"]),
        (["venomous"], ["nonvenomous"]),  # the text may deny it
        ([], ["right"]),
    ],
)
def test_words_that_may_mean_the_same(words: list[str], others: list[str]) -> None:
    assert contrasted(words, others) is None


def test_numbers_behind_the_same_word_are_compared() -> None:
    assert renumbered("ataxia type 4".split(), "ataxia type 2".split()) == ("4", "2")
    assert renumbered("type 4 ataxia for 2".split(), "ataxia type 4".split()) is None
    assert renumbered("ataxia 4".split(), "palsy 2".split()) is None
