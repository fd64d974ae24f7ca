"""The cues of a language as they are looked for: each phrase with what it says of the mentions before and after it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from ontonym.text.foreign.cues import CUES_OF, ForeignCues
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
    return _foreign_table(CUES_OF[language]) if language in CUES_OF else _english_table()


def _english_table() -> CueTable:
    ends = {
        ENDS_ALL: TERMINATIONS,
        ENDS_DOUBT: ASSERTIONS,
        ENDS_CAUSE: CAUSE_PHRASES,
        ENDS_FAMILY: SELF_PHRASES,
        ENDS_SAYING: REPORT_PHRASES,
    }
    phrases = _phrases(BEFORE, AFTER, ends, PSEUDO_CUES)
    return CueTable(
        phrases=phrases,
        longest=_longest_by_first_word(phrases),
        reporting=REPORTING_WORDS,
        reporter_prefixes=REPORTER_PREFIXES,
        gap=GAP,
    )


def _foreign_table(cues: ForeignCues) -> CueTable:
    relatives = {"family": f"{cues.before.get('family', '')}, {cues.relatives}"}
    ends = {ENDS_ALL: cues.terminations, ENDS_DOUBT: cues.assertions}
    lines = {"pseudo": cues.pseudo_cues, "after": cues.reporting.replace(" ", ","), "before": cues.reporter_prefixes}
    (pseudo, reporting, reporter_prefixes) = map(frozenset, _unaccented_phrases(lines).values())
    phrases = _phrases(
        _unaccented_phrases({**cues.before, **relatives}),
        _unaccented_phrases(cues.after),
        _unaccented_phrases(ends),
        pseudo,
    )
    return CueTable(
        phrases=phrases,
        longest=_longest_by_first_word(phrases),
        reporting=reporting,
        reporter_prefixes=reporter_prefixes,
        gap=_FOREIGN_GAP,
    )


def _phrases(
    before: Mapping[str, Iterable[str]],
    after: Mapping[str, Iterable[str]],
    ends: Mapping[str, Iterable[str]],
    pseudo: Iterable[str],
) -> dict[str, CuePhrase]:
    """The phrases of three tables, by the context that they give or the scopes that they end; ``pseudo`` give none."""
    of_before, of_after, of_ends = map(_by_phrase, (before, after, ends))
    every = {*of_before, *of_after, *of_ends, *pseudo}
    return {one: CuePhrase(one, of_before.get(one, ""), of_after.get(one, ""), of_ends.get(one, "")) for one in every}


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
