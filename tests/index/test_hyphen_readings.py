"""A hyphen within a word is left out where only so the text is a name."""

from __future__ import annotations

from typing import Any

import pytest

from ontonym.tasks import search

NAMES = ("Midface hypoplasia", "Hypoplasia of face", "Radioulnar synostosis", "Long-chain acidosis", "Longchain")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mid-face hypoplasia", "Midface hypoplasia"),
        ("radio-ulnar synostosis", "Radioulnar synostosis"),
        ("long-chain acidosis", "Long-chain acidosis"),
    ],
)
def test_a_hyphen_is_left_out_where_that_is_a_name(workshop: Any, text: str, name: str) -> None:
    entries = [f"id: M:{number}\nname: {one}" for number, one in enumerate(NAMES)]
    (hit, *_) = search(workshop.index(workshop.terminology("made", *entries)), text)
    assert hit.preferred == name
    assert hit.confidence > 0.8
