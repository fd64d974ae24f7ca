"""Rows of OMOP's tables: which are sound, valid and asked for, with every one of them counted; and sets of ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ontonym.arrays import Column, Mask
from ontonym.files.delimited import Block, Table
from ontonym.ontology.release import ReleaseLog
from ontonym.text.strings import Strings

EMPTY = (b"", b"\\N", b"NULL")
"""How a field without a value is written: by Athena, and by databases that the table was exported from."""

_LOW_IDS = 1 << 27
_LARGEST_ID = (1 << 32) - 1


class IdSet:
    """A set of concept ids, made for asking about millions at once."""

    def __init__(self, ids: Column) -> None:
        low = ids[ids < _LOW_IDS]
        self._low = np.zeros(int(low.max(initial=0)) + 1, dtype=np.bool_)
        self._low[low] = True
        self._high = np.unique(ids[ids >= _LOW_IDS])
        self._none = not len(low)

    def has(self, ids: Column) -> Mask:
        """Whether each id is in the set; a negative one is not."""
        if self._none:
            found = np.zeros(len(ids), dtype=np.bool_)
        else:
            found = self._low[np.clip(ids, 0, len(self._low) - 1)] & (ids >= 0) & (ids < len(self._low))
        if len(self._high):
            place = np.minimum(np.searchsorted(self._high, ids), len(self._high) - 1)
            found |= self._high[place] == ids
        return found


class Distinct:
    """The distinct values of a column of few, each with a number; blocks add the new ones."""

    def __init__(self, *first: str) -> None:
        self.names: list[str] = []
        self._hashes = np.zeros(0, dtype=np.uint64)
        self._numbers = np.zeros(0, dtype=np.int64)
        if first:
            self.of(Strings.of(first))

    def of(self, texts: Strings) -> Column:
        """The number of each text."""
        hashes = texts.hashes()
        known, numbers = self._found(hashes)
        if known.all():
            return numbers
        new, first = np.unique(hashes[~known], return_index=True)
        rows = np.flatnonzero(~known)[first]
        self.names += [texts[row] for row in rows.tolist()]
        numbers = np.arange(len(self._hashes), len(self._hashes) + len(new))
        order = np.argsort(np.concatenate([self._hashes, new]))
        self._numbers = np.concatenate([self._numbers, numbers])[order]
        self._hashes = np.concatenate([self._hashes, new])[order]
        return self._found(hashes)[1]

    def _found(self, hashes: Column) -> tuple[Mask, Column]:
        if not len(self._hashes):
            return np.zeros(len(hashes), dtype=np.bool_), np.zeros(len(hashes), dtype=np.int64)
        places = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        return self._hashes[places] == hashes, self._numbers[places]

    def number(self, name: str) -> int:
        """The number of a name, or -1."""
        return self.names.index(name) if name in self.names else -1

    def told(self, of: Callable[[str], int]) -> Column:
        """What is said of every name, by its number."""
        return np.array([of(name) for name in self.names], dtype=np.int64)


def sound(block: Block, good: Mask, problem: str, log: ReleaseLog, *columns: Column) -> tuple[Any, ...]:
    """The good rows of a block and of columns beside it; ids too large are not good. The others are malformed."""
    for column in columns:
        good = good & (column <= _LARGEST_ID)
    if good.all():
        return (block, *columns)
    block.report(~good, problem, log)
    return (block.only(good), *(column[good] for column in columns))


def still_valid(block: Block, table: Table, log: ReleaseLog, rule: str) -> Mask:
    """Whether each row has no reason for being invalid; those that have one are counted under the rule."""
    if not table.has_column("invalid_reason"):
        return np.ones(len(block), dtype=np.bool_)
    valid = block.has(table.columns("invalid_reason")[0], *EMPTY)
    log.skip(rule, ~valid)
    return valid
