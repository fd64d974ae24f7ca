"""Misspelled queries: as what each may be meant, which of these is likely, and how far it can be trusted.

`ontonym.index.spelling` finds the words, and `ontonym.index.soundalikes` those that sound the same. Here each corrected
query is searched for, and stands for the query as it was typed only where it is clearly surer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ontonym.index.candidates import CandidateSearch
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.doubts import capped
from ontonym.index.interpretation import LEAST_READING, NAMED, Interpretation, Reading, Readings
from ontonym.index.query import Query, changed_queries, changed_together
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals
from ontonym.index.soundalikes import IN_PARTS, sound_alikes
from ontonym.index.spelling import letters_apart, replaces_english, trust_in
from ontonym.text.normalization import tokens
from ontonym.text.values import values_in_words
from ontonym.types import Correction

_LEAST_CORRECTED = 0.1
"""The least confidence of a corrected query's best candidate."""

_TRUST_IN_CORRECTION = 0.9
"""A correction must be surer than the query as typed divided by this: a little surer is not enough."""

_LONG_NAME, _TWO_WORDS, _LEAST_NAMED = 4, 2, 0.5
"""Words of a name that is hardly what is written but for one of them by chance, those where this one is an English word
that no name has, and the least confidence in it then: the query as typed may be surer of a name that lacks this word
("…, sequeka", "planter wart")."""

_BY_LETTERS = 0.5
"""The most that a query counts as sure as it is typed where no name has a word of it."""

_CLEAR = 0.75
"""How likely the corrections that lead to one answer have to be, of all that are nearly as likely, to be sure of it."""


class Corrected(NamedTuple):
    """A corrected query, after the ``trust`` in the correction, in [0, 1]."""

    trust: float
    query: Query


class _Searched(NamedTuple):
    """The candidates of a corrected query, after the ``trust`` in the correction."""

    trust: float
    read: Interpretation

    @property
    def changes(self) -> Sequence[tuple[str, str]]:
        """What was written, and what it is read as."""
        return self.read.query.changes


class Corrections:
    """Corrects queries by the words of the names of an index, and searches for the corrected ones."""

    def __init__(self, signals: Signals, candidates: CandidateSearch) -> None:
        self._signals = signals
        self._candidates = candidates

    def where_better(self, typed: Sequence[Interpretation], scan: Scan) -> list[Readings]:
        """For each query the readings of its corrections if the surest is clearly surer than the query itself, else it.

        The confidences of a corrected query are scaled by how far the correction can be trusted.
        """
        leasts = [max(_LEAST_CORRECTED, sure_as_typed(read, self._signals) / _TRUST_IN_CORRECTION) for read in typed]
        tried = [  # no correction is trusted by more than 1
            place
            for place, (read, least) in enumerate(zip(typed, leasts, strict=True))
            if (least <= 1 or len(read.query.words) >= _TWO_WORDS) and not read.is_name
        ]
        corrected: list[list[Corrected]] = [[] for _ in typed]
        some = self.of([typed[place].query for place in tried], [leasts[place] for place in tried])
        for place, ways in zip(tried, some, strict=True):
            corrected[place] = ways
        found = self._searched(corrected, scan)
        readings = [self._readings(*one) for one in zip(typed, leasts, found, strict=True)]
        return self._sounding_where_named(typed, readings, scan)

    def _searched(self, groups: Sequence[Sequence[Corrected]], scan: Scan) -> list[list[_Searched]]:
        """The corrected queries of each group with their candidates; those of all groups are searched for together."""
        reads = self._candidates.interpretations_of_each([[one.query for one in some] for some in groups], scan)
        return [
            [_Searched(one.trust, read) for one, read in zip(some, own, strict=True)]
            for some, own in zip(groups, reads, strict=True)
        ]

    def _readings(self, read: Interpretation, least: float, corrected: Sequence[_Searched]) -> Readings:
        """The readings of the corrections of a query that are surer than ``least``; the query itself if none is."""
        likely = _likely(corrected, least)
        if not likely:
            return [Reading(1.0, read)]
        return self._shared([replace(one, prior=read.prior) for one in likely])

    def of(self, queries: Sequence[Query], leasts: Sequence[float]) -> list[list[Corrected]]:
        """Each query with its misspelled words corrected, in each way that can be trusted at least so far, in [0, 1],
        or that makes a long name of it by changing one word.

        With each way comes the trust in it, which falls with the share of letters that were changed, and with the share
        of words that no name has even then. None if no word is misspelled or can be corrected.
        """
        trusts: list[list[float]] = []
        asked = []
        for query, least in zip(queries, leasts, strict=True):
            texts = self._signals.speller.corrections(query, self._signals.is_known, self._signals.lexicon.__contains__)
            trusted: dict[str, float] = {}
            changed: dict[str, tuple[tuple[str, str], ...]] = {}
            for text, changes in texts.items():
                said, values = values_in_words(text)  # "temprature 39" is a fever too
                words = tokens(said)
                known = sum(self._signals.is_known(words)) / max(len(words), 1)
                trust = known * trust_in(changes, alone=len(changes) == len(tokens(text)))
                if trust >= least or (trust > _LEAST_NAMED and self._is_long_name(words, changes)):
                    trusted.setdefault(said, trust)
                    changed.setdefault(said, (*changes, *values))
            trusts.append(list(trusted.values()))
            correction = Correction.CORRECTED if query.correction is Correction.NONE else query.correction
            asked.append((query, changed, correction))
        found = changed_together(self._signals.encoder, asked)
        return [[*map(Corrected, trusted, some)] for trusted, some in zip(trusts, found, strict=True)]

    def _is_long_name(self, words: Sequence[str], changes: Sequence[tuple[str, str]]) -> bool:
        """Whether words of which one was changed are a name so long that this is no chance."""
        return _is_long(words, changes) and self._signals.is_name(words)

    def _shared(self, reads: Sequence[Interpretation]) -> Readings:
        """The corrections of one query, each with its probability, the likeliest first.

        Where another answer is nearly as likely, none is sure: "osteoperosis" is one letter off two diseases.
        """
        likely = [
            one.surest
            * self._signals.speller.likelihood(one.query.changes)
            * (NAMED if len(one.query.words) > 1 and one.is_name else 1.0)  # its words vouch for each other
            for one in reads
        ]
        shared = [Reading(share / sum(likely), one) for share, one in zip(likely, reads, strict=True)]
        first, *others = sorted(shared, key=lambda one: -one.probability)
        kept = [first, *(one for one in others if one.probability >= LEAST_READING)]
        answer = first.interpretation.answer
        if sum(share for share, one in kept if one.answer == answer) >= _CLEAR:
            return kept
        return [Reading(share, replace(one, confidences=capped(one.confidences, one.surest))) for share, one in kept]

    def _sounding_where_named(
        self, typed: Sequence[Interpretation], readings: Sequence[Readings], scan: Scan
    ) -> list[Readings]:
        """The readings of each query, where none is likely the one as the name that it sounds like."""
        likeliest = [first for (_, first), *_ in readings]
        sounding = [
            self._sound_alikes(read.query, first.query) if first.surest < LIKELIER_RIGHT else []
            for read, first in zip(typed, likeliest, strict=True)
        ]
        found = self._searched(sounding, scan)
        return [_surer_of(own, first, alike) for own, first, alike in zip(readings, likeliest, found, strict=True)]

    def _sound_alikes(self, typed: Query, read: Query) -> list[Corrected]:
        """The names that a query sounds like, as it was typed or as it was corrected: *varicose veins* for "varicose
        vains", which is read for "vericose vains"."""
        found: list[Corrected] = []
        for query in dict.fromkeys((typed, read)):
            text = query.typed if query.correction is Correction.EXPANDED else query.text
            said = {
                one.text: one
                for one in sound_alikes(text, self._signals.speller, self._signals.words_beside)
                if one.trust == IN_PARTS or self._signals.is_name(tokens(one.text))
            }
            changes = {text: one.changes for text, one in said.items()}
            queries = changed_queries(self._signals.encoder, query, changes, Correction.CORRECTED)
            found += [Corrected(said[one.text].trust, one) for one in queries]
        return found


def _surer_of(readings: Readings, first: Interpretation, alike: Sequence[_Searched]) -> Readings:
    """The readings of a query, the likeliest of them ``first``; the best of the names that it sounds like in their
    place where that is clearly surer."""
    trust, best = max(alike, key=lambda one: (one.read.is_name, one.trust, one.read.surest), default=(0.0, first))
    if trust * best.surest <= first.surest / _TRUST_IN_CORRECTION:
        return readings
    return [Reading(1.0, replace(best.scaled(trust), prior=first.prior))]


def sure_as_typed(read: Interpretation, signals: Signals) -> float:
    """How sure the best candidate of a query is as it is typed, in [0, 1]; at most `_BY_LETTERS` where no name has one
    of its words, as then only letters speak for it: "feaver" is spelled like *beaver fever*.
    """
    if read.surest <= _BY_LETTERS or any(signals.is_known(read.query.words)):
        return read.surest
    return _BY_LETTERS


def _likely(corrections: Sequence[_Searched], least: float) -> list[Interpretation]:
    """The corrections of a query that are surer than ``least`` and those that compete with them, each as it is trusted.

    Of one word alone those nearer to what was written compete too: "polips" is a polyp, of which there are so many that
    none is sure, rather than polio.
    """
    meant = [_Meant.of(one, least) for one in corrections if one.read.is_name or not replaces_english(one.changes)]
    apart = min((one.apart for one in meant if one.is_surer), default=0.0)
    return [
        one.read
        for one in meant
        if one.is_surer or (one.apart < apart and one.surest > _LEAST_CORRECTED and len(one.read.query.words) == 1)
    ]


class _Meant(NamedTuple):
    """What a correction leads to as far as it is trusted: the confidence of its ``surest`` candidate, whether that
    ``is_surer`` than the query as it was typed, and how far apart what was written and the correction are.
    """

    read: Interpretation
    surest: float
    is_surer: bool
    apart: float

    @classmethod
    def of(cls, corrected: _Searched, least: float) -> _Meant:
        """A correction, which has to be surer than ``least``, or than `_LEAST_NAMED` where it is a long name."""
        read, changes = corrected.read, corrected.changes
        trust = corrected.trust
        if read.is_name and len(changes) > 1:  # the words of a name vouch for each other: the least sure of them counts
            trust = max(trust, min(trust_in([change]) for change in changes))
        enough = _LEAST_NAMED if read.is_name and _is_long(read.query.words, changes) else least
        surest = read.surest * trust
        return cls(read.scaled(trust), surest, surest > enough, letters_apart(changes))


def _is_long(words: Sequence[str], changes: Sequence[tuple[str, str]]) -> bool:
    """Whether a name with one changed word has so many words that it is hardly what is written by chance."""
    return len(changes) == 1 and len(words) >= (_TWO_WORDS if replaces_english(changes) else _LONG_NAME)
