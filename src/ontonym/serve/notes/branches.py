"""The branch of each concept of an index, by which notes are coloured."""

from __future__ import annotations

from functools import partial

from ontonym.index import Index
from ontonym.memo import Memo
from ontonym.tasks.branches import branch_rows

_MOST_KNOWN = 1 << 16


class Branches(Memo[str, str]):
    """By the id of a concept, the name of the highest concept below which it lies, or the terminology's where there is
    none; empty for an id that the index does not have.
    """

    def __init__(self, index: Index) -> None:
        super().__init__(partial(_branch, index), _MOST_KNOWN)


def _branch(index: Index, concept: str) -> str:
    number = index.find(concept)
    if number is None:
        return ""
    terminology, row = index.locate(number)
    above = branch_rows(terminology, row)
    return terminology.preferred(above[0]) if above else terminology.name
