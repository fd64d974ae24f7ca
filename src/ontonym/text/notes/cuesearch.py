"""Finds the cues in a text, those of `ontonym.text.notes.cues` or of another language, that say something of the
mentions in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

from ontonym.text.frames import of_family
from ontonym.text.notes.cues import BEFORE, REPORTING_WORDS, SCOPE_OF
from ontonym.text.notes.cuetable import ENDS_FAMILY, ENDS_SAYING, CuePhrase, CueTable, cue_table
from ontonym.text.notes.notewords import NoteWord, note_words, words_between
from ontonym.text.notes.relatives import NamedRelative, pronouns_of_relatives, reported_siblings
from ontonym.text.notes.reported import reports_siblings, written_about

MentionSpan = tuple[int, int]
"""Where a mention begins and ends."""

CONTEXTS_IN_MENTIONS = ("historical", "family")
"""The contexts that a cue inside a mention gives too, to this mention and to what follows: "history of gout"."""

_IN_SOME = re.compile(
    r"\bin\s+(?:all|another|both|each|every|half|many|most|one|several|some|two|three|four|five|six|seven|eight|nine|ten"
    r"|\d+)\b(?!\s+(?:(?:or|to)\s+\w+\s+)?(?:day|week|month|year|hour)s?\b)",
    re.IGNORECASE,
)
"""In how many patients something was found: "in two", "in 3 of them"; not how soon ("in two days")."""
_OF_PATIENT, _CLAUSE_VERBS, _SHORT_VERB = frozenset({"he", "she"}), frozenset("got had has is was".split()), 3
_GOES_ON = REPORTING_WORDS | frozenset(
    "after although and as because before believe but certain chance doubt evidence feel hope if is likely nor once "
    "or possible risk sign since so suggestion sure suspect than that think though unless unlikely until was what when "
    "where whereas whether which while who why".split()
)
"""Words with which a clause goes on, or that begin one which says when, why or what."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase at its place in the text; ``inside``: it applies only to the mention that it is part of."""

    start: int
    end: int
    phrase: CuePhrase
    inside: bool = False

    def covers(self, mention: MentionSpan) -> bool:
        """Whether all of a mention is words of the cue, as with *mother*, which is a concept of MeSH."""
        return self.start <= mention[0] and mention[1] <= self.end


def find_cues(
    text: str, mentions: Sequence[MentionSpan], sentence_ends: Sequence[int], language: str = ""
) -> Iterator[Cue]:
    """The cues of a text that lie outside mentions, or say of one whose or when it is.

    Of those that begin in one place it is the longest. ``language`` is that of the text, empty for English.
    """
    table = cue_table(language)
    words = list(note_words(text, language))
    starts = [start for start, _ in mentions]
    patient = "" if language else written_about(text)
    relatives = pronouns_of_relatives(words, sentence_ends, patient)
    siblings = reported_siblings(words) if not language and reports_siblings(text) else frozenset()
    place = 0
    while place < len(words):
        word = words[place]
        cue = next(_cues_at(text, words, place, mentions, starts, table), None) if word.text in table.longest else None
        is_patient = cue is not None and _is_of_patient(cue.phrase, patient, is_sibling=place in siblings)
        if cue is not None and not is_patient and (cue.phrase.before or cue.phrase.after or cue.phrase.ends):
            yield cue
        if place in relatives and not NamedRelative(text, words, place, place + 1).is_reporter(table):
            yield Cue(word.start, word.end, CuePhrase(word.text, "family"))
        elif not language and _begins_run_on_clause(text, words, place):
            yield Cue(word.start, word.end, CuePhrase(word.text, ends=ENDS_SAYING))
        # phrases of the one who writes hold others: "I wonder if"
        place += 1 if cue is None or cue.phrase.ends == ENDS_FAMILY else cue.phrase.text.count(" ") + 1


def _is_of_patient(phrase: CuePhrase, patient: str, *, is_sibling: bool) -> bool:
    """Whether a phrase names a relative who is the ``patient`` of a message, or a sibling whom a report is on."""
    return phrase.before == "family" and (is_sibling or phrase.text.split()[-1] == patient)


def _begins_run_on_clause(text: str, words: Sequence[NoteWord], place: int) -> bool:
    """Whether a pronoun begins a clause about the patient, though nothing parts it from the one before: "his cousin has
    asthma he had hepatitis as a child", as in a dictated text."""
    if not 0 < place < len(words) - 1 or words[place].text not in _OF_PATIENT:
        return False
    verb = words[place + 1].text
    return (
        (verb in _CLAUSE_VERBS or (verb.endswith("s") and len(verb) > _SHORT_VERB))
        and words[place - 1].text not in _GOES_ON
        and not text[words[place - 1].end : words[place].start].strip(" ")
    )


def in_some(text: str) -> bool:
    """Whether a text says in how many patients something was found: the "in two" of "ptosis in two, ataxia in none"."""
    return bool(_IN_SOME.search(text))


def _cues_at(
    text: str,
    words: Sequence[NoteWord],
    place: int,
    mentions: Sequence[MentionSpan],
    starts: Sequence[int],
    table: CueTable,
) -> Iterator[Cue]:
    """The cues that begin with a word, the longest first; ``starts`` are those of the mentions."""
    for length in range(min(table.longest[words[place].text], len(words) - place), 0, -1):
        run = words[place : place + length]
        phrase = table.phrases.get(" ".join(word.text for word in run))
        if phrase is None or not _is_joined(text, run, table.gap):
            continue
        if phrase.before == "family":
            relative = NamedRelative(text, words, place, place + length)
            if relative.is_reporter(table) or relative.is_named_for_patient():
                continue  # who reports it, or is named in passing, is not the person who has it
        start, end = run[0].start, run[-1].end
        if _is_abbreviation(text, text[start:end]):
            continue
        mention = _last_overlapped(mentions, starts, start, end)
        cue = Cue(start, end, phrase)
        if mention is None or cue.covers(mention):
            yield cue
        elif _applies_inside(text, mention, start, phrase):
            yield replace(cue, inside=phrase.text in SCOPE_OF)


def _applies_inside(text: str, mention: MentionSpan, start: int, phrase: CuePhrase) -> bool:
    """Whether a cue at the beginning of a mention applies to it: "history of gout", "mother had gout"."""
    if phrase.before not in CONTEXTS_IN_MENTIONS or words_between(text, mention[0], start) > 1:
        return False
    is_of_family = phrase.text in _family_histories() or bool(of_family(text[slice(*mention)]))
    return phrase.before == "historical" or is_of_family


@cache
def _family_histories() -> frozenset[str]:
    return frozenset(cue for cue in BEFORE["family"] if cue.startswith(("family", "fh")))


def _is_abbreviation(text: str, written: str) -> bool:
    """Whether the text defines it as an abbreviation: "nitric oxide (NO)"."""
    return written.isupper() and written in _in_parentheses(text)


@lru_cache(maxsize=1)  # each cue in capitals of the same text asks
def _in_parentheses(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\(([^()]+)\)", text))


def _is_joined(text: str, words: Sequence[NoteWord], gap: re.Pattern[str]) -> bool:
    """Whether nothing but a gap, such as spaces and hyphens, stands between words."""
    return all(gap.fullmatch(text, one.end, other.start) for one, other in pairwise(words))


def _last_overlapped(
    mentions: Sequence[MentionSpan], starts: Sequence[int], start: int, end: int
) -> MentionSpan | None:
    """The last mention that a place overlaps."""
    place = bisect_left(starts, end) - 1
    return mentions[place] if place >= 0 and mentions[place][1] > start else None
