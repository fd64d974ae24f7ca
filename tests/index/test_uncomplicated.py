"""A finding without complications is found under the name that says so, whichever words it says that with."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.tasks import search
from ontonym.text.unspecified import said_uncomplicated

TABLE = """id\tpreferred\tsynonyms
T:1\tUnspecified asthma, uncomplicated\t
T:2\tUnspecified asthma with status asthmaticus\tAsthma with status asthmaticus
T:3\tVaricella without complication\t
T:4\tOther varicella complications\t
T:5\tType 2 diabetes mellitus without complications\t
T:6\tType 2 diabetes mellitus with unspecified complications\t
T:7\tCystitis\t
T:8\tCystitis with complications\t
T:9\tType 2 diabetes\t
"""

index = index_fixture({"made.tsv": TABLE})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("asthma without complications", "T:1"),
        ("uncomplicated varicella", "T:3"),
        ("varicella, uncomplicated", "T:3"),
        ("type 2 diabetes with no complications", "T:5"),
        ("T2DM w/o complications", "T:5"),
        ("cystitis without mention of complication", "T:7"),
        ("Varicella without complication", "T:3"),
        ("cystitis with complications", "T:8"),
    ],
)
def test_without_complications_is_uncomplicated(index: Any, query: str, found: str) -> None:
    hit = search(index, query)[0]
    assert hit.id == found
    assert hit.confidence > 0.5


def test_the_closest_wording_comes_first() -> None:
    assert list(said_uncomplicated("gout - no complications")) == [
        ("gout", "uncomplicated"),
        ("unspecified", "gout", "uncomplicated"),
        ("gout", "without", "complication"),
        ("gout",),
    ]
    assert ("diabetes", "mellitus", "without", "complication") in said_uncomplicated("diabetes, uncomplicated")


@pytest.mark.parametrize(
    "text", ["uncomplicated", "without complications", "complicated gout", "gout with complications", ""]
)
def test_a_text_that_says_no_such_thing_has_no_wording(text: str) -> None:
    assert list(said_uncomplicated(text)) == []
