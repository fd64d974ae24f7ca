"""The cues of a language as they are looked for: each phrase with what it says of the mentions before and after it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from ontonym.text.foreign.cues import CUES_OF
from ontonym.text.notes.cues import (
    AFTER,
    ASSERTIONS,
    BEFORE,
    CAUSE_PHRASES,
    PSEUDO_CUES,
    REPORT_PHRASES,
    REPORTER_PREFIXES,
    REPORTING_WORDS,
    SELF_PHRASES,
    TERMINATIONS,
)
from ontonym.text.patterns import phrases_of

ENDS_ALL: Final = "all"
ENDS_DOUBT: Final = "doubt"
ENDS_CAUSE: Final = "cause"
ENDS_FAMILY: Final = "family"
ENDS_SAYING: Final = "saying"
"""The scopes that the phrases of `TERMINATIONS`, `ASSERTIONS`, `CAUSE_PHRASES`, `SELF_PHRASES` and `REPORT_PHRASES` in
`ontonym.text.notes.cues` end."""

GAP = re.compile(r"['’]?[\s-]+")
_FOREIGN_GAP = re.compile(r"\.?[\s-]+|\.")
"""What may stand between the words of a phrase; in other languages those of an abbreviation may have full stops:
"V.a.", "Z. n."."""


@dataclass(frozen=True, slots=True)
class CuePhrase:
    """A phrase with the context that it gives to a mention which it stands ``before``, and to one which it stands
    ``after``, and the cues before it whose scope it ``ends``.

    "denies" gives *negated* to what follows, "ruled out" to what precedes; "but" ends the scope of every cue."""

    text: str
    before: str = ""
    after: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CueTable:
    """The phrases of a language, by their first word the number of words of the longest, the words after and before a
    relative who only reports, and what may stand between the words of a phrase."""

    phrases: Mapping[str, CuePhrase]
    longest: Mapping[str, int]
    reporting: frozenset[str]
    reporter_prefixes: frozenset[str]
    gap: re.Pattern[str]


@cache
def cue_table(language: str) -> CueTable:
    """The phrases of a language, those of English where it has no table."""
    if language not in CUES_OF:
        before, after, pseudo = _by_phrase(BEFORE), _by_phrase(AFTER), frozenset(PSEUDO_CUES)
        ends = _by_phrase(
            {
                ENDS_ALL: TERMINATIONS,
                ENDS_DOUBT: ASSERTIONS,
                ENDS_CAUSE: CAUSE_PHRASES,
                ENDS_FAMILY: SELF_PHRASES,
                ENDS_SAYING: REPORT_PHRASES,
            }
        )
        reporting, reporter_prefixes, gap = REPORTING_WORDS, REPORTER_PREFIXES, GAP
    else:
        cues, gap = CUES_OF[language], _FOREIGN_GAP
        relatives = {"family": f"{cues.before.get('family', '')}, {cues.relatives}"}
        before, after = (
            _by_phrase(_unaccented_phrases({**cues.before, **relatives})),
            _by_phrase(_unaccented_phrases(cues.after)),
        )
        ends = _by_phrase(_unaccented_phrases({ENDS_ALL: cues.terminations, ENDS_DOUBT: cues.assertions}))
        lines = {
            "pseudo": cues.pseudo_cues,
            "after": cues.reporting.replace(" ", ","),
            "before": cues.reporter_prefixes,
        }
        (pseudo, reporting, reporter_prefixes) = map(frozenset, _unaccented_phrases(lines).values())
    every = {*before, *after, *ends, *pseudo}
    phrases = {one: CuePhrase(one, before.get(one, ""), after.get(one, ""), ends.get(one, "")) for one in every}
    return CueTable(
        phrases=phrases,
        longest=_longest_by_first_word(phrases),
        reporting=reporting,
        reporter_prefixes=reporter_prefixes,
        gap=gap,
    )


def _unaccented_phrases(lines: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The phrases that lines are short for, without accents, by the names of the lines."""
    return {name: tuple(unaccented(phrase) for phrase in phrases_of(line) if phrase) for name, line in lines.items()}


def unaccented(text: str) -> str:
    """A text without accents."""
    return text if text.isascii() else "".join(filter(_is_letter, unicodedata.normalize("NFKD", text)))


def _is_letter(character: str) -> bool:
    return not unicodedata.combining(character)


def _longest_by_first_word(phrases: Iterable[str]) -> dict[str, int]:
    """The number of words of the longest phrase that begins with a word."""
    found: dict[str, int] = {}
    for phrase in phrases:
        first, *rest = phrase.split()
        found[first] = max(found.get(first, 0), 1 + len(rest))
    return found


def _by_phrase(table: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Each phrase of a table with the name of its row."""
    return {phrase: name for name, phrases in table.items() for phrase in phrases}
