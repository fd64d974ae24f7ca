"""The pieces of a text and their words."""

from __future__ import annotations

import pytest

from ontonym.text.normalization import tokens
from ontonym.text.pieces import pieces


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("heart \u200b\u200b failure", [("heart", False), ("failure", True)]),
        ("heart \u200b failure", [("heart", False), ("failure", True)]),
        ("heart; \u200b\u200b failure", [("heart", False), ("failure", False)]),
        ("\u200b\u200b, \u0301\u0301", []),
        ("\u5934\u200b\u200b\u75db", [("\u5934", False), ("\u75db", True)]),
    ],
)
def test_characters_that_are_not_seen_are_no_words(text: str, words: list[tuple[str, bool]]) -> None:
    assert [(" ".join(one.words), one.goes_on) for one in pieces(text)] == words


@pytest.mark.parametrize(
    "text",
    ["Crohn's β-thalassemia of 1,000.5 units", "A-T or C.H.F. type IV", "can't, TNFα+ and naïve cafe\u0301s", "type V"],
)
def test_pieces_have_the_words_of_the_whole(text: str) -> None:
    assert [word for piece in pieces(text) for word in piece.words] == tokens(text)
