"""Patterns made of phrases find those phrases, and the longest where several fit."""

from __future__ import annotations

import re

import pytest

from ontonym.text.patterns import any_of, lazy, longest_first, phrases_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("complains of pain", "complains of"),
        ("complaining about pain", "complaining about"),
        ("complains pain", None),
        ("the patient", "the patient"),
        ("patient", "patient"),
        ("the", None),
        ("known to have gout", "known to have"),
        ("known  gout", "known"),
        ("a+e", "a+e"),
        ("aae", None),
    ],
)
def test_any_of(text: str, found: str | None) -> None:
    pattern = re.compile(any_of("complains|complaining of|about, the|my? patient", "known, known to? have?, a+e"))
    match = pattern.match(text)
    assert (match and match[0]) == found


def test_a_missing_word_takes_its_space_along() -> None:
    assert re.fullmatch(any_of("suspected of?"), "suspected")
    assert not re.fullmatch(any_of("suspected of?"), "suspected ")


def test_longest_first() -> None:
    match = re.match(longest_first(["na", "na+", "k"]), "na+ 130")
    assert match is not None
    assert match[0] == "na+"


def test_phrases_of_lines() -> None:
    assert phrases_of("worried|worry about, rule out for?", "the|my? patient") == (
        *("worried about", "worry about", "rule out for", "rule out"),
        *("the patient", "my patient", "patient"),
    )


def test_a_lazy_pattern_is_compiled_once_and_when_it_is_first_asked_for() -> None:
    wrong, right = lazy("("), lazy("a+", re.IGNORECASE)  # compiled at once, the first would be an error here
    with pytest.raises(re.error):
        wrong()
    assert right() is right()
    assert right().fullmatch("aA")
