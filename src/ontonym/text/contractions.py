"""The apostrophes that people leave out: "cant sleep" is *can't sleep*, "im tired" is *I'm tired*."""

from __future__ import annotations

import re

from ontonym.text.languages import language_of

_NOT = "ca|wo|do|does|did|is|was|are|were|could|would|should|has|have|had"
_LEFT_OUT = re.compile(
    rf"\b(?:(?P<denied>{_NOT})nt|(?P<i>i)(?P<am>m|ve)|(?P<who>you|they|we)(?P<be>re|ve))\b(?=\s)", re.IGNORECASE
)
_LAST = re.compile(r"(?:nt|im|[vr]e)\s", re.IGNORECASE)
"""What each of them ends with: a fast check."""

_WORDS = frozenset("were".split())
"""What is a word without the apostrophe too."""


def with_apostrophes(text: str) -> str:
    """The text with the apostrophes that are missing in its contractions; in capitals (IM, IVE) they are none, nor in
    another language ("Blut im Stuhl")."""
    return _LEFT_OUT.sub(_mended, text) if _LAST.search(text) and not language_of(text) else text


def _mended(found: re.Match[str]) -> str:
    word = found[0]
    if word.lower() in _WORDS or not word[1:].islower():
        return word
    if found["denied"]:
        return f"{found['denied']}n't"
    return f"{found['i'] or found['who']}'{found['am'] or found['be']}"
