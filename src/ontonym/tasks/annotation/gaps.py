"""What stands between the words of a proposed mention: an enumeration, a verb, or other words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ontonym.text.composite import with_single_spaces
from ontonym.text.findings import has_finding_word
from ontonym.text.wordlists import ELSEWHERE, MODIFIERS

_JOIN = r"(?: / | ,?[ ]?(?:and/or|and|or|nor|&)\b | [-\u2010-\u2015][ ]?(?:and|or|to)\b )"
WORD = r"(?:[ -]*[\w'\u2019]+)"
_SHARED = re.compile(
    rf"""\s*
    (?: (?:,{WORD}{{1,2}})* {_JOIN} {WORD}{{1,2}} \s*                       # "short [and broad] fingers"
      | [-\s]* (?:of[ ])? (?:{WORD}{{1,2}},)* {WORD}{{1,2}} {_JOIN} \s*     # "abnormal [liver and] kidney"
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""What stands between two words of a name where an enumeration does."""
_GOES_ON = re.compile(rf"(?:,{WORD}{{1,2}}){{0,3}}{_JOIN}", re.IGNORECASE | re.VERBOSE)
"""How an enumeration goes on behind one of its members: "knees, elbows[, wrists and] hips"."""
_VERBS = r"is|are|was|were|be|been|being|had|has|have|appear\w*|seem\w*|with|that|which|there|he|she|they|it|for|by|as"
_STATES = re.compile(rf"\b(?:{_VERBS})\b", re.IGNORECASE)
STATES = re.compile(rf"\b(?:{_VERBS}|an?|the)\b", re.IGNORECASE)
"""Words with which something is stated, or another thing begins."""
_DETERMINER = re.compile(
    r"(?<=\b(?:of|in|or|at|on) )(?:the|his|her|their|its|both) |(?<=\band )(?:the|both) ", re.IGNORECASE
)
_BREAKS = re.compile(r"[.,/;:()\[\]]|\b(?:and|or|nor)\b", re.IGNORECASE)
_MOST_BETWEEN = 3
"""Telling words of another member of an enumeration."""
_QUALIFYING = MODIFIERS - {"first", "second"}  # fingers and toes are told apart by these
_LONGEST = 120
"""The most characters of an enumeration: the time for a longer gap is the cube of its spaces and dashes."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """What stands between the words of a proposed mention: how many words that say something (``skipped``), whether
    another member of an enumeration (``joined``), a verb or the like (``stated``), or the end of a phrase (``broken``).
    """

    skipped: int
    joined: bool = False
    stated: bool = False
    broken: bool = False

    def and_then(self, gap: str, words: Sequence[str], before: str, *, listed: bool = False) -> Gaps:
        """With one more gap and its words, small ones left out, behind the word ``before``; ``listed``: an enumeration
        goes on behind it (`list_goes_on`)."""
        is_shared = words and len(words) <= _MOST_BETWEEN and _shares(_as_last(gap) if listed else gap)
        if is_shared and not _lists_findings(gap, words):
            if not ELSEWHERE.isdisjoint(words) or (_QUALIFYING.issuperset(words) and before not in MODIFIERS):
                return replace(self, broken=True)
            return replace(self, joined=True)
        strange = sum(word not in MODIFIERS for word in words)
        stated, broken = _marks(gap)
        if not strange and not stated and not broken:
            return self
        return Gaps(self.skipped + strange, self.joined, self.stated or stated, self.broken or broken)


def list_goes_on(text: str, end: int) -> bool:
    """Whether an enumeration goes on behind one of its members, which ends there: "knees, elbows and hips"."""
    return bool(_GOES_ON.match(text, end, end + _LONGEST))


def _as_last(gap: str) -> str:
    """A gap that a comma ends, as it is before the last member of an enumeration: "of the knees and" of "contractures
    [of the knees, ]elbows and hips"."""
    listed = gap.rstrip().removesuffix(",")
    return f"{listed} and " if len(listed) < len(gap.rstrip()) else gap


@lru_cache(maxsize=1 << 14)  # cached: most gaps are a space, and a gap is asked of for many choices of words
def _shares(gap: str) -> bool:
    gap = _DETERMINER.sub("", with_single_spaces(gap))
    return len(gap) <= _LONGEST and bool(_SHARED.fullmatch(gap)) and not STATES.search(gap)


def _lists_findings(gap: str, words: Sequence[str]) -> bool:
    """Whether a list names other findings: "apnea, seizures, and hypotonia" share no adjective before them."""
    return "," in gap and has_finding_word(words)


@lru_cache(maxsize=1 << 14)
def _marks(gap: str) -> tuple[bool, bool]:
    """Whether a gap has a verb or the like, and whether it ends a phrase."""
    return bool(_STATES.search(gap)), bool(_BREAKS.search(gap))
