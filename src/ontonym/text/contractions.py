"""What people shorten or spell otherwise in writing, as words: `spelled_out` is the one way in.

- signs and letters: "L-sided" is *left-sided*, "head & neck" *head and neck*
- what says of a poisoning that it was meant: "overdose of paracetamol on purpose" is an *intentional* one, as names say
- missing apostrophes, and spellings of messages: "cant sleep" is *can't sleep*, "tummy hurtsss wen i pee" *tummy hurts
  when i pee*

English only. Abbreviations that mean a concept are in `ontonym.text.lexicon`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType

from ontonym.text.english import is_english
from ontonym.text.languages import language_of


def spelled_out(text: str, is_known: Callable[[str], bool]) -> str:
    """The text with what people shorten in writing as words.

    ``is_known`` says whether some name has a word, which then stays as it is: "integrin" lacks no *g*.
    """
    return _messages_as_words(_signs_as_words(text), is_known)


# Signs and letters, and the intent of a poisoning ---------------------------------------------------------------------

_AND = re.compile(r"(?<=[^\W\d_]{3})(,?) & (?=[^\W\d_]{3})")
"""Between words of three letters or more: "head & neck", not "D & V"."""

_SIDED = re.compile(r"(?<![\w-])(?:(?P<left>lt?)|rt?)-(?=sided\b)", re.IGNORECASE)

INTENTIONAL_WORDS = (
    "deliberate", "deliberately", "purposely", "purposeful", "purposefully", "intentionally", "suicidal",
)  # fmt: skip
"""Words for what classifications call intentional: a poisoning, an injury."""

_ON_PURPOSE = re.compile(
    rf"\b(?:on\s+purpose|with\s+suicidal\s+intent|{'|'.join(INTENTIONAL_WORDS)})\b"
    r"(?!\s+(?:ideation|thoughts?|behaviou?rs?|gestures?))",
    re.IGNORECASE,
)
_POISONING = re.compile(r"\b(?:overdos\w+|od|o/d|poison\w*|self-poison\w*|ingest\w+)\b", re.IGNORECASE)
"""What people do to themselves with a substance, which classifications tell apart by the intent."""

_NO_SUBSTANCE = frozenset(
    "a an the of by with has had have took take taken taking drug drugs self on was is he she i they".split()
)
"""Words beside a poisoning that name no substance."""


def _signs_as_words(text: str) -> str:
    """The text with the sides and the "and" that are one letter or sign in it as words, and with *intentional* for what
    says that of a poisoning: "paracetamol overdose on purpose"."""
    text = _ON_PURPOSE.sub("intentional", text) if _tells_poison(text) else text
    text = _AND.sub(r"\1 and ", text) if "&" in text else text
    return _SIDED.sub(lambda found: "left-" if found["left"] else "right-", text) if "-" in text else text


def _tells_poison(text: str) -> bool:
    """Whether a text tells of a poisoning and names the substance: "overdose on purpose" may be a name by itself."""
    if not _POISONING.search(text):
        return False
    rest = _POISONING.sub("", _ON_PURPOSE.sub("", text)).lower().split()
    return not _NO_SUBSTANCE.issuperset(rest)


# Contractions and messages --------------------------------------------------------------------------------------------

_AUXILIARIES = "ca|wo|do|does|did|is|was|are|were|could|would|should|has|have|had"
_CONTRACTED = re.compile(
    rf"\b(?:(?P<denied>{_AUXILIARIES})nt|(?P<i>i)(?P<am>m|ve)|(?P<who>you|they|we)(?P<be>re|ve))\b(?=\s)", re.IGNORECASE
)
"""Contractions without their apostrophe: "cant", "im", "youre"."""
_MAY_BE_CONTRACTED = re.compile(r"(?:nt|im|[vr]e)\s", re.IGNORECASE)
"""What each of them ends with: a fast check."""
_ALSO_A_WORD = frozenset({"were"})

_IN_MESSAGES = MappingProxyType(
    {
        "u": "you",
        "ur": "your",
        "n": "and",
        "thru": "through",
        "nite": "night",
        "tonite": "tonight",
        "dayz": "days",
        "coz": "because",
        "cuz": "because",
        "b4": "before",
        "skool": "school",
        "cnt": "can't",
    }
)
"""Spellings of messages, in small letters; in other letters, or alone, they may be abbreviations."""

N_FOR_AND = r"(?<=\w\w\s)(?<!\bwith\s)(?<!\bfrom\s)(?<!\bof\s)(?<!\bby\s)(?<!\bto\s)n(?=\s\w\w)"
"""The *n* of "fever n cough", in small letters; after these words it is the initial of a genus ("due to n fowleri")."""

_OF_MESSAGES = re.compile(
    rf"""
    (?<!\S)(?: (?P<wen>wen(?=\s(?:i|im|it|u|you|he|she|we|they|my)\s))    # "wen i pee": a wen is also a cyst
      | {N_FOR_AND}
      | u(?!\s(?:waves?|fib(?:er|re)s?)\b)                                # no U wave, no U fiber
      | {"|".join(word for word in _IN_MESSAGES if len(word) > 1)}
    )(?!\S)
    """,
    re.VERBOSE,
)
_COUNTED = re.compile(r"\d|\b(?:cell|count|hb|plt|platelet|wbc)", re.IGNORECASE)
"""Beside these, "cnt" is a count and "u" are units."""

_UNUSUAL = re.compile(r"\b(?=[a-z]++\b)(?:[a-z]{3,}in(?!\S)|[a-z]*?([a-hj-uwyz])\1{2,}[a-z]*\b)")
"""A word that may lack its last letter ("throwin"), or is drawn out ("soooo"); not by the letters of Roman numerals."""

_DRAWN_OUT = re.compile(r"([a-z])\1{2,}")
_VOWEL = re.compile(r"[aeiouy]")


def _messages_as_words(text: str, is_known: Callable[[str], bool]) -> str:
    """The text with the apostrophes that are missing in its contractions, and with what messages leave out or draw out:
    "throwin up all nite" is *throwing up all night*. Words in capitals (IM, IVE) are none, nor those of another
    language ("Blut im Stuhl")."""
    found = text
    if _MAY_BE_CONTRACTED.search(found):
        found = _CONTRACTED.sub(_with_apostrophe, found)
    if found.count(" ") and not _COUNTED.search(found):
        found = _OF_MESSAGES.sub(lambda one: "when" if one["wen"] else _IN_MESSAGES[one[0]], found)
    found = _UNUSUAL.sub(lambda one: one[0] if is_known(one[0]) else _usual(one[0]), found)
    return text if found == text or language_of(_DRAWN_OUT.sub(r"\1", text)) else found


def _with_apostrophe(found: re.Match[str]) -> str:
    word = found[0]
    if word.lower() in _ALSO_A_WORD or not word[1:].islower():
        return word
    if found["denied"]:
        return f"{found['denied']}n't"
    return f"{found['i'] or found['who']}'{found['am'] or found['be']}"


def _usual(word: str) -> str:
    """How English spells a word that is drawn out ("soooo", "hurtsss"), or lacks its last letter ("throwin"). What has
    no vowel is no word ("qqq")."""
    once, twice = _DRAWN_OUT.sub(r"\1", word), _DRAWN_OUT.sub(r"\1\1", word)
    if once != word and _VOWEL.search(word):
        return twice if not is_english(once) and is_english(twice) else once
    return f"{word}g" if not is_english(word) and is_english(f"{word}g") else word
