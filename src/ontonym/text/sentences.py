"""Where sentences end in clinical text: after a full stop that is not part of an abbreviation or a number, at a
semicolon, at a list item, at a line that begins anew, and where somebody dictates so ("full stop", "new paragraph").
"""

from __future__ import annotations

import re

ABBREVIATED = frozenset(
    "al approx assoc ca cf cm corp dept diff dr dx ed eds eg esp est etc ext fig figs hosp hr hrs hx ie inc incl "
    "jr lab lat ltd max mg min misc mo mos mr mrs ms mt neg no nos nr op pos pp prof pt pts ref reg resp rx sec sr "
    "st surg sx temp tx univ viz vol vs wk wks wt yr yrs jan feb mar apr jun jul aug sept oct nov dec".split()
)
"""Words that a full stop abbreviates: what follows in small letters or as a number is of the same sentence."""

TITLES = frozenset(
    "dr drs mr mrs ms prof st mt rev hon vs cf approx e.g i.e eg ie al "
    "v.a z.n st.p st.n d.d z.b u.a a.e bek bzw chron evtl ggf inkl pat rezid sog susp vgl sra dra mme ant atcd".split()
)
"""Those that no sentence ends with, whatever follows; the second line is of other languages."""

_STOP = re.compile(
    r"(?P<stop>[.!?])[\"'”’)\]]*(?=\s|$)"
    r"|[;\x0c\u2029]"
    r"|\b(?i:full\s+stop|(?:new|next)\s+(?:paragraph|line))\b"
    r"|\r?\n[^\S\n]*(?=[-*•·–▪◦\r\n]|\(?\d{1,2}[.)]\s|[^\Wa-z\d_]|$)",
    re.MULTILINE,
)
_BEFORE = re.compile(r"(?:^|(?<=[\s(\[/]))[^\W\d_]+(?:\.[^\W\d_]+)*$")
"""The word before a full stop: "Dr", "e.g"."""
_SPACED = re.compile(r"(?<!\w)(?:[vzdu]\.\s[anbd]|st\.\s[pn])\.\s", re.IGNORECASE)
"""German abbreviations of two words: "V. a. Pneumonie", "Z. n. Appendektomie"."""
_NUMBERED = re.compile(r"(?:^|\n)[^\S\n]*\(?\d{1,2}$")
"""The number of an item, at the beginning of a line."""
_OF_NAMES = re.compile(r"(?:^|[\n.])[^\S\n]*$")
"""What stands before an initial: nothing on its line, or another full stop."""
_NEXT = re.compile(r"\s*[\"'“‘(\[]*(\S)")
"""The first character of what follows."""
_LONGEST_WORD = 20
"""Characters before a full stop in which its word is looked for."""


def sentence_ends(text: str) -> list[int]:
    """The places where sentences of a text end, ascending: of each the first character after it.

    "Dr. Smith", "2.5 mg", "q.d. for", "Dr. J. R. Jones" and "approx. 3 cm" have none inside. A list item is a sentence,
    and so is a line that begins with a capital; a line that goes on in small letters or with a number continues the
    line before. A blank line, a form feed and a paragraph separator (U+2029) end a sentence.
    """
    return [match.end() for match in _STOP.finditer(text) if match["stop"] != "." or _ends(text, match)]


def _ends(text: str, match: re.Match[str]) -> bool:
    """Whether the full stop ends a sentence."""
    stop = match.start()
    first = max(0, stop - _LONGEST_WORD)
    before = _BEFORE.search(text, first, stop)
    if before is None:
        return not _NUMBERED.search(text, first, stop)  # "1. Asthma" is one item
    word, following = before.group(), _NEXT.match(text, match.end())
    if word.lower() in TITLES or _is_spaced(text, before.start(), match.end()):
        return False
    if len(word) == 1 and word.isupper() and _OF_NAMES.search(text, first, before.start()):
        return False  # an initial: hepatitis B ends a sentence, and "Dr. B. Jones" does not
    if "." in word or word.lower() in ABBREVIATED:
        return following is None or following[1].isupper()
    return True


def _is_spaced(text: str, start: int, end: int) -> bool:
    """Whether a word and its full stop are part of an abbreviation of two words with a space between."""
    return end - start <= 3 and any(_SPACED.match(text, place) for place in (start, start - 3, start - 4) if place >= 0)
