"""How a text speaks of a mention: whether it is negated, uncertain, only thought of, of the past, or of the family.

A cue applies to a mention unless a sentence ends or a clause begins between them, or they are too far apart; one before
a list ("Denies:") applies to each of its items. The method is that of NegEx (Chapman et al. 2001, A simple algorithm
for identifying negated findings and diseases in discharge summaries) and ConText (Harkema et al. 2009). The cues, in
`ontonym.text.cues`, are our own. What the section of a note says is in `ontonym.text.sections`. English text only.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ontonym.text.cues import AFTER, ASSERTS, BEFORE, ENDS, NEITHER, TELLING
from ontonym.text.sentences import sentence_ends

CONTEXTS = ("negated", "uncertain", "hypothetical", "historical", "family")
"""What a text can say of a mention, in the order in which it is reported."""

REACH_AFTER = 25
"""Most words between a cue and a mention after it."""
REACH_BEFORE = 6
"""Most words between a mention and a cue after it."""

_REACH_OF = MappingProxyType(
    dict.fromkeys(("possibly", "could_be", "could_have", "may_be", "may_have", "might_be", "might_have"), 5)
    | dict.fromkeys(("not", "isn't", "wasn't", "previous", "prior", "former", "remote", "apparent"), 3)
    | dict.fromkeys(("negative", "instead_of", "rather_than", "inconsistent_with"), 3)
    | {"if": 8, "absent": 2, "whether": 4, "versus": 1, "vs": 1, "none": 1, "free": 0}
)
"""The reach of cues that apply only to what is near."""

_WORD = re.compile(r"[^\W_]+(?:['’/][^\W_]+)*")
_GAP = re.compile(r"['’]?[\s-]+")
_CLAUSE_END = re.compile(r"\s*(?:[.,;:)\]]|$)|[^\S\n]*\n")
_ITEM = re.compile(r"[^\S\n]*(?:[-*•·–▪◦]|\(?\d{1,2}[.)])[^\S\n]")
_LEADS = re.compile(r":\s*$")
_ASKED = re.compile(r"\?\s?$")
_FARTHEST = 600
_MOST_ITEMS = 60
_NEGATIONS = frozenset(BEFORE["negated"].split("|"))
_LONGEST_NEGATION = max(cue.count("_") for cue in _NEGATIONS) + 1
_ENDS_ALL, _ENDS_DOUBT = "all", "doubt"


@dataclass(frozen=True, slots=True)
class _Phrase:
    """What a phrase says of a mention that follows it (``before``) and of one that precedes it (``after``)."""

    words: tuple[str, ...]
    before: str = ""
    after: str = ""
    ends: str = ""

    @property
    def key(self) -> str:
        return "_".join(self.words)


@dataclass(frozen=True, slots=True)
class _Cue:
    """A phrase at its place in the text."""

    start: int
    end: int
    phrase: _Phrase


def without_negation(text: str) -> str:
    """What follows the negation that a text begins with ("fever" of "no fever"); empty if it begins with none."""
    cue = max(_leading_cues(text), key=len, default="")
    return text[len(cue) :].strip() if cue else ""


def _leading_cues(text: str) -> Iterator[str]:
    words = text.split()
    for number in range(1, min(_LONGEST_NEGATION, len(words) - 1) + 1):
        if "_".join(words[:number]).lower() in _NEGATIONS:
            yield text[: text.index(words[number], sum(map(len, words[:number])))]


def contexts(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
    """For each mention what the text says of it, of `CONTEXTS`; the spans are in order, and none overlaps another."""
    if not spans:
        return []
    ends = sentence_ends(text)
    cues = list(_cues(text, spans))
    starts = [cue.start for cue in cues]
    found: list[tuple[str, ...]] = []
    for start, end in spans:
        place = bisect_right(ends, start)
        first = max(ends[place - 1] if place else 0, start - _FARTHEST)
        last = min(ends[place] if place < len(ends) else len(text), end + _FARTHEST)
        leading = cues[bisect_left(starts, first) : bisect_left(starts, start)]
        following = cues[bisect_left(starts, end) : bisect_left(starts, last)]
        said = _said_before(text, leading, start) | _said_after(text, following, end)
        lead = _lead_in(text, ends, place)
        if lead is not None:
            said |= _said_before(text, cues[bisect_left(starts, lead[0]) : bisect_left(starts, lead[1])], lead[1])
        if _ASKED.search(text, max(first, start - 2), start):
            said.add("uncertain")
        found.append(tuple(name for name in CONTEXTS if name in said))
    return found


def _lead_in(text: str, ends: Sequence[int], place: int) -> tuple[int, int] | None:
    """Where the words before a list stand, such as "Negative for:", if the sentence at this place is an item of it."""
    first = place
    while first and place - first < _MOST_ITEMS and _ITEM.match(text, ends[first - 1]):
        first -= 1
    if first == place:
        return None
    start, end = ends[first - 1] if first else 0, ends[first]
    return (start, end) if _LEADS.search(text, start, end) else None


def _said_before(text: str, cues: Sequence[_Cue], start: int) -> set[str]:
    """What the cues before a mention say of it, from the nearest to where another clause ends."""
    said: set[str] = set()
    asserted = False
    for cue in reversed(cues):
        phrase = cue.phrase
        if phrase.ends == _ENDS_ALL:
            break
        asserted = asserted or phrase.ends == _ENDS_DOUBT
        if not phrase.before or (asserted and phrase.before in _DOUBTS):
            continue
        if _between(text, cue.end, start) <= _REACH_OF.get(phrase.key, REACH_AFTER):
            said.add(phrase.before)
    return said


def _said_after(text: str, cues: Sequence[_Cue], end: int) -> set[str]:
    """What the cues after a mention say of it, up to where another clause begins."""
    said: set[str] = set()
    for cue in cues:
        phrase = cue.phrase
        if phrase.ends or (phrase.before and not phrase.after):
            break
        if phrase.before and phrase.key not in _BETWEEN_TWO and not _CLAUSE_END.match(text, cue.end):
            break  # "fever, possible sepsis": it applies to what comes next
        if phrase.after and _between(text, end, cue.start) <= min(
            _REACH_OF.get(phrase.key, REACH_BEFORE), REACH_BEFORE
        ):
            said.add(phrase.after)
    return said


_DOUBTS = ("negated", "uncertain", "hypothetical")
_BETWEEN_TWO = ("versus", "vs")


def _between(text: str, start: int, end: int) -> int:
    """The number of words between two places."""
    return len(_WORD.findall(text, start, end))


def _cues(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[_Cue]:
    """The cues of a text that lie outside mentions; of overlapping ones the longest."""
    phrases = _phrases()
    words = [(match.start(), match.end(), match.group().lower().replace("’", "'")) for match in _WORD.finditer(text)]
    begins = [start for start, _ in spans]
    place = 0
    while place < len(words):
        step = 1
        for phrase in phrases.get(words[place][2], ()):
            if phrase.before == "family" and words[min(place + 1, len(words) - 1)][2] in TELLING:
                continue  # the person who reports it is not the person who has it
            start, end = words[place][0], _end_of(text, words, place, phrase)
            if end and not (_overlaps(spans, begins, start, end) or _is_abbreviation(text, text[start:end])):
                step = len(phrase.words)
                if phrase.before or phrase.after or phrase.ends:
                    yield _Cue(start, end, phrase)
                break
        place += step


def _is_abbreviation(text: str, written: str) -> bool:
    """Whether the text defines it as an abbreviation: "nitric oxide (NO)"."""
    return written.isupper() and f"({written})" in text


def _end_of(text: str, words: Sequence[tuple[int, int, str]], place: int, phrase: _Phrase) -> int:
    """Where the phrase ends that begins with this word; 0 where the text does not have it."""
    last = place + len(phrase.words) - 1
    if last >= len(words):
        return 0
    for number, wanted in enumerate(phrase.words[1:], place + 1):
        if words[number][2] != wanted or not _GAP.fullmatch(text, words[number - 1][1], words[number][0]):
            return 0
    return words[last][1]


def _overlaps(spans: Sequence[tuple[int, int]], begins: Sequence[int], start: int, end: int) -> bool:
    place = bisect_left(begins, end) - 1
    return place >= 0 and spans[place][1] > start


@cache
def _phrases() -> Mapping[str, tuple[_Phrase, ...]]:
    """The phrases by their first word, the longest first."""
    before, after, ends = _by_phrase(BEFORE), _by_phrase(AFTER), _by_phrase({_ENDS_ALL: ENDS, _ENDS_DOUBT: ASSERTS})
    keys = {*before, *after, *ends, *NEITHER.split("|")}
    found: dict[str, list[_Phrase]] = {}
    for key in sorted(keys, key=lambda key: (-key.count("_"), key)):
        phrase = _Phrase(tuple(key.split("_")), before.get(key, ""), after.get(key, ""), ends.get(key, ""))
        found.setdefault(phrase.words[0], []).append(phrase)
    return {first: tuple(listed) for first, listed in found.items()}


def _by_phrase(table: Mapping[str, str]) -> dict[str, str]:
    return {phrase: name for name, listed in table.items() for phrase in listed.split("|")}
