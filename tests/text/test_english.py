"""Which words are right though no name has them."""

from __future__ import annotations

import pytest

from ontonym.text.english import everyday_words, is_compound, is_english


@pytest.mark.parametrize(
    "word", ["stamp", "structure", "responsible", "regarded", "injecting", "addition", "dyskinesia"]
)
def test_english_words_in_any_form_are_known(word: str) -> None:
    assert is_english(word)


@pytest.mark.parametrize("word", ["dsykinesia", "prognatism", "orythrocyte", "zyxwvutsr", ""])
def test_others_are_not(word: str) -> None:
    assert not is_english(word)


def test_a_combining_form_and_a_word_are_a_word() -> None:
    known = {"toxicity", "pathy", "mas"}.__contains__
    assert is_compound("nephrotoxicity", known)
    assert is_compound("cardiopathy", known)
    assert not is_compound("nephrotoxicty", known)
    assert not is_compound("toxicity", known)
    assert not is_compound("lipomas", known)  # too little is left


def test_everyday_words_are_no_misspellings() -> None:
    assert {"horse", "twitches", "month"} <= everyday_words()
    assert not {"excema", "siezures", "diarhea", "pancreatits"} & everyday_words()
