"""Which fingers and toes a text lists, as names number them: *2-3* of "second and third toes" and "toes II and III".
English only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

_NUMBERS = MappingProxyType(
    {
        word: number
        for number, words in enumerate(
            ("first 1st 1 I", "second 2nd 2 II", "third 3rd 3 III", "fourth 4th 4 IV", "fifth 5th 5 V"), start=1
        )
        for word in words.split()
    }
)
_NUMBER = rf"(?:{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_PART = r"(?:fingers?|toes?|digits?|metacarpals?|metatarsals?|rays?)"
_RANGE = r"(?:\s*[-\u2010-\u2015]\s*|\s+(?:to|through)\s+)"
_LIST = rf"(?P<list>{_NUMBER}(?:(?:{_RANGE}|\s*,\s*(?:and\s+)?|\s*[/&]\s*|\s+and\s+)(?:the\s+)?{_NUMBER}){{1,4}})"
"""Two numbers to five: a longer list is none of neighbours."""
_COUNTED = (
    re.compile(
        rf"(?<![\w/.,-])(?P<said>(?:between\s+(?:the\s+)?)?{_LIST})(?=(?:\s+partial|\s+cutaneous)?[\s-]+{_PART}\b)"
    ),
    re.compile(rf"\b{_PART}\s+(?P<said>{_LIST})(?![\w/-]|\.\d|,\s*\d)"),
)
_ONE = re.compile(_NUMBER)
_IS_RANGE = re.compile(_RANGE)


def counted_digits(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a text lists neighbouring fingers, toes or bones of them, and how names say it: "2-3" for "between the
    second and third". Not where it is written so."""
    for pattern in _COUNTED:
        for match in pattern.finditer(text):
            said = _as_range(match["list"])
            if said and said != match["list"]:
                yield *match.span("said"), said


def _as_range(listed: str) -> str:
    """The first and last number of a list; empty if some between them are not meant."""
    numbers: Sequence[int] = [_NUMBERS[one] for one in _ONE.findall(listed)]
    first, last = numbers[0], numbers[-1]
    is_range = len(numbers) == 2 and bool(_IS_RANGE.search(listed))
    is_whole = list(numbers) == list(range(first, last + 1))
    return f"{first}-{last}" if first < last and (is_range or is_whole) else ""
