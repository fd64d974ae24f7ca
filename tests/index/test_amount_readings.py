"""Much and little are found as names say them."""

from __future__ import annotations

from typing import Any

import pytest

from ontonym.tasks import search
from ontonym.types import Correction

NAMES = ("High albumin", "Low albumin", "Increased sodium", "Decreased sodium", "Zinc deficiency", "Zinc poisoning")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("too few albumin", "Low albumin"),
        ("my albumin is too high", "High albumin"),
        ("sodium went down", "Decreased sodium"),
        ("too much sodium in blood", "Increased sodium"),
        ("lack of zinc", "Zinc deficiency"),
    ],
)
def test_an_amount_is_found(workshop: Any, text: str, name: str) -> None:
    entries = [f"id: M:{number}\nname: {one}" for number, one in enumerate(NAMES)]
    (hit, *_) = search(workshop.index(workshop.terminology("made", *entries)), text)
    assert hit.preferred == name
    assert hit.confidence > 0.5
    assert hit.reason.correction is Correction.EXPANDED
