"""The context of a mention: whether the text has it as negated, uncertain, hypothetical, historical, or of the family.

A cue applies to the mentions in its scope, which ends with the sentence, where a clause begins (a termination), or
after so many words; one before a list ("Denies:") applies to each of its items. The method is that of NegEx (Chapman et
al. 2001, A simple algorithm for identifying negated findings and diseases in discharge summaries) and ConText (Harkema
et al. 2009). The cues, in `ontonym.text.notes.cues` and for eight other languages in `ontonym.text.foreign.cues`, are
our own. Chinese and Japanese are read in `ontonym.text.foreign.unspacedcues`. What the section of a note says is in
`ontonym.text.notes.sections`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ontonym.text.foreign.unspacedcues import UNSPACED_LANGUAGES, unspaced_contexts
from ontonym.text.languages import language_of_document
from ontonym.text.notes.cues import (
    ASSERTIONS_IN_CONDITIONS,
    BEFORE,
    CLAUSE_CUES,
    CONDITION_CUES,
    HISTORY_TOLD,
    LIFE_STAGES,
    PREVENTION_NOUNS,
    SCOPE_OF,
)
from ontonym.text.notes.cuesearch import (
    CONTEXTS_IN_MENTIONS,
    Cue,
    MentionSpan,
    find_cues,
    in_some,
)
from ontonym.text.notes.cuetable import ENDS_ALL, ENDS_CAUSE, ENDS_DOUBT, ENDS_FAMILY, ENDS_SAYING
from ontonym.text.notes.headings import HEADINGS, SAYS
from ontonym.text.notes.marks import denying_values, marked
from ontonym.text.notes.negationends import Surroundings
from ontonym.text.notes.notewords import first_word, words_between
from ontonym.text.patterns import phrases_of
from ontonym.text.sentences import sentence_ends
from ontonym.text.wordforms import is_adjective

CONTEXTS = ("negated", "uncertain", "hypothetical", "historical", "family")
"""What a text can say of a mention, in the order in which it is reported."""

SCOPE_AFTER = 25
"""Most words between a cue and a mention after it."""
SCOPE_BEFORE = 6
"""Most words between a mention and a cue after it."""

_JOINED = re.compile(r"\b(?:and|or|nor)\b|[&+/]", re.IGNORECASE)
_STATED = re.compile(r"\s+(?:is|are|was|were|has|have|had)\b[^,]*,", re.IGNORECASE)
"""What stands between a mention of which something is said and the next clause: "fever was high, cough absent"."""
_INSERTED = re.compile(r",\s+however,", re.IGNORECASE)
"""Where this word begins no clause: "fever, however, was absent"."""
_WHOSE, _FARTHEST_WHOSE = re.compile(r"\bwhose\s+(?:\w+\s+){0,2}\Z", re.IGNORECASE), 40  # characters
"""Before a relative who is mentioned in passing: "a girl, whose healthy parents"."""
_AUXILIARIES, _AS_AUXILIARY = frozenset({"has", "had"}), re.compile(r"\s+(?:also\s+)?(?:been\s+)?")
"""Assertions, but where a cue follows directly: "has [also been] excluded"."""
_CAUSE_WORDS = frozenset("due secondary from because related given".split())
"""What a guess at a cause goes on with: "likely due to"."""
_CLAUSE_END = re.compile(r"\s*(?:[.,;:?!)\]]|$)|[^\S\n]*\n")
_LIST_ITEM = re.compile(r"[^\S\n]*(?:[-*•·–▪◦]|\(?\d{1,2}[.)])[^\S\n]")  # "- cough", "2) cough"
_CLOSES_BRACKET = re.compile(r"[^(\[)\]]*[)\]]")
"""Up to a bracket that was opened before: a cue inside brackets says nothing of what stands behind them."""
_COORDINATED = re.compile(r"\s*(?:/|&|\band\b|\bor\b)\s*", re.IGNORECASE)
"""What joins a mention to the one before it: "prev DVT/PE"."""
_COORDINATED_BEFORE_VALUE = re.compile(r"\s*(?:and|or|nor|&|/)\s[^.,;:\n]*:\s*", re.IGNORECASE)
"""Between a mention and the value of it and the next one: "pits[ and cysts: ]none"."""
_ADVERB = re.compile(r"\s+(?:(?:already|also|\w+ly)\s+)?", re.IGNORECASE)
_CLAUSE_MARK = re.compile(r"\s*[,;.)]")
"""What follows a cue that says something of what stands before it: "cough absent, fever", "platelets normal, fever"."""
_ASIDE = re.compile(r"\([^()]*\)")
_CLOSES_BRACKET_AND_CLAUSE = re.compile(r"[^(\[)\]]*[)\]]\s*[,;]")
_REST_OF_CLAUSE = re.compile(r"[^.,;:?!)\]\n]*")
_LEAD_IN = re.compile(r":\s*$")
"""How the line ends that leads to a list: "Denies:"."""
_FOR = re.compile(r"\bfor\b", re.IGNORECASE)
_OPENS_CLAUSE, _LONGEST_OPENING = re.compile(r"(?:\A|[.:;\n]|[.!?]['\"]?)\s*(?:and\s+)?\Z", re.IGNORECASE), 10
"""What stands before a phrase that begins a clause, and how many characters that is."""
_ALTERNATIVE = re.compile(r"(?<=\bor )[^,;:]*\Z", re.IGNORECASE)
"""Another condition of the same clause, up to its mention."""
_FARTHEST = 600
"""Most characters between a mention and a cue: a text without full stops is one long sentence."""
_MOST_ITEMS = 60
"""Items of a list, and mentions of a sentence, that are looked at before one."""
_NOT_ASSERTED = ("negated", "uncertain", "hypothetical")
_CLOSED_BY = MappingProxyType(
    {
        "": (),
        ENDS_DOUBT: _NOT_ASSERTED,
        ENDS_CAUSE: (),
        ENDS_FAMILY: ("family",),
        ENDS_SAYING: (*_NOT_ASSERTED, "family"),
    }
)
"""The contexts whose cues have their scope ended by a phrase, by its `CuePhrase.ends`."""

_VERSUS = ("versus", "vs")
_OF_BOTH_SIDES = frozenset((*_VERSUS, *LIFE_STAGES))
"""Cues that say of what stands before them what they say, whatever follows."""
_ADJACENT_ONLY = (*_VERSUS, "free", "none", "nil")
"""Cues that apply to the mention right before them alone: "no cough; fever: none"."""
_OF_NEAREST = frozenset({"not", "absent", "suspected"})
"""With a comma alone between two mentions a cue with such a first word applies to the second."""
_ATTACHED = PREVENTION_NOUNS | {"free"}
"""Cues with nothing but a space or a hyphen before them: "DVT prophylaxis", "pain-free"."""
_OF_ALLERGIES = frozenset({"nkda", "nka"})
"""Cues that deny allergies, and nothing else that stands before them: "PMH asthma, NKDA"."""
_ALLERGY, _LONGEST_ALLERGY = re.compile(r"allerg(?:y|ies|ic)(?:\s+history)?\Z", re.IGNORECASE), len("allergies history")
_SUBJECT_CUE_ENDS = frozenset({"negative", "neg", "-ve", "absent"})
"""The last words of cues that apply to what stands directly before them, such as a test."""
_LAST_PART = re.compile(r".*(?:[,(;]|\s-\s)", re.DOTALL)
"""Up to the last mark between a mention and a cue, behind which the cue's subject begins: "cough, [swab] negative"."""


def contexts(text: str, spans: Sequence[MentionSpan]) -> list[tuple[str, ...]]:
    """The context of each mention, of `CONTEXTS`; the spans are in order, and none overlaps another.

    For *fever*, *cough* and *gout* of "No fever or cough. Mother had gout" that is ``("negated",)``, ``("negated",)``
    and ``("family",)``.
    """
    if not spans:
        return []
    ends = sentence_ends(text)
    denied = frozenset(denying_values(text, spans))
    language = language_of_document(text)
    if language in UNSPACED_LANGUAGES:
        said = zip(spans, unspaced_contexts(text, spans, language), strict=True)
        return [_with_mark(text, of, start, end, start) for (start, end), of in said]
    cues = [cue for cue in find_cues(text, spans, ends, language) if cue.start not in denied]
    note = _Note(text, spans, ends, cues, [cue.start for cue in cues])
    return [note.contexts_of(number) for number in range(len(spans))]


@dataclass(frozen=True, slots=True)
class _Note:
    """A text, its mentions, where its sentences end, and its cues with their starts."""

    text: str
    mentions: Sequence[MentionSpan]
    ends: Sequence[int]
    cues: Sequence[Cue]
    starts: Sequence[int]

    def contexts_of(self, number: int) -> tuple[str, ...]:
        """The context of one of the mentions."""
        text, (start, end) = self.text, self.mentions[number]
        place = bisect_right(self.ends, start)
        sentence = self.ends[place - 1] if place else 0
        last = min(self.ends[place] if place < len(self.ends) else len(text), end + _FARTHEST)
        following = [one for one, _ in self.mentions[number + 1 : number + 1 + _MOST_ITEMS]] or [len(text)]
        nearby = self.mentions[max(number - _MOST_ITEMS, 0) : number]
        around = Surroundings([mention for mention in nearby if mention[0] >= sentence], end, last)
        before = self._cues_within(max(sentence, start - _FARTHEST), end)
        before = [cue for cue in before if cue.phrase.before in CONTEXTS_IN_MENTIONS or not cue.covers((start, end))]
        found = _from_cues_before(text, before, start, around)
        found |= _from_cues_after(text, self._cues_within(end, last), end, following)
        if lead := _lead_in(text, self.ends, place):
            found |= _from_cues_before(text, self._cues_within(*lead), lead[1])
        return _with_mark(text, found, start, end, sentence)

    def _cues_within(self, start: int, end: int) -> Sequence[Cue]:
        return self.cues[bisect_left(self.starts, start) : bisect_left(self.starts, end)]


def _with_mark(text: str, found: set[str], start: int, end: int, sentence: int) -> tuple[str, ...]:
    """The contexts that cues give to a mention, and the mark beside it ("?anaemia"), in the order of `CONTEXTS`."""
    mark = marked(text, start, end, sentence)
    if mark in {"present", "queried"}:
        found = found - {"negated"}  # "no goitre. ?anaemia"
    found = found | {"uncertain" if mark == "queried" else mark}
    return tuple(name for name in CONTEXTS if name in found)


def is_history_heading(text: str) -> bool:
    """Whether a text is the heading of a history, which is also a cue in running text: "PMH", "family history"."""
    return " ".join(text.lower().split()) in _history_headings()


@cache
def _history_headings() -> frozenset[str]:
    headings = {
        heading
        for name, lines in HEADINGS.items()
        if SAYS.get(name) in CONTEXTS_IN_MENTIONS
        for heading in phrases_of(lines)
    }
    return frozenset(headings & {cue for name in CONTEXTS_IN_MENTIONS for cue in BEFORE[name]})


def _lead_in(text: str, ends: Sequence[int], place: int) -> tuple[int, int] | None:
    """The start and end of what stands before a list, such as "Negative for:", if this sentence is an item of it."""
    first = place
    while first and place - first < _MOST_ITEMS and _LIST_ITEM.match(text, ends[first - 1]):
        first -= 1
    if first == place:
        return None
    start, end = ends[first - 1] if first else 0, ends[first]
    return (start, end) if _LEAD_IN.search(text, start, end) else None


def _from_cues_before(text: str, cues: Sequence[Cue], start: int, around: Surroundings | None = None) -> set[str]:
    """The contexts that the cues before a mention give it, from the nearest back to a termination.

    The nearest cue of a context decides on it: where a list has ended the scope of that one, no farther cue counts.
    """
    found: set[str] = set()
    decided: set[str] = set()
    ended: set[str] = set()  # contexts whose cues have their scope ended between them and the mention
    is_after_cause = is_after_assertion = False
    for place in range(len(cues) - 1, -1, -1):
        cue, phrase = cues[place], cues[place].phrase
        if phrase.ends == ENDS_ALL:
            if place and phrase.text in {"which", "who"} and _follows_relative(text, cues[place - 1], cue):
                continue
            break
        closed = _NOT_ASSERTED if phrase.text in HISTORY_TOLD else _CLOSED_BY[phrase.ends]
        ended.update(closed)
        is_after_cause |= phrase.ends == ENDS_CAUSE
        is_after_assertion |= bool(closed) and phrase.text not in ASSERTIONS_IN_CONDITIONS
        is_ended = phrase.before in ended and (is_after_assertion or phrase.text not in CLAUSE_CUES)
        is_of_cause = is_after_cause and phrase.text not in CONDITION_CUES and phrase.before != "family"
        if not phrase.before or is_ended or is_of_cause or not _can_apply(text, cue, start, around):
            continue
        if phrase.before in decided or not _reaches(text, cue, start):
            continue
        decided.add(phrase.before)
        if phrase.before != "negated" or around is None or not around.ends_negation(text, cue, start):
            found.add(phrase.before)
    return found


def _can_apply(text: str, cue: Cue, start: int, around: Surroundings | None) -> bool:
    """Whether a cue may apply to the mention that begins at ``start``: one that is part of a mention applies to that
    one, and to a mention that is coordinated with it ("prev DVT and PE")."""
    if not cue.inside or cue.end > start:
        return True
    owner = around.before[-1] if around is not None and around.before else (0, 0)
    return owner[0] <= cue.start < owner[1] and bool(_COORDINATED.fullmatch(text, owner[1], start))


def _reaches(text: str, cue: Cue, start: int) -> bool:
    """Whether a cue has the mention after it that begins at ``start`` in its scope."""
    phrase = cue.phrase
    if phrase.text in LIFE_STAGES and not _OPENS_CLAUSE.search(text, max(cue.start - _LONGEST_OPENING, 0), cue.start):
        return False  # "asthma as a child and migraine"
    if phrase.before in _NOT_ASSERTED and _CLOSES_BRACKET.match(text, cue.end, start):
        return False  # "audiology (risk of deafness), renal scan"
    if (phrase.before == phrase.after or phrase.text == "normal") and _CLAUSE_MARK.match(text, cue.end):
        return False
    if (
        phrase.before == "family"
        and "," in text[cue.end : start]
        and _WHOSE.search(text, max(cue.start - _FARTHEST_WHOSE, 0), cue.start)
    ):
        return False  # "a girl, whose parents were healthy, had hypotonia"
    if phrase.text in {"s/p", "status post"} and _FOR.search(text, cue.end, start):
        return False  # an operation is of the past, and what it was for may go on
    most = SCOPE_OF.get(phrase.text, SCOPE_AFTER)
    if phrase.text == "if" and _ALTERNATIVE.search(text, cue.end, start):
        most = SCOPE_AFTER  # "if he gains more than 2 kg or becomes more breathless"
    return words_between(text, cue.end, start) <= most


def _follows_relative(text: str, cue: Cue, other: Cue) -> bool:
    """Whether a cue is a relative that the next cue directly follows: "her mother, who", "her sister (12), who"."""
    return cue.phrase.before == "family" and not first_word(_ASIDE.sub("", text[cue.end : other.start]))


def _from_cues_after(text: str, cues: Sequence[Cue], end: int, following: Sequence[int]) -> set[str]:
    """The contexts that the cues after a mention give it, up to a termination; ``following`` is where the next mentions
    begin."""
    found: set[str] = set()
    for place, cue in enumerate(cues):
        if _is_passed_over(text, cues[place : place + 2], end):
            continue
        if _ends_scopes(text, cue, end, following[0]):
            break
        if _applies_before(text, cue, end, following):
            found.add(cue.phrase.after)
    return found


def _is_passed_over(text: str, cues: Sequence[Cue], end: int) -> bool:
    """Whether the first of one or two cues after a mention says nothing by itself: "has [not been seen]", "fever,
    however, was absent"."""
    cue, phrase = cues[0], cues[0].phrase
    if phrase.text in _AUXILIARIES and _is_auxiliary(text, cues):
        return True
    return phrase.text == "however" and bool(_INSERTED.fullmatch(text, end, cue.end + 1))


def _ends_scopes(text: str, cue: Cue, end: int, other: int) -> bool:
    """Whether neither a cue after a mention nor those behind it apply to the mention; ``other`` is where the next
    mention begins."""
    phrase, gap = cue.phrase, text[end : cue.start]
    if phrase.ends or (phrase.before and not phrase.after):
        return True
    if phrase.before and phrase.text not in _OF_BOTH_SIDES and not _CLAUSE_END.match(text, cue.end):
        rest = _REST_OF_CLAUSE.match(text, cue.end)
        if not _ADVERB.fullmatch(gap) or rest is None or other < rest.end() or _explains(rest.group()):
            return True  # "fever, possible sepsis", "AKI likely prerenal": it applies to what comes next
    return phrase.after in _NOT_ASSERTED and bool(_CLOSES_BRACKET_AND_CLAUSE.match(gap))


def _applies_before(text: str, cue: Cue, end: int, following: Sequence[int]) -> bool:
    """Whether a cue applies to the mention before it that ends at ``end``."""
    phrase, gap = cue.phrase, text[end : cue.start]
    if phrase.text in _OF_ALLERGIES and not _ALLERGY.search(text, max(end - _LONGEST_ALLERGY, 0), end):
        return False
    if not phrase.after or not _applies_across(phrase.text, gap, over_mention=following[0] < cue.start):
        return False
    if phrase.text.rpartition(" ")[2] in _SUBJECT_CUE_ENDS and _has_subject(text, end, cue.start, following):
        return False
    return words_between(text, end, cue.start) <= min(SCOPE_OF.get(phrase.text, SCOPE_BEFORE), SCOPE_BEFORE)


def _is_auxiliary(text: str, cues: Sequence[Cue]) -> bool:
    """Whether the first of two cues is the auxiliary of the second: the *has* of "has not been seen"."""
    return len(cues) > 1 and bool(cues[1].phrase.after and _AS_AUXILIARY.fullmatch(text, cues[0].end, cues[1].start))


def _explains(rest: str) -> bool:
    """Whether what follows a cue of doubt is the kind or the cause of something: "likely viral", "likely due to"."""
    word = first_word(rest)
    return word in _CAUSE_WORDS or (word != "present" and is_adjective(word))


def _has_subject(text: str, end: int, cue: int, mentions: Sequence[int]) -> bool:
    """Whether a cue after a mention applies to other words, which are no mention: "cough, swab negative"."""
    parts = _LAST_PART.match(text, end, cue)
    if parts is None or not first_word(text[parts.end() : cue]):
        return False
    if text[parts.end() - 1] == "(":
        return True
    is_list = _JOINED.search(text, parts.end(), cue) or bisect_left(mentions, parts.end()) < bisect_left(mentions, cue)
    return not is_list


def _applies_across(cue: str, gap: str, *, over_mention: bool) -> bool:
    """Whether a cue after a mention applies across the ``gap`` between: across a colon only if it is the value."""
    if cue in _ATTACHED:
        return not gap.strip(" -\t\n")
    is_of_others = cue.startswith(("in no", "in neither")) and in_some(gap)
    if is_of_others or (":" in gap and (cue in _VERSUS or first_word(gap))):
        return False
    if over_mention and first_word(cue) in _OF_NEAREST and gap.count(",") == 1 and not _JOINED.search(gap):
        return False  # "squint, optic atrophy not present"
    if over_mention and _STATED.match(gap):
        return False
    if over_mention and _COORDINATED_BEFORE_VALUE.fullmatch(gap):
        return True  # "pits and cysts: none"
    return cue not in _ADJACENT_ONLY or not (over_mention or "," in gap)
