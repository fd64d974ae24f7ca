"""How a text writes abbreviations: which words are written as one, explained, measured with a number, or nouns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ontonym.text.chunks import measures
from ontonym.text.pieces import Piece

SHORTHAND = re.compile(r"(?=(?:[^A-Z]*[A-Z]){2})(?![A-Z]+[a-z]$)[A-Za-z][A-Za-z0-9]{1,5}")
"""A word that is written as an abbreviation: two capitals or more, and no plural."""
_IN_PARENTHESES = re.compile(r"[(\[]\s*([A-Za-z][A-Za-z0-9]{1,5}?)s?\s*[)\],;]")
_WRITTEN_OUT = re.compile(r"(?<![^\W_])[^\W\d_][a-z][^\W\d_]*")
_MEASURED = re.compile(
    r" ?(?:[-\u2212+]\d{1,2}(?:\.\d+)?(?![\w/-])"  # "BE -9"
    r"|\d+(?:\.\d+)? ?[a-zA-Z\u00b5]{1,5}/[a-zA-Z]"  # "HV 3.2 cm/yr"
    r"|\d+(?:/\d+){3,})"  # "BPE 3/2/4/3/2/4", and no date
)
"""What follows the name of a measurement."""
_JOINS = (", ", " and ", " & ", "/")
_MORE = 2
_NOUN_AFTER = frozenset(
    "new known chronic acute paroxysmal persistent permanent recurrent fast slow rapid previous of for with w to has "
    "had developed".split()
)
"""Words before a noun."""


def is_noun(text: str, row: Sequence[Piece], place: int, starts: Collection[int], ends: Collection[int]) -> bool:
    """Whether the form at a place is a noun: in a list beside findings, which begin and end there, or after a word that
    qualifies it, as in "new AF", "secondary to AF"."""
    start, end = row[place].start, row[place].end
    after = any(text.endswith(mark, 0, start) and start - len(mark) in ends for mark in _JOINS)
    if after or any(text.startswith(mark, end) and end + len(mark) in starts for mark in _JOINS):
        return True
    if not place or not row[place].continues:
        return False
    word = row[place - 1].written(text).lower()
    return word in _NOUN_AFTER


def explained(text: str) -> Iterator[str]:
    """The forms in parentheses that a text explains by the words before them: "benzoylated norbelladine (BN)", and not
    the other finding of "OSA (CPAP)"."""
    for match in _IN_PARENTHESES.finditer(text):
        form = match[1]
        if SHORTHAND.fullmatch(form):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            before = _WRITTEN_OUT.findall(line)[-len(form) - _MORE :]
            if any(word[0].lower() == form[0].lower() for word in before):
                yield form


def is_measured(text: str, end: int) -> bool:
    """Whether an abbreviation that ends at a place of a text is what the number or score after it measures."""
    return measures(text, end) or _MEASURED.match(text, end) is not None
