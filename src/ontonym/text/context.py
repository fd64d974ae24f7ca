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
from itertools import pairwise
from types import MappingProxyType

from ontonym.text.cues import (
    AFTER,
    ASSERTS,
    BEFORE,
    BEGINNINGS,
    CAUSES,
    COMPOUNDS,
    CONDITIONS,
    DETERMINERS,
    ENDS,
    IN_CONDITIONS,
    LEADS_TO_TELLING,
    NEITHER,
    OF_SELF,
    OF_VERBS,
    PRONOUNS,
    REACH_OF,
    SAYS_THAT,
    TELLING,
    TOLD_BY,
)
from ontonym.text.frames import of_family
from ontonym.text.marks import marked, values
from ontonym.text.sections import HEADINGS, SAYS
from ontonym.text.sentences import sentence_ends
from ontonym.text.wordroots import is_adjective

CONTEXTS = ("negated", "uncertain", "hypothetical", "historical", "family")
"""What a text can say of a mention, in the order in which it is reported."""

REACH_AFTER = 25
"""Most words between a cue and a mention after it."""
REACH_BEFORE = 6
"""Most words between a mention and a cue after it."""

_WORD = re.compile(r"[^\W_]+(?:['’/][^\W_]+)*")
_GAP = re.compile(r"['’]?[\s-]+")
_BEGINS = re.compile(rf",\s+(?:{BEGINNINGS})\b", re.IGNORECASE)
"""Where a list of what there is begins, after what there is not: "no flashes, a few floaters"."""
_AND, _OR = re.compile(r",[^.]*\b(?:and|with)\b", re.IGNORECASE), re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|or|nor)\b|[&+/]", re.IGNORECASE)
_OF_ITEM = re.compile(r"[^,;:]*\b(?:(?:with|but|w) no|without|w/o)", re.IGNORECASE)  # an item's own negation
_CAUSED = frozenset("due secondary from because related given".split())
_CLAUSE_END = re.compile(r"\s*(?:[.,;:?!)\]]|$)|[^\S\n]*\n")
_ITEM = re.compile(r"[^\S\n]*(?:[-*•·–▪◦]|\(?\d{1,2}[.)])[^\S\n]")
_OUT_OF_BRACKETS = re.compile(r"[^(\[)\]]*[)\]]")
_SAID_OF_IT = re.compile(r"\s*[,;.)]")
"""What follows a cue that says something of what stands before it: "cough absent, fever", "platelets normal, fever"."""
_LEAVES = re.compile(r"[^(\[)\]]*[)\]]\s*[,;]")
_LEADS = re.compile(r":\s*$")
_REST_OF_CLAUSE = re.compile(r"[^.,;:?!)\]\n]*")
_FOR = re.compile(r"\bfor\b", re.IGNORECASE)
_FARTHEST = 600
_MOST_ITEMS = 60
_NEGATIONS = frozenset(BEFORE["negated"].split("|"))
_LONGEST_NEGATION = max(cue.count("_") for cue in _NEGATIONS) + 1
_DOUBTS = ("negated", "uncertain", "hypothetical")
_ENDS_ALL, _ENDS_DOUBT, _ENDS_CAUSE, _ENDS_FAMILY, _ENDS_SAYING = "all", "doubt", "cause", "family", "saying"
_ENDED = MappingProxyType(
    {"": (), _ENDS_DOUBT: _DOUBTS, _ENDS_CAUSE: (), _ENDS_FAMILY: ("family",), _ENDS_SAYING: (*_DOUBTS, "family")}
)
"""The contexts that the cues before such a phrase no longer give."""

_BETWEEN_TWO = ("versus", "vs")
_NEXT_TO_IT = (*_BETWEEN_TWO, "free", "none", "nil")
_ATTACHED = frozenset(("free", *COMPOUNDS.split("|")))
_STANDING = ("historical", "family")
"""What a cue also says that is part of a mention, of this and of what follows."""

_Word = tuple[int, int, str]
"""Where a word stands, and how it reads in small letters."""


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
    """A phrase at its place in the text; ``own``: it says something only of the mention that it is part of."""

    start: int
    end: int
    phrase: _Phrase
    own: bool = False


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
    denied = frozenset(values(text, spans))
    cues = [cue for cue in _cues(text, spans, ends) if cue.start not in denied]
    starts = [cue.start for cue in cues]
    found: list[tuple[str, ...]] = []
    for number, (start, end) in enumerate(spans):
        place = bisect_right(ends, start)
        sentence = ends[place - 1] if place else 0
        first = max(sentence, start - _FARTHEST)
        last = min(ends[place] if place < len(ends) else len(text), end + _FARTHEST)
        leading = cues[bisect_left(starts, first) : bisect_left(starts, end)]
        following = cues[bisect_left(starts, end) : bisect_left(starts, last)]
        other = spans[number + 1][0] if number + 1 < len(spans) else len(text)
        before = [span for span in spans[max(number - _MOST_ITEMS, 0) : number] if span[0] >= sentence]
        said = _said_before(text, leading, start, _Around(before, last)) | _said_after(text, following, end, other)
        lead = _lead_in(text, ends, place)
        if lead is not None:
            said |= _said_before(text, cues[bisect_left(starts, lead[0]) : bisect_left(starts, lead[1])], lead[1])
        mark = marked(text, start, end, sentence)
        if mark == "queried":
            mark, said = "uncertain", said - {"negated"}  # "no goitre. ?anaemia"
        said = said - {"negated"} if mark == "present" else said | {mark}
        found.append(tuple(name for name in CONTEXTS if name in said))
    return found


def is_cue(text: str) -> bool:
    """Whether words are but the heading of a history, as those of running text are: "PMH", "family history"."""
    return "_".join(text.lower().split()) in _histories()


@cache
def _histories() -> frozenset[str]:
    headings = {
        heading.replace(" ", "_")
        for name, listed in HEADINGS.items()
        if SAYS.get(name) in _STANDING
        for heading in listed.split("|")
    }
    return frozenset(headings & {cue for name in _STANDING for cue in BEFORE[name].split("|")})


def _lead_in(text: str, ends: Sequence[int], place: int) -> tuple[int, int] | None:
    """Where the words before a list stand, such as "Negative for:", if the sentence at this place is an item of it."""
    first = place
    while first and place - first < _MOST_ITEMS and _ITEM.match(text, ends[first - 1]):
        first -= 1
    if first == place:
        return None
    start, end = ends[first - 1] if first else 0, ends[first]
    return (start, end) if _LEADS.search(text, start, end) else None


@dataclass(frozen=True, slots=True)
class _Around:
    """The mentions ``before`` a mention in its sentence, and where the sentence ends (``last``)."""

    before: Sequence[tuple[int, int]]
    last: int

    def stops(self, text: str, cue: _Cue, start: int) -> bool:
        """Whether a negation before a mention at ``start`` says nothing of it: it stands in brackets or after a dash,
        and what is denied is no mention ("not walking (motor delay)"), or a list has gone on with what there is."""
        between = text[cue.end : start]
        denies = any(cue.start <= one < start for one, _ in self.before)
        is_ended = "," in between and cue.phrase.key in OF_VERBS  # "not eating, sleepy"
        if not denies and (is_ended or between.endswith(("(", "[")) or " - " in between):
            return True
        begins = _BEGINS.search(text, cue.end, start + len("longstanding "))
        if begins and begins.start() < start and not _OR.search(text, begins.end(), self.last):
            return True
        owner = max((end for _, end in self.before if end <= cue.start), default=None)
        if owner is None or "," not in between or not _OF_ITEM.fullmatch(text, owner, cue.end):
            return False
        rest = text[cue.end + between.index(",") : self.last]  # "hyperlaxity without dislocation, ASD and PDA"
        return bool(_AND.match(rest)) and not _OR.search(rest)


def _said_before(text: str, cues: Sequence[_Cue], start: int, around: _Around | None = None) -> set[str]:
    """What the cues before a mention say of it, from the nearest to where another clause ends."""
    said: set[str] = set()
    ended: set[str] = set()
    caused = stated = False
    for place in range(len(cues) - 1, -1, -1):
        cue, phrase = cues[place], cues[place].phrase
        if phrase.ends == _ENDS_ALL:
            if place and phrase.key in {"which", "who"} and _follows_relative(text, cues[place - 1], cue):
                continue
            break
        ended.update(_ENDED[phrase.ends])
        caused = caused or phrase.ends == _ENDS_CAUSE
        stated = stated or (bool(_ENDED[phrase.ends]) and phrase.key not in IN_CONDITIONS)
        if cue.own and cue.end <= start:
            continue
        if not phrase.before or (caused and phrase.key not in CONDITIONS):
            continue
        if phrase.before in _DOUBTS and _OUT_OF_BRACKETS.match(text, cue.end, start):
            continue  # "audiology (risk of deafness), renal scan"
        if (phrase.before == phrase.after or phrase.key == "normal") and _SAID_OF_IT.match(text, cue.end):
            continue
        if phrase.before in ended and (stated or phrase.key not in CONDITIONS):
            continue
        if around is not None and phrase.before == "negated" and around.stops(text, cue, start):
            continue
        if phrase.key in {"s/p", "status_post"} and _FOR.search(text, cue.end, start):
            continue  # an operation is of the past, and what it was for may go on
        if _between(text, cue.end, start) <= REACH_OF.get(phrase.key, REACH_AFTER):
            said.add(phrase.before)
    return said


def _follows_relative(text: str, cue: _Cue, other: _Cue) -> bool:
    """Whether a cue is a relative that the next cue directly follows: "her mother, who"."""
    return cue.phrase.before == "family" and not _between(text, cue.end, other.start)


def _said_after(text: str, cues: Sequence[_Cue], end: int, other: int) -> set[str]:
    """What the cues after a mention say of it, up to where another clause begins; ``other`` is where the next mention
    begins."""
    said: set[str] = set()
    for cue in cues:
        phrase, gap = cue.phrase, text[end : cue.start]
        if phrase.ends or (phrase.before and not phrase.after):
            break
        if phrase.before and phrase.key not in _BETWEEN_TWO and not _CLAUSE_END.match(text, cue.end):
            rest = _REST_OF_CLAUSE.match(text, cue.end)
            if not gap.isspace() or rest is None or other < rest.end() or _explains(rest.group()):
                break  # "fever, possible sepsis", "AKI likely prerenal": it applies to what comes next
        if phrase.after in _DOUBTS and _LEAVES.match(gap):
            break
        if not phrase.after or not _passes(phrase.key, gap, other < cue.start):
            continue
        if _between(text, end, cue.start) <= min(REACH_OF.get(phrase.key, REACH_BEFORE), REACH_BEFORE):
            said.add(phrase.after)
    return said


def _explains(rest: str) -> bool:
    """Whether what follows a doubt tells of which kind something is or whence: "likely viral", "likely due to"."""
    word = next(iter(_WORD.findall(rest)), "").lower()
    return word in _CAUSED or (word != "present" and is_adjective(word))


def _passes(key: str, gap: str, over_other: bool) -> bool:
    """Whether a cue after a mention applies across what stands between: a colon only if it is the value."""
    if key in _ATTACHED:
        return not gap.strip(" -\t\n")
    if ":" in gap and (key in _BETWEEN_TWO or _WORD.search(gap)):
        return False
    if over_other and key.startswith("not_") and gap.count(",") == 1 and not _JOINED.search(gap):
        return False  # "squint, optic atrophy not present"
    return key not in _NEXT_TO_IT or not (over_other or "," in gap)


def _between(text: str, start: int, end: int) -> int:
    """The number of words between two places."""
    return len(_WORD.findall(text, start, end))


def _cues(text: str, spans: Sequence[tuple[int, int]], ends: Sequence[int]) -> Iterator[_Cue]:
    """The cues of a text that lie outside mentions, or say of one whose or when it is; the longest of those that begin
    in one place."""
    phrases, longest = _phrases()
    words = [(match.start(), match.end(), match.group().lower().replace("’", "'")) for match in _WORD.finditer(text)]
    begins = [start for start, _ in spans]
    goes_on = _going_on(words, ends)
    place = 0
    while place < len(words):
        step = 1
        for length in range(min(longest.get(words[place][2], 0), len(words) - place), 0, -1):
            phrase = phrases.get(tuple(word for _, _, word in words[place : place + length]))
            if phrase is None or not _is_joined(text, words[place : place + length]):
                continue
            if phrase.before == "family" and _tells(words, place, length):
                continue  # the person who reports it is not the person who has it
            start, end = words[place][0], words[place + length - 1][1]
            if _is_abbreviation(text, text[start:end]):
                continue
            span = _overlapped(spans, begins, start, end)
            if span is not None and not _says_of(text, span, start, phrase):
                continue
            step = 1 if phrase.ends == _ENDS_FAMILY else length  # "I wonder if" has another
            if phrase.before or phrase.after or phrase.ends:
                yield _Cue(start, end, phrase, span is not None and phrase.key in REACH_OF)
            break
        if place in goes_on and not _tells(words, place, 1):
            yield _Cue(*words[place][:2], _Phrase((words[place][2],), "family"))
        place += step


def _tells(words: Sequence[_Word], place: int, length: int) -> bool:
    """Whether a relative reports what follows ("his wife has noticed", "per mom") or is only with the patient."""
    after, before = place + length, place - 1
    while after < len(words) and words[after][2] in LEADS_TO_TELLING:
        after += 1
    if after < len(words) and words[after][2] in TELLING:
        return True
    while before >= 0 and words[before][2] in DETERMINERS:
        before -= 1
    return before >= 0 and (
        words[before][2] in TOLD_BY
        or " ".join(word for _, _, word in words[max(before - 1, 0) : before + 1]) in TOLD_BY
    )


def _says_of(text: str, span: tuple[int, int], start: int, phrase: _Phrase) -> bool:
    """Whether a phrase that begins a mention says whose or when it is: "history of gout", "mother had gout"."""
    if phrase.before not in _STANDING or _between(text, span[0], start) > 1:
        return False
    return phrase.before == "historical" or phrase.key in _family_histories() or bool(of_family(text[slice(*span)]))


@cache
def _family_histories() -> frozenset[str]:
    return frozenset(cue for cue in BEFORE["family"].split("|") if cue.startswith(("family", "fh")))


def _going_on(words: Sequence[_Word], ends: Sequence[int]) -> set[int]:
    """The pronouns by which sentences go on about a relative of the one who writes (`PRONOUNS`), by number."""
    found: set[int] = set()
    meant, sentence = "", -1
    for place, (start, _, word) in enumerate(words):
        if (current := bisect_right(ends, start)) != sentence:
            sentence = current
            meant = meant if word == meant else ""
            if meant:
                found.add(place)
        if place and words[place - 1][2] == "my":
            meant = PRONOUNS.get(word, meant)
    return found


def _is_abbreviation(text: str, written: str) -> bool:
    """Whether the text defines it as an abbreviation: "nitric oxide (NO)"."""
    return written.isupper() and f"({written})" in text


def _is_joined(text: str, words: Sequence[_Word]) -> bool:
    """Whether only spaces and hyphens stand between words."""
    return all(_GAP.fullmatch(text, one[1], other[0]) for one, other in pairwise(words))


def _overlapped(
    spans: Sequence[tuple[int, int]], begins: Sequence[int], start: int, end: int
) -> tuple[int, int] | None:
    """The last mention that a place overlaps."""
    place = bisect_left(begins, end) - 1
    return spans[place] if place >= 0 and spans[place][1] > start else None


@cache
def _phrases() -> tuple[Mapping[tuple[str, ...], _Phrase], Mapping[str, int]]:
    """The phrases by their words, and the number of words of the longest by its first word."""
    before, after = _by_phrase(BEFORE), _by_phrase(AFTER)
    kinds = {_ENDS_ALL: ENDS, _ENDS_DOUBT: ASSERTS, _ENDS_CAUSE: CAUSES, _ENDS_FAMILY: OF_SELF, _ENDS_SAYING: SAYS_THAT}
    ends = _by_phrase(kinds)
    found: dict[tuple[str, ...], _Phrase] = {}
    longest: dict[str, int] = {}
    for key in {*before, *after, *ends, *NEITHER.split("|")}:
        phrase = _Phrase(tuple(key.split("_")), before.get(key, ""), after.get(key, ""), ends.get(key, ""))
        found[phrase.words] = phrase
        longest[phrase.words[0]] = max(longest.get(phrase.words[0], 0), len(phrase.words))
    return found, longest


def _by_phrase(table: Mapping[str, str]) -> dict[str, str]:
    return {phrase: name for name, listed in table.items() for phrase in listed.split("|")}
