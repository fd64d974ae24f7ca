"""Mentions that are names in other words (`ontonym.text.rewordings`): "renal damage", "nephropathy", "overdose", and
the *dyskinesia* of "levodopa-induced dyskinesia", which is drug-induced dyskinesia."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ontonym.memo import Memo
from ontonym.tasks.annotation.proposals import Proposer
from ontonym.text.bodyparts import names_a_part, same_part
from ontonym.text.findings import has_abnormal_word, is_disorder_head
from ontonym.text.kinds import kind_of
from ontonym.text.phraseborders import ends_phrase_at, is_border, says_other
from ontonym.text.pieces import Piece, words_in
from ontonym.text.rewordings import (
    FINDING_NOUNS,
    FINDING_NOUNS_ALONE,
    FUNCTIONS,
    IMPAIRED,
    IMPLIED,
    as_syndrome,
    is_part_adjective,
    is_trigger,
    nouns_of,
    other_words,
    possessive_diseases,
)
from ontonym.text.wordlists import FILLERS, GENERIC, MODIFIERS, SMALL

_MOST, _MOST_BEFORE, _WIDEST = 3, 3, 6
"""Words of a part of the body beside a disorder ("kidney damage"), before a word that is short for more ("proximal
weakness"), and before the last of a syndrome."""
_MOST_KNOWN = 1 << 16
_LESS = 0.8
"""How near other words are to a name that has all of them."""
_INDUCED = (("drug", "induced"), ("substance", "induced"))
_JOINS = frozenset({"and", "or"})
_OF = frozenset({"of", "to"})
_SEEMS = frozenset(
    "appeared appears became become becomes feel feeling feels felt gets got keeps kept look looked looking looks "
    "more quite rather remained remains seemed seems sounded sounds still stayed stays too very".split()
)
"""Words before a predicative adjective: "he looked confused"."""
_OWN = frozenset({"symptom"})
"""What a disease has of its own: its symptoms are not what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Reworded:
    """Pieces ``first`` to ``last`` of a text, which mean the name ``row`` in other words.

    ``closeness``, in (0, 1], is how near the other words are to the name's. ``part``: words that stand elsewhere say
    more than its own, as for *renal* in "renal and hepatic toxicity".
    """

    first: int
    last: int
    row: int
    closeness: float
    part: bool = False


class Reworder:
    """Finds names in other words, among those that a proposer knows."""

    def __init__(self, proposer: Proposer) -> None:
        self._proposer = proposer
        self._noun = Memo(self._find_noun, _MOST_KNOWN)

    def reword(self, text: str, row: Sequence[Piece]) -> Iterator[Reworded]:
        """All such mentions among the pieces of a text; of those with one head the longest."""
        for place, piece in enumerate(row):
            written = piece.written(text)
            if owned := possessive_diseases(written, piece.words):
                if ends_phrase_at(text, row, place) and (found := self._nearest(owned)):
                    yield Reworded(place, place, *found)
                continue
            if len(piece.words) != 1:
                continue
            word = piece.words[0]
            written = written if written.isupper() and not piece.flat else written.lower()
            if nouns := _nouns_at(text, row, place, written):
                if found := self._nearest(nouns):
                    yield Reworded(place, place, *found)
            elif (noun := self._noun[written]) >= 0 and _is_predicative(text, row, place):
                yield Reworded(place, place, noun, _LESS)
            elif word == "induced":
                yield from self._induced(text, row, place)
            elif word in FUNCTIONS:
                if impaired := self._impaired_function(text, row, place):
                    yield impaired
            elif is_trigger(word):
                yield from self._around(text, row, place)

    def _find_noun(self, adjective: str) -> int:
        """The row of the name of a finding that is the noun of an adjective, -1 where there is none."""
        if is_border(adjective) or has_abnormal_word((adjective,)):
            return -1
        for noun in nouns_of(adjective):
            if GENERIC.isdisjoint(noun):
                name, closeness = self._proposer.nearest(noun)
                if closeness == 1.0 and self._proposer.is_finding(name):
                    return name
        return -1

    def _impaired_function(self, text: str, row: Sequence[Piece], place: int) -> Reworded | None:
        """The impaired function at a place that has the word *function*: "impaired renal function", "decline in his
        renal function", "renal function deteriorated"."""
        first = place
        while place - first < _MOST and row[first].continues and _may_have_function(text, row[first - 1]):
            first -= 1
        before = first - 1
        while before > 0 and row[before + 1].continues and FILLERS.issuperset(row[before].words):
            before -= 1
        part = list(range(first, place))
        if part and before >= 0 and row[before + 1].continues and IMPAIRED.issuperset(row[before].words):
            return self._named(row, [before, *part, place], before, place)
        after = place + 1
        if part and after < len(row) and row[after].continues and IMPAIRED.issuperset(row[after].words):
            return self._named(row, [*part, place, after], first, after)
        return None

    def _around(self, text: str, row: Sequence[Piece], place: int) -> Iterator[Reworded]:
        """The mentions with the word at a place as their head: with what stands before it ("renal damage"), or after it
        and *of* ("toxicity of the liver"), or as a syndrome, or alone ("overdose")."""
        head = row[place].words[0]
        if is_disorder_head(head):
            first = place
            while place - first < _MOST and row[first].continues and _may_be_part(text, row[first - 1]):
                first -= 1
            for start in range(first, place):
                if found := self._named(row, range(start, place + 1), start, place):
                    yield found
                    yield from self._conjuncts(text, row, start, head)
                    return
            if (end := _end_after(text, row, place)) > place:
                telling = [at for at in range(place, end + 1) if row[at].words[0] not in SMALL]
                if found := self._named(row, telling, place, end):
                    yield found
                    return
        if found := self._implied(text, row, place):
            yield found
            yield from self._conjuncts(text, row, found.first, head)
            return
        if found := self._syndrome(text, row, place):
            yield found
            return
        alone = _is_unhyphenated(text, row, place) and not _is_of_another_part(row, place)
        if alone and (found := self._named(row, [place], place, place)):
            yield found

    def _implied(self, text: str, row: Sequence[Piece], place: int) -> Reworded | None:
        """The longest phrase that is a name but for what its last word, at a place, is short for: *proximal muscle
        weakness* of "proximal weakness"."""
        first = place
        while place - first < _MOST_BEFORE and row[first].continues:
            first -= 1
        for start in range(first, place):
            if is_border(row[start].written(text).lower()):
                continue
            before = words_in(row[start:place])
            for meant in IMPLIED.get(row[place].words[0], ()):
                name, closeness = self._proposer.nearest((*before, *meant))
                if closeness == 1.0:
                    return Reworded(start, place, name, _LESS)
        return None

    def _syndrome(self, text: str, row: Sequence[Piece], place: int) -> Reworded | None:
        """The longest phrase that ends at a place and is a name but for the word *syndrome* after it."""
        first = place
        while place - first < _WIDEST and row[first].continues:
            first -= 1
        for start in range(first, place - 1):
            words = words_in(row[start : place + 1])
            written = row[start].written(text).lower()
            if is_border(written) or MODIFIERS.issuperset(row[start].words) or self._proposer.nearest(words)[0] >= 0:
                continue
            if found := self._nearest(as_syndrome(words)):
                return Reworded(start, place, *found)
        return None

    def _conjuncts(self, text: str, row: Sequence[Piece], start: int, head: str) -> Iterator[Reworded]:
        """The other members of an enumeration before a place that share its head."""
        place = start - 1
        while place > 0 and row[place + 1].goes_on:
            joined = row[place].written(text).lower() in _JOINS
            place -= joined
            words = row[place].words
            if not (joined or row[place + 1].comma) or len(words) != 1 or is_trigger(words[0]):
                return
            if not _may_be_part(text, row[place]):
                return
            implied = [(*words, *meant) for meant in IMPLIED.get(head, ())]
            if found := self._nearest([(*words, head), *other_words((*words, head)), *implied]):
                yield Reworded(place, place, *found, part=True)
            place -= 1

    def _induced(self, text: str, row: Sequence[Piece], place: int) -> Iterator[Reworded]:
        """What a chemical induced, beside the word *induced*: "levodopa-induced dyskinesia"."""
        before, after = place - 1, place + 1
        if before < 0 or after >= len(row):
            return
        if row[after].written(text) == "by":
            spans = [(first, before) for first in range(max(place - _MOST, 0), place)]
            causes = row[after + 1 : after + 2]
        else:
            spans = [(after, last) for last in range(min(place + _MOST, len(row) - 1), place, -1)]
            causes = row[before:place]
        if not any(_is_chemical(one.words) for one in causes):
            return
        for first, last in spans:
            words = words_in(row[first : last + 1])
            bare = any(is_border(row[at].written(text).lower()) for at in (first, last))
            linked = not bare and all(piece.continues for piece in row[first + 1 : last + 1])
            if linked and (found := self._nearest([(*words, *induced) for induced in _INDUCED])):
                yield Reworded(first, last, *found, part=True)
                return

    def _named(self, row: Sequence[Piece], used: Sequence[int], first: int, last: int) -> Reworded | None:
        words = tuple(word for place in used for word in row[place].words)
        found = self._nearest(other_words(words))
        return Reworded(first, last, *found) if found else None

    def _nearest(self, asked: Iterable[Sequence[str]]) -> tuple[int, float] | None:
        """The name nearest to the first of some phrases that is like one, and how near."""
        for words in asked:
            name, closeness = self._proposer.nearest(words)
            if name >= 0:
                return name, _LESS * closeness
        return None


def _may_be_part(text: str, piece: Piece) -> bool:
    """Whether a piece may be a word of a part of the body."""
    written = piece.written(text).lower()
    return not is_border(written) and not GENERIC.issuperset(piece.words) and not MODIFIERS.issuperset(piece.words)


def _may_have_function(text: str, piece: Piece) -> bool:
    """Whether a piece may be the part of the body that has a function, as *renal* in "impaired renal function"."""
    return _may_be_part(text, piece) and IMPAIRED.isdisjoint(piece.words)


def _is_of_another_part(row: Sequence[Piece], place: int) -> bool:
    """Whether a word that is short for a finding of a part of the body is said of another one: a "carotid murmur" is no
    *heart murmur*."""
    if not place or not row[place].continues:
        return False
    before, meant = row[place - 1].words, {word for one in IMPLIED.get(row[place].words[0], ()) for word in one}
    of_part = any(is_part_adjective(word) or names_a_part((word,)) for word in before)
    if not of_part or not any(names_a_part((word,)) for word in meant):
        return False
    return meant.isdisjoint(*(same_part(word) for word in before))


def _end_after(text: str, row: Sequence[Piece], place: int) -> int:
    """The end of the phrase after a word and *of* or *to*; the place itself where there is none or it is longer."""
    first = place + 1
    if first >= len(row) or row[first].written(text) not in _OF or row[place].words[0] in _OWN:
        return place
    while first < len(row) and row[first].continues and FILLERS.issuperset(row[first].words):
        first += 1
    last = first
    while last < len(row) and row[last].continues and _may_be_part(text, row[last]):
        last += 1
    return last - 1 if first < last <= first + _MOST else place


def _nouns_at(text: str, row: Sequence[Piece], place: int, written: str) -> Sequence[tuple[str, ...]]:
    """The nouns for the finding that the word at a place means (`FINDING_NOUNS`), if it is ``written`` so."""
    if written in FINDING_NOUNS:
        return FINDING_NOUNS[written] if _is_unhyphenated(text, row, place) else ()
    return FINDING_NOUNS_ALONE[written] if written in FINDING_NOUNS_ALONE and _is_predicative(text, row, place) else ()


def _is_predicative(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether the adjective at a place stands alone, as in "he is blind".

    It qualifies no word after it, and none but an adverb or a verb like *seems* stands before it ("double-blind").
    """
    if says_other(text, row, place) or not _is_unhyphenated(text, row, place) or not ends_phrase_at(text, row, place):
        return False
    before = row[place - 1].written(text).lower() if place else ""
    return not row[place].continues or is_border(before) or before.endswith("ly") or before in _SEEMS


def _is_unhyphenated(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether no hyphen joins a word to the next one, as in "toxicity-related"."""
    return text[row[place].end : row[place].end + 1] != "-"


def _is_chemical(words: Sequence[str]) -> bool:
    return bool(words) and kind_of(words[-1:]) == "chemical"
