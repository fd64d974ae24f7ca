"""Numbers with their nouns, in the singular and the plural."""

from __future__ import annotations

import pytest

from ontonym.serve.show import counted, counted_nouns
from ontonym.text.counting import count, singular


def test_counts_agree_with_their_nouns() -> None:
    assert count(1, "row") == "1 row"
    assert count(2_000, "row") == "2,000 rows"
    assert count(0, "query", "queries") == "0 queries"


@pytest.mark.parametrize(
    ("plural", "one"),
    [("names", "name"), ("properties", "property"), ("alternative ids", "alternative id"), ("replaced by",) * 2,
     ("with aliases",) * 2],
)  # fmt: skip
def test_the_singular_of_a_noun(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_lists_of_counts() -> None:
    assert counted({"lay": 1, "preferred": 12, "fsn": 0}.items()) == "12 preferred, 1 lay"
    assert counted_nouns({"names": 1, "terms": 2, "pages": 0}.items()) == "2 terms, 1 name"
