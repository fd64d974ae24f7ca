"""How a text writes abbreviations: which words are written as one, in capitals only beside others, explained, measured
with a number, or nouns."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence

from ontonym.text.english import is_english
from ontonym.text.kinds import kind_of
from ontonym.text.languages import language_of_document
from ontonym.text.lexicon import UNITS, is_unspoken
from ontonym.text.pieces import Piece
from ontonym.text.sentences import sentence_ends
from ontonym.text.timeunits import UNITS as TIME_UNITS
from ontonym.text.wordlists import COMMON

SHORTHAND = re.compile(r"(?=(?:[^A-Z]*[A-Z]){2})(?![A-Z]+[a-z]$)[A-Za-z][A-Za-z0-9]{1,5}")
"""A word that is written as an abbreviation: two capitals or more, and no plural."""
_IN_PARENTHESES = re.compile(r"[(\[]\s*([A-Za-z][A-Za-z0-9]{1,5}?)s?\s*[)\],;]")
_WRITTEN_OUT = re.compile(r"(?<![^\W_])[^\W\d_][a-z][^\W\d_]*")
_NUMBERED = re.compile(
    r" (?!(?:19|20)\d\d\b|10/10\b)\d{2,}(?![\d-])"
    rf"(?!\.?\d* ?(?:[cm]m|(?:{TIME_UNITS}|pack)s?|d|h|mo|y|yo)\b)"
)
"""A number of two digits or more, which is no year, size or time."""
_MEASURED = re.compile(
    r" ?(?:[-\u2212+]\d{1,2}(?:\.\d+)?(?![\w/-])"  # "BE -9"
    r"|\d+(?:\.\d+)? ?[a-zA-Z\u00b5]{1,5}/[a-zA-Z]"  # "HV 3.2 cm/yr"
    r"|\d+(?:/\d+){3,})"  # "BPE 3/2/4/3/2/4", and no date
)
"""What else follows the name of a measurement."""
_BULLET = re.compile(r"[^\S\n]*(?:(?:[-*\u2022\u00b7\u2013>]|\(?\d{1,2}[.)])[^\S\n]+)?")
"""What may stand before the first word of a line or sentence."""
_HEADED = re.compile(r"[^:\n]{1,40}:[^\S\n]+(?=\S)")
"""A heading with something behind it on its line."""
_PARTED = re.compile(r"(?<![\w/])[a-z]/(?:[a-z](?![\w/])|(?=[^\S\n]))|\b[Pp]ts?\b")
"""Words of shorthand that mean no finding: "c/o", "w/", "pt"."""
_AFTER_NUMBER = re.compile(r"\d[^\S\n]?\Z")
_SHOUTED = 4
"""Letters of a word in capitals that is no abbreviation, and of which a heading may consist."""
_LONG_ENOUGH = 3
"""Letters of a form in small letters that is evident."""
_EVIDENT_OF_LINE, _EVIDENT_OF_SENTENCE = 1, 2
"""How many words that are nothing but forms tell that a line in small letters, or a sentence that begins with a
capital, is written in shorthand."""
_JOINS = (", ", " and ", " & ", "/")
_MORE = 2
_NOUN_AFTER = frozenset(
    "new known chronic acute paroxysmal persistent permanent recurrent fast slow rapid previous of for with w to has "
    "had developed".split()
)
"""Words before a noun."""
_SINCE = re.compile(r",? \(?(?:since|diagnosed|dx) (?:in )?(?:19|20)\d\d(?![\w/-])", re.IGNORECASE)
"""The year from which on somebody has something."""
_LONG_DRUG = 6
"""Letters of a word that names a drug if it is no other English word."""
_IMAGING = ("graphy", "imaging", "spectroscopy")


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


def is_disease(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether the form at a place is what somebody has, for a drug against it or the year it began follows: "RA on
    methotrexate", "MS since 2011"."""
    if _SINCE.match(text, row[place].end):
        return True
    after = [piece.written(text).lower() for piece in row[place + 1 : place + 3]]
    return len(after) > 1 and after[0] == "on" and row[place + 2].continues and _is_drug(after[1])


def _is_drug(word: str) -> bool:
    return kind_of((word,)) == "chemical" or (len(word) >= _LONG_DRUG and word.isalpha() and not is_english(word))


def explained(text: str) -> Iterator[str]:
    """The forms in parentheses that a text explains by the words before them: "benzoylated norbelladine (BN)", and not
    the other finding of "OSA (CPAP)"."""
    forms = [match for match in _IN_PARENTHESES.finditer(text) if SHORTHAND.fullmatch(match[1])]
    words = [word.start() for word in _WRITTEN_OUT.finditer(text)] if forms else []
    for match in forms:
        form, last = match[1], bisect_left(words, match.start())
        before = words[max(0, last - len(form) - _MORE) : last]
        line = text.rfind("\n", before[0], match.start()) if before else 0
        if any(start > line and text[start].lower() == form[0].lower() for start in before):
            yield form


def is_shouted(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether a common word is in capitals only as what stands beside it, as in the heading "ON DISCHARGE"."""
    if row[place].written(text).lower() not in COMMON:
        return False
    beside = [row[place - 1]] if place and row[place].continues else []
    if place + 1 < len(row) and row[place + 1].continues:
        beside.append(row[place + 1])
    return any(len(word) >= _SHOUTED and word.isupper() for word in (one.written(text) for one in beside))


def is_numbered(text: str, end: int) -> bool:
    """Whether an abbreviation that ends at a place of a text is what the number after it measures or counts: "HR 112",
    not "MI 2019"."""
    return bool(_NUMBERED.match(text, end))


def is_measured(text: str, end: int) -> bool:
    """Whether an abbreviation that ends at a place of a text is what the number or score after it measures: "HR 112",
    "BE -9"."""
    return is_numbered(text, end) or _MEASURED.match(text, end) is not None


def small_forms(text: str, row: Sequence[Piece], is_form: Callable[[str], bool]) -> Collection[int]:
    """The places of the pieces of a text that may be abbreviations in small letters, since the words around them are
    written in shorthand: "pmh htn, copd" is, in a note that has capitals elsewhere too.

    So are all words of a text without capitals, a sentence that begins with a small letter, and one of which several
    words are nothing but forms. Elsewhere only the latter may be forms, unless the text also has them in capitals.
    ``is_form`` says whether a word in small letters is in the lexicon.
    """
    if text.islower():
        return range(len(row))
    if language_of_document(text):
        return ()
    found: set[int] = set()
    starts = [piece.start for piece in row]
    for start, end, needed in _clauses(text):
        places = range(bisect_left(starts, start), bisect_left(starts, end))
        evident = [place for place in places if _is_evident(text, row[place], is_form)]
        is_shorthand = len(evident) + len(_PARTED.findall(text, start, end)) >= needed
        found.update(places if is_shorthand else (one for one in evident if row[one].written(text).upper() not in text))
    return found


def _clauses(text: str) -> Iterator[tuple[int, int, int]]:
    """The lines of each sentence of a text by their start and end, each with how many words that are nothing but forms
    tell that it is written in shorthand."""
    ends = [*sentence_ends(text), len(text)]
    for start, end in zip([0, *ends], ends, strict=False):
        line = start
        while line < end:
            stop = text.find("\n", line, end) + 1 or end
            needed = _EVIDENT_OF_SENTENCE
            first = _BULLET.match(text, line, stop)
            begin = first.end() if first else line
            headed = _HEADED.match(text, begin, stop)
            if headed and text[headed.end()].islower():
                yield begin, headed.end(), needed
                line, needed = headed.end(), 0
            elif text[begin : begin + 1].islower():
                needed = 0 if line == start or begin > line else _EVIDENT_OF_LINE
            yield line, stop, needed
            line = stop


def _is_evident(text: str, piece: Piece, is_form: Callable[[str], bool]) -> bool:
    """Whether a word in small letters is an abbreviation and nothing else: nobody can say it ("htn"), or it has a
    number in it ("ckd3"), and it is no unit."""
    written = piece.written(text)
    if not written.islower() or len(written) < _LONG_ENOUGH or written in UNITS or not is_form(written):
        return False
    return (is_unspoken(written) or not written.isalpha()) and not _AFTER_NUMBER.search(
        text, max(piece.start - 2, 0), piece.start
    )


def tells_how(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether a form only says how something is imaged: the *MR* of "MR enterography"."""
    after = row[place + 1 : place + 2]
    return bool(after) and after[0].continues and after[0].written(text).lower().endswith(_IMAGING)
