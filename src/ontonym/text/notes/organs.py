"""The parts of the body that headings of a note name, and what stands under them: "Lungs: 4 mm nodule. Teeth: crowded."
English text only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ontonym.text.bodyparts import names_a_part, same_part
from ontonym.text.normalization import tokens

_HEADING = re.compile(
    r"(?:(?<=\n)|(?<=\A)|(?<=[.;] ))[^\S\n]*(?:(?:left|right|bilateral|both|external|r|l)\s+)?"
    r"(?P<part>[a-z]{3,12})(?:[^\S\n]*(?:and|&|/)[^\S\n]*(?P<other>[a-z]{3,12}))?[^\S\n]*:",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\n|(?<=[.;] )[^.:;\n]{2,30}:")
"""Where what stands under a heading ends: with the line, or where another heading begins."""


class UnderOrgan(NamedTuple):
    """The place of what stands under the heading of a part of the body, or of two, and the words for these."""

    start: int
    end: int
    parts: tuple[str, ...]


def under_organs(text: str) -> Iterator[UnderOrgan]:
    """What stands under each heading that is a part of the body, in order."""
    for match in _HEADING.finditer(text):
        named = filter(None, (match["part"], match["other"]))
        words = [word for name in named for word in tokens(name.lower())]  # acronyms have no plural
        if names_a_part(words):
            end = _OTHER.search(text, match.end())
            parts = tuple(dict.fromkeys(one for word in words for one in same_part(word)))
            yield UnderOrgan(match.end(), end.start() if end else len(text), parts)
