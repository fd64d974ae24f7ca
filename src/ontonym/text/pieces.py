"""The words of a running text with their places, and between which of them a name may continue.

No name continues across a blank line, a tab, a form feed or a paragraph separator (U+2029).

A mention begins and ends with a piece. Nearly every piece is one word; an abbreviation that the document defines has
the words that it stands for, and Chinese and Japanese are cut into pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from ontonym.text.normalization import UNSPACED, combining_marks, tokens

_PARTS = re.compile(rf"{UNSPACED.pattern}|(?:(?!{UNSPACED.pattern}).)+")
_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufeff"
_SPACE = r"[^\S\t\n\r\x0c\u2029]"
_CLOSE = re.compile(rf"{_SPACE}*(?:[-\u2010-\u2015\u2212/'\u2019\"\u201c\u201d]|\r?\n)?{_SPACE}*")
"""What may stand between two words of one name: spaces, a dash or slash, one line break."""
_SIGNS = {"+": "plus", "&": "and"}
"""Signs that are words."""
_SIGNED = re.compile(r"(?<!\w)\W?[A-Z]- [A-Z][-+]")
"""Initials with what is there and what is not: "N- V- D+"."""
_COMMA = re.compile(rf",{_SPACE}?")
_POINT = re.compile(rf"\.{_SPACE}?")
_LISTED = 30
"""Letters of the longest line that is taken for one of a list."""
_SHOUTED = 3
"""Words of the shortest line in which capitals are taken for shouting, and not for abbreviations."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, its normalized words, one at least, and whether a name may continue into it from the
    piece before.

    ``comma`` says that a comma lies between. ``flat`` says that its line is all in capitals, or the text has no
    capitals: then capitals say nothing about a word. ``listed`` says that a line so short ends between them that they
    may be two of a list: together they are only what is a name as it stands.
    """

    start: int
    end: int
    words: tuple[str, ...]
    goes_on: bool
    comma: bool = False
    flat: bool = False
    listed: bool = False

    @property
    def continues(self) -> bool:
        """Whether it goes on with the phrase before it, without a comma and in no new line of a list."""
        return self.goes_on and not self.comma and not self.listed

    def written(self, text: str) -> str:
        """What stands there in its text."""
        return text[self.start : self.end]


def pieces(text: str, abbreviations: Mapping[str, str] | None = None) -> list[Piece]:
    """The pieces of a text in order, with ``abbreviations`` expanded."""
    defined = _with_plurals(abbreviations or {})
    lines = _flat_lines(text)
    found: list[Piece] = []
    before, end, joins = "", 0, True
    line = next(lines)
    for match in _piece_pattern().finditer(text):
        start, written = match.start(), match.group()
        while start >= line[0]:
            line = next(lines)
        goes_on = joins and bool(found) and _goes_on(text, end, start, before)
        if written in defined:
            words = tuple(tokens(defined[written]))
        elif written in _SIGNS:
            words = (_SIGNS[written],)
        else:
            words = _words_of(written.lower() if line[1] else written)
            if words and len(written) == 1 and goes_on:
                words = tuple(tokens(f"{before} {written}")[-1:])  # V is a number in "type V", not by itself
        end, joins = match.end(), bool(words) or goes_on
        if not words:
            continue  # such as characters that are not seen
        before = written
        gap = text[found[-1].end if found else start : start]
        listed = "\n" in gap and _is_short(text, found[-1].end)
        piece = Piece(start, end, words, goes_on, "," in gap, line[1], listed)
        if written.isascii() or written in defined or not UNSPACED.search(written):
            found.append(piece)
        else:
            found += _unspaced(written, piece)
    return found


def words_in(row: Iterable[Piece]) -> tuple[str, ...]:
    """The normalized words of some pieces, in order."""
    return tuple(word for piece in row for word in piece.words)


def _unspaced(written: str, whole: Piece) -> Iterator[Piece]:
    """The pieces of a run of Chinese or Japanese, in which any may begin a name: each character with the next one, as
    `tokens` has them, so that a piece overlaps the one before it."""
    piece = whole
    for match in _PARTS.finditer(written):
        first, last = match.span()
        width = 2 if last - first > 1 and UNSPACED.fullmatch(match.group()) else last - first
        for start in range(first, last - width + 1):
            if words := _words_of(written[start : start + width]):
                yield replace(piece, start=whole.start + start, end=whole.start + start + width, words=words)
                piece = replace(piece, goes_on=True, comma=False, listed=False)


@lru_cache(maxsize=1 << 16)
def _words_of(written: str) -> tuple[str, ...]:
    return tuple(tokens(written))


@cache
def _piece_pattern() -> re.Pattern[str]:
    letter, acronym_letter = rf"(?:[^\W_]|[{combining_marks()}{_INVISIBLE}])", r"[^\W\d_]"
    acronym = rf"(?<![\w-]){acronym_letter}(?:[-.][^\W_])+(?![\w-])"
    number = r"(?:(?<=\d)\.(?=\d)|(?<=\d),(?=\d{3}\b))"
    return re.compile(rf"{acronym}|{letter}+(?:{number}{letter}+)*(?:['\u2019][st]\b)?|(?<=\w)\+|&")


def _goes_on(text: str, end: int, start: int, before: str) -> bool:
    """Whether a name may contain what lies between two pieces."""
    gap = text[end:start]
    if gap in {" ", "-", ""}:
        return True
    if gap == "- " and _SIGNED.match(text, end - 2):
        return False
    if _CLOSE.fullmatch(gap):
        return "\n" not in gap or not text[start].isupper()
    if _COMMA.fullmatch(gap):
        return True
    return bool(_POINT.fullmatch(gap)) and len(before) <= 2 and before[:1].isupper()  # St. Louis, E. coli


def _is_short(text: str, end: int) -> bool:
    """Whether the line that ends here may be one of a list, and not one of a text that goes on in the next."""
    return end - text.rfind("\n", 0, end) <= _LISTED


def _with_plurals(abbreviations: Mapping[str, str]) -> dict[str, str]:
    return {f"{short}s": long for short, long in abbreviations.items()} | dict(abbreviations)


def _flat_lines(text: str) -> Iterator[tuple[int, bool]]:
    """The end of each line, and whether capitals in it say nothing."""
    end, small = 0, text.islower()
    for line in text.splitlines(keepends=True):
        end += len(line)
        yield end, small or (line.isupper() and len(line.split()) >= _SHOUTED)
    yield len(text) + 1, small
