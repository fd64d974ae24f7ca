"""Where phrases of a text end, and the stretches between that could be mentions."""

from __future__ import annotations

import pytest

from ontonym.text.phraseborders import MOST_WORDS, ends_phrase, is_border, stretches
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
