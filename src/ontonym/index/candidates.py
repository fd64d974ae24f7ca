"""The candidates of queries, each query as it is: with what the signals bring, how sure each is.

`ontonym.index.interpret` searches for a query in several readings, each of them so.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice

from ontonym.index.choices import Choice
from ontonym.index.doubts import doubted
from ontonym.index.evidence import Evidence
from ontonym.index.interpretation import Interpretation, rounded
from ontonym.index.query import Query
from ontonym.index.samewords import with_same_words
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals

_MOST_KNOWN = 1 << 11
"""Queries whose candidates are kept: at 10 kB, 20 MB."""

_ROUNDING = 1e-4
"""By how much rounding may set the similarity of the quick scan below that of the candidates."""


class CandidateSearch:
    """Searches for queries as they are, without correction, and keeps what was found for the last ones."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._known: dict[tuple[Hashable, ...], Interpretation] = {}

    def interpretations(self, queries: Sequence[Query], scan: Scan) -> list[Interpretation]:
        """The candidates of each query.

        Those of the last queries are kept by what they depend on, since many texts have the same words (*Seizures*,
        *seizure*) and readings of a text come again.
        """
        if scan.allowed is not None or scan.hidden is not None or scan.also:
            found = self._searched(queries, scan)
        else:
            how = (scan.source, scan.representation, scan.signal, scan.k, scan.seed, scan.verbatim)
            keys = [(*how, *query.cache_key) for query in queries]
            known = {key: read for key in keys if (read := self._known.get(key)) is not None}
            fresh = {key: query for key, query in zip(keys, queries, strict=True) if key not in known}
            made = dict(zip(fresh, self._searched(list(fresh.values()), scan), strict=True))
            if len(self._known) + len(made) > _MOST_KNOWN:
                self._known.clear()
            self._known.update(made)
            known.update(made)
            found = [known[key].of(query) for key, query in zip(keys, queries, strict=True)]
        if scan.signal != "fused" or scan.verbatim:
            return found
        return [doubted(with_same_words(read, self._signals), self._signals) for read in found]

    def interpretations_of_each(self, groups: Sequence[Sequence[Query]], scan: Scan) -> list[list[Interpretation]]:
        """The `interpretations` of the queries of each group; those of all groups are searched for together."""
        found = iter(self.interpretations([query for some in groups for query in some], scan))
        return [[*islice(found, len(some))] for some in groups]

    def _searched(self, queries: Sequence[Query], scan: Scan) -> list[Interpretation]:
        evidences = self._signals.evidences(queries, scan)
        return [self._interpretation(query, scan, one) for query, one in zip(queries, evidences, strict=True)]

    def _interpretation(self, query: Query, scan: Scan, evidence: Evidence) -> Interpretation:
        similarities = evidence.similarities("dense" if scan.signal == "fused" else scan.signal, scan.representation)
        terminologies = self._signals.terminologies_of(evidence.concepts)
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
            found[place] = [Choice.of(read, one, believed=True) for one in islice(near_enough, wanted)]
        return found
