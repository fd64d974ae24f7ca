"""Which words are English."""

from __future__ import annotations

import pytest

from ontonym.text.english import is_english


@pytest.mark.parametrize("word", ["structure", "responsible", "regarded", "injecting", "addition", "dyskinesia"])
def test_english_words_in_any_form_are_known(word: str) -> None:
    assert is_english(word)


@pytest.mark.parametrize("word", ["dsykinesia", "prognatism", "orythrocyte", "zyxwvutsr", ""])
def test_others_are_not(word: str) -> None:
    assert not is_english(word)
