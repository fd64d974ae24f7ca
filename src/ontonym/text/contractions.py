"""What people shorten in writing: "cant sleep" is *can't sleep*, "im tired" *I'm tired*, "L-sided" *left-sided*, and
"head & neck" *head and neck*."""

from __future__ import annotations

import re

from ontonym.text.languages import language_of

_NOT = "ca|wo|do|does|did|is|was|are|were|could|would|should|has|have|had"
_LEFT_OUT = re.compile(
    rf"\b(?:(?P<denied>{_NOT})nt|(?P<i>i)(?P<am>m|ve)|(?P<who>you|they|we)(?P<be>re|ve))\b(?=\s)", re.IGNORECASE
)
_LAST = re.compile(r"(?:nt|im|[vr]e)\s", re.IGNORECASE)
"""What each of them ends with: a fast check."""

_AND = re.compile(r"(?<=[^\W\d_]{3}) & (?=[^\W\d_]{3})")
_SIDED = re.compile(r"(?<![\w-])(?:(?P<left>lt?)|rt?)-(?=sided\b)", re.IGNORECASE)

_WORDS = frozenset("were".split())
"""What is a word without the apostrophe too."""


def with_apostrophes(text: str) -> str:
    """The text with the apostrophes that are missing in its contractions; in capitals (IM, IVE) they are none, nor in
    another language ("Blut im Stuhl")."""
    return _LEFT_OUT.sub(_mended, text) if _LAST.search(text) and not language_of(text) else text


def written_out(text: str) -> str:
    """The text with the sides and the "and" that are one letter or sign in it as words."""
    text = _AND.sub(" and ", text) if "&" in text else text
    return _SIDED.sub(lambda found: "left-" if found["left"] else "right-", text) if "-" in text else text


def _mended(found: re.Match[str]) -> str:
    word = found[0]
    if word.lower() in _WORDS or not word[1:].islower():
        return word
    if found["denied"]:
        return f"{found['denied']}n't"
    return f"{found['i'] or found['who']}'{found['am'] or found['be']}"
