"""The marks of checklists beside a mention, which say whether it is there: "Fever: no", "(-) cough", "+rash", an empty
box, "Sepsis?". Words that say so are in `ontonym.text.notes.cues`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ontonym.text.values import is_measured

MarkMeaning = Literal["", "present", "negated", "uncertain", "queried"]
"""What a mark says of a mention; nothing where it has none. *Queried* is one after a question mark: "?sepsis"."""

_NO = r"\([^\S\n]?[-–−][^\S\n]?\)|\[[^\S\n]*\]|\([^\S\n]+\)|[☐□]"
_YES = r"\([^\S\n]?\+[^\S\n]?\)|\[[xX✓✔]\]|[☑✓✔]"
_LEADING = re.compile(rf"(?:(?P<no>{_NO})|(?P<yes>{_YES}))[^\S\n]*\Z")
_TRAILING = re.compile(rf"[^\S\n]*(?:{_NO}|\((?:neg|no)\))", re.IGNORECASE)
_MARK = re.compile(rf"\s*(?:[-*•][^\S\n]+)?(?:{_NO}|{_YES})")
_CLAUSE = re.compile(r"[^\n,;.:]*\Z")
_SIGN = re.compile(r"(?:(?P<edge>^|[,:;(/][^\S\n]?)|(?<=\s))(?P<sign>[-−+])\Z", re.MULTILINE)
_PLUS = re.compile(r"(?:^|[\s(/])\+(?=\w)|[,:;(/][^\S\n]?[-−](?=[^\W\d])")
_VALUE = re.compile(
    r"[^\S\n]*(?:[:=?：]|(?<=\s)[-–—](?=\s))[^\S\n]*(?P<value>no|none|nil|n|neg|negative|denies|denied|absent"
    r"|nein|keine?s?|negativ[oa]?|négatif|non|não|nao|nega|niega|nee|geen|yok|hayır|なし|無し?|无|ない|陰性|阴性)"
    r"(?=[^\S\n]*(?:[.,;)\]\n。、，；]|\Z))",
    re.IGNORECASE,
)
_ASKED_BEFORE = re.compile(r"\?\s?\Z|(?<![^\s(,;:/+-])\?{1,2}[^\S\n]?(?:[^\W\d_]+[^\S\n]){1,2}\Z")  # "?early dementia"
_ASKED = re.compile(r"(?:\?|[^\S\n]\?(?![^\W\d_]))(?!\s*(?:yes|y)\b)", re.IGNORECASE)
_OF_THE_KNOWN = re.compile(r"\b(?:what|which|how|when|why|where|who|can|my|his|her)\b", re.IGNORECASE)
_FARTHEST = 200
"""Characters before a mention, and on its line, in which marks are looked for."""


def denying_values(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Where the values of mentions stand that deny them: "no" of "Fever: no"; such a word says nothing of others."""
    for _, end in spans:
        if found := _VALUE.match(text, end):
            yield found.start("value")


def marked(text: str, start: int, end: int, sentence: int) -> MarkMeaning:
    """What the marks beside a mention say of it; ``sentence`` is where its sentence begins.

    A question is none about whether there is something if it asks what or how, or of something that somebody has
    ("What helps my asthma?"). What was measured is there ("no cough, temp 39").
    """
    before = text[max(sentence, start - _FARTHEST) : start]
    clause = _CLAUSE.search(before)
    leads = clause is not None and bool(_MARK.match(clause.group()))
    if leads and (mark := _LEADING.search(before)):
        return "negated" if mark["no"] else "present"
    if sign := _signed(text, start):
        return sign
    if (not leads and _TRAILING.match(text, end)) or _VALUE.match(text, end):
        return "negated"
    if _ASKED_BEFORE.search(before):
        return "queried"
    if _ASKED.match(text, end) and not _OF_THE_KNOWN.search(before):
        return "uncertain"
    return "present" if is_measured(text[start:end]) else ""


def _signed(text: str, start: int) -> MarkMeaning:
    """What a plus or minus says that a mention begins with; a minus is a dash unless the line has another such sign."""
    line = text.rfind("\n", 0, start) + 1
    sign = _SIGN.search(text[max(line, start - 3) : start])
    if sign is None:
        return ""
    if sign["sign"] == "+":
        return "present"
    stop = text.find("\n", start)
    around = text[max(line, start - _FARTHEST) : min(stop if stop >= 0 else len(text), start + _FARTHEST)]
    return "negated" if _PLUS.search(around) else ""
