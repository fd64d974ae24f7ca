"""The words of a note, with their places, as cues are looked for among them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ontonym.text.foreign.cues import CUES_OF
from ontonym.text.notes.cuetable import unaccented

_WORD = re.compile(
    r"(?<!\w)[a-z](?:\.[a-z])+(?![\w.]\w) | (?:(?<!\w)[-+](?=ve\b))? [^\W_]+ (?:['’/][^\W_]+)*",
    re.IGNORECASE | re.VERBOSE,
)
"""A word of English: "p.r.n" (whose points are left out), "-ve", "o'clock", "w/o"."""
_FOREIGN_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’](?:[^\W_][\u0300-\u036f]*)+)*")
"""Letters may have their accents beside them."""


class NoteWord(NamedTuple):
    """A word from ``start`` to ``end``, with its ``text`` in small letters and as cues have it."""

    start: int
    end: int
    text: str


def note_words(text: str, language: str) -> Iterator[NoteWord]:
    """The words of a text in small letters, in another language than English without accents."""
    foreign = language in CUES_OF
    for match in (_FOREIGN_WORD if foreign else _WORD).finditer(text):
        word = match.group().lower().replace("’", "'")
        yield NoteWord(match.start(), match.end(), unaccented(word) if foreign else word.replace(".", ""))


def words_between(text: str, start: int, end: int) -> int:
    """The number of words between two places."""
    return len(_WORD.findall(text, start, end))


def first_word(text: str) -> str:
    """The first word of a text in lower case; empty where it has none."""
    found = _WORD.search(text)
    return found[0].lower() if found else ""
