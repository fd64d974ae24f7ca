"""The signals over the names of an index: from a query to candidates with confidences, and the choice among them."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints, Mask
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.added import Added
from ontonym.index.calibration import way_found
from ontonym.index.dense import DenseSignal
from ontonym.index.evidence import (
    FEATURES,
    NOTHING,
    SIGNAL_COLUMNS,
    Evidence,
    NameSource,
    QueryView,
    Representation,
    candidate_concepts,
    evidence_of,
    joined_tables,
)
from ontonym.index.fuse import default_fusion, undominated
from ontonym.index.names import Names
from ontonym.index.part import IndexPart, mean_vectors
from ontonym.index.query import Query, Speller, changed_queries, read_queries
from ontonym.text.context import without_negation
from ontonym.text.lexicon import Lexicon, shipped_lexicon
from ontonym.text.normalization import tokens
from ontonym.types import Correction

SIGNALS: Mapping[str, Collection[str]] = MappingProxyType(
    {"fused": tuple(SIGNAL_COLUMNS), **{name: (name,) for name in SIGNAL_COLUMNS}}
)
"""The signals that can rank, all fused or one alone, each with the signals that bring its candidates."""

_LONGEST_ACRONYM = 6
_AS_WRITTEN = 0.25  # how likely a name is asked for that begins with the negation itself
_LEAST_READING = 0.01
_LEAST_CORRECTED = 0.1  # a corrected query must reach this confidence to be used
_TRUST_IN_CORRECTION = 0.8
_ROUNDING = 1e-4
_SMALL = 1e-3
_SPELLED = FEATURES.index("spelled")


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """How to search for a query and how to order its candidates.

    ``signal`` is a name of `SIGNALS`. ``source``, ``representation``, ``k``, ``allowed``, ``hidden`` and ``also`` are
    as in `Signals.evidence`. With a ``seed``, equally good candidates are in random order; with None, in a fixed one.
    """

    source: NameSource
    representation: Representation
    signal: str
    k: int
    allowed: Mask | None = None
    hidden: Ints | None = None
    also: tuple[int, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Interpretation:
    """The candidates of a query, as it was typed or corrected.

    ``confidences``, ``similarities`` and ``terminologies`` (by number) are by candidate; the modules of a sieve use the
    similarities.
    """

    query: Query
    scan: Scan
    evidence: Evidence
    confidences: Doubles
    similarities: Floats
    terminologies: Ints

    @property
    def surest(self) -> float:
        """The highest confidence, 0 if there is no candidate."""
        return float(self.confidences.max(initial=0.0))

    def ranked(self) -> list[int]:
        """The positions of all candidates, best first."""
        sure, keys = -self.confidences, self.evidence.tie_keys()
        if self.scan.seed is not None:
            drawn = np.random.default_rng((self.scan.seed, zlib.crc32(self.query.text.encode(errors="replace"))))
            keys = (drawn.permutation(len(sure)),)
        places: list[int] = np.lexsort((*keys, sure)).tolist()
        return places

    def choice(self, place: int, most: float = 1.0, *, believed: bool = False) -> Choice:
        """The candidate at a position, with a confidence of at most ``most``."""
        return Choice(self, place, min(float(self.confidences[place]), most), believed)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A candidate chosen as an answer to a query.

    ``place`` is its row in the evidence of the interpretation. ``believed`` says that the first module of a sieve
    accepted it, because its similarity was high enough.
    """

    read: Interpretation
    place: int
    confidence: float
    believed: bool = False

    @property
    def concept(self) -> int:
        """Its concept number."""
        return int(self.read.evidence.concepts[self.place])

    @property
    def is_spelled(self) -> bool:
        """Whether one of its names is equal to the query."""
        return bool(self.read.evidence.features[self.place, _SPELLED])

    def namesakes(self, *, elsewhere: bool = False) -> list[int]:
        """The other concepts of its terminology with a name equal to the query, highest confidence first.

        With ``elsewhere`` those of the other terminologies. None if it has no such name itself.
        """
        if not self.is_spelled:
            return []
        read = self.read
        spelled = np.flatnonzero(read.evidence.column("spelled"))
        ranked = spelled[np.argsort(-read.confidences[spelled], kind="stable")]
        is_own = read.terminologies[ranked] == read.terminologies[self.place]
        others: list[int] = read.evidence.concepts[ranked[(ranked != self.place) & (is_own != elsewhere)]].tolist()
        return others

    @property
    def way(self) -> str:
        """How it was found: one of `ontonym.index.calibration.WAYS`."""
        return way_found(self.read.query.correction, is_name=self.is_spelled, is_shared=bool(self.namesakes()))


def rounded(confidences: Doubles) -> Doubles:
    """Confidences with six digits, small ones with nine: what differs by no more is equal."""
    return np.where(confidences >= _SMALL, confidences.round(6), confidences.round(9))


def merged(readings: Sequence[tuple[float, Interpretation]]) -> list[Choice]:
    """The candidates of all readings of a query, the best first, each concept once, as the likeliest reading has it.

    The confidence in a concept is the sum of those under each reading, weighted by how likely the reading is.
    """
    if len(readings) == 1:
        ((_, read),) = readings
        return [read.choice(place) for place in read.ranked()]
    sums: dict[int, float] = {}
    best: dict[int, tuple[float, Choice]] = {}
    for weight, read in readings:
        for place in read.ranked():
            choice = read.choice(place)
            part = weight * choice.confidence
            sums[choice.concept] = sums.get(choice.concept, 0.0) + part
            if choice.concept not in best or part > best[choice.concept][0]:
                best[choice.concept] = (part, choice)
    found = [replace(choice, confidence=round(min(sums[concept], 1.0), 9)) for concept, (_, choice) in best.items()]
    return sorted(found, key=lambda choice: -choice.confidence)


class Signals:
    """The three signals over the names of the ontology and the added terms, and their joint evidence.

    The name rows of added terms follow those of the ontology.
    """

    def __init__(
        self,
        encoder: Encoder,
        ontology: IndexPart,
        added: Added | None = None,
        speller: Speller | None = None,
        lexicon: Lexicon | None = None,
        firsts: Sequence[int] = (0,),
    ) -> None:
        self.encoder = encoder
        self.ontology = ontology
        self.added = added
        self.fusion = default_fusion()
        self.firsts = np.asarray(firsts, dtype=np.int64)
        self.lexicon = shipped_lexicon() if lexicon is None else lexicon
        self._speller = speller or Speller(ontology.names)

    def with_added(self, added: Added | None) -> Signals:
        """The same ontology names with other added terms."""
        return Signals(self.encoder, self.ontology, added, self._speller, self.lexicon, self.firsts.tolist())

    @property
    def names(self) -> Names:
        """The names of the ontology."""
        return self.ontology.names

    def parts(self, source: NameSource) -> list[tuple[int, IndexPart]]:
        """The parts to be searched, each with the row of its first name."""
        found = [(0, self.ontology)] if "O" in source else []
        return [*found, (len(self.names), self.added.part)] if "D" in source and self.added else found

    def spelled(self, words: Sequence[str], source: NameSource = "OD") -> Ints:
        """The name rows with exactly these words, in any order."""
        found = [part.names.spelled(words).astype(np.int64) + first for first, part in self.parts(source)]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def is_known(self, words: Sequence[str]) -> list[bool]:
        """Whether each word occurs in some name."""
        found = [part.names.word_ids(words) for _, part in self.parts("OD")]
        return [any(number is not None for number in numbers) for numbers in zip(*found, strict=True)]

    @cached_property
    def _all_vectors(self) -> DenseSignal:
        return mean_vectors([part for _, part in self.parts("OD")])

    def concept_vectors(self, source: NameSource) -> DenseSignal:
        """The mean vectors of the concepts over the names of a source; computed when first needed."""
        parts = self.parts(source)
        return self._all_vectors if len(parts) > 1 else parts[0][1].concept_vectors

    def query(self, text: str) -> Query:
        """A text as a query, for use in several searches."""
        return self.queries([text])[0]

    def queries(self, texts: Sequence[str]) -> list[Query]:
        """Texts as queries, encoded together."""
        return read_queries(self.encoder, texts)

    def capitalized(self, query: Query) -> Query:
        """A short word in capitals, if only that form is a name: "ards" is ARDS, whose S is not a plural."""
        text, capitals = query.text, query.text.upper()
        if not text.islower() or len(text) > _LONGEST_ACRONYM or len(self.spelled(query.words)):
            return query
        if not len(self.spelled(tokens(capitals))):
            return query
        (read,) = changed_queries(self.encoder, query, {capitals: ((text, capitals),)}, Correction.CAPITALIZED)
        return read

    def corrected(self, query: Query) -> Query | None:
        """The query with its misspelled words corrected, or None where there is none."""
        text, changes = self._speller.corrections(query, self.is_known, self.lexicon.__contains__)
        if not changes:
            return None
        correction = Correction.CORRECTED if query.correction is Correction.NONE else query.correction
        (read,) = changed_queries(self.encoder, query, {text: changes}, correction)
        return read

    def expanded(self, query: Query) -> list[tuple[float, Query]]:
        """The query with its abbreviations written out, each way with its prior; only itself where it has none."""
        found = self.lexicon.expansions(query.text, lambda word: all(self.is_known(tokens(word))))
        priors = {one.text: one.prior for one in found}
        changes = {one.text: one.changes for one in found if one.changes}
        queries = changed_queries(self.encoder, query, changes, Correction.EXPANDED) if changes else []
        return [(priors.get(one.text, 1.0), one) for one in (query, *queries)]

    def nearness(
        self, query: Query, source: NameSource, representation: Representation, allowed: Mask | None = None
    ) -> float:
        """The highest cosine of a name (T) or of a concept's mean vector (C) to a query, in [-1, 1]; -1 for none.

        It is an upper bound of the dense similarity in the evidence, and much faster to compute.
        """
        if representation == "C":
            found = [self.concept_vectors(source).nearest(query.vector, 1, allowed)]
        else:
            parts = [part for _, part in self.parts(source)]
            masks = [None if allowed is None else allowed[part.names.concepts] for part in parts]
            found = [part.dense.nearest(query.vector, 1, mask) for part, mask in zip(parts, masks, strict=True)]
        return max((float(one.similarities[0]) for one in found if len(one.rows)), default=-1.0)

    def believed(self, query: Query, scan: Scan, least: float, wanted: int) -> list[Choice]:
        """The first ``wanted`` candidates with a similarity of at least ``least``, best first; often none, which the
        dense signal finds out quickly.
        """
        if not self.parts(scan.source):
            return []
        if scan.signal in ("fused", "dense"):
            near = self.nearness(query, scan.source, scan.representation, scan.allowed)
            if near <= least - _ROUNDING:
                return []
        read = self.interpreted(query, scan)
        near_enough = [place for place in read.ranked() if read.similarities[place] >= least]
        return [read.choice(place, believed=True) for place in near_enough[:wanted]]

    def readings(self, query: Query, scan: Scan) -> list[tuple[float, Interpretation]]:
        """The possible readings of a query, the most probable first, each with its probability.

        A query that is equal to a name has one reading, the query itself. If all signals are fused, its abbreviations
        are written out; the probability of a reading is proportional to its prior times its highest confidence. A
        corrected query replaces the one it corrects if its highest confidence is clearly higher.
        """
        query = self.capitalized(query)
        read = self.interpreted(query, scan)
        if read.evidence.column("spelled").any():
            return [(1.0, read)]
        ways = self._ways(query) if scan.signal == "fused" else [(1.0, query)]
        if len(ways) == 1:
            return [(1.0, self._corrected_if_better(read, scan))]
        reads = [(prior, read if one is query else self.interpreted(one, scan)) for prior, one in ways]
        weights = [prior * one.surest for prior, one in reads]
        total = sum(weights) or 1.0
        ranked = sorted(
            ((weight / total, one) for weight, (_, one) in zip(weights, reads, strict=True)), key=lambda one: -one[0]
        )
        (weight, best), *others = ranked
        return [(weight, self._corrected_if_better(best, scan)), *(one for one in others if one[0] >= _LEAST_READING)]

    def _ways(self, query: Query) -> list[tuple[float, Query]]:
        """The query with its abbreviations written out, and the same without the negation that it begins with."""
        ways = self.expanded(query)
        asserted = without_negation(query.text)
        if not asserted:
            return ways
        (core,) = changed_queries(self.encoder, query, {asserted: ()}, query.correction)
        core = replace(core, negated=True)
        weighed = [(_AS_WRITTEN * prior, one) for prior, one in ways]
        return [*weighed, *(((1 - _AS_WRITTEN) * prior, one) for prior, one in self.expanded(core))]

    def _corrected_if_better(self, read: Interpretation, scan: Scan) -> Interpretation:
        if read.evidence.column("spelled").any():
            return read
        corrected = self.corrected(read.query)
        if corrected is None:
            return read
        other = self.interpreted(corrected, scan)
        return other if other.surest > max(_LEAST_CORRECTED, read.surest / _TRUST_IN_CORRECTION) else read

    def interpreted(self, query: Query, scan: Scan) -> Interpretation:
        """The candidates of the query as it is, without correction."""
        evidence = self.evidence(
            query,
            signals=SIGNALS[scan.signal],
            k=scan.k,
            allowed=scan.allowed,
            hidden=scan.hidden,
            also=scan.also,
            source=scan.source,
            representation=scan.representation,
        )
        similarities = evidence.similarities("dense" if scan.signal == "fused" else scan.signal, scan.representation)
        confidences = self.confidences(evidence, scan.signal, scan.representation)
        terminologies = np.searchsorted(self.firsts, evidence.concepts, side="right") - 1
        return Interpretation(query, scan, evidence, rounded(confidences), similarities, terminologies)

    def confidences(self, evidence: Evidence, signal: str = "fused", representation: Representation = "T") -> Doubles:
        """The confidence of each candidate, in [0, 1]: of all signals fused, or the similarity of one alone."""
        if signal == "fused":
            scores = self.fusion.scores(evidence.features).astype(np.float64)
            return self.fusion.confidences_of(undominated(scores, evidence.features))
        return np.clip(evidence.similarities(signal, representation), 0, 1).astype(np.float64)

    def evidence(
        self,
        query: Query,
        *,
        signals: Collection[str] = tuple(SIGNAL_COLUMNS),
        k: int = 50,
        allowed: Mask | None = None,
        hidden: Ints | None = None,
        also: Collection[int] = (),
        source: NameSource = "O",
        representation: Representation = "T",
    ) -> Evidence:
        """The candidates that ``signals`` bring for a query, each signal its ``k`` nearest names or concepts.

        ``allowed`` is a bitmap of the concepts to search. ``hidden`` are name rows treated as absent (for training the
        fusion on the names themselves). ``also`` are concepts that are scored in any case. Under representation C the
        dense signal brings the concepts whose mean vectors are nearest.
        """
        parts = self.parts(source)
        if not parts:
            return NOTHING
        by_concept = representation == "C" and "dense" in signals
        by_name = [name for name in signals if name != "dense" or not by_concept]
        views = [
            QueryView(part, query, first=first, hidden=_rows_in_part(hidden, first, part)) for first, part in parts
        ]
        masks = [None if allowed is None else allowed[part.names.concepts] for _, part in parts]
        found = candidate_concepts(views, by_name, k, masks)
        if by_concept:
            found.append(self._nearest_concepts(source, query.vector, k, allowed))
        if also:
            wanted = np.asarray(tuple(also), dtype=np.int64)
            named = [part.names.bounds[wanted] < part.names.bounds[wanted + 1] for _, part in parts]
            found.append(wanted[np.logical_or.reduce(named)])
        concepts = np.unique(np.concatenate(found))
        if not len(concepts):
            return NOTHING
        table = joined_tables([view.table(concepts) for view in views])
        means = self.concept_vectors(source).vectors(concepts) @ query.vector if by_concept else None
        return evidence_of(query, concepts, table, means)

    def _nearest_concepts(self, source: NameSource, vector: Vectors, k: int, allowed: Mask | None) -> Ints:
        """The ``k`` concepts with the nearest mean vectors, without those that have no names."""
        found = self.concept_vectors(source).nearest(vector, k, allowed).rows
        named = [part.names.bounds[found + 1] > part.names.bounds[found] for _, part in self.parts(source)]
        return found[np.logical_or.reduce(named)]


def _rows_in_part(rows: Ints | None, first: int, part: IndexPart) -> Ints | None:
    """The name rows that belong to one part, counted from its first name; None if there are none."""
    if rows is None:
        return None
    own = rows[(rows >= first) & (rows < first + len(part.names))] - first
    return own if len(own) else None
