from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.encoder.passages import SEPARATOR, Passages, by_length, distinct_first

pytestmark = pytest.mark.training


def test_the_most_telling_aliases_come_first() -> None:
    aliases = ["Heart attack", "Heart attacks", "Attack, heart", "Myocardial infarction", "MI", "Heart infarction"]
    assert distinct_first(aliases) == (
        "Heart attack", "Myocardial infarction", "MI", "Heart attacks", "Attack, heart", "Heart infarction",
    )  # fmt: skip
    assert distinct_first(["a", "a"]) == ("a",)
    assert distinct_first([]) == ()


def spaced(texts: list[str]) -> list[int]:
    """Tokens as words, and separators as a token each."""
    return [len(text.replace(";", " ; ").split()) for text in texts]


def test_both_sides_share_the_room() -> None:
    passages = Passages(spaced, room=8)
    long = ("one two", "three", "four five")  # 7 tokens with separators
    assert passages.of([(long, long)]) == [("one two; three", "one two; three")]
    assert passages.of([(("one",), long)]) == [("one", "one two; three; four five")]
    assert passages.of([(long, ("one two three",))]) == [("one two; three", "one two three")]


def test_an_alias_too_long_is_passed_over_but_the_first_is_kept() -> None:
    passages = Passages(spaced, room=8)
    assert passages.of([(("a", "b c d e f", "g"), ("h i j k l m n",))]) == [("a; g", "h i j k l m n")]


@given(st.lists(st.lists(st.sampled_from(["a", "b c", "d e f", "g h i j"]), min_size=1), min_size=2, max_size=2),
       st.integers(8, 40))  # fmt: skip
def test_passages_fit_and_are_whole(sides: list[list[str]], room: int) -> None:
    ((first, second),) = Passages(spaced, room).of([(sides[0], sides[1])])
    assert sum(spaced([first, second])) <= room
    for text, side in ((first, sides[0]), (second, sides[1])):
        parts = text.split(SEPARATOR)
        assert parts[0] == side[0]
        assert set(parts) <= set(side)
        assert len(set(parts)) == len(parts)
    if sum(spaced([SEPARATOR.join(dict.fromkeys(side)) for side in sides])) <= room:
        assert [set(text.split(SEPARATOR)) for text in (first, second)] == [set(side) for side in sides]


@given(st.lists(st.integers(1, 50)), st.integers(1, 200))
def test_batches_of_like_lengths(lengths: list[int], at_once: int) -> None:
    batches = by_length(np.array(lengths, dtype=np.int64), at_once)
    assert sorted(place for batch in batches for place in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= at_once
    in_order = [lengths[place] for batch in batches for place in batch]
    assert in_order == sorted(lengths, reverse=True)
