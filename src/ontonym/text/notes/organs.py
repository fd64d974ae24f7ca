"""The parts of the body and the functions that headings of a note name, and what stands under them: "Lungs: 4 mm
nodule. Gait: antalgic. UR6: caries." English text only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import NamedTuple

from ontonym.text.bodyparts import names_a_part, same_part
from ontonym.text.normalization import tokens

_HEADING = re.compile(
    r"(?:(?<=\n)|(?<=\A)|(?<=[.;] ))[^\S\n]*(?:(?:left|right|bilateral|both|external|r|l)\s+)?"
    r"(?P<part>[a-z]{3,12})(?:[^\S\n]*(?:and|&|/)[^\S\n]*(?P<other>[a-z]{3,12}))?[^\S\n]*:",
    re.IGNORECASE,
)
_TOOTH = re.compile(r"(?:^|(?<=\n))[^\S\n]*[UL][LR][1-8](?:[^\S\n]*[:|\t]|[^\S\n]+[-\u2013])")
"""A tooth by its quadrant and number, at the beginning of a line of a chart."""
_FUNCTIONS = frozenset(
    "affect appetite balance concentration gait hearing insight memory mood posture sleep speech swallow swallowing "
    "vision voice".split()
)
_FURTHER = MappingProxyType(
    {
        word: tuple(words.split())
        for word, words in {
            "adrenal": "adrenal", "aorta": "aortic aorta", "gallbladder": "gallbladder", "joint": "joint",
            "mediastinum": "mediastinal mediastinum", "pleura": "pleural pleura", "sinus": "sinus",
        }.items()
    }
)  # fmt: skip
"""Further parts, with the words that names have for them."""
_OTHER = re.compile(r"\n|(?<=[.;] )[^.:;\n]{2,30}:")
"""Where what stands under a heading ends: with the line, or where another heading begins."""


class UnderOrgan(NamedTuple):
    """The place of what stands under the heading of a part of the body or a function, or of two, and the words for
    these."""

    start: int
    end: int
    parts: tuple[str, ...]


def under_organs(text: str) -> Iterator[UnderOrgan]:
    """What stands under each heading that is a part of the body, a tooth or a function, in order."""
    found = [(match.end(), _headed(match["part"], match["other"])) for match in _HEADING.finditer(text)]
    found += [(match.end(), same_part("tooth")) for match in _TOOTH.finditer(text)]
    for start, parts in sorted(found):
        if parts:
            end = _OTHER.search(text, start)
            yield UnderOrgan(start, end.start() if end else len(text), parts)


def _headed(*names: str | None) -> tuple[str, ...]:
    """The words for what a heading names; empty if it names anything else."""
    words = [word for name in filter(None, names) for word in tokens(name.lower())]  # acronyms have no plural
    parts = [_FURTHER.get(word) or ((word,) if word in _FUNCTIONS else _part(word)) for word in words]
    return tuple(dict.fromkeys(one for some in parts for one in some)) if all(parts) else ()


def _part(word: str) -> tuple[str, ...]:
    return same_part(word) if names_a_part((word,)) else ()
