"""The readings of a query: what it may mean, each with its candidates and a probability.

A query is searched for in all its `ontonym.index.wordings`, and with its spelling corrected where that is surer.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import islice

from ontonym.index.barefindings import BareFinding, is_finding_alone, is_first_likely, tells_course, tells_side
from ontonym.index.choices import NAMED, Choice, Interpretation, Reading, Readings, rounded, weighed
from ontonym.index.corrections import (
    LEAST_CORRECTED,
    LEAST_NAMED,
    TRUST_IN_CORRECTION,
    TWO_WORDS,
    is_long,
    less_sure,
    likely_corrections,
    sure_as_typed,
)
from ontonym.index.doubts import capped, doubted, doubted_for_rival, doubted_together, leaves_rest, refused, unsupported
from ontonym.index.evidence import Evidence
from ontonym.index.exchanges import LIKELY, narrowed, uncomplicated, undivided, unqualified
from ontonym.index.query import Query, changed_queries, changed_together
from ontonym.index.samewords import same_words_first, with_same_words
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals
from ontonym.index.soundalikes import IN_PARTS, sound_alikes
from ontonym.index.spelling import trust_in
from ontonym.index.wordings import Wordings
from ontonym.text.courses import without_course
from ontonym.text.normalization import tokens
from ontonym.text.places import without_place
from ontonym.text.values import values_in_words
from ontonym.types import Correction

_MOST_KNOWN = 1 << 11
"""Queries whose candidates are kept: at 10 kB, 20 MB."""

_LEAST_READING = 0.01
"""Readings after the first that are less probable are dropped."""

_CLEAR = 0.75
"""How likely the corrections that lead to one answer have to be, of all that are nearly as likely, to be sure of it."""

_SELDOM = 1 / 8
"""Meanings that an abbreviation alone has more seldom than this are doubtful, however well they fit a name."""

_ROUNDING = 1e-4
"""By how much rounding may set the similarity of the quick scan below that of the candidates."""

_TRUST_IN_REWORDING = 0.85
"""How often the answer to a query in other words is right (docs/decisions.md, "Other words are a reading of the
query")."""

_MOST_COURSES = 4
"""How many times what a query tells of a finding's course is set aside: "cough at night" as often as somebody likes."""

_UNSUPPORTED = 0.5
"""How much less likely a reading is for each abbreviation written out as what its answer has no word of."""


class Interpreter:
    """Reads queries as the names of an index allow, and searches for each reading.

    An `Interpretation` is one query with its candidates; a reading is an interpretation with its probability.
    """

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._wordings = Wordings(signals)
        self._known: dict[tuple[Hashable, ...], Interpretation] = {}

    def readings_of(self, queries: Sequence[Query], scan: Scan, *, courses: int = _MOST_COURSES) -> list[Readings]:
        """The readings of each query, the most probable first, each with its probability, in [0, 1].

        A query that is equal to a name has one reading, the query itself, and so has every one that is searched for
        verbatim. If all signals are fused, its abbreviations are written out; the probability of a reading is
        proportional to its prior times its `Interpretation.weight`. Corrected queries replace the one they correct if
        their highest confidence is clearly higher. What a query tells of a finding's course is set aside where nothing
        else answers it (`ontonym.text.courses`), so many times; with 0 ``courses`` it is answered as a whole.
        """
        if scan.verbatim:
            return [[(1.0, read)] for read in self.interpretations(queries, scan)]
        found = self._in_all_wordings(queries, scan)
        corrected = self._corrected_if_better([first for (_, first), *_ in found], scan)
        kept: list[Readings] = [
            [
                *((weight * share, one) for share, one in some),
                *(other for other in others if other[0] >= _LEAST_READING),
            ]
            for ((weight, _), *others), some in zip(found, corrected, strict=True)
        ]
        if scan.signal != "fused":
            return kept
        settled: list[Readings] = [[(weight, self._settled(one)) for weight, one in some] for some in kept]
        return self._without_course(queries, settled, scan, courses) if courses else settled

    def _in_all_wordings(self, queries: Sequence[Query], scan: Scan) -> list[Readings]:
        """The readings of each query, one for each of its wordings."""
        wordings = [self._wordings.of(query, scan) for query in queries]
        reads = iter(self.interpretations([one for groups in wordings for some in groups for _, one in some], scan))
        meant = ([[self._meant(prior, next(reads)) for prior, _ in some] for some in groups] for groups in wordings)
        return [self._undecided(weighed(groups)) for groups in meant]

    def _without_course(
        self, queries: Sequence[Query], found: Sequence[Readings], scan: Scan, courses: int
    ) -> list[Readings]:
        """The readings ``found`` for each query; where they lead to no likely answer, and the query tells beside a
        finding how that goes on, when it is there or what brings it on, those of the finding alone.
        """
        told = [self._told_beside_course(query, some) for query, some in zip(queries, found, strict=True)]
        asked = [(query, {text: ()}, query.correction) for query, text, _ in filter(None, told)]
        cores = [core for (core,) in changed_together(self._signals.encoder, asked)]
        bared = self.readings_of(cores, scan, courses=courses - 1) if cores else ()
        others = iter(zip(cores, bared, strict=True))
        several: list[Readings] = []
        for readings, one in zip(found, told, strict=True):
            core, bare = next(others) if one else (None, ())
            less = [(weight, less_sure(read, one.trust)) for weight, read in bare] if one else []
            if one and core and is_finding_alone(core, less[0][1], self._signals, is_placed=one.is_placed):
                several.append(less)
            else:
                several.append(readings)
        return several

    def _told_beside_course(self, query: Query, readings: Readings) -> BareFinding | None:
        """A query and what it tells beside the course of a finding, or, where nothing likely is found and it tells no
        course, beside where the finding is; the query with its abbreviations written out where only these tell a course
        and lead to nothing likely. None where nothing tells one, or what was found answers all of it."""
        (_, read), *_ = readings
        if read.has_named_answer:
            return None
        one, text = query, without_course(query.text)
        if not text and read.query.correction is Correction.EXPANDED and _is_unlikely(readings):
            one, text = read.query, without_course(read.query.text)
        if text:
            return None if tells_course(read, text, self._signals) else BareFinding(one, text)
        place = "" if is_first_likely(read) else without_place(query.text)
        return BareFinding(query, place, is_placed=True) if place and not tells_side(read, self._signals) else None

    def _settled(self, read: Interpretation) -> Interpretation:
        """A reading with the candidate first that its words tell from the others, and with its last doubts."""
        told = read
        for better in (unqualified, undivided, narrowed, uncomplicated):
            told = better(told, self._signals)
        own = doubted_for_rival(same_words_first(told, self._signals))
        return doubted_together(own, self._signals)

    def _undecided(self, readings: list[Reading]) -> list[Reading]:
        """The readings of a query, less sure where an abbreviation has one of several meanings, which no other word of
        the query speaks for: "RTA whiplash" is no renal tubular acidosis, and "Hb" alone hardly heart block."""
        (weight, first), *others = [(weight, self._seldom_meant(one, readings)) for weight, one in readings]
        if first.query.correction is not Correction.EXPANDED or len(first.query.changes) != 1:
            return [(weight, first), *others]
        ((short, _),) = first.query.changes
        rivals = [one for _, one in others if one.query.changes[:1] and one.query.changes[0][0] == short]
        every = sum(one.prior for one in (first, *rivals))
        own = first.prior + sum(one.prior for one in rivals if one.answer == first.answer)
        if own < _CLEAR * every and leaves_rest(first, self._signals):
            other = max((one for one in rivals if one.answer != first.answer), key=lambda one: one.prior)
            first = refused(first, f"“{short}” may also mean “{other.query.changes[0][1]}”")
        return [(weight, first), *others]

    def _seldom_meant(self, read: Interpretation, readings: Readings) -> Interpretation:
        """A reading; doubted where the query is but an abbreviation, in a meaning that this seldom has."""
        query = read.query
        if query.correction is not Correction.EXPANDED or len(query.changes) != 1:
            return read
        ((short, said),) = query.changes
        meanings = self._signals.lexicon.meanings(short)
        same = {one.query.changes[0][1] for _, one in readings if one.answer == read.answer and one.query.changes}
        if said not in same.intersection(one.text for one in meanings) or query.words != tuple(tokens(said)):
            return read
        if sum(one.share for one in meanings if one.text in same) >= _SELDOM:
            return read
        return refused(read, f"“{short}” mostly means “{meanings[0].text}”")

    def _meant(self, prior: float, read: Interpretation) -> tuple[float, Interpretation]:
        """A reading with its prior: less where its answer has nothing of what an abbreviation was written out as."""
        if read.query.correction is Correction.EXPANDED and len(read.evidence.concepts):
            prior *= _UNSUPPORTED ** unsupported(read, self._signals)
        trusted = _as_trusted(read)
        return prior, trusted if prior == trusted.prior else replace(trusted, prior=prior)

    def interpretations(self, queries: Sequence[Query], scan: Scan) -> list[Interpretation]:
        """The candidates of each query as it is, without correction.

        Those of the last queries are kept by what they depend on, since many texts have the same words (*Seizures*,
        *seizure*) and readings of a text come again.
        """
        if scan.allowed is not None or scan.hidden is not None or scan.also:
            found = self._interpreted(queries, scan)
        else:
            how = (scan.source, scan.representation, scan.signal, scan.k, scan.seed, scan.verbatim)
            keys = [(*how, *query.said) for query in queries]
            known = {key: read for key in keys if (read := self._known.get(key)) is not None}
            fresh = {key: query for key, query in zip(keys, queries, strict=True) if key not in known}
            made = dict(zip(fresh, self._interpreted(list(fresh.values()), scan), strict=True))
            if len(self._known) + len(made) > _MOST_KNOWN:
                self._known.clear()
            self._known.update(made)
            known.update(made)
            found = [known[key].of(query) for key, query in zip(keys, queries, strict=True)]
        if scan.signal != "fused" or scan.verbatim:
            return found
        return [doubted(with_same_words(read, self._signals), self._signals) for read in found]

    def _interpreted(self, queries: Sequence[Query], scan: Scan) -> list[Interpretation]:
        evidences = self._signals.evidences(queries, scan)
        return [self._interpretation(query, scan, one) for query, one in zip(queries, evidences, strict=True)]

    def _interpretation(self, query: Query, scan: Scan, evidence: Evidence) -> Interpretation:
        similarities = evidence.similarities("dense" if scan.signal == "fused" else scan.signal, scan.representation)
        terminologies = self._signals.places(evidence.concepts)
        confidences = self._signals.confidences(evidence, scan.signal, scan.representation, terminologies)
        return Interpretation(query, scan, evidence, rounded(confidences), similarities, terminologies)

    def believed(self, queries: Sequence[Query], scan: Scan, least: float, wanted: int) -> list[list[Choice]]:
        """For each query the first ``wanted`` candidates with a similarity of at least ``least``, best first: what the
        first module of a sieve accepts. Often there are none, which the dense signal finds out quickly.
        """
        found: list[list[Choice]] = [[] for _ in queries]
        if not queries or not self._signals.parts(scan.source):
            return found
        places = list(range(len(queries)))
        if scan.signal in ("fused", "dense"):
            near = self._signals.nearness(queries, scan.source, scan.representation, scan.allowed)
            places = [place for place in places if near[place] > least - _ROUNDING]
        for place, read in zip(places, self.interpretations([queries[one] for one in places], scan), strict=True):
            near_enough = (one for one in read.ranked() if read.similarities[one] >= least)
            found[place] = [read.choice(one, believed=True) for one in islice(near_enough, wanted)]
        return found

    def _corrected_if_better(self, reads: Sequence[Interpretation], scan: Scan) -> list[Readings]:
        """For each query the readings of its corrections if the surest is clearly surer than the query itself, else it.

        The confidences of a corrected query are scaled by how far the correction can be trusted.
        """
        leasts = [max(LEAST_CORRECTED, sure_as_typed(read, self._signals) / TRUST_IN_CORRECTION) for read in reads]
        tried = [  # no correction is trusted by more than 1
            (least <= 1 or len(read.query.words) >= TWO_WORDS) and not read.is_name
            for read, least in zip(reads, leasts, strict=True)
        ]
        queries = [read.query for read, one in zip(reads, tried, strict=True) if one]
        asked = iter(self.corrections(queries, [least for least, one in zip(leasts, tried, strict=True) if one]))
        corrections = [next(asked) if one else [] for one in tried]  # surer than trusted: none
        others = iter(self.interpretations([query for some in corrections for _, query in some], scan))
        found: list[Readings] = []
        for read, least, some in zip(reads, leasts, corrections, strict=True):
            made = [(trust, next(others)) for trust, _ in some]
            likely = likely_corrections(made, least)
            found.append(self._shared([replace(one, prior=read.prior) for one in likely]) if likely else [(1.0, read)])
        return self._heard_if_named(reads, found, scan)

    def _heard_if_named(self, reads: Sequence[Interpretation], found: Sequence[Readings], scan: Scan) -> list[Readings]:
        """The readings ``found`` for each query, where none is likely the one as the name that it sounds like."""
        asked = [
            self._heard(read.query, some[0][1].query) if _is_unlikely(some) else []
            for read, some in zip(reads, found, strict=True)
        ]
        others = iter(self.interpretations([one for some in asked for _, one in some], scan))
        several: list[Readings] = []
        for readings, some in zip(found, asked, strict=True):
            _, own = readings[0]
            sounding = [(trust, next(others)) for trust, _ in some]
            trust, best = max(sounding, key=lambda one: (one[1].is_name, one[0], one[1].surest), default=(0.0, own))
            if trust * best.surest <= own.surest / TRUST_IN_CORRECTION:
                several.append(readings)
                continue
            several.append([(1.0, replace(best, prior=own.prior, confidences=rounded(best.confidences * trust)))])
        return several

    def _heard(self, typed: Query, read: Query) -> list[tuple[float, Query]]:
        """The names that a query sounds like as it is typed and as it is read, "varicose vains" for "vericose vains",
        each with the trust in it."""
        found: list[tuple[float, Query]] = []
        for query in dict.fromkeys((typed, read)):
            text = query.typed if query.correction is Correction.EXPANDED else query.text
            said = [
                one
                for one in sound_alikes(text, self._signals.speller, self._signals.words_beside)
                if one.trust == IN_PARTS or self._signals.is_name(tokens(one.text))
            ]
            changes = {one.text: one.changes for one in said}
            queries = changed_queries(self._signals.encoder, query, changes, Correction.CORRECTED)
            trusts = {one.text: one.trust for one in said}
            found += [(trusts[one.text], one) for one in queries]
        return found

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
        kept = [first, *(one for one in others if one[0] >= _LEAST_READING)]
        answers = [one.answer for _, one in kept]
        clear = sum(share for (share, _), answer in zip(kept, answers, strict=True) if answer == answers[0])
        if clear >= _CLEAR:
            return kept
        return [(share, replace(one, confidences=capped(one.confidences, one.surest))) for share, one in kept]

    def corrections(self, queries: Sequence[Query], leasts: Sequence[float]) -> list[list[tuple[float, Query]]]:
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
                trust = self._trust(tokens(said), changes, alone=len(changes) == len(tokens(text)))
                if trust >= least or (trust > LEAST_NAMED and self._is_long_name(tokens(said), changes)):
                    trusted.setdefault(said, trust)
                    changed.setdefault(said, (*changes, *values))
            trusts.append(list(trusted.values()))
            correction = Correction.CORRECTED if query.correction is Correction.NONE else query.correction
            asked.append((query, changed, correction))
        found = changed_together(self._signals.encoder, asked)
        return [list(zip(trusted, some, strict=True)) for trusted, some in zip(trusts, found, strict=True)]

    def _is_long_name(self, words: Sequence[str], changes: Sequence[tuple[str, str]]) -> bool:
        """Whether words of which one was changed are a name so long that this is no chance."""
        return is_long(words, changes) and self._signals.is_name(words)

    def _trust(self, words: Sequence[str], changes: Sequence[tuple[str, str]], *, alone: bool) -> float:
        return sum(self._signals.is_known(words)) / max(len(words), 1) * trust_in(changes, alone=alone)


def _is_unlikely(readings: Readings) -> bool:
    """Whether no answer to the first reading is likelier right than wrong."""
    return readings[0][1].surest < LIKELY


def _as_trusted(read: Interpretation) -> Interpretation:
    """An interpretation with its confidences, lower where the query is read in other words."""
    if read.query.correction is not Correction.REWORDED:
        return read
    return less_sure(read, _TRUST_IN_REWORDING)
