"""Finds the names of an index in running text: all windows of a row of words that are names, by the hash of their
words.

A window is a name if it has exactly the words of the name, in any order, because an index keeps one name of those that
differ only in word order, such as "Leukemia, Acute" and "acute leukemia".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ontonym.arrays import Hashes, Ints, Mask
from ontonym.index.names import Names
from ontonym.index.open import Index
from ontonym.index.scan import NameSource
from ontonym.memo import Memo, MemoOfMany
from ontonym.text.normalization import tokens
from ontonym.text.strings import hash64, mixed
from ontonym.types import KINDS

LONGEST = 30
"""The longest window in words; longer names are definitions that nobody writes in text."""

_LAY = KINDS.index("lay")
_FEW, _LEAST_LAST = 8, 0.05
"""A word of more names than the first, of which less than this share end with it, is a modifier (*bifid*)."""

_UNKNOWN = (-1, 0)
"""The number and the hash of a word that no name has."""

_MOST_KNOWN = 1 << 18
"""Words that are remembered."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window of words, ``end`` exclusive, with the rows of its names; ``in_order``: one has the words so ordered."""

    start: int
    end: int
    rows: tuple[int, ...]
    in_order: bool


class Windows:
    """Finds names in rows of words; ``first`` is the row of this part's first name among the names of all parts.

    Names of the rows ``left_out``, counted through all parts, are not found.
    """

    def __init__(self, names: Names, first: int = 0, left_out: frozenset[int] = frozenset()) -> None:
        self._names = names
        self._first = first
        self._left_out = left_out
        self._longest = min(LONGEST, int(np.diff(names.word_bounds).max(initial=0)))
        self._words = MemoOfMany[str, tuple[int, int]](lambda some: _numbered(names, some), _MOST_KNOWN)

    def find(self, words: Sequence[str], opens: Mask, closes: Mask, limits: Ints) -> list[Window]:
        """All windows that are names, short ones first.

        ``words`` are normalized. By word position: ``opens`` says whether a window may begin there, ``closes`` whether
        one may end there, and ``limits`` gives the position that a window from there may not exceed.
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
                every = (row + self._first for row in self._names.forms.rows_of(forms[place]).tolist())
                rows = tuple(row for row in every if row not in self._left_out)
                if rows:
                    in_order = any(self._has(row - self._first, numbers[start : start + length]) for row in rows)
                    found.append(Window(start, start + length, rows, in_order))
        return found

    def _has(self, row: int, numbers: Ints) -> bool:
        """Whether a name has these words in this order."""
        names = self._names
        return np.array_equal(names.words[names.word_bounds[row] : names.word_bounds[row + 1]], numbers)

    def _known(self, words: Sequence[str]) -> tuple[Ints, Hashes]:
        """The number of each word in the vocabulary, or -1, and its hash."""
        pairs = self._words.of(words)
        numbers = np.fromiter((number for number, _ in pairs), dtype=np.int64, count=len(pairs))
        return numbers, np.fromiter((hash_ for _, hash_ in pairs), dtype=np.uint64, count=len(pairs))


class NameWindows:
    """The names of a source of an index by row, those of added terms after the ontology's.

    Near names (`ontonym.index.everyday`) are left out: a "nodule" that a text tells of need not be the skin nodule that
    is nearest to it. Only `windows` also finds those of several words, where no other name has the same.
    """

    def __init__(self, index: Index, source: NameSource) -> None:
        self._index = index
        self._source = source
        self._is_word = Memo[str, bool](lambda word: any(index.signals.is_known([word], source)), _MOST_KNOWN)
        self._near = frozenset(index.signals.near_rows())
        single = frozenset(index.signals.near_rows(longest=1))
        self._windows = [Windows(part.names, first, single) for first, part in index.signals.parts(source)]

    def windows(self, words: Sequence[str], opens: Mask, closes: Mask, limits: Ints) -> list[Window]:
        """All windows of the words that are names, as in `Windows.find`."""
        every = joined([windows.find(words, opens, closes, limits) for windows in self._windows])
        return [self._without_near(window) for window in every]

    def _without_near(self, window: Window) -> Window:
        """A window without its near names, unless it has no others."""
        rows = tuple(row for row in window.rows if row not in self._near)
        return replace(window, rows=rows) if rows and len(rows) < len(window.rows) else window

    def is_near(self, row: int) -> bool:
        """Whether a name is of a concept that is only near to it."""
        return row in self._near

    def has_word(self, word: str) -> bool:
        """Whether a name has this normalized word."""
        return self._is_word[word]

    def is_modifier(self, words: Sequence[str]) -> bool:
        """Whether this is one word that many names have, but hardly any as the last one: *irregular*, *bifid*."""
        if len(words) != 1:
            return False
        _, part = self._index.signals.parts(self._source)[0]
        total, last = part.names.uses_of(words[0])
        return total > _FEW and last < _LEAST_LAST * total

    def spelled(self, words: Sequence[str]) -> list[int]:
        """The rows of the names with exactly these words, in any order."""
        rows: list[int] = self._index.signals.spelled(words, self._source).tolist()
        return [row for row in rows if row not in self._near]

    def concept(self, row: int) -> int:
        """The concept number of a name."""
        return self._index.signals.concept_of(row)

    def is_everyday(self, row: int) -> bool:
        """Whether a name is in everyday words that come with the package; clinical and shortened names are not."""
        first, part = self._index.signals.part_of(row)
        return self._index.signals.is_everyday(part) and int(part.names.kinds[row - first]) == _LAY

    def names_of(self, concept: int) -> Iterator[tuple[str, ...]]:
        """The words of each name of a concept."""
        return self._index.signals.names_of(concept, self._source)

    def spellings(self, row: int) -> list[str]:
        """The terms that share a name row."""
        first, part = self._index.signals.part_of(row)
        if first:
            return [self._index.term(row).text]
        terminology, concept = self._index.locate(int(part.names.concepts[row]))
        texts = terminology.term_texts()
        form = sorted(tokens(texts[int(part.names.terms[row])]))
        return [texts[term] for term in terminology.terms_of(concept) if sorted(tokens(texts[term])) == form]


def _numbered(names: Names, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    for word, number in zip(words, names.word_ids(words), strict=True):
        yield _UNKNOWN if number is None else (number, hash64(word))


def joined(found: Sequence[list[Window]]) -> list[Window]:
    """The windows found in several parts of an index, each once with its names in all of them, short ones first."""
    if len(found) == 1:
        return found[0]
    places: dict[tuple[int, int], Window] = {}
    for window in chain.from_iterable(found):
        place = (window.end - window.start, window.start)
        other = places.get(place)
        places[place] = window if other is None else _merged(other, window)
    return [places[place] for place in sorted(places)]


def _merged(one: Window, other: Window) -> Window:
    return replace(one, rows=one.rows + other.rows, in_order=one.in_order or other.in_order)


def _next(marked: Mask) -> Ints:
    """For each position the next marked position at or after it, or the number of positions."""
    places = np.where(marked, np.arange(len(marked)), len(marked))
    return np.minimum.accumulate(places[::-1])[::-1]
