"""Texts in which lines end within words and compounds, as in those made of PDF files, without these line breaks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from ontonym.text.normalization import tokens

_SOFT = "\u00ad"
_PARTED = re.compile(rf"(?<=\w)([-\u2010{_SOFT}])\r?\n[^\S\r\n]*(?!(?:and|or|to)\b)(?=(\w+))")
"""A hyphen at the end of a line within a word, with the break, before the next line: *macro-⏎cephaly*."""


@dataclass(frozen=True, slots=True)
class Unbroken:
    """A ``text`` without the line breaks in words, and where in the text as it is each stretch of it begins.

    A stretch begins at ``starts`` in this text, and at ``origins`` in the other.
    """

    text: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a part that is not empty lies in the text as it is."""
        return self._origin(start), self._origin(end - 1) + 1

    def _origin(self, place: int) -> int:
        stretch = bisect_right(self.starts, place) - 1
        return self.origins[stretch] + place - self.starts[stretch]


def unbroken(text: str, is_word: Callable[[str], bool]) -> Unbroken:
    """A text with *macro-⏎cephaly* as *macrocephaly* and *wide-⏎set* as *wide-set*.

    Halves are one word if together they are one (``is_word``, of a normalized word), but are not both words themselves,
    and the second begins small; or if the hyphen is a soft one. *hypo-⏎and hyperthyroidism* stays as it is.
    """

    def known(word: str) -> bool:
        words = tokens(word)
        return len(words) == 1 and is_word(words[0])

    kept: list[str] = []
    starts, origins, length, end = [0], [0], 0, 0
    for parted in _PARTED.finditer(text):
        hyphen, second = parted.groups()
        first = _letters_before(text, parted.start())
        parts = first and second[0].islower() and known(first + second) and not (known(first) and known(second))
        is_one = hyphen == _SOFT or bool(parts)
        kept.append(text[end : parted.start() if is_one else parted.end(1)])
        length, end = length + len(kept[-1]), parted.end()
        starts.append(length)
        origins.append(end)
    return Unbroken("".join([*kept, text[end:]]), tuple(starts), tuple(origins))


def _letters_before(text: str, end: int) -> str:
    """The letters right before a place, looked for backwards: a pattern takes the square of a long run of letters."""
    start = end
    while start > 0 and text[start - 1].isalnum() and not text[start - 1].isdecimal():
        start -= 1
    return text[start:end]
