"""Where a phrase of a text begins and ends: whether two neighbouring pieces may be of one mention, or the second begins
something else. `stretches` gives all runs of pieces that a mention in words of its own could be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ontonym.text.languages import function_words, language_of_document
from ontonym.text.pieces import Piece
from ontonym.text.wordlists import COMMON, EDGES, ELSEWHERE, FILLERS, GENERIC, MODIFIERS

MOST_WORDS = 6
"""The most telling words of a stretch."""

_WIDEST = 9
"""The most pieces of a stretch, telling or not."""
_LONGEST_NUMBER = 2
"""Digits of the longest number that tells something: "type 12", and no year."""
_SHORT = 4
"""A word with more letters that ends in *ed* is a participle."""
_WITH = "w"
_OF = frozenset({"of", "in", "on"})
"""What a stretch may go on with: "deficiency of C6"."""
_TO = frozenset("to at over from around behind under".split())
_AFTER_OF = frozenset("the a an his her their its".split())
"""What may stand behind these: "swelling of the left knee"."""

_PREFIX = re.compile(r"(?<![\w-])(?:anti|non|pre|self|[a-z])-$", re.IGNORECASE)
"""Before an adjective that says the opposite, or something else: "anti-rheumatic", "T-cell"."""
_LONGEST_PREFIX = 6
"""Characters of the longest of these."""
_THINGS = frozenset("agent assay diet site steroid".split())
"""What is no patient's: "haemolytic assays" have no haemolysis."""

_BORDERS = (EDGES | ELSEWHERE | COMMON | FILLERS) - MODIFIERS - GENERIC
"""Words that are part of no mention (*the*, *was*, *patient*), but for those of `_KEPT`."""
_KEPT = frozenset(
    "absent bad big body cavities cavity change consumption contraction contractions coronary dead death deaths "
    "different early emergencies emergency full ganglia ganglion hand high increase increased large last late left "
    "less light line long low matter near normal open painful poor rare recurrence recurrences relapse relapses "
    "right secondary short small strain strains temperature third trans under vision visions wide".split()
)


def stretches(text: str, row: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """The first and last place of every such stretch of pieces, which names may continue through."""
    words = [piece.written(text).lower() for piece in row]
    foreign = function_words(language_of_document(text))
    telling = [word not in foreign and _tells(word) for word in words]
    for first in range(len(row)):
        if telling[first]:
            yield from ((first, last) for last in _lasts(row, words, telling, first, foreign))


def _lasts(
    row: Sequence[Piece], words: Sequence[str], telling: Sequence[bool], first: int, foreign: frozenset[str]
) -> Iterator[int]:
    """Where the stretches end that begin with a telling word; ``foreign`` are words that may stand inside."""
    count = 0
    for last in range(first, min(first + _WIDEST, len(row))):
        if last > first and not row[last].continues:
            return
        if telling[last]:
            count += 1
            if count > MOST_WORDS:
                return
            yield last
        elif words[last] in foreign:
            continue
        elif words[last] not in _OF and not (words[last] in _AFTER_OF and words[last - 1] in _OF):
            return


def belongs_after(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether the piece at a place begins a phrase after a comma and goes on there, so that it says nothing of what
    stands before: the *thin* of "wide nasal bridge, thin upper lip"."""
    if not row[place].comma or place + 1 == len(row) or not row[place + 1].continues:
        return False
    word = row[place + 1].written(text).lower()
    return word in _OF or word in _TO or not is_border(word)


def says_other(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether the piece at a place, an adjective, says something else than it does alone: as the end of a word, as in
    "anti-rheumatic", or of a thing, as in "haemolytic assays"."""
    start = row[place].start
    if _PREFIX.search(text, max(0, start - _LONGEST_PREFIX), start):
        return True
    return place + 1 < len(row) and row[place + 1].continues and not _THINGS.isdisjoint(row[place + 1].words)


def ends_phrase(word: str) -> bool:
    """Whether a word in lower case, after a phrase, is no noun that this qualifies: a border, a number or a participle,
    the *repaired* of "cleft lip and palate repaired"."""
    return is_border(word) or word[:1].isdigit() or (len(word) > _SHORT and word.endswith("ed") and word[-3] != "e")


def ends_phrase_at(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether the piece at a place qualifies no word after it."""
    after = row[place + 1 : place + 2]
    if not after or not after[0].goes_on or after[0].comma:
        return True
    gap, word = text[row[place].end : after[0].start], after[0].written(text).lower()
    return len(gap) > len(gap.strip()) > 0 or is_border(word) or word[0].isdigit() or word == _WITH


def is_border(word: str) -> bool:
    """Whether a word in lower case is part of no mention."""
    return word in _BORDERS and word not in _KEPT


def _tells(word: str) -> bool:
    if word.isdigit():
        return len(word) <= _LONGEST_NUMBER
    return any(map(str.isalpha, word)) and not is_border(word)
