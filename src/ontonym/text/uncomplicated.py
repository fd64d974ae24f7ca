"""Findings that nothing complicates, as names say that: "Malaria without complication" for "uncomplicated malaria",
"Alcohol dependence, uncomplicated" for "alcohol dependence w/o complications".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ontonym.text.normalization import tokens
from ontonym.text.patterns import late
from ontonym.text.rewordings import IMPLIED

_UNCOMPLICATED = late(
    r"uncomplicated (?P<before>.+)|(?P<behind>.*?[^\s,;-])[\s,;-]+"
    r"(?:uncomplicated|(?:without|with no|no)(?: mention of)?(?: any)? complications?)",
    re.IGNORECASE,
)
_SAID = ("{} uncomplicated", "unspecified {} uncomplicated", "{} without complication")


def said_uncomplicated(text: str) -> Iterator[tuple[str, ...]]:
    """The normalized words of the names that a finding may have which a text calls uncomplicated, the closest first; at
    last those that do not say so. None where the text says no such thing.
    """
    if not (said := _UNCOMPLICATED().fullmatch(text)):
        return
    words = tuple(tokens(said["before"] or said["behind"]))
    findings = [words, *_with_implied(words)]
    for wording in _SAID:
        yield from (tuple(tokens(wording.format(" ".join(finding)))) for finding in findings)
    yield from findings


def _with_implied(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Words with what one of them is short for in their place: "type 2 diabetes" is *type 2 diabetes mellitus*."""
    for place, word in enumerate(words):
        yield from ((*words[:place], *more, *words[place + 1 :]) for more in IMPLIED.get(word, ()) if word in more)
