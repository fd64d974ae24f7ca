"""The pieces of a text read in other ways than they are written, as names may have them: each function gives the pieces
with one thing changed, or None where it finds nothing to change.

- `without_asides`: "dehydrogenase (G6PD) deficiency" is *dehydrogenase deficiency*
- `as_capitals`: the *MEN 3* of a text is not the plural of man
- `without_hyphens`: "mid-face" is *midface*
- `without_slips`: "seizurse" is *seizures*
- `as_unable`: "could not walk" is *unable to walk*
- `without_inversions`: "Hearing loss, conductive;" is *conductive hearing loss*
- `without_owners`: "twisted his ankle" is *twisted ankle*; `with_own`: "lost her voice" is *lost my voice*

`ontonym.tasks.annotation.textreadings` looks for names in each of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ontonym.text.normalization import tokens
from ontonym.text.pieces import Piece, words_in
from ontonym.text.wordforms import is_adjective


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


_OWNERS = frozenset("his her my our their your".split())
_KIN = frozenset(
    "aunt baby brother child children cousin dad daughter family father grandfather grandmother husband mother mum "
    "parents partner sister son twin uncle wife".split()
)
"""Whom a clause begins with rather than a phrase goes on: "high cholesterol his mother had"."""


def without_owners(text: str, found: list[Piece]) -> list[Piece] | None:
    """The pieces without *his* and the like inside a phrase: the *twisted ankle* of "twisted his ankle". None where
    there are none."""
    kept = [piece for place, piece in enumerate(found) if not _is_owner(text, found, place)]
    return kept if len(kept) < len(found) else None


def with_own(text: str, found: list[Piece]) -> list[Piece] | None:
    """The pieces with *my* for *his* and the like inside a phrase, as people say it of themselves: "lost her voice".
    None where there are none."""
    kept = [
        replace(piece, words=("my",)) if piece.words != ("my",) and _is_owner(text, found, place) else piece
        for place, piece in enumerate(found)
    ]
    return kept if kept != found else None


def _is_owner(text: str, found: Sequence[Piece], place: int) -> bool:
    """Whether the piece at a place says whose the thing after it is, inside a phrase."""
    if not 0 < place < len(found) - 1 or found[place].written(text).lower() not in _OWNERS:
        return False
    is_inside = found[place].continues and found[place + 1].continues
    return is_inside and found[place + 1].written(text).lower() not in _KIN


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
