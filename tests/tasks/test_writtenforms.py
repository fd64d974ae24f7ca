"""How texts write abbreviations."""

from __future__ import annotations

import pytest

from ontonym.tasks.annotation.writtenforms import is_numbered, is_shouted
from ontonym.text.pieces import pieces


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
def test_an_abbreviation_before_a_number_is_what_that_is_numbered(after: str, expected: bool) -> None:
    assert is_numbered(f"HR{after}", 2) is expected


@pytest.mark.parametrize(("text", "place", "expected"), [("ON DISCHARGE", 0, True), ("ALL was found", 0, False)])
def test_a_common_word_in_capitals_beside_others_is_no_abbreviation(text: str, place: int, expected: bool) -> None:
    assert is_shouted(text, pieces(text), place) is expected
