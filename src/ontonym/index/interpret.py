"""The readings of a query: what it may mean, each with its candidates and a probability.

A query is searched for in all its `ontonym.index.wordings`, with its spelling corrected where that is surer
(`ontonym.index.corrections`), and as the finding alone where nothing answers the whole (`ontonym.index.barefindings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ontonym.index.barefindings import BareFinding, is_finding_alone, is_first_likely, tells_course, tells_side
from ontonym.index.candidates import CandidateSearch
from ontonym.index.choices import LEAST_READING, LIKELIER_RIGHT, Interpretation, Reading, Readings, weighed
from ontonym.index.corrections import Corrections
from ontonym.index.doubts import doubted_for_rival, doubted_together
from ontonym.index.exchanges import narrowed, uncomplicated, undivided, unqualified
from ontonym.index.expansions import support, with_doubted_expansions
from ontonym.index.query import Query, changed_together
from ontonym.index.samewords import same_words_first
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals
from ontonym.index.wordings import Wordings
from ontonym.text.courses import without_course
from ontonym.text.places import without_place
from ontonym.types import Correction

_TRUST_IN_REWORDING = 0.85
"""How often the answer to a query in other words is right (docs/decisions.md, "Other words are a reading of the
query")."""

_MOST_COURSES = 4
"""How many times what a query tells of a finding's course is set aside: "cough at night" as often as somebody likes."""


class Interpreter(CandidateSearch):
    """Reads queries as the names of an index allow, and searches for each reading.

    An `Interpretation` is one query with its candidates; a reading is an interpretation with its probability.
    """

    def __init__(self, signals: Signals) -> None:
        super().__init__(signals)
        beside = CandidateSearch(signals, self._known)  # with itself, a closed index would keep its files
        self.corrections = Corrections(signals, beside)
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
            return [[(1.0, read)] for read in self.interpretations(queries, scan)]
        found = self._in_all_wordings(queries, scan)
        corrected = self.corrections.where_better([first for (_, first), *_ in found], scan)
        kept: list[Readings] = [
            [
                *((weight * share, one) for share, one in some),
                *(other for other in others if other[0] >= LEAST_READING),
            ]
            for ((weight, _), *others), some in zip(found, corrected, strict=True)
        ]
        if scan.signal != "fused":
            return kept
        settled: list[Readings] = [[(weight, self._settled(one)) for weight, one in some] for some in kept]
        return self._as_bare_findings(queries, settled, scan, courses) if courses else settled

    def _in_all_wordings(self, queries: Sequence[Query], scan: Scan) -> list[list[Reading]]:
        """The readings of each query, one for each of its wordings."""
        wordings = [self._wordings.of(query, scan) for query in queries]
        found = iter(self.interpretations([one for groups in wordings for some in groups for _, one in some], scan))
        meant = (
            [[self._with_prior(prior, next(found)) for prior, _ in some] for some in groups] for groups in wordings
        )
        return [with_doubted_expansions(weighed(groups), self._signals) for groups in meant]

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
        bare = [self._bare_finding(query, some) for query, some in zip(queries, found, strict=True)]
        if not any(bare):
            return found
        asked = changed_together(
            self._signals.encoder, [(one.query, {one.text: ()}, one.query.correction) for one in bare if one]
        )
        alone = [query for (query,) in asked]
        answers = iter(zip(alone, self.readings_of(alone, scan, courses=courses - 1), strict=True))
        several: list[Readings] = []
        for readings, one in zip(found, bare, strict=True):
            if one is not None:
                query, others = next(answers)
                trusted = [(weight, read.scaled(one.trust)) for weight, read in others]
                if is_finding_alone(query, trusted[0][1], self._signals, is_placed=one.is_placed):
                    several.append(trusted)
                    continue
            several.append(readings)
        return several

    def _bare_finding(self, query: Query, readings: Readings) -> BareFinding | None:
        """A query and what it tells beside the course of a finding, or, where nothing likely is found and it tells no
        course, beside where the finding is; the query with its abbreviations written out where only these tell a course
        and lead to nothing likely. None where nothing tells one, or what was found answers all of it."""
        (_, read), *_ = readings
        if read.has_named_answer:
            return None
        whole, text = query, without_course(query.text)
        if not text and read.query.correction is Correction.EXPANDED and read.surest < LIKELIER_RIGHT:
            whole, text = read.query, without_course(read.query.text)
        if text:
            return None if tells_course(read, text, self._signals) else BareFinding(whole, text)
        place = "" if is_first_likely(read) else without_place(query.text)
        return BareFinding(query, place, is_placed=True) if place and not tells_side(read, self._signals) else None
