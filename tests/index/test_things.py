"""A query of two words that names a thing is not what a name says of one of them."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.index.comparednames import ComparedName
from ontonym.index.doubtrules import shares_only_thing

THINGS = """id\tpreferred\tsynonyms\tparents
T:1\tToxic effect of lead\tate lead\t
T:2\tAgoraphobia\tscared of going out\t
"""

things = index_fixture({"things.tsv": THINGS})


@pytest.mark.parametrize(
    ("text", "name", "is_thing"),
    [
        ("lead guitar", "ate lead", True),
        ("mushroom risotto", "mushroom poisoning", True),
        ("lead poisoning", "ate lead", False),
        ("knee guitar", "knee pain", False),
        ("baby crying", "baby colic", False),
        ("lead guitar lesson", "ate lead", False),
        ("no guitar", "no lead", False),
    ],
)
def test_a_thing_is_not_what_a_name_says_of_its_first_word(things: Any, text: str, name: str, is_thing: bool) -> None:
    one = ComparedName(things.signals.query(text), tuple(name.split()), tuple(name.split()), 0.0, False, things.signals)
    assert shares_only_thing(one) is is_thing
