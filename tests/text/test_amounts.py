"""How much there is of something, as people say it, is said as names say it."""

from __future__ import annotations

import pytest

from ontonym.text.amounts import said_as_amount


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("too many platelet", "high platelet"),
        ("not enough albumin", "low albumin"),
        ("lack of vitamin c", "low vitamin c"),
        ("short of iron", "low iron"),
        ("my sodium is low", "low sodium"),
        ("potassium is too high", "high potassium"),
        ("vitamin d level come back low", "low vitamin d"),
        ("too much sugar in my blood", "high blood sugar"),
        ("ketone up on blood test", "high blood ketone"),
    ],
)
def test_much_and_little(text: str, first: str) -> None:
    assert " ".join(said_as_amount(tuple(text.split()))[0]) == first


@pytest.mark.parametrize("text", ["asthma", "high", "low sodium", "low back pain", "up", "is low", "too much"])
def test_other_texts_say_no_amount(text: str) -> None:
    assert said_as_amount(tuple(text.split())) == ()


def test_a_deficiency_is_little() -> None:
    assert ("zinc", "deficiency") in said_as_amount(("not", "enough", "zinc"))
