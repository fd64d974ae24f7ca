"""Other ways in which the pieces of a text may be read."""

from __future__ import annotations

import pytest

from ontonym.text.pieces import pieces
from ontonym.text.rereadings import with_own, without_owners


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She lost her sense of smell.", "she lost sense of smell"),
        ("He bites his nails and twisted my ankle", "he bites nails and twisted ankle"),
        ("Her voice, her face", None),  # begins a phrase
        ("It is hers.", None),
        ("high cholesterol his mother had", None),  # another clause begins
    ],
)
def test_without_owners(text: str, expected: str | None) -> None:
    row = without_owners(text, pieces(text))
    assert (row and " ".join(word for piece in row for word in piece.words)) == (
        " ".join(word for piece in pieces(expected) for word in piece.words) if expected else None
    )


def test_of_others_as_of_oneself() -> None:
    text = "She lost her voice, and I my nerve"
    row = with_own(text, pieces(text))
    assert row is not None
    assert [piece.written(text) for piece in row if piece.words == ("my",)] == ["her", "my"]
    assert with_own("I lost my voice", pieces("I lost my voice")) is None
