"""Candidate pairs: every name of a source concept is searched for, and the results are combined by concept.

Pairs are stored as columns, a few dozen numbers each, so that hundreds of thousands of concepts fit in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Floats, Ints, Mask
from ontonym.index import Index
from ontonym.index.choices import RankedCandidates
from ontonym.index.doubts import share_left
from ontonym.index.evidence import FEATURES
from ontonym.index.interpretation import Reading, Readings, own_totals, rounded
from ontonym.index.query import Query
from ontonym.index.scan import Scan
from ontonym.tasks.amountsfirst import amounts_first
from ontonym.tasks.codeheadings import codes_first
from ontonym.tasks.match.mediators import SourceName
from ontonym.tasks.match.options import MatchOptions
from ontonym.tasks.narrowerfirst import narrower_first
from ontonym.tasks.nil import says_nothing
from ontonym.text.normalization import tokens
from ontonym.text.notes.context import contexts
from ontonym.text.placeholders import is_placeholder
from ontonym.types import Correction

SOURCE_PREFERRED, TARGET_PREFERRED, BOTH_PREFERRED = 1, 2, 4
"""Bits of `Candidates.equal_kinds`: an equal name is the preferred term of the source, of the target, of both."""

_BROUGHT = 30
_WRITTEN = re.compile(r"\w+")
_SPELLED = FEATURES.index("spelled")
_SPELLED_PREFERRED = FEATURES.index("spelled_preferred")
_SIMILAR = [
    FEATURES.index(name)
    for name in (
        "dense", "dense_support", "dense_concept", "char", "words", "query_share", "name_share",
        "dense_behind", "concept_behind", "char_behind", "words_behind",
    )
]  # fmt: skip
"""The columns of the similarities of the evidence."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate pairs, one row each; those of a source concept are adjacent, in the order of the concepts.

    ``sources`` are concept rows of the source, ``targets`` concept numbers of the index. Of the source's name with the
    highest confidence: ``terms`` is its term row, ``names`` the name row of the index that it found, ``features`` their
    evidence (`ontonym.index.evidence.FEATURES`), shape ``(n, features)``. ``highest``, ``mean``, ``best_three`` and
    ``reciprocal`` aggregate the confidences of all names, in [0, 1] (see `MatchOptions`). Of ``asked`` names ``found``
    brought the candidate and ``equal`` are equal to a name of it; ``equal_kinds`` are bits that say which. ``readings``
    number the reading of the name that found it, from 1, or from -1 down where a slip was corrected; 0 is the name as
    it is written. ``left`` is the share of the confidences of that reading that doubts left, 0 where they left no
    answer (`ontonym.index.doubts`).
    """

    sources: Ints
    targets: Ints
    terms: Ints
    names: Ints
    highest: Floats
    mean: Floats
    best_three: Floats
    reciprocal: Floats
    found: Ints
    asked: Ints
    equal: Ints
    equal_kinds: Ints
    features: Floats
    readings: Ints
    left: Floats

    def __len__(self) -> int:
        return len(self.sources)

    def take(self, rows: npt.NDArray[np.bool_] | Ints) -> Self:
        """Some of the pairs."""
        return type(self)(**{one.name: getattr(self, one.name)[rows] for one in fields(self)})

    @classmethod
    def joined(cls, parts: Iterable[Candidates]) -> Candidates:
        """The pairs of all parts, concatenated."""
        listed = list(parts) or [NO_CANDIDATES]
        return cls(**{one.name: np.concatenate([getattr(part, one.name) for part in listed]) for one in fields(cls)})


def _columns(width: int, **columns: npt.NDArray[Any]) -> Candidates:
    """The columns as stored: numbers of 64 bits, shares of 32."""
    typed: dict[str, Any] = {
        one.name: np.asarray(columns[one.name], dtype=np.float32 if one.type == "Floats" else np.int64)
        for one in fields(Candidates)
    }
    return Candidates(**{**typed, "features": typed["features"].reshape(-1, width)})


NO_CANDIDATES = _columns(len(FEATURES), **{one.name: np.empty(0) for one in fields(Candidates)})


@dataclass(frozen=True, slots=True)
class AskedConcept:
    """A source concept: its row, and its names, the preferred one first.

    ``also`` are concept numbers that are scored in any case; ``denied`` are never candidates.
    """

    row: int
    names: tuple[SourceName, ...]
    also: tuple[int, ...] = ()
    denied: tuple[int, ...] = ()


class CandidateFinder:
    """Finds the candidates of batches of source concepts in an index."""

    def __init__(self, index: Index, options: MatchOptions) -> None:
        self._index, self._options, self._scan = index, options, scan_of(index, options)

    def __call__(self, batch: Sequence[AskedConcept]) -> Candidates:
        """The candidates of the concepts of a batch, in their order."""
        names = [name for asked in batch for name in asked.names]
        queries = self._index.signals.queries([name.text for name in names], [name.language for name in names])
        of_names = iter(queries)
        return Candidates.joined([self._of(asked, list(islice(of_names, len(asked.names)))) for asked in batch])

    def _of(self, asked: AskedConcept, queries: Sequence[Query]) -> Candidates:
        brought = [*self._brought(asked, queries)]
        if not brought:
            return NO_CANDIDATES
        return _by_concept(asked, _Brought(*map(np.concatenate, zip(*brought, strict=True))), self._options.k)

    def _brought(self, asked: AskedConcept, queries: Sequence[Query]) -> Iterator[_Brought]:
        """The candidates of each name that has some, in the order of `ontonym.tasks.search.search`."""
        options = self._options
        scan = replace(self._scan, also=asked.also)
        ranked = self._as_read(queries, scan) if options.names == "read" else self._as_written(queries, scan)
        for number, found in enumerate(ranked):
            keep = (found.confidences > 0) | np.isin(found.concepts, asked.also)
            keep &= ~np.isin(found.concepts, asked.denied)
            keep &= self._are_meant(asked.names[number].text, found)
            if not keep.any():
                continue
            kept = found.take(keep)
            ranks = _ranks(self._index.signals.terminologies_of(kept.concepts))
            wanted = (ranks <= options.k) | (kept.features[:, _SPELLED] > 0)
            if asked.also:
                wanted |= np.isin(kept.concepts, asked.also)
            yield _Brought(np.full(wanted.sum(), number), ranks[wanted], *kept.take(wanted))

    def _as_written(self, queries: Sequence[Query], scan: Scan) -> Iterator[_Ranked]:
        """The candidates of each query, best first, for exactly what is written."""
        signals = self._index.signals
        for read in self._index.interpreter.candidates.interpretations(queries, scan):
            evidence = read.evidence
            sure = signals.confidences(evidence, scan.signal)
            sure = self._apart(sure, self._index.signals.terminologies_of(evidence.concepts))
            order = np.lexsort((*evidence.tie_keys(), -sure))
            unread = np.zeros(len(sure), dtype=np.int64)
            left = np.full(len(sure), float(share_left(read, signals) > 0))
            yield _Ranked(evidence.concepts, sure, evidence.best, evidence.features, unread, left).take(order)

    def _as_read(self, queries: Sequence[Query], scan: Scan) -> Iterator[_Ranked]:
        """The candidates of each query, best first, with abbreviations written out and slips corrected."""
        for query, as_read in zip(queries, readings_of(self._index, queries, scan), strict=True):
            found = RankedCandidates.of(as_read)
            if scan.signal == "fused":
                found = narrower_first(self._index, query, found, scan, partial(readings_of, self._index))
                found = amounts_first(self._index, codes_first(self._index, found))
            readings = found.readings
            sure = self._apart(np.asarray(found.confidences), np.asarray(found.terminologies, dtype=np.int64))
            evidence = [read.evidence for _, read in readings]
            at = list(zip(found.reading_numbers, found.places, strict=True))
            features = np.asarray([evidence[number].features[place] for number, place in at], dtype=np.float32)
            features = _with_those_of_broader(features.reshape(-1, len(FEATURES)), found)
            signs = [_sign(read.query, query) for _, read in readings]
            shares = np.asarray([share_left(read, self._index.signals) for _, read in readings], dtype=np.float32)
            readings_by_pair = np.asarray(
                [signs[number] * (number + 1) for number in found.reading_numbers], dtype=np.int64
            )
            order = np.argsort(-sure, kind="stable")
            concepts = np.asarray(found.concepts, dtype=np.int64)
            names = np.asarray([evidence[number].best[place] for number, place in at], dtype=np.int64)
            left = shares[np.asarray(found.reading_numbers, dtype=np.int64)]
            yield _Ranked(concepts, sure, names, features, readings_by_pair, left).take(order)

    def _are_meant(self, name: str, found: _Ranked) -> Mask:
        """Which candidates a name may mean: one that says nothing ("N/A") only those that are called so."""
        if not is_placeholder(name):
            return np.ones(len(found.concepts), dtype=np.bool_)
        pairs = zip(found.concepts.tolist(), found.names.tolist(), strict=True)
        said = [says_nothing(name, self._index.preferred(one), self._index.term(row).source) for one, row in pairs]
        return ~np.array(said, dtype=np.bool_)

    def _apart(self, sure: Doubles, places: Ints) -> Doubles:
        """Confidences in which only concepts of one terminology are rivals."""
        if self._options.signal == "fused" and len(self._index.terminologies) > 1:
            sure = sure / own_totals(sure, places)
        return rounded(sure)


def _with_those_of_broader(features: Floats, found: RankedCandidates) -> Floats:
    """The evidence of candidates, in which a narrower concept that takes the place of a broader one is at least as
    similar: the words that it is found by are that one's."""
    for narrower, broader in found.broader.items():
        one, other = found.concepts.index(narrower), found.concepts.index(broader)
        features[one, _SIMILAR] = np.maximum(features[one, _SIMILAR], features[other, _SIMILAR])
    return features


class _Ranked(NamedTuple):
    """The candidates of a name, best first: concepts, confidences, matched names, evidence, the number of the reading
    that found each and what doubts left of it, as in `Candidates`.
    """

    concepts: Ints
    confidences: Doubles
    names: Ints
    features: Floats
    readings: Ints
    left: Floats

    def take(self, rows: Mask | Ints) -> _Ranked:
        """Some of the candidates."""
        return _Ranked(**{name: column[rows] for name, column in self._asdict().items()})


class _Brought(NamedTuple):
    """The candidates that names of one source concept brought, a row for each name and candidate: the number of the
    name and the rank by it, from 1, and the columns of `_Ranked`.
    """

    numbers: Ints
    ranks: Ints
    concepts: Ints
    confidences: Doubles
    names: Ints
    features: Floats
    readings: Ints
    left: Floats

    def take(self, rows: Mask | Ints) -> _Brought:
        """Some of the rows."""
        return _Brought(**{name: column[rows] for name, column in self._asdict().items()})


def scan_of(index: Index, options: MatchOptions) -> Scan:
    """How the names of a source are searched for."""
    allowed = index.mask(within=options.within, tags=options.tags)
    return Scan("OD", signal=options.signal, k=max(_BROUGHT, 2 * options.k), allowed=allowed)


def readings_of(index: Index, queries: Sequence[Query], scan: Scan) -> list[Readings]:
    """The readings of names as in `ontonym.tasks.search.search`, but for those that leave out a negation or doubt, or
    what a name tells of the course of a finding: that finding is broader, and no exact match."""
    found: list[Readings] = []
    for query, readings in zip(queries, index.interpreter.readings_of(queries, scan, courses=0), strict=True):
        kept = [one for one in readings if _keeps_meaning(one.interpretation.query, query)]
        found.append(
            kept or [Reading(1.0, read) for read in index.interpreter.candidates.interpretations([query], scan)]
        )
    return found


def _keeps_meaning(read: Query, asked: Query) -> bool:
    """Whether a reading of a name leaves out no negation or doubt of it, nor that somebody else has it: "family history
    of breast cancer" for "FH breast cancer" does not."""
    if read.text == asked.text:
        return True
    if read.negated:
        return False
    both = set(read.words).intersection(tokens(asked.text))
    return not is_not_stated(read.words, asked.text) or is_not_stated(list(both), read.text)


def is_not_stated(words: Sequence[str], name: str) -> bool:
    """Whether a name denies or doubts what these of its words stand for, or has it of a relative or of the past."""
    wanted = set(words)
    places = [one.span() for one in _WRITTEN.finditer(name) if wanted & set(tokens(one[0]))]
    return bool(places) and bool(contexts(name, [(places[0][0], places[-1][1])])[0])


def _sign(read: Query, asked: Query) -> int:
    if read.text == asked.text:
        return 0
    return -1 if read.correction is Correction.CORRECTED else 1


def _ranks(places: Ints) -> Ints:
    """The rank of each candidate, best first, among those of its terminology, from 1."""
    ranks = np.empty(len(places), dtype=np.int64)
    for place in np.unique(places):
        own = places == place
        ranks[own] = np.arange(1, np.count_nonzero(own) + 1)
    return ranks


def run_starts(keys: Ints) -> Mask:
    """A bitmap of the first of each run of equal keys."""
    return np.append(True, keys[1:] != keys[:-1])[: len(keys)]


def _by_concept(asked: AskedConcept, brought: _Brought, k: int) -> Candidates:
    """What the names of a concept brought, a row for each candidate: the ``k`` best, and those with an equal name."""
    confidences = brought.confidences.astype(np.float64)
    brought = brought.take(np.lexsort((brought.numbers, -confidences, brought.concepts)))
    starts = np.flatnonzero(run_starts(brought.concepts))
    of_best = brought.take(starts)
    count = len(asked.names)
    counts = np.diff(np.append(starts, len(brought.concepts)))
    place = np.arange(len(brought.concepts)) - np.repeat(starts, counts)
    equal = brought.features[:, _SPELLED] > 0
    to_preferred = brought.features[:, _SPELLED_PREFERRED] > 0
    first = brought.numbers == 0
    kinds = (
        SOURCE_PREFERRED * (equal & first) | TARGET_PREFERRED * to_preferred | BOTH_PREFERRED * (to_preferred & first)
    )
    highest = of_best.confidences.astype(np.float64)
    made = _columns(
        brought.features.shape[1],
        sources=np.full(len(starts), asked.row),
        targets=of_best.concepts,
        terms=np.asarray([name.number for name in asked.names])[of_best.numbers.astype(np.int64)],
        names=of_best.names,
        highest=highest,
        mean=np.add.reduceat(brought.confidences, starts) / count,
        best_three=np.add.reduceat(brought.confidences * (place < 3), starts) / min(count, 3),
        reciprocal=np.add.reduceat(1 / brought.ranks.astype(np.float64), starts) / count,
        found=counts,
        asked=np.full(len(starts), count),
        equal=np.add.reduceat(equal.astype(np.int64), starts),
        equal_kinds=np.bitwise_or.reduceat(kinds.astype(np.int64), starts),
        features=of_best.features,
        readings=of_best.readings,
        left=of_best.left,
    )
    best = np.lexsort((made.targets, -highest))
    also = np.isin(made.targets[best], asked.also)
    return made.take(best[(np.arange(len(best)) < k) | (made.equal[best] > 0) | also])
