"""Misspelled queries: as what each may be meant, which of these is likely, and how far it can be trusted.

`ontonym.index.spelling` finds the words, and `ontonym.index.soundalikes` those that sound the same. Here each corrected
query is searched for, and stands for the query as it was typed only where it is clearly surer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from ontonym.index.candidates import CandidateSearch
from ontonym.index.choices import LEAST_READING, LIKELIER_RIGHT, NAMED, Interpretation, Readings
from ontonym.index.doubts import capped
from ontonym.index.query import Query, changed_queries, changed_together
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals
from ontonym.index.soundalikes import IN_PARTS, sound_alikes
from ontonym.index.spelling import letters_apart, replaces_english, trust_in
from ontonym.text.normalization import tokens
from ontonym.text.values import values_in_words
from ontonym.types import Correction

Corrected: TypeAlias = tuple[float, Query]
"""A corrected query after the trust in the correction, in [0, 1]."""

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
            (least <= 1 or len(read.query.words) >= _TWO_WORDS) and not read.is_name
            for read, least in zip(typed, leasts, strict=True)
        ]
        queries = [read.query for read, one in zip(typed, tried, strict=True) if one]
        asked = iter(self.of(queries, [least for least, one in zip(leasts, tried, strict=True) if one]))
        corrected = [next(asked) if one else [] for one in tried]
        found = self._candidates.interpretations_of_each([[query for _, query in some] for some in corrected], scan)
        readings: list[Readings] = []
        for read, least, some, reads in zip(typed, leasts, corrected, found, strict=True):
            likely = _likely([(trust, one) for (trust, _), one in zip(some, reads, strict=True)], least)
            readings.append(
                self._shared([replace(one, prior=read.prior) for one in likely]) if likely else [(1.0, read)]
            )
        return self._sounding_where_named(typed, readings, scan)

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
        return [list(zip(trusted, some, strict=True)) for trusted, some in zip(trusts, found, strict=True)]

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
        shared = [(share / sum(likely), one) for share, one in zip(likely, reads, strict=True)]
        first, *others = sorted(shared, key=lambda one: -one[0])
        kept = [first, *(one for one in others if one[0] >= LEAST_READING)]
        answers = [one.answer for _, one in kept]
        clear = sum(share for (share, _), answer in zip(kept, answers, strict=True) if answer == answers[0])
        if clear >= _CLEAR:
            return kept
        return [(share, replace(one, confidences=capped(one.confidences, one.surest))) for share, one in kept]

    def _sounding_where_named(
        self, typed: Sequence[Interpretation], readings: Sequence[Readings], scan: Scan
    ) -> list[Readings]:
        """The readings of each query, where none is likely the one as the name that it sounds like."""
        sounding = [
            self._sound_alikes(read.query, first.query) if first.surest < LIKELIER_RIGHT else []
            for read, ((_, first), *_) in zip(typed, readings, strict=True)
        ]
        found = self._candidates.interpretations_of_each([[query for _, query in some] for some in sounding], scan)
        several: list[Readings] = []
        for own, some, reads in zip(readings, sounding, found, strict=True):
            (_, first), *_ = own
            trusted = [(trust, one) for (trust, _), one in zip(some, reads, strict=True)]
            trust, best = max(trusted, key=lambda one: (one[1].is_name, one[0], one[1].surest), default=(0.0, first))
            is_surer = trust * best.surest > first.surest / _TRUST_IN_CORRECTION
            several.append([(1.0, replace(best.scaled(trust), prior=first.prior))] if is_surer else own)
        return several

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
            found += [(said[one.text].trust, one) for one in queries]
        return found


def sure_as_typed(read: Interpretation, signals: Signals) -> float:
    """How sure the best candidate of a query is as it is typed, in [0, 1]; at most `_BY_LETTERS` where no name has one
    of its words, as then only letters speak for it: "feaver" is spelled like *beaver fever*.
    """
    if read.surest <= _BY_LETTERS or any(signals.is_known(read.query.words)):
        return read.surest
    return _BY_LETTERS


def _likely(corrections: Sequence[tuple[float, Interpretation]], least: float) -> list[Interpretation]:
    """The corrections of a query that are surer than ``least`` and those that compete with them, each as it is trusted.

    Of one word alone those nearer to what was written compete too: "polips" is a polyp, of which there are so many that
    none is sure, rather than polio.
    """
    meant = []
    for share, one in corrections:
        changes = one.query.changes
        # the words of a name vouch for each other: the least sure of them counts
        trust = max(share, min(trust_in([change]) for change in changes)) if one.is_name and len(changes) > 1 else share
        if one.is_name or not replaces_english(changes):
            enough = _LEAST_NAMED if one.is_name and _is_long(one.query.words, changes) else least
            meant.append((one.surest * trust, letters_apart(changes), one.scaled(trust), enough))
    apart = min((letters for surest, letters, _, enough in meant if surest > enough), default=0.0)
    return [
        one
        for surest, letters, one, enough in meant
        if surest > enough or (letters < apart and surest > _LEAST_CORRECTED and len(one.query.words) == 1)
    ]


def _is_long(words: Sequence[str], changes: Sequence[tuple[str, str]]) -> bool:
    """Whether a name with one changed word has so many words that it is hardly what is written by chance."""
    return len(changes) == 1 and len(words) >= (_TWO_WORDS if replaces_english(changes) else _LONG_NAME)
