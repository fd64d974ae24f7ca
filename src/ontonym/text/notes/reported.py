"""Texts that say who their patient is: reports on siblings ("We describe two brothers with ataxia"), and messages about
a relative ("I'm writing about my daughter"). English only."""

from __future__ import annotations

import re
from collections.abc import Sequence

_KIN = r"(?:siblings|sibs|brothers?|sisters?|twins?)"
_COUNT = r"(?:(?:these|both|the)\s+)?(?:two|three|four|five|six|seven|[2-7])"
_OWNER = r"(?:his|her|my|our|their|whose)\b|(?:pt|patient|proband|mother|father)['\u2019]s\b"
_KINDS = rf"(?:(?!{_OWNER}|(?:and|or|with|of|to|in)\b)[\w-]+,?\s+){{0,4}}"
_COUNTED = rf"\b{_COUNT}\s+{_KINDS}{_KIN}\b"
_ON_TO = rf"(?:(?!{_OWNER}|\b(?:that|who|had|has|have|with|and|but)\b)[^.;:\n]){{0,60}}?"
_REPORTS = (
    r"(?:report|describe|present|document|stud[yi]|identif|examine|evaluate|investigate|assess|review|observe)\w*"
)
_REPORTED = rf"(?:{_REPORTS}|reexamined|seen|referred|admitted|found|diagnosed)"

_SIBLINGS_REPORTED = re.compile(
    rf"""
    \b(?:we|authors?|here(?:in)?|article|paper|study|letter|purpose|objective|aim)\b{_ON_TO}
    \b{_REPORTS}\b{_ON_TO}(?:{_COUNTED}|(?<=\s)(?:monozygotic|dizygotic|identical|affected)\s+{_KINDS}{_KIN}\b)
  | \bI\s+(?:\w+\s+)?(?:saw|met|reviewed|assessed|examined)\s+(?:\w+\s+)?{_COUNTED}
  | \b(?:reports?|cases?|descriptions?|study|assessment|evaluation|findings|features|phenotypes?)\s+(?:of|in)\s+
    {_COUNTED}
  | (?:\A|(?<=[.:;]\s))\s*{_COUNTED}{_ON_TO}(?:with\b[^.;:\n]{{0,150}})?\b(?:are|were|have\sbeen)\s+{_REPORTED}
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What says that the patients of a text are siblings: who reports them, before or after their number."""

_INTRODUCTION = 2000
"""Characters in which a text says whom it reports on."""
_SIBLING = re.compile(rf"{_KIN}(?:['\u2019]s)?")
_SEVERAL = frozenset({"siblings", "sibs", "brothers", "sisters", "twins"})
_WHICH = frozenset(
    "affected elder eldest female first fourth index male middle older oldest other second third twin younger youngest"
    .split()
)  # fmt: skip
_WHOSE = frozenset("his her my our their whose a an another unaffected healthy maternal paternal half".split())
MOST_BEFORE = 3
"""Words before siblings that say which of them are meant, or whose they are."""


def reports_siblings(text: str) -> bool:
    """Whether a text says that its patients are siblings: "two affected brothers are described"."""
    return bool(_SIBLINGS_REPORTED.search(text, 0, _INTRODUCTION))


def is_reported_sibling(before: Sequence[str], kin: str) -> bool:
    """Whether siblings, ``kin`` in small letters after these words, are among the patients of a text that reports on
    siblings: "the elder brother", "both sisters"; not "her brother", "a sister", "the unaffected brothers"."""
    if not _SIBLING.fullmatch(kin):
        return False
    for word in reversed(before[-MOST_BEFORE:]):
        if word in _WHOSE or word.endswith("'s"):
            return False
        if word == "the":
            return True
        if word not in _WHICH:
            break
    return kin in _SEVERAL


_WRITTEN_ABOUT = re.compile(
    r"""
    \b(?: writ\w+ | call\w* | phon\w+ | ring\w* | e-?mail\w* | messag\w+ | contact\w* | ask\w* | question\w* | advice
      | appointment | concern\w* | worr\w+ | help )\b [^.?!\n]{0,40}?
    \b(?: about | for | regarding | concerning | re | on\sbehalf\sof )\s+ (?:my|our)\s+ (?:[\w-]+\s+){0,3}?
    (?P<kin> baby | boy | child | dad | daughter | father | girl | husband | mother | mum | mom | partner
      | son | wife )\b
    (?!['\u2019]s)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPENING = 300
"""Characters in which a message says whom it is about."""


def written_about(text: str) -> str:
    """The relative, in small letters, who is the patient of a message: *daughter* of "I'm writing about my daughter";
    empty where it is about the one who writes."""
    found = _WRITTEN_ABOUT.search(text, 0, _OPENING)
    return found["kin"].lower() if found else ""
