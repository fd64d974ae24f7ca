"""The words of a running text with their places, and between which of them a name may continue.

No name continues across a blank line, a tab, a form feed or a paragraph separator (U+2029).

A mention begins and ends with a piece. Nearly every piece is one word; an abbreviation that the document defines has
the words that it stands for, and Chinese and Japanese are cut into pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

from ontonym.text.normalization import UNSPACED, tokens
from ontonym.text.wordroots import is_adjective

_PARTS = re.compile(rf"{UNSPACED.pattern}|(?:(?!{UNSPACED.pattern}).)+")
_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufeff"
_SPACE = r"[^\S\t\n\r\x0c\u2029]"
_CLOSE = re.compile(rf"{_SPACE}*(?:[-\u2010-\u2015\u2212/'\u2019\"\u201c\u201d]|\r?\n)?{_SPACE}*")
"""What may stand between two words of one name: spaces, a dash or slash, one line break."""
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
        elif written == "+":
            words = ("plus",)
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


def without_asides(text: str, found: list[Piece], abbreviations: Mapping[str, str]) -> list[Piece] | None:
    """The pieces without abbreviations in parentheses: "dehydrogenase (G6PD) deficiency" is one name.

    None where there are none.
    """
    if not any(_is_aside(text, piece, abbreviations) for piece in found):
        return None
    kept: list[Piece] = []
    for piece in found:
        if _is_aside(text, piece, abbreviations):
            continue
        gap = text[kept[-1].end : piece.start] if kept else ""
        joined = not piece.goes_on and gap.count("(") == gap.count(")") == 1 and gap.endswith((") ", ")"))
        kept.append(replace(piece, goes_on=True) if joined else piece)
    return kept


def _is_aside(text: str, piece: Piece, abbreviations: Mapping[str, str]) -> bool:
    """Whether a piece is an abbreviation in parentheses."""
    start, end = piece.start, piece.end
    return text[start - 1 : start] == "(" and text[end : end + 1] == ")" and text[start:end] in abbreviations


def without_hyphens(text: str, found: list[Piece], is_word: Callable[[str], bool]) -> list[Piece] | None:
    """The pieces with two that a hyphen joins as one where that is a word of names: the *midface* of "mid-face".

    None where there are none.
    """
    kept: list[Piece] = []
    changed = False
    for piece in found:
        before = kept[-1] if kept else None
        if before and piece.start == before.end + 1 and text[before.end] == "-" and piece.goes_on:
            words = tuple(tokens(before.written(text) + piece.written(text)))
            if len(words) == 1 and is_word(words[0]):
                kept[-1] = replace(before, end=piece.end, words=words)
                changed = True
                continue
        kept.append(piece)
    return kept if changed else None


def as_capitals(text: str, found: list[Piece]) -> list[Piece] | None:
    """The pieces with acronyms before a number as a name of nothing else has them: the *man 3* of "MEN 3".

    A name all in capitals has no acronyms, since capitals say nothing there. None where no piece changes.
    """
    kept = list(found)
    for place, (first, second) in enumerate(pairwise(found)):
        written = first.written(text)
        is_acronym = written.isalpha() and written.isupper() and not first.flat
        if is_acronym and second.goes_on and "".join(second.words)[:1].isdigit():
            words = tuple(tokens(f"{written} {second.written(text)}"))
            if len(words) == len(first.words) + len(second.words):
                kept[place] = replace(first, words=words[: len(first.words)])
    return kept if kept != found else None


_ENDS_ITEM = re.compile(r"\s*(?:[;.(\n]|\Z)")
_MOST_INVERTED = 2


def without_inversions(text: str, found: list[Piece], is_name: Callable[[Sequence[str]], object]) -> list[Piece] | None:
    """The pieces with no comma before what a thing is told by last, as a synopsis does: "Hearing loss, conductive;".

    What is a name itself, and no adjective, is another item. None where there are none.
    """
    kept = list(found)
    for place, piece in enumerate(found):
        for last in range(place, min(place + _MOST_INVERTED, len(found)) if piece.comma and piece.goes_on else place):
            told = found[place : last + 1]
            if not all(one.continues for one in told[1:]):
                break
            words = words_in(told)
            tells = is_adjective(words[-1]) or (len(words) == 1 and not is_name(words))
            if tells and _ENDS_ITEM.match(text, told[-1].end):
                kept[place] = replace(piece, comma=False)
    return kept if kept != found else None


_NOT = r"(?:n['\u2019]t|[ ]not)"
_UNABLE = re.compile(
    rf"""
    \b(?: (?:can|could)(?:{_NOT}|not)                                      # "could not walk", "cannot sit"
        | (?:is|was|are|were){_NOT}[ ](?:yet[ ])?able[ ]to | not[ ]able[ ]to
        | never
        | (?:does|has|have){_NOT}(?:[ ]yet)?                               # "has not yet spoken"
      )\s+(?=[a-z])
    """,
    re.VERBOSE,
)
_LATER = re.compile(r"[^.;\n]{0,40}\b(?:until|till|before)\b")


def as_unable(text: str, found: list[Piece]) -> list[Piece] | None:
    """The pieces with what says that somebody never does a thing, or cannot, as *unable*: "could not walk".

    "Did not walk until 3 years" says when. None where there are none.
    """
    places = {piece.start: place for place, piece in enumerate(found)}
    kept: list[Piece] = []
    done = 0
    for match in _UNABLE.finditer(text):
        first, last = places.get(match.start()), places.get(match.end())
        if first is None or last is None or first < done or _LATER.match(text, match.end()):
            continue
        kept += found[done:first]
        kept.append(replace(found[first], end=found[last - 1].end, words=("unable",)))
        done = last
    return [*kept, *found[done:]] if kept else None


def without_slips(text: str, found: list[Piece], meant: Mapping[str, str | None]) -> list[Piece] | None:
    """The pieces with misspelled words as they are ``meant``, by `maybe_slips`. None where there are none."""
    kept = list(found)
    for place, words in maybe_slips(text, found):
        if right := next(filter(None, map(meant.__getitem__, words)), None):
            kept[place] = replace(found[place], words=tuple(tokens(right)))
    return kept if kept != found else None


def maybe_slips(text: str, found: Iterable[Piece]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The places of pieces of one word that may be misspelled, in small letters or the first of a sentence, each with
    its word as it is written and normalized: "polyhydraminos" loses its ending as a plural."""
    for place, piece in enumerate(found):
        if len(piece.words) == 1:
            written, (word,) = piece.written(text), piece.words
            if written.islower() or (written.istitle() and _begins(text, piece.start)):
                yield place, (word,) if written == word else tuple(dict.fromkeys((written.lower(), word)))


def _begins(text: str, start: int) -> bool:
    """Whether a sentence or a line begins at a place."""
    before = text[max(start - 3, 0) : start]
    return start == 0 or "\n" in before or before.rstrip().endswith((".", "!", "?"))


@cache
def _piece_pattern() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
    letter, acronym_letter = rf"(?:[^\W_]|[{marks}{_INVISIBLE}])", r"[^\W\d_]"
    acronym = rf"(?<![\w-]){acronym_letter}(?:[-.][^\W_])+(?![\w-])"
    number = r"(?:(?<=\d)\.(?=\d)|(?<=\d),(?=\d{3}\b))"
    return re.compile(rf"{acronym}|{letter}+(?:{number}{letter}+)*(?:['\u2019][st]\b)?|(?<=\w)\+")


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
