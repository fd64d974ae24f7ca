"""Stretches of a text that could be mentions."""

from __future__ import annotations

import pytest

from ontonym.text.normalization import tokens
from ontonym.text.phraseborders import MOST_WORDS, ends_phrase, is_border, measures, stretches
from ontonym.text.pieces import pieces


def found(text: str) -> list[str]:
    row = pieces(text)
    return [text[row[first].start : row[last].end] for first, last in stretches(text, row)]


def test_every_run_of_telling_words_with_of_the_between_them() -> None:
    assert found("There was calcification of the artery.") == ["calcification", "calcification of the artery", "artery"]
    assert found("He had attenuated retinal vessels and fever") == [
        "attenuated", "attenuated retinal", "attenuated retinal vessels", "retinal", "retinal vessels", "vessels",
        "fever",
    ]  # fmt: skip


def test_no_stretch_goes_across_a_comma_a_sentence_or_a_word_that_is_part_of_none() -> None:
    for text in ("renal, failure", "renal. Failure", "renal patients failure", "renal or failure"):
        assert not any("renal" in one.lower() and "failure" in one.lower() for one in found(text))
    assert is_border("patients")
    assert not is_border("absent")


def test_how_large_and_which_of_three_something_is_may_be_part_of_a_mention() -> None:
    assert "large thumbs" in found("He had large thumbs.")
    assert "enlarged third ventricle" in found("an enlarged third ventricle")


def test_a_quotation_mark_ends_no_stretch() -> None:
    assert "curved\u201d upper lip" in found("a \u201ccurved\u201d upper lip")


def test_a_stretch_has_so_many_words_at_most() -> None:
    words = [f"word{letter}" for letter in "abcdefghij"]
    assert max(len(one.split()) for one in found(" ".join(words))) == MOST_WORDS


@pytest.mark.parametrize(
    ("word", "expected"),
    [("repaired", True), ("88", True), ("was", True), ("nails", False), ("breed", False), ("weed", False)],
)
def test_what_is_no_noun_ends_a_phrase(word: str, expected: bool) -> None:
    assert ends_phrase(word) is expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (" 112", True),
        (" 88/50", True),
        (" 2019", False),
        (" 2", False),
        (" 12 mm", False),
        (" 10/10", False),
        (", 112", False),
        (" 48 hrs ago", False),
        (" 18 mths ago", False),
    ],
)
def test_an_abbreviation_before_a_number_is_what_that_measures(after: str, expected: bool) -> None:
    assert measures(f"HR{after}", 2) is expected


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
