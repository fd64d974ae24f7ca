"""What a training gained: figures of two encoders on the same questions, and what counts as worse."""

from __future__ import annotations

import numpy as np

from ontonym.index.everyday import everyday_names
from ontonym.learning.encoders.gain import AdaptationGains, Gain, _gain, _general_questions


def gain(name: str, before: float, after: float, low: float, high: float) -> Gain:
    return Gain(name, 100, before, after, low, high)


def test_a_gain_is_the_difference_and_concepts_are_drawn_whole() -> None:
    before, after = np.array([True, False, False, False]), np.array([True, True, True, False])
    found = _gain("x", (before, after), np.array([7, 7, 9, 9]))
    assert (found.questions, found.before, found.after) == (4, 0.25, 0.75)
    # Each of the two concepts gains one of two, so that every draw gains half.
    assert (found.low, found.high) == (0.5, 0.5)
    apart = _gain("x", (before, after), np.array([1, 2, 3, 4]))
    assert apart.low < 0.5 < apart.high
    assert str(apart).startswith("0.250 before, 0.750 after: +0.500 [")


def test_own_names_are_worse_beyond_chance_and_general_ones_beyond_the_tolerance() -> None:
    everyday = gain("everyday phrases", 0.5, 0.47, -0.05, -0.01)
    by_chance = AdaptationGains(gain("own", 0.5, 0.45, -0.12, 0.02), (everyday,))
    assert by_chance.worse(0.04) == ()
    assert [one.name for one in by_chance.worse(0.02)] == ["everyday phrases"]
    really = AdaptationGains(gain("own", 0.5, 0.4, -0.15, -0.05), (everyday,))
    assert [one.name for one in really.worse(0.04)] == ["own"]
    assert AdaptationGains(None, (everyday,)).gains == (everyday,)


def test_the_general_questions_have_one_right_answer_each() -> None:
    names = everyday_names()
    for kind, rows, texts in _general_questions():
        assert len(rows) == len(texts) == 2000
        place = 1 if kind == "everyday phrases" else 0
        assert all(
            text in names[row][place] and text != names[row][0][0] for row, text in zip(rows, texts, strict=True)
        )
