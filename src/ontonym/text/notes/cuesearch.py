"""Where cues stand in a text, those of `ontonym.text.notes.cues` or of another language, and which of them say
something of the mentions in it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from ontonym.text.foreign.cues import CUES_OF
from ontonym.text.frames import of_family
from ontonym.text.notes.cues import (
    AFTER,
    ASSERTS,
    BEFORE,
    CAUSES,
    DETERMINERS,
    ENDS,
    LEADS_TO_TELLING,
    NEITHER,
    OF_SELF,
    PRONOUNS,
    REACH_OF,
    SAYS_THAT,
    TELLING,
    TOLD_BY,
)
from ontonym.text.patterns import written_out

MentionSpan = tuple[int, int]
"""Where a mention begins and ends."""

STANDING = ("historical", "family")
"""What a cue also says that is part of a mention, of this and of what follows."""

ENDS_ALL: Final = "all"
ENDS_DOUBT: Final = "doubt"
ENDS_CAUSE: Final = "cause"
ENDS_FAMILY: Final = "family"
ENDS_SAYING: Final = "saying"
"""What a phrase ends: `ENDS`, `ASSERTS`, `CAUSES`, `OF_SELF` and `SAYS_THAT` of `ontonym.text.notes.cues`."""

_WORD = re.compile(r"(?:(?<!\w)[-+](?=ve\b))?[^\W_]+(?:['’/][^\W_]+)*", re.IGNORECASE)
_GAP = re.compile(r"['’]?[\s-]+")
_FOREIGN_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’](?:[^\W_][\u0300-\u036f]*)+)*")
_FOREIGN_GAP = re.compile(r"\.?[\s-]+|\.")
"""Letters may have their accents beside them, and the words of an abbreviation full stops: "V.a.", "Z. n."."""


@dataclass(frozen=True, slots=True)
class CuePhrase:
    """What a phrase says of a mention that follows it (``before``) and of one that precedes it (``after``), and which
    cues before it no longer reach beyond it (``ends``)."""

    text: str
    before: str = ""
    after: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase at its place in the text; ``own``: it says something only of the mention that it is part of."""

    start: int
    end: int
    phrase: CuePhrase
    own: bool = False


class _Word(NamedTuple):
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The phrases of a language, the number of words of the longest that begins with a word, the words by which a
    relative reports, and what stands between the words of a phrase."""

    phrases: Mapping[str, CuePhrase]
    longest: Mapping[str, int]
    telling: frozenset[str]
    told_by: frozenset[str]
    gap: re.Pattern[str]


def find_cues(
    text: str, mentions: Sequence[MentionSpan], sentence_ends: Sequence[int], language: str = ""
) -> Iterator[Cue]:
    """The cues of a text that lie outside mentions, or say of one whose or when it is.

    Of those that begin in one place it is the longest. ``language`` is that of the text, empty for English.
    """
    table = _table(language)
    words = list(_words(text, language))
    starts = [start for start, _ in mentions]
    relatives = _pronouns_of_relatives(words, sentence_ends)
    place = 0
    while place < len(words):
        word = words[place]
        cue = next(_cues_at(text, words, place, mentions, starts, table), None) if word.text in table.longest else None
        if cue is not None and (cue.phrase.before or cue.phrase.after or cue.phrase.ends):
            yield cue
        if place in relatives and not _reports(words, place, place + 1, table):
            yield Cue(word.start, word.end, CuePhrase(word.text, "family"))
        # phrases of the one who writes hold others: "I wonder if"
        place += 1 if cue is None or cue.phrase.ends == ENDS_FAMILY else cue.phrase.text.count(" ") + 1


def _words(text: str, language: str) -> Iterator[_Word]:
    """The words of a text in small letters, in another language than English without accents."""
    foreign = language in CUES_OF
    for match in (_FOREIGN_WORD if foreign else _WORD).finditer(text):
        word = match.group().lower().replace("’", "'")
        yield _Word(match.start(), match.end(), _bare(word) if foreign else word)


def words_between(text: str, start: int, end: int) -> int:
    """The number of words between two places."""
    return len(_WORD.findall(text, start, end))


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
    table: _Table,
) -> Iterator[Cue]:
    """The cues that begin with a word, the longest first; ``starts`` are those of the mentions."""
    for length in range(min(table.longest[words[place].text], len(words) - place), 0, -1):
        run = words[place : place + length]
        phrase = table.phrases.get(" ".join(word.text for word in run))
        if phrase is None or not _is_joined(text, run, table.gap):
            continue
        if phrase.before == "family" and _reports(words, place, place + length, table):
            continue  # the person who reports it is not the person who has it
        start, end = run[0].start, run[-1].end
        if _is_abbreviation(text, text[start:end]):
            continue
        mention = _overlapped(mentions, starts, start, end)
        if mention is None or _says_of(text, mention, start, phrase):
            yield Cue(start, end, phrase, own=mention is not None and phrase.text in REACH_OF)


def _reports(words: Sequence[_Word], start: int, end: int, table: _Table) -> bool:
    """Whether a relative, named by some words, reports what follows ("his wife has noticed", "per mom") or is only with
    the patient."""
    after, before = end, start - 1
    while after < len(words) and words[after].text in LEADS_TO_TELLING:
        after += 1
    if after < len(words) and words[after].text in table.telling:
        return True
    while before >= 0 and words[before].text in DETERMINERS:
        before -= 1
    if before < 0:
        return False
    return (
        words[before].text in table.told_by
        or " ".join(word.text for word in words[max(before - 1, 0) : before + 1]) in table.told_by
    )


def _says_of(text: str, mention: MentionSpan, start: int, phrase: CuePhrase) -> bool:
    """Whether a phrase that begins a mention says whose or when it is: "history of gout", "mother had gout"."""
    if phrase.before not in STANDING or words_between(text, mention[0], start) > 1:
        return False
    is_of_family = phrase.text in _family_histories() or bool(of_family(text[slice(*mention)]))
    return phrase.before == "historical" or is_of_family


@cache
def _family_histories() -> frozenset[str]:
    return frozenset(cue for cue in BEFORE["family"] if cue.startswith(("family", "fh")))


def _pronouns_of_relatives(words: Sequence[_Word], sentence_ends: Sequence[int]) -> set[int]:
    """The pronouns by which sentences go on about a relative of the one who writes (`PRONOUNS`), by number."""
    found: set[int] = set()
    meant, sentence = "", -1
    for place, word in enumerate(words):
        if (current := bisect_right(sentence_ends, word.start)) != sentence:
            sentence = current
            meant = meant if word.text == meant else ""
            if meant:
                found.add(place)
        if place and words[place - 1].text == "my":
            meant = PRONOUNS.get(word.text, meant)
    return found


def _is_abbreviation(text: str, written: str) -> bool:
    """Whether the text defines it as an abbreviation: "nitric oxide (NO)"."""
    return written.isupper() and f"({written})" in text


def _is_joined(text: str, words: Sequence[_Word], gap: re.Pattern[str]) -> bool:
    """Whether nothing but a gap, such as spaces and hyphens, stands between words."""
    return all(gap.fullmatch(text, one.end, other.start) for one, other in pairwise(words))


def _overlapped(mentions: Sequence[MentionSpan], starts: Sequence[int], start: int, end: int) -> MentionSpan | None:
    """The last mention that a place overlaps."""
    place = bisect_left(starts, end) - 1
    return mentions[place] if place >= 0 and mentions[place][1] > start else None


@cache
def _table(language: str) -> _Table:
    """The phrases of a language that has a table, else those of English."""
    if language not in CUES_OF:
        before, after, neither = _names(BEFORE), _names(AFTER), frozenset(NEITHER)
        ends = _names(
            {ENDS_ALL: ENDS, ENDS_DOUBT: ASSERTS, ENDS_CAUSE: CAUSES, ENDS_FAMILY: OF_SELF, ENDS_SAYING: SAYS_THAT}
        )
        telling, told_by, gap = TELLING, TOLD_BY, _GAP
    else:
        cues, gap = CUES_OF[language], _FOREIGN_GAP
        relatives = {"family": f"{cues.before.get('family', '')}, {cues.relatives}"}
        before, after = _names(_folded({**cues.before, **relatives})), _names(_folded(cues.after))
        ends = _names(_folded({ENDS_ALL: cues.ends, ENDS_DOUBT: cues.asserts}))
        (neither, telling, told_by) = map(
            frozenset, _folded({"": cues.neither, "t": cues.telling.replace(" ", ","), "b": cues.told_by}).values()
        )
    every = {*before, *after, *ends, *neither}
    phrases = {one: CuePhrase(one, before.get(one, ""), after.get(one, ""), ends.get(one, "")) for one in every}
    return _Table(phrases=phrases, longest=_longest(phrases), telling=telling, told_by=told_by, gap=gap)


def _folded(lines: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The phrases of some lines without accents, by the names of the lines."""
    return {name: tuple(_bare(phrase) for phrase in written_out(line) if phrase) for name, line in lines.items()}


def _bare(text: str) -> str:
    """A text without accents."""
    return text if text.isascii() else "".join(filter(_is_letter, unicodedata.normalize("NFKD", text)))


def _is_letter(character: str) -> bool:
    return not unicodedata.combining(character)


def _longest(phrases: Iterable[str]) -> dict[str, int]:
    """The number of words of the longest phrase that begins with a word."""
    found: dict[str, int] = {}
    for phrase in phrases:
        first, *rest = phrase.split()
        found[first] = max(found.get(first, 0), 1 + len(rest))
    return found


def _names(table: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The name of each phrase of a table."""
    return {phrase: name for name, phrases in table.items() for phrase in phrases}
