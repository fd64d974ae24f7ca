"""Stretches of a text that could be mentions."""

from __future__ import annotations

from ontonym.text.chunks import MOST_WORDS, is_border, stretches
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


def test_a_stretch_has_so_many_words_at_most() -> None:
    words = [f"word{letter}" for letter in "abcdefghij"]
    assert max(len(one.split()) for one in found(" ".join(words))) == MOST_WORDS
