"""The code that can be recorded before the heading above it that has the same name: A08.39 before A08.3, B20 before
B20-B20. They are one answer (`ontonym.tasks.duplicates`), and nothing that a query says tells them apart.
"""

from __future__ import annotations

from dataclasses import replace

from ontonym.index import Index
from ontonym.index.choices import RankedCandidates

_LOOKED_AT = 6
"""How many of the first candidates are compared; those of other terminologies may stand between the two."""

_LIKELY = 0.02

_COLUMNS = ("numbers", "places", "concepts", "terminologies")


def codes_first(index: Index, found: RankedCandidates) -> RankedCandidates:
    """The candidates, where a likely one below another one with its preferred term takes the place of that one."""
    looked_at = min(_LOOKED_AT, len(found))
    for first in range(looked_at):
        if found.confidences[first] < _LIKELY:
            break
        for second in range(first + 1, looked_at):
            if found.confidences[second] >= _LIKELY and _is_heading_of(index, found, first, second):
                found = _exchanged(found, first, second)
    return found


def _is_heading_of(index: Index, found: RankedCandidates, first: int, second: int) -> bool:
    """Whether a candidate is above another one and has its preferred term."""
    if found.terminologies[first] != found.terminologies[second]:
        return False
    terminology, above = index.locate(found.concepts[first])
    below = index.locate(found.concepts[second])[1]
    if terminology.preferred(above).casefold() != terminology.preferred(below).casefold():
        return False
    return above in terminology.hierarchy.above(below)


def _exchanged(found: RankedCandidates, one: int, other: int) -> RankedCandidates:
    """The candidates with two of them in each other's place."""
    columns = {name: list(getattr(found, name)) for name in _COLUMNS}
    for values in columns.values():
        values[one], values[other] = values[other], values[one]
    return replace(found, **columns)
