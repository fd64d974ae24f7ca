"""A name and what is denied beside it."""

from __future__ import annotations

import pytest

from ontonym.text.composite import denied_apart


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cough no fever", ("cough", "no fever")),
        ("cough but no fever or chills", ("cough", "no fever", "no chills")),
        ("chest pain w/o a cough", ("chest pain", "no cough")),
        ("pain without nausea, vomiting", ("pain without nausea, vomiting",)),
        ("no fever", ("no fever",)),
        ("cough", ("cough",)),
    ],
)
def test_what_is_denied_is_apart(text: str, parts: tuple[str, ...]) -> None:
    assert denied_apart(text) == parts
