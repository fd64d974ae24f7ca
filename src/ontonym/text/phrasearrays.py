"""Many phrases of words as arrays, for what is computed of all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Ints
from ontonym.ragged import boundaries, spread


class Phrases(NamedTuple):
    """Phrases of words: ``numbers`` are the places of theirs in ``words``, one phrase after another, and ``bounds``
    where those of each begin, with the end.
    """

    words: Sequence[str]
    numbers: Ints
    bounds: Ints

    @classmethod
    def of(cls, phrases: Sequence[Sequence[str]]) -> Phrases:
        """Phrases, each given by its words."""
        places: dict[str, int] = {}
        numbers = [places.setdefault(word, len(places)) for words in phrases for word in words]
        lengths = np.array([*map(len, phrases)], dtype=np.int64)
        return cls(list(places), np.array(numbers, dtype=np.int64), boundaries(lengths))

    def runs(self, firsts: Ints, lasts: Ints) -> Phrases:
        """The phrases that the first to the last of some of these make together."""
        starts = self.bounds[firsts]
        lengths = self.bounds[lasts + 1] - starts
        return Phrases(self.words, self.numbers[spread(starts, lengths)], boundaries(lengths))

    def __len__(self) -> int:
        """The number of phrases."""
        return len(self.bounds) - 1

    @property
    def owners(self) -> Ints:
        """For each word its phrase."""
        return np.arange(len(self)).repeat(np.diff(self.bounds))
