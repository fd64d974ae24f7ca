"""Abbreviations that a document defines: after "myotonic dystrophy (DM)", DM means that in the document.

Definitions are found as by Schwartz and Hearst (A simple algorithm for identifying abbreviation definitions in
biomedical text, PSB 2003): the letters of the short form are matched from right to left in the words before the
parenthesis; words whose initials make the short form are tried first. An undefined short form may stand for
neighbouring words of the document that begin with its letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

_PARENTHESIS = re.compile(r"\(([^()]{2,60})\)")
_SHORT_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9/+.\- ]{0,9}")  # "DM", "HLA-B27", "IL 6"
_SENTENCE_END = re.compile(r"[.;:!?]\s")
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)  # what "HIV virus" becomes where HIV is written out
_WORD = re.compile(r"[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*")  # "X-ALD" is one
_PIECE = re.compile(r"[A-Za-z0-9]+")  # "X-ALD" is two
_CLAUSE_END = re.compile(r"[.,;:!?]\s|[()\n]")
_UNDEFINED = re.compile(r"(?=(?:.*[A-Z]){2})[A-Za-z](?:-?[A-Za-z]){1,5}")  # two capitals among 2 to 6 letters: "A-T"
_PLURAL = re.compile(r"[A-Z0-9]*[A-Z]{2}s|[A-Z]\d*[A-Z]s")  # "VSDs", "T2Ds"
_REACH = 1_000
"""Characters before a parenthesis in which a definition begins: at most 15 words."""
_LINKS = frozenset("a an and for in of or the to with".split())
"""Words of which a short form has no letter."""
_INITIALS = r"[A-Z](?:[-.]?[A-Z]){1,5}\.?"
_BEHIND = re.compile(rf"(?P<long>\w.*?)(?:\s*[(\[](?P<short>{_INITIALS})[)\]]|\s*[-–,:=]\s+(?P<last>{_INITIALS}))\s*")
_BEFORE = re.compile(
    rf"(?P<short>{_INITIALS})(?:\s*[(\[](?P<inside>\w[^()\[\]]*)[)\]]|(?:\s+[-–=]|:)\s+(?P<long>\w.*))\s*"
)
"""Initials behind or before a whole text: "sleep apnea (SA)", "SA - sleep apnea"."""
_MOST_IMPLIED = 10
"""Long forms that are given for an undefined short form."""


def find_abbreviations(text: str) -> dict[str, str]:
    """Short form to long form for each definition in a document; the first definition of a short form holds."""
    found: dict[str, str] = {}
    for match in _PARENTHESIS.finditer(text):
        before = text[max(match.start() - _REACH, 0) : match.start()].rstrip()
        before = before[max((end.end() for end in _SENTENCE_END.finditer(before)), default=0) :]
        inside = [part.strip() for part in re.split(r"[,;:=]", match.group(1))]
        pairs = [(part, before) for part in inside if _is_short_form(part)]
        if not pairs and _is_short_form(_last_word(before)):
            pairs = [(_last_word(before), inside[0])]
        for short, long in pairs:
            definition = "" if short in found else _long_form(short, long)
            if definition:
                found[short] = definition
    return _with_singulars(found)


def without_own_initials(text: str) -> str:
    """A text without the initials of all its words, which say nothing more: *sleep apnea* of "sleep apnea (SA)", "SA -
    sleep apnea" and "SA (sleep apnea)"; itself where it has none."""
    single = " ".join(text.split())  # where patterns meet runs of spaces, they take the square of their length
    found = _BEHIND.fullmatch(single) or _BEFORE.fullmatch(single)
    if not found:
        return text
    said = found.groupdict()
    short, long = said["short"] or said.get("last") or "", said["long"] or said.get("inside") or ""
    words = [word.lower() for word in _PIECE.findall(long)]
    telling = [word[0] for word in words if word not in _LINKS]
    letters = [letter.lower() for letter in short if letter.isalpha()]
    return long if letters in (telling, [word[0] for word in words]) else text


def _with_singulars(found: dict[str, str]) -> dict[str, str]:
    """With the singular of each short form that is defined in the plural: VSD where the text defines VSDs."""
    singular = {short[:-1]: long for short, long in found.items() if _PLURAL.fullmatch(short) and long.endswith("s")}
    return found | {short: long for short, long in singular.items() if short not in found}


def _is_short_form(text: str) -> bool:
    """Whether it has 2 to 10 characters, at most two words and a capital, and begins with a letter or digit."""
    return (
        2 <= len(text) <= 10
        and len(text.split()) <= 2
        and bool(_SHORT_FORM.fullmatch(text))
        and any(letter.isupper() for letter in text)
    )


def _last_word(text: str) -> str:
    return text.rpartition(" ")[2]


def _long_form(short: str, before: str) -> str:
    """The end of ``before`` that the short form stands for, or an empty text.

    That is as many words as the short form has letters, if their initials are these letters in any order ("myotonic
    dystrophy (DM)"); else the shortest end that has the letters in order, the first of them at the start of a word.
    """
    letters = [letter.lower() for letter in short if letter.isalnum()]
    words = before.split()
    most = min(len(letters) + 5, 2 * len(letters))
    initials = words[-len(letters) :]
    begins_well = bool(initials) and initials[0].lower() not in _LINKS
    if begins_well and sorted(word[0].lower() for word in initials) == sorted(letters):
        return " ".join(initials)
    text = " ".join(words[-most:])
    place = len(text) - 1
    for number in range(len(letters) - 1, -1, -1):
        while place >= 0 and not (
            text[place].lower() == letters[number] and (number or place == 0 or not text[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return ""
        place -= 1
    long = text[place + 1 :]
    if len(long) < len(short) + 2 or short in long.split() or long.count("(") != long.count(")"):
        return ""
    return long


def implied_long_forms(short: str, passage: str) -> list[str]:
    """What an undefined short form may stand for in its document, the likeliest first; empty for any other word.

    These are neighbouring words of a clause whose initials are its letters: "multiple epiphyseal dysplasia" for MED.
    First come those in the order of the letters, also with "of", "and" or "the" between them, then those in another
    order ("myotonic dystrophy" for DM); the more frequent first. Parts joined by a hyphen count as several words.
    """
    if not _UNDEFINED.fullmatch(short):
        return []
    letters = [letter.lower() for letter in short if letter.isalpha()]
    clauses = [(clause, list(_PIECE.finditer(clause))) for clause in _CLAUSE_END.split(passage)]
    found = [
        Counter(
            clause[first.start() : last.end()] for clause, words in clauses for first, last in spans(letters, words)
        )
        for spans in (_spans_in_order, _spans_in_any_order)
    ]
    ranked = [phrase for counted in found for phrase, _ in counted.most_common()]
    return list(dict.fromkeys(ranked))[:_MOST_IMPLIED]


_Words = Sequence[re.Match[str]]
_Spans = Iterator[tuple[re.Match[str], re.Match[str]]]
"""The first and the last word of each stretch."""


def _spans_in_order(letters: Sequence[str], words: _Words) -> _Spans:
    """First and last word of every stretch whose initials are the letters in order; links may lie between."""
    for first in range(len(words)):
        place, taken = first, 0
        while place < len(words) and taken < len(letters):
            word = words[place].group().lower()
            if len(word) > 1 and word[0] == letters[taken]:
                taken += 1
            elif not taken or word not in _LINKS:
                break
            place += 1
        if taken == len(letters):
            yield words[first], words[place - 1]


def _spans_in_any_order(letters: Sequence[str], words: _Words) -> _Spans:
    """First and last word of every stretch of words whose initials are the letters in any order."""
    wanted = sorted(letters)
    initials = [_initial(word.group()) for word in words]
    for first in range(len(words) - len(letters) + 1):
        if sorted(initials[first : first + len(letters)]) == wanted:
            yield words[first], words[first + len(letters) - 1]


def _initial(word: str) -> str:
    """A word's first letter in lower case; empty for a link, and for a word in capitals: it is a short form itself."""
    return "" if word.lower() in _LINKS or word.isupper() else word[0].lower()


def expand(mention: str, abbreviations: Mapping[str, str]) -> str:
    """A mention with its abbreviations expanded; the mention itself where it has none.

    ``cerebral ALD`` becomes ``cerebral adrenoleukodystrophy`` where the document defines ALD. A plural (``MENs``) is
    expanded like its singular.
    """
    if mention in abbreviations:
        return abbreviations[mention]

    def long_form(match: re.Match[str]) -> str:
        word = match.group()
        return abbreviations.get(word) or abbreviations.get(word.removesuffix("s")) or word

    whole = _WORD.sub(long_form, _without_asides(mention, abbreviations))
    return _TWICE.sub(r"\1", whole).replace("  ", " ").strip() or mention


def abbreviations_in(mention: str, abbreviations: Mapping[str, str]) -> dict[str, str]:
    """The abbreviations that `expand` expands in a mention, each with its long form, in their order."""
    if mention in abbreviations:
        return {mention: abbreviations[mention]}
    words = _WORD.findall(_without_asides(mention, abbreviations))
    shorts = (word if word in abbreviations else word.removesuffix("s") for word in words)
    return {short: abbreviations[short] for short in shorts if short in abbreviations}


def _without_asides(mention: str, abbreviations: Mapping[str, str]) -> str:
    """A mention without the abbreviations that stand in parentheses behind what they mean."""
    return _PARENTHESIS.sub(lambda match: "" if match.group(1) in abbreviations else match.group(), mention)
