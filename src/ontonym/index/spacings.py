"""How names part and join the words of a query: its hyphens, words run together, numbers in words, and *non*.

A text is changed where only so it is a name, or where names do not write one of its words otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from ontonym.index.signals import Signals
from ontonym.text.normalization import tokens

_HYPHEN, _MOST_HYPHENS = re.compile(r"(?<=[^\W_])-(?=[^\W_])"), 3
"""A hyphen within a word, and how many are looked at one by one."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_RUN_TOGETHER = re.compile(r"(?=\w{10})(?:[A-Za-z][a-z]+(?:[A-Z][a-z]+)+)")
"""Words run together as in the names of variables: "ChronicKidneyDisease"; "ToF" is short for something."""

_BEFORE_NUMBER, _PLUS = re.compile(r"(?<=[A-Z])(?=\d)"), re.compile(r"(?<=\w)\+(?=\w)")

_DENIED = re.compile(r"\b(?:non|not)(?:-|\s+)(?P<word>[a-z]{4,})(?=[),]*\s+\w)", re.IGNORECASE)
"""A denied word before another one: "non displaced fracture", "not displaced fracture"."""

_NON, _BOTH = "non", 2
_NON_JOINED = re.compile(rf"\b{_NON}(?=[a-z]{{4}})", re.IGNORECASE)

_NUMBERS = MappingProxyType(
    {
        word: str(number)
        for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
    }
)
_NUMBER = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_NUMBERED = re.compile(rf"\b((?:sub)?type|stage|grade|class|degree|number)(\s+)({'|'.join(_NUMBERS)})\b", re.IGNORECASE)
"""A number in words behind what it numbers: "stage two"."""


def spaced_as_names(text: str, signals: Signals) -> str:
    """A text as names part and join its words, *nondisplaced fracture* for "not displaced fracture", and with the
    digits of *type 2* for "type two"; itself where it is a name, or no name tells otherwise.
    """
    if signals.is_name(tokens(text)):
        return text
    text = _NUMBERED.sub(lambda found: f"{found[1]}{found[2]}{_NUMBERS[found[3].lower()]}", text)
    text = _DENIED.sub(lambda found: _denied(found, signals), text)
    text = _parted(text, signals)
    if signals.is_name(tokens(text)):
        return text
    return next((way for way in _ways(text) if signals.is_name(tokens(way))), text)


def _denied(found: re.Match[str], signals: Signals) -> str:
    """A denied word as one with *non*, where names have that and none has both words apart."""
    joined = f"{_NON}{found['word']}"
    apart = signals.ontology.prefixes.matches(tuple(tokens(f"{_NON} {found['word']}")))
    return joined if all(signals.is_known(tokens(joined))) and not (apart.whole == _BOTH).any() else found[0]


def _parted(text: str, signals: Signals) -> str:
    """Words that are run together, apart, where names have all of them and not the whole."""
    if not _RUN_TOGETHER.fullmatch(text) or all(signals.is_known(tokens(text))):
        return text
    apart = _HUMP.sub(" ", text)
    return apart if all(signals.is_known(tokens(apart))) else text


def _ways(text: str) -> Iterator[str]:
    """The other ways to write a text, of which one may be a name."""
    places = [match.start() for match in _HYPHEN.finditer(text)]
    if places:
        yield _HYPHEN.sub("", text)
        yield from (text[:place] + text[place + 1 :] for place in places[:_MOST_HYPHENS])
    for pattern in (_BEFORE_NUMBER, _PLUS):
        if pattern.search(text):
            yield pattern.sub(" ", text)
    if _NUMBER.search(text):
        yield _NUMBER.sub(lambda found: _NUMBERS[found[0].lower()], text)
    if _NON_JOINED.search(text):
        yield _NON_JOINED.sub(f"{_NON} ", text)
    if _DENIED.search(text):
        yield _DENIED.sub(rf"{_NON} \g<word>", text)
        yield _DENIED.sub(rf"{_NON}\g<word>", text)
