"""Which windows of a row of words are names of an index: all windows at once, by the hash of their words.

A window is a name where it has exactly the words of one, in any order: of names that differ only in it, as "Leukemia,
Acute" and "acute leukemia" do, an index keeps one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ontonym.arrays import Hashes, Ints, Mask
from ontonym.index.names import Names
from ontonym.text.strings import hash64, mixed

LONGEST = 30
"""Most words of a window; longer names are definitions that nobody writes."""

_UNKNOWN = (-1, 0)
_MOST_KNOWN = 1 << 18


@dataclass(frozen=True, slots=True)
class Window:
    """A window of words, ``end`` exclusive, and the rows of the names it is; ``in_order`` where one has them so."""

    start: int
    end: int
    rows: tuple[int, ...]
    in_order: bool


class Windows:
    """Finds names in rows of words; ``first`` is the row of the first name among those of all parts of an index."""

    def __init__(self, names: Names, first: int = 0) -> None:
        self._names = names
        self._first = first
        self._longest = min(LONGEST, int(np.diff(names.word_bounds).max(initial=0)))
        self._words: dict[str, tuple[int, int]] = {}

    def find(self, words: Sequence[str], opens: Mask, closes: Mask, limits: Ints) -> list[Window]:
        """Every window that is a name, the short ones first.

        ``words`` are normalized. By place in them: whether a window may begin with the word (``opens``) or end with it
        (``closes``), and the place that no window from here may reach beyond (``limits``).
        """
        numbers, hashes = self._known(words)
        limits = np.minimum(limits, _next(numbers < 0))
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes)])
        found: list[Window] = []
        (starts,) = np.nonzero(opens & (numbers >= 0))
        for length in range(1, self._longest + 1):
            starts = starts[starts + length <= limits[starts]]
            if not len(starts):
                break
            whole = starts[closes[starts + length - 1]]
            forms = mixed((sums[whole + length] - sums[whole]).view(np.int64), np.full(len(whole), length))
            (named,) = np.nonzero(self._names.forms.first(forms) >= 0)
            for place in named.tolist():
                start = int(whole[place])
                rows = self._names.forms.rows_of(forms[place]).tolist()
                in_order = any(self._has(row, numbers[start : start + length]) for row in rows)
                found.append(Window(start, start + length, tuple(row + self._first for row in rows), in_order))
        return found

    def _has(self, row: int, numbers: Ints) -> bool:
        """Whether a name has these words in this order."""
        names = self._names
        return np.array_equal(names.words[names.word_bounds[row] : names.word_bounds[row + 1]], numbers)

    def _known(self, words: Sequence[str]) -> tuple[Ints, Hashes]:
        """The number of each word in the vocabulary, or -1, and its hash."""
        known = self._words
        fresh = list({word for word in words if word not in known})
        if len(known) + len(fresh) > _MOST_KNOWN:
            known.clear()
            fresh = list(set(words))
        for word, number in zip(fresh, self._names.word_ids(fresh), strict=True):
            known[word] = _UNKNOWN if number is None else (number, hash64(word))
        pairs = [known[word] for word in words]
        numbers = np.fromiter((number for number, _ in pairs), dtype=np.int64, count=len(pairs))
        return numbers, np.fromiter((hash_ for _, hash_ in pairs), dtype=np.uint64, count=len(pairs))


def joined(found: Sequence[list[Window]]) -> list[Window]:
    """The windows that several parts of an index have, each once with its names in all of them, short ones first."""
    if len(found) == 1:
        return found[0]
    places: dict[tuple[int, int], Window] = {}
    for window in chain.from_iterable(found):
        place = (window.end - window.start, window.start)
        other = places.get(place)
        places[place] = window if other is None else _both(other, window)
    return [places[place] for place in sorted(places)]


def _both(one: Window, other: Window) -> Window:
    return replace(one, rows=one.rows + other.rows, in_order=one.in_order or other.in_order)


def _next(marked: Mask) -> Ints:
    """For each place the next marked place at or after it, or the number of places."""
    places = np.where(marked, np.arange(len(marked)), len(marked))
    return np.minimum.accumulate(places[::-1])[::-1]
