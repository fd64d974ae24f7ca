"""What somebody does not do or have, which is a finding and no denial."""

from __future__ import annotations

import pytest

from ontonym.text.lacks import lacking


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("not walking", "inability to walk"),
        ("Not breathing", "apnea"),
        ("baby is not breathing", "apnea"),
        ("she can't hear", "hearing loss"),
        ("no reflexes", "areflexia"),
        ("not passing urine", "anuria"),
        ("not able to swallow at all", "dysphagia"),
        ("he has stopped eating", "loss of appetite"),
        ("she is not talking yet", "absent speech"),
        ("not seeing well", "poor vision"),
        ("he can't hear properly", "hearing impairment"),
        ("baby feeds very poorly", "poor feeding"),
    ],
)
def test_what_is_not_done_is_a_finding(text: str, finding: str) -> None:
    assert " ".join(lacking(text)[0]) == finding


@pytest.mark.parametrize(
    "text",
    [
        "no fever",
        "not vomiting",
        "walking",
        "no walking stick",
        "walks well",
        "not so well",
        "eating not possible",
        "no",
    ],
)
def test_what_is_denied_or_done_is_none(text: str) -> None:
    assert lacking(text) == ()
