"""Sums in the order in which numpy adds, so that they are the same to the bit."""

from __future__ import annotations

from ontonym.arrays import Doubles
from ontonym.compiling import compiled

MOST = 128
"""So many values, and no more, are added in one piece."""

_LANES = 8


@compiled
def paired(values: Doubles, start: int, count: int) -> float:
    """The sum of up to `MOST` values as numpy's ``add.reduce`` has it: in eight lanes where there are as many."""
    total, place = 0.0, start
    if count >= _LANES:
        one, two, three, four = values[start], values[start + 1], values[start + 2], values[start + 3]
        five, six, seven, eight = values[start + 4], values[start + 5], values[start + 6], values[start + 7]
        place += _LANES
        while place + _LANES <= start + count:
            one += values[place]
            two += values[place + 1]
            three += values[place + 2]
            four += values[place + 3]
            five += values[place + 4]
            six += values[place + 5]
            seven += values[place + 6]
            eight += values[place + 7]
            place += _LANES
        total = ((one + two) + (three + four)) + ((five + six) + (seven + eight))
    while place < start + count:
        total += values[place]
        place += 1
    return total
