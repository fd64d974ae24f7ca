"""Finds the cues in a text, those of `ontonym.text.notes.cues` or of another language, that say something of the
mentions in it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from ontonym.text.foreign.cues import CUES_OF
from ontonym.text.frames import of_family
from ontonym.text.notes.cues import (
    BEFORE,
    BORN,
    CLAUSE_WORDS,
    COMPARED_KIN,
    COMPARISONS,
    DETERMINERS,
    KIN_CLAUSE,
    PRONOUNS,
    REPORTED_PARENTS,
    REPORTING_AUXILIARIES,
    REPORTING_CHILDREN,
    REPORTING_WORDS,
    SCOPE_OF,
    SIBLINGS,
    WHOSE_CHILD,
)
from ontonym.text.notes.cuetable import ENDS_FAMILY, ENDS_SAYING, GAP, CuePhrase, CueTable, cue_table, unaccented
from ontonym.text.notes.reported import MOST_BEFORE, is_reported_sibling, reports_siblings, written_about

MentionSpan = tuple[int, int]
"""Where a mention begins and ends."""

CONTEXTS_IN_MENTIONS = ("historical", "family")
"""The contexts that a cue inside a mention gives too, to this mention and to what follows: "history of gout"."""

_WORD = re.compile(
    r"(?<!\w)[a-z](?:\.[a-z])+(?![\w.]\w) | (?:(?<!\w)[-+](?=ve\b))? [^\W_]+ (?:['’/][^\W_]+)*",
    re.IGNORECASE | re.VERBOSE,
)
"""A word of English: "p.r.n" (whose points are left out), "-ve", "o'clock", "w/o"."""
_IN_SOME = re.compile(
    r"\bin\s+(?:all|another|both|each|every|half|many|most|one|several|some|two|three|four|five|six|seven|eight|nine|ten"
    r"|\d+)\b(?!\s+(?:(?:or|to)\s+\w+\s+)?(?:day|week|month|year|hour)s?\b)",
    re.IGNORECASE,
)
"""In how many patients something was found: "in two", "in 3 of them"; not how soon ("in two days")."""
_ARTICLES = frozenset({"a", "an", "the", "both"})
_PATIENTS = frozenset("boy case child girl he infant patient proband proposita propositus she".split())
_NUMBERS = frozenset("two three four".split())
_OF_PATIENT, _CLAUSE_VERBS, _SHORT_VERB = frozenset({"he", "she"}), frozenset("got had has is was".split()), 3
_GOES_ON = REPORTING_WORDS | frozenset(
    "after although and as because before believe but certain chance doubt evidence feel hope if is likely nor once "
    "or possible risk sign since so suggestion sure suspect than that think though unless unlikely until was what when "
    "where whereas whether which while who why".split()
)
"""Words with which a clause goes on, or that begin one which says when, why or what."""
_TO_PARENTS, _MOST_OF_PARENTS, _MOST_OF_BIRTH = frozenset({"to", "of"}), 9, 5
"""Words before parents, how many words before them they are looked for, and how many words before those those of birth:
"born at term to healthy, unrelated parents"."""
_MOST_OF_REPORTER = 3
"""Words before what a child of the patient says, in which this one is named."""
_FOREIGN_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’](?:[^\W_][\u0300-\u036f]*)+)*")
"""Letters may have their accents beside them."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase at its place in the text; ``inside``: it applies only to the mention that it is part of."""

    start: int
    end: int
    phrase: CuePhrase
    inside: bool = False


class _Word(NamedTuple):
    start: int
    end: int
    text: str


def find_cues(
    text: str, mentions: Sequence[MentionSpan], sentence_ends: Sequence[int], language: str = ""
) -> Iterator[Cue]:
    """The cues of a text that lie outside mentions, or say of one whose or when it is.

    Of those that begin in one place it is the longest. ``language`` is that of the text, empty for English.
    """
    table = cue_table(language)
    words = list(_words(text, language))
    starts = [start for start, _ in mentions]
    patient = "" if language else written_about(text)
    relatives = _pronouns_of_relatives(words, sentence_ends, patient)
    siblings = _reported_siblings(words) if not language and reports_siblings(text) else frozenset()
    place = 0
    while place < len(words):
        word = words[place]
        cue = next(_cues_at(text, words, place, mentions, starts, table), None) if word.text in table.longest else None
        is_patient = cue is not None and _is_of_patient(cue.phrase, patient, is_sibling=place in siblings)
        if cue is not None and not is_patient and (cue.phrase.before or cue.phrase.after or cue.phrase.ends):
            yield cue
        if place in relatives and not _is_reporter(words, place, place + 1, table):
            yield Cue(word.start, word.end, CuePhrase(word.text, "family"))
        elif not language and _begins_run_on_clause(text, words, place):
            yield Cue(word.start, word.end, CuePhrase(word.text, ends=ENDS_SAYING))
        # phrases of the one who writes hold others: "I wonder if"
        place += 1 if cue is None or cue.phrase.ends == ENDS_FAMILY else cue.phrase.text.count(" ") + 1


def _is_of_patient(phrase: CuePhrase, patient: str, *, is_sibling: bool) -> bool:
    """Whether a phrase names a relative who is the ``patient`` of a message, or a sibling whom a report is on."""
    return phrase.before == "family" and (is_sibling or phrase.text.split()[-1] == patient)


def _begins_run_on_clause(text: str, words: Sequence[_Word], place: int) -> bool:
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


def _reported_siblings(words: Sequence[_Word]) -> frozenset[int]:
    """The siblings who are the patients of a text that reports on siblings, by number."""
    row = [word.text for word in words]
    return frozenset(
        place for place, kin in enumerate(row) if is_reported_sibling(row[max(place - MOST_BEFORE, 0) : place], kin)
    )


def _words(text: str, language: str) -> Iterator[_Word]:
    """The words of a text in small letters, in another language than English without accents."""
    foreign = language in CUES_OF
    for match in (_FOREIGN_WORD if foreign else _WORD).finditer(text):
        word = match.group().lower().replace("’", "'")
        yield _Word(match.start(), match.end(), unaccented(word) if foreign else word.replace(".", ""))


def words_between(text: str, start: int, end: int) -> int:
    """The number of words between two places."""
    return len(_WORD.findall(text, start, end))


def in_some(text: str) -> bool:
    """Whether a text says in how many patients something was found: the "in two" of "ptosis in two, ataxia in none"."""
    return bool(_IN_SOME.search(text))


def first_word(text: str) -> str:
    """The first word of a text in lower case; empty where it has none."""
    found = _WORD.search(text)
    return found[0].lower() if found else ""


def _cues_at(
    text: str,
    words: Sequence[_Word],
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
        if phrase.before == "family" and (
            _is_reporter(words, place, place + length, table) or _tells_of_patient(text, words, place, place + length)
        ):
            continue  # who reports it, or is named in passing, is not the person who has it
        start, end = run[0].start, run[-1].end
        if _is_abbreviation(text, text[start:end]):
            continue
        mention = _last_overlapped(mentions, starts, start, end)
        if mention is None or _applies_inside(text, mention, start, phrase):
            yield Cue(start, end, phrase, inside=mention is not None and phrase.text in SCOPE_OF)


def _is_reporter(words: Sequence[_Word], start: int, end: int, table: CueTable) -> bool:
    """Whether a relative, named by some words, reports what follows ("his wife has noticed", "per mom") or is only with
    the patient."""
    after, before = end, start - 1
    while after < len(words) and words[after].text in REPORTING_AUXILIARIES:
        after += 1
    if after < len(words) and words[after].text in table.reporting:
        return True
    while before >= 0 and words[before].text in DETERMINERS:
        before -= 1
    if before < 0:
        return False
    return (
        words[before].text in table.reporter_prefixes
        or " ".join(word.text for word in words[max(before - 1, 0) : before + 1]) in table.reporter_prefixes
    )


def _tells_of_patient(text: str, words: Sequence[_Word], start: int, end: int) -> bool:
    """Whether a relative, named by some words, is there only to say whose child the patient is ("born to healthy
    parents"), with whom the patient is compared ("unlike his brother"), as one of the patients, or as the patient."""
    if _is_beside_patient(words, start):
        return True
    if end < len(words) and words[end].text in KIN_CLAUSE and _is_joined(text, words[end - 1 : end + 1], GAP):
        return False
    before = start - 1
    while before >= 0 and words[before].text in COMPARED_KIN:
        before -= 1
    compared = " ".join(word.text for word in words[max(before - 1, 0) : before + 1])
    is_compared = before >= 0 and (words[before].text in COMPARISONS or compared in COMPARISONS)
    if is_compared or _is_parent_of_reporter(words, start, end):
        return True
    return _are_affected(words, start, end) or _is_whose_child(words, start, end)


def _is_beside_patient(words: Sequence[_Word], start: int) -> bool:
    """Whether what is said of a relative is said of the patient as well: "she and her sister had ataxia"."""
    before = start - 1
    while before >= 0 and (words[before].text in COMPARED_KIN or words[before].text in _NUMBERS):
        before -= 1
    is_time = before > 2 and words[before - 3].text == "as"  # "as a child, and my husband has gout"
    return before > 0 and words[before].text == "and" and words[before - 1].text in _PATIENTS and not is_time


def _is_parent_of_reporter(words: Sequence[_Word], start: int, end: int) -> bool:
    """Whether a relative is the patient, as the child of this one tells: "daughter says Mum has been falling"."""
    before = start - 1
    while before >= 0 and (words[before].text in DETERMINERS or words[before].text == "that"):
        before -= 1
    if words[end - 1].text not in REPORTED_PARENTS or before < 1 or words[before].text not in REPORTING_WORDS:
        return False
    return any(word.text in REPORTING_CHILDREN for word in words[max(before - _MOST_OF_REPORTER, 0) : before])


def _are_affected(words: Sequence[_Word], start: int, end: int) -> bool:
    """Whether relatives are those whom the text reports on: "the affected siblings", not "his affected siblings"."""
    if words[end - 1].text not in SIBLINGS or start == 0 or words[start - 1].text != "affected":
        return False
    return start == 1 or words[start - 2].text not in DETERMINERS - _ARTICLES


def _is_whose_child(words: Sequence[_Word], start: int, end: int) -> bool:
    """Whether words before a relative say that the patient is the child of that one."""
    if words[end - 1].text not in WHOSE_CHILD:
        return False
    for place in range(start - 1, max(start - _MOST_OF_PARENTS, 0), -1):
        word = words[place].text
        if word in CLAUSE_WORDS:
            return False
        if word in _TO_PARENTS:
            before = [one.text for one in words[max(place - _MOST_OF_BIRTH, 0) : place]]
            return not BORN.isdisjoint(before) and CLAUSE_WORDS.isdisjoint(before[-1:])
    return False


def _applies_inside(text: str, mention: MentionSpan, start: int, phrase: CuePhrase) -> bool:
    """Whether a cue at the beginning of a mention applies to it: "history of gout", "mother had gout"."""
    if phrase.before not in CONTEXTS_IN_MENTIONS or words_between(text, mention[0], start) > 1:
        return False
    is_of_family = phrase.text in _family_histories() or bool(of_family(text[slice(*mention)]))
    return phrase.before == "historical" or is_of_family


@cache
def _family_histories() -> frozenset[str]:
    return frozenset(cue for cue in BEFORE["family"] if cue.startswith(("family", "fh")))


def _pronouns_of_relatives(words: Sequence[_Word], sentence_ends: Sequence[int], patient: str) -> set[int]:
    """The pronouns by which sentences go on about a relative of the one who writes (`PRONOUNS`) who is not the
    ``patient``, by number."""
    found: set[int] = set()
    meant, sentence = "", -1
    for place, word in enumerate(words):
        if (current := bisect_right(sentence_ends, word.start)) != sentence:
            sentence = current
            meant = meant if word.text == meant else ""
            if meant:
                found.add(place)
        if place and words[place - 1].text == "my":
            meant = "" if word.text == patient else PRONOUNS.get(word.text, meant)
        elif word.text == meant:
            found.add(place)
    return found


def _is_abbreviation(text: str, written: str) -> bool:
    """Whether the text defines it as an abbreviation: "nitric oxide (NO)"."""
    return written.isupper() and written in _in_parentheses(text)


@lru_cache(maxsize=1)  # each cue in capitals of the same text asks
def _in_parentheses(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\(([^()]+)\)", text))


def _is_joined(text: str, words: Sequence[_Word], gap: re.Pattern[str]) -> bool:
    """Whether nothing but a gap, such as spaces and hyphens, stands between words."""
    return all(gap.fullmatch(text, one.end, other.start) for one, other in pairwise(words))


def _last_overlapped(
    mentions: Sequence[MentionSpan], starts: Sequence[int], start: int, end: int
) -> MentionSpan | None:
    """The last mention that a place overlaps."""
    place = bisect_left(starts, end) - 1
    return mentions[place] if place >= 0 and mentions[place][1] > start else None
