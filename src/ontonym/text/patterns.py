"""Regular expressions made of phrases, so that the words that they look for stand in tables that people can read."""

from __future__ import annotations

import re
from collections.abc import Iterable


def any_of(*phrases: str) -> str:
    """A pattern that matches any of some phrases; where several fit, those of more words are tried first.

    Commas part phrases. In a phrase, ``|`` stands between words of which one is there, and ``?`` after a word, or after
    the last of several, that may be missing: "chief complaint, complains|complained of|about, the|my? patient".
    """
    found = sorted((phrase.split() for line in phrases for phrase in line.split(",")), key=len, reverse=True)
    firsts = {word[0] for words in found for slot in words[: _required(words) + 1] for word in slot.split("|")}
    is_near = f"(?=[{re.escape(''.join(sorted(firsts)))}])"  # one look at a letter, before many at phrases
    return f"{is_near}(?:{'|'.join(map(_phrase, found))})"


def longest_first(words: Iterable[str]) -> str:
    """A pattern that matches any of some words as they are written, the longest that fits."""
    return f"(?:{'|'.join(re.escape(word) for word in sorted(words, key=len, reverse=True))})"


def _phrase(words: list[str]) -> str:
    """The pattern of one phrase; a word that may be missing takes along the space between it and the others."""
    required = _required(words)
    parts = []
    for place, word in enumerate(words):
        before, after = r"\s+" * (place > required), r"\s+" * (place < required)
        one = "|".join(map(re.escape, word.removesuffix("?").split("|")))
        parts.append(f"(?:{before}(?:{one}){after}){'?' * word.endswith('?')}")
    return "".join(parts)


def _required(words: list[str]) -> int:
    """The place of the first word that may not be missing."""
    return next(place for place, word in enumerate(words) if not word.endswith("?"))
