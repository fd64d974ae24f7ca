"""The readings of a query: what it may mean, each with its candidates and a probability.

A query is searched for in all its `ontonym.index.wordings`, with its spelling corrected where that is surer
(`ontonym.index.corrections`), and as the finding alone where nothing answers the whole (`ontonym.index.barefindings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ontonym.index.barefindings import bare_finding
from ontonym.index.candidates import CandidateSearch
from ontonym.index.corrections import Corrections
from ontonym.index.doubts import doubted_for_rival, doubted_together
from ontonym.index.exchanges import narrowed, uncomplicated, undivided, unqualified
from ontonym.index.expansions import support, with_doubted_expansions
from ontonym.index.interpretation import LEAST_READING, Interpretation, Reading, Readings, weighed
from ontonym.index.query import Query, changed_together
from ontonym.index.samewords import same_words_first
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals
from ontonym.index.wordings import Wordings
from ontonym.types import Correction

_TRUST_IN_REWORDING = 0.85
"""How often the answer to a query in other words is right (docs/decisions.md, "Other words are a reading of the
query")."""

_MOST_COURSES = 4
"""How many times what a query tells of a finding's course is set aside: "cough at night" as often as somebody likes."""


class Interpreter:
    """Reads queries as the names of an index allow, and searches for each reading.

    An `Interpretation` is one query with its candidates, as ``candidates`` finds them; a reading is an interpretation
    with its probability.
    """

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self.candidates = CandidateSearch(signals)
        self.corrections = Corrections(signals, self.candidates)
        self._wordings = Wordings(signals)

    def readings_of(self, queries: Sequence[Query], scan: Scan, *, courses: int = _MOST_COURSES) -> list[Readings]:
        """The readings of each query, the most probable first, each with its probability, in [0, 1].

        A query that is equal to a name has one reading, the query itself, and so has every one that is searched for
        verbatim. If all signals are fused, its abbreviations are written out; the probability of a reading is
        proportional to its prior times its `Interpretation.weight`. Corrected queries replace the one they correct if
        their highest confidence is clearly higher. What a query tells of a finding's course is set aside where nothing
        else answers it (`ontonym.text.courses`), so many times; with 0 ``courses`` it is answered as a whole.
        """
        if scan.verbatim:
            return [[Reading(1.0, read)] for read in self.candidates.interpretations(queries, scan)]
        found = self._in_all_wordings(queries, scan)
        corrected = self.corrections.where_better([likeliest.interpretation for likeliest, *_ in found], scan)
        kept = [_with_corrections(own, instead) for own, instead in zip(found, corrected, strict=True)]
        if scan.signal != "fused":
            return kept
        settled: list[Readings] = [[Reading(share, self._settled(read)) for share, read in own] for own in kept]
        return self._as_bare_findings(queries, settled, scan, courses) if courses else settled

    def _in_all_wordings(self, queries: Sequence[Query], scan: Scan) -> list[list[Reading]]:
        """The readings of each query, one for each of its wordings."""
        groups_by_query = [self._wordings.of(query, scan) for query in queries]
        asked = [wording.query for groups in groups_by_query for group in groups for wording in group]
        found = iter(self.candidates.interpretations(asked, scan))
        readings = []
        for groups in groups_by_query:
            meant = [[self._with_prior(wording.prior, next(found)) for wording in group] for group in groups]
            readings.append(with_doubted_expansions(weighed(meant), self._signals))
        return readings

    def _with_prior(self, prior: float, read: Interpretation) -> Interpretation:
        """An interpretation with its prior, which is lower where its answer has nothing of what an abbreviation was
        written out as; and with lower confidences where the query is read in other words."""
        prior *= support(read, self._signals)
        if read.query.correction is Correction.REWORDED:
            read = read.scaled(_TRUST_IN_REWORDING)
        return read if prior == read.prior else replace(read, prior=prior)

    def _settled(self, read: Interpretation) -> Interpretation:
        """A reading with the candidate first that its words tell from the others, and with its last doubts."""
        for better in (unqualified, undivided, narrowed, uncomplicated, same_words_first):
            read = better(read, self._signals)
        return doubted_together(doubted_for_rival(read), self._signals)

    def _as_bare_findings(
        self, queries: Sequence[Query], found: list[Readings], scan: Scan, courses: int
    ) -> list[Readings]:
        """The readings ``found`` for each query; where they lead to no likely answer, and the query tells beside a
        finding how that goes on, when it is there, what brings it on or where it is, those of the finding alone.
        """
        bare = [
            bare_finding(query, readings[0].interpretation, self._signals)
            for query, readings in zip(queries, found, strict=True)
        ]
        if not any(bare):
            return found
        asked = changed_together(
            self._signals.encoder, [(one.query, {one.text: ()}, one.query.correction) for one in bare if one]
        )
        alone = [query for (query,) in asked]
        answers = iter(zip(alone, self.readings_of(alone, scan, courses=courses - 1), strict=True))
        several: list[Readings] = []
        for whole, one in zip(found, bare, strict=True):
            readings = whole
            if one is not None:
                query, others = next(answers)
                trusted = [Reading(share, read.scaled(one.trust)) for share, read in others]
                if one.is_meant(query, trusted[0].interpretation, self._signals):
                    readings = trusted
            several.append(readings)
        return several


def _with_corrections(readings: Readings, corrected: Readings) -> Readings:
    """The readings of a query with those of its corrections, which may be itself, in the place of the likeliest one."""
    (probability, _), *others = readings
    likely = (other for other in others if other.probability >= LEAST_READING)
    return [*(Reading(probability * share, read) for share, read in corrected), *likely]
