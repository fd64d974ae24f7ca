"""What somebody had, or what is over, is found as a history where a name says just so, and else as the finding."""

from __future__ import annotations

import pytest

from built import index_fixture
from ontonym.index import Index
from ontonym.tasks import search

FAMILIES = "".join(f"F:{number}\tTrait {number} of the family\n" for number in range(60))
"""More than a terminology has that tells no families."""

CODES = f"""id\tpreferred
C:1\tMalaria
C:2\tPersonal history of malaria
C:3\tGout
C:4\tPlasmodium malariae malaria
{FAMILIES}"""

index = index_fixture({"codes.tsv": CODES})
histories = index_fixture({"histories.tsv": f"id\tpreferred\nS:1\tStroke\nS:2\tHistory of stroke\n{FAMILIES}"})


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("history of malaria", "C:2"),
        ("past malaria", "C:2"),
        ("h/o malaria", "C:2"),
        ("malaria", "C:1"),
        ("history of gout", "C:3"),
        ("malaria, resolved", "C:2"),
        ("cured malaria", "C:2"),
        ("malaria in the past", "C:2"),
    ],
)
def test_a_personal_history_that_has_a_name_is_meant(index: Index, text: str, first: str) -> None:
    best, *_ = search(index, text)
    assert best.id == first
    assert best.confidence > 0.5


def test_what_is_over_is_what_a_name_calls_a_history(histories: Index) -> None:
    assert [search(histories, text)[0].id for text in ("old stroke", "stroke")] == ["S:2", "S:1"]
