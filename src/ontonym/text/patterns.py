"""Tables of phrases that people can read and edit, and regular expressions made of them.

In a line of such a table, commas part phrases. ``|`` stands between words of which one is there, and ``?`` after a
word, or after the last of several, that may be missing. So the line "chief complaint, complains of|about, the|my?
patient" has the phrases *chief complaint*, *complains of*, *complains about*, *the patient*, *my patient* and
*patient*. In a pattern, words have any white space between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import product

EDGE_MARKS = " \t,;:.?!()[]\"'"
"""What may stand around a form of a table where a text has it: "(HTN)," has *HTN*; for `str.strip`."""


def lazy(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A regular expression that is compiled when it is first used: ``_DATED = lazy(…)``, then ``_DATED().match(text)``.

    For long ones that few texts need: several of them take as long to compile as a search takes.
    """
    return cache(partial(re.compile, pattern, flags))


def phrases_of(*lines: str) -> tuple[str, ...]:
    """All phrases of some lines, in their order: *worried about* and *worry about* of "worried|worry about"."""
    slots = ([_choices(word) for word in words] for words in _phrases(lines))
    return tuple(" ".join(filter(None, chosen)) for choices in slots for chosen in product(*choices))


def any_of(*lines: str) -> str:
    """A pattern that matches any phrase of some lines; of two that fit the one of more words is tried first, so that
    *known to have* is found where *known* is a phrase too."""
    found = sorted(_phrases(lines), key=len, reverse=True)
    firsts = {word[0] for words in found for slot in words[: _required(words) + 1] for word in slot.split("|")}
    is_near = f"(?=[{re.escape(''.join(sorted(firsts)))}])"  # one look at a letter, before many at phrases
    return f"{is_near}(?:{'|'.join(map(_phrase, found))})"


def longest_first(words: Iterable[str]) -> str:
    """A pattern that matches any of some words as they are written, the longest that fits."""
    return f"(?:{'|'.join(re.escape(word) for word in sorted(words, key=len, reverse=True))})"


def _phrases(lines: Iterable[str]) -> Iterable[list[str]]:
    return (phrase.split() for line in lines for phrase in line.split(","))


def _choices(word: str) -> list[str]:
    """The words of which one is there, or none."""
    return [*word.removesuffix("?").split("|"), *([""] if word.endswith("?") else [])]


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
    """The place of the first word that has to be there."""
    return next(place for place, word in enumerate(words) if not word.endswith("?"))
