"""Fingers and toes that a text lists, as names number them."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.digits import counted_digits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("syndactyly of the second and third toes", [("second and third", "2-3")]),
        ("fusion between the 2nd and the 3rd toes", [("between the 2nd and the 3rd", "2-3")]),
        ("synostosis of metacarpals IV and V.", [("IV and V", "4-5")]),
        ("toes 2, 3, and 4 are webbed", [("2, 3, and 4", "2-4")]),
        ("II-V finger syndactyly", [("II-V", "2-5")]),
        ("2-3 toe syndactyly", []),  # it is written so
        ("clinodactyly of the second and fifth fingers", []),  # the third and fourth are not meant
        ("third and second toes", []),
        ("the second and third ribs", []),
        ("digits 2, 3.5 cm long", []),
        ("between 1 and 2 years", []),
    ],
)
def test_neighbouring_digits(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(text[start:end], said) for start, end, said in counted_digits(text)] == expected


@pytest.mark.parametrize("text", ["1, " * 6000, "first and " * 2000, "toes " + "1 and " * 3000, "toe 1" + " " * 20_000])
def test_long_lists_take_time_in_proportion(text: str) -> None:
    began = process_time()
    assert not list(counted_digits(text))
    assert process_time() - began < 1
