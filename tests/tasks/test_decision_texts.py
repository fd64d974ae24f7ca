"""What decided between two concepts, in words."""

from __future__ import annotations

from math import log

import pytest

from ontonym.tasks.explain.decisions import OUTSIDE, TERMS, Decision
from ontonym.tasks.explain.decisiontexts import _SAID, because
from ontonym.tasks.explain.texts import TERM_WORDS


def test_every_term_has_words() -> None:
    assert set(TERM_WORDS) == set(TERMS)
    assert set(_SAID) == {*TERMS, *OUTSIDE}


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (
            Decision("lexical", True, 1.0, ("a", "b"), ("q", "q"), "words", (0.8, 0.5), (), ("heart",), ("beats",)),
            "words (0.80 against 0.50): only “a” has “heart”; only “b” has “beats”",
        ),
        (
            Decision("lexical", False, -1.0, ("a", "b"), ("q", "q"), "query_share", (0.5, 0.8), (), ("heart",), ()),
            "words of the query (0.80 against 0.50): only “a” has “heart”",
        ),
        (
            Decision("lexical", False, -1.0, ("a", "b"), ("q", "q")),
            "words, weighed together with all other evidence",
        ),
        (
            Decision("char", False, -1.0, ("a", "b"), ("q", "q"), "char", (0.5, 0.8)),
            "letters (0.80 against 0.50): “b” is spelled more like the query than “a”",
        ),
        (
            Decision("dense", True, 1.0, ("a", "b"), ("q", "q"), "dense_concept", (0.7, 0.6)),
            "meaning of all its names together (0.70 against 0.60)",
        ),
        (
            Decision("numbers", False, -1.0, ("a 3", "b"), ("q", "q"), "number_extra", (1.0, 0.0), (), ("3",), ()),
            "numbers: “3” in “a 3” is not in the query",
        ),
        (
            Decision("opposites", True, 1.0, ("a", "b"), ("q", "q"), "", None, ("fever",), (), ("Fever",)),
            "either the query or “b” denies “fever”, and the other does not",
        ),
        (
            Decision("qualifiers", True, 1.0, ("a", "b"), ("q", "q"), "qualifier_missing", (0.0, 1.0), ("left",)),
            "“b” says nothing like “left” of the query",
        ),
        (
            Decision("residual", True, 1.0, ("a", "Other b"), ("q", "q"), "residual", (0.0, 1.0)),
            "“Other b” is a class of other things",
        ),
        (
            Decision("name", True, 1.0, ("a", "b"), ("q", "q"), "size", (log(13), log(4))),
            "the number of names (12 against 3)",
        ),
        (Decision("name", True, 1.0, ("a", "b"), ("q", "q"), "inexact", (0.0, 1.0)), "“b” is not an exact synonym"),
        (Decision("name", True, 1.0, ("a", "b"), ("q", "q"), "abbreviation", (0.0, 1.0)), "“b” is only a short form"),
        (Decision("tie", True, None, ("a", "b"), ("q", "q"), "size"), "more names, as their confidences are equal"),
    ],
)
def test_decisions_in_words(decision: Decision, said: str) -> None:
    assert because(decision) == said
