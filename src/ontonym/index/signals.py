"""The signals over the names of an index: from a query to its interpretations, each with candidates and confidences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints, Mask
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.choices import Choice, Interpretation, Scan, rounded, weighed
from ontonym.index.dense import DenseSignal
from ontonym.index.evidence import (
    NOTHING,
    SIGNAL_COLUMNS,
    Evidence,
    NameSource,
    Representation,
    candidate_pairs,
    centroid_cosines,
    evidence_of,
)
from ontonym.index.extra import ExtraNames
from ontonym.index.fuse import Fusion, default_fusion, preferred_first, undominated
from ontonym.index.names import Names
from ontonym.index.nametable import CentroidLengths, Pairs, PartView, joined_tables, name_table
from ontonym.index.part import IndexPart, mean_vectors
from ontonym.index.query import Query, Speller, changed_queries, changed_together, read_queries, trust_in
from ontonym.text.context import without_negation
from ontonym.text.frames import without_frame
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
_TRUST_IN_CORRECTION = 0.9
_ROUNDING = 1e-4


class Signals:
    """The three signals over the names of the ontology and the added terms, and their joint evidence.

    The name rows of everyday names follow those of the ontology, and those of added terms come last.
    """

    def __init__(
        self,
        encoder: Encoder,
        ontology: IndexPart,
        added: ExtraNames | None = None,
        speller: Speller | None = None,
        lexicon: Lexicon | None = None,
        firsts: Sequence[int] = (0,),
        everyday: ExtraNames | None = None,
        fusion: Fusion | None = None,
    ) -> None:
        self.encoder = encoder
        self.ontology = ontology
        self.everyday = everyday
        self.added = added
        self.fusion = fusion or default_fusion()
        self.firsts = np.asarray(firsts, dtype=np.int64)
        self.lexicon = shipped_lexicon() if lexicon is None else lexicon
        self._speller = speller or Speller(ontology.names, ontology.word_letters, ontology.word_sizes)
        self._means: dict[int, DenseSignal] = {}  # by the number of parts
        self._centroids: dict[int, CentroidLengths] = {}

    def amended(self, added: ExtraNames | None, fusion: Fusion) -> Signals:
        """The same ontology names with other added terms and weights of the ranking."""
        firsts = self.firsts.tolist()
        return Signals(self.encoder, self.ontology, added, self._speller, self.lexicon, firsts, self.everyday, fusion)

    @property
    def names(self) -> Names:
        """The names of the ontology."""
        return self.ontology.names

    def parts(self, source: NameSource) -> list[tuple[int, IndexPart]]:
        """The parts to be searched, each with the row of its first name."""
        held = len(self.names)
        found = [(0, self.ontology)] if "O" in source else []
        if self.everyday and found:
            found.append((held, self.everyday.part))
        if self.added and "D" in source:
            found.append((held + len(self.everyday or ()), self.added.part))
        return found

    def spelled(self, words: Sequence[str], source: NameSource = "OD") -> Ints:
        """The name rows with exactly these words, in any order."""
        found = [part.names.spelled(words).astype(np.int64) + first for first, part in self.parts(source)]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def is_known(self, words: Sequence[str]) -> list[bool]:
        """Whether each word occurs in some name."""
        found = [part.names.word_ids(words) for _, part in self.parts("OD")]
        return [any(number is not None for number in numbers) for numbers in zip(*found, strict=True)]

    def concept_vectors(self, source: NameSource) -> DenseSignal:
        """The mean vectors of the concepts over the names of a source; computed when first needed."""
        parts = [part for _, part in self.parts(source)]
        if len(parts) == 1:
            return parts[0].concept_vectors
        if len(parts) not in self._means:
            self._means[len(parts)] = mean_vectors(parts)
        return self._means[len(parts)]

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

    def corrected(self, query: Query, least: float = 0.0) -> list[tuple[float, Query]]:
        """The query with its misspelled words corrected, each way that can be trusted at least so far, in [0, 1].

        The trust falls with the share of letters that were changed, and with the share of words that no name has even
        then. None if no word is misspelled or can be corrected.
        """
        (found,) = self._corrections([query], [least])
        return found

    def _corrections(self, queries: Sequence[Query], leasts: Sequence[float]) -> list[list[tuple[float, Query]]]:
        """Each query `corrected`."""
        trusts: list[list[float]] = []
        asked = []
        for query, least in zip(queries, leasts, strict=True):
            texts = self._speller.corrections(query, self.is_known, self.lexicon.__contains__)
            trusted = {text: trust for text, changes in texts.items() if (trust := self._trust(text, changes)) >= least}
            correction = Correction.CORRECTED if query.correction is Correction.NONE else query.correction
            trusts.append(list(trusted.values()))
            asked.append((query, {text: texts[text] for text in trusted}, correction))
        found = changed_together(self.encoder, asked)
        return [list(zip(trusted, some, strict=True)) for trusted, some in zip(trusts, found, strict=True)]

    def _trust(self, text: str, changes: Sequence[tuple[str, str]]) -> float:
        words = tokens(text)
        return sum(self.is_known(words)) / max(len(words), 1) * trust_in(changes)

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
        """The possible readings of a query; see `readings_of`."""
        (found,) = self.readings_of([query], scan)
        return found

    def readings_of(self, queries: Sequence[Query], scan: Scan) -> list[list[tuple[float, Interpretation]]]:
        """The possible readings of each query, the most probable first, each with its probability.

        A query that is equal to a name has one reading, the query itself, and so has every one that is searched for
        verbatim. If all signals are fused, its abbreviations are written out; the probability of a reading is
        proportional to its prior times its `Interpretation.weight`. A corrected query replaces the one it corrects if
        its highest confidence is clearly higher.
        """
        if scan.verbatim:
            return [[(1.0, read)] for read in self.interpretations(queries, scan)]
        queries = [self.capitalized(query) for query in queries]
        ways = [self._ways(query, scan) for query in queries]
        reads = iter(self.interpretations([one for groups in ways for some in groups for _, one in some], scan))
        found = []
        for groups in ways:
            meant = [[(prior, replace(next(reads), prior=prior)) for prior, _ in some] for some in groups]
            found.append(weighed(meant) if meant[1:] or meant[0][1:] else meant[0])
        best = self._corrected_if_better([some[0][1] for some in found], scan)
        return [
            [(some[0][0], one), *(other for other in some[1:] if other[0] >= _LEAST_READING)]
            for some, one in zip(found, best, strict=True)
        ]

    def _ways(self, query: Query, scan: Scan) -> list[list[tuple[float, Query]]]:
        """The query with its abbreviations written out, and the same without the negation that it begins with or the
        words around what it asks for ("c/o", "for three days"), a list for each wording.

        Only itself where it is equal to a name, or one signal alone ranks.
        """
        if scan.signal != "fused" or self._is_name(query, scan):
            return [[(1.0, query)]]
        ways = self.expanded(query)
        bare = without_frame(query.text)
        asserted = without_negation(bare or query.text)
        if not asserted and not bare:
            return [ways]
        (core,) = changed_queries(self.encoder, query, {asserted or bare: ()}, query.correction)
        core = replace(core, negated=bool(asserted))
        shares = ((_AS_WRITTEN, ways), (1 - _AS_WRITTEN, self.expanded(core)))
        return [[(share * prior, one) for prior, one in some] for share, some in shares]

    def _is_name(self, query: Query, scan: Scan) -> bool:
        """Whether a query is equal to a name of a concept that may be a candidate."""
        for first, part in self.parts(scan.source):
            rows = part.names.spelled(query.words).astype(np.int64)
            if scan.hidden is not None:
                rows = rows[~np.isin(rows + first, scan.hidden)]
            if scan.allowed is not None and len(rows):
                concepts = part.names.concepts[rows]
                rows = rows[scan.allowed[concepts] | np.isin(concepts, scan.also)]
            if len(rows):
                return True
        return False

    def _corrected_if_better(self, reads: Sequence[Interpretation], scan: Scan) -> list[Interpretation]:
        """For each query its surest correction if that is clearly surer than the query itself.

        The confidences of a corrected query are scaled by how far the correction can be trusted.
        """
        leasts = [max(_LEAST_CORRECTED, read.surest / _TRUST_IN_CORRECTION) for read in reads]
        tried = [not read.evidence.column("spelled").any() for read in reads]
        queries = [read.query for read, one in zip(reads, tried, strict=True) if one]
        made = iter(self._corrections(queries, [least for least, one in zip(leasts, tried, strict=True) if one]))
        corrections = [next(made) if one else [] for one in tried]  # surer than trusted: none
        others = iter(self.interpretations([query for some in corrections for _, query in some], scan))
        found = []
        for read, least, some in zip(reads, leasts, corrections, strict=True):
            best, sure = read, least
            for trust, _ in some:
                one = next(others)
                if one.surest * trust > sure:
                    best = replace(one, prior=read.prior, confidences=rounded(one.confidences * trust))
                    sure = one.surest * trust
            found.append(best)
        return found

    def interpreted(self, query: Query, scan: Scan) -> Interpretation:
        """The candidates of the query as it is, without correction."""
        (read,) = self.interpretations([query], scan)
        return read

    def interpretations(self, queries: Sequence[Query], scan: Scan) -> list[Interpretation]:
        """The candidates of each query as it is, without correction."""
        found = self.evidences(
            queries,
            signals=SIGNALS[scan.signal],
            k=scan.k,
            allowed=scan.allowed,
            hidden=scan.hidden,
            also=scan.also,
            source=scan.source,
            representation=scan.representation,
        )
        return [self._interpretation(query, scan, evidence) for query, evidence in zip(queries, found, strict=True)]

    def _interpretation(self, query: Query, scan: Scan, evidence: Evidence) -> Interpretation:
        similarities = evidence.similarities("dense" if scan.signal == "fused" else scan.signal, scan.representation)
        terminologies = np.searchsorted(self.firsts, evidence.concepts, side="right") - 1
        confidences = self.confidences(evidence, scan.signal, scan.representation, terminologies)
        return Interpretation(query, scan, evidence, rounded(confidences), similarities, terminologies)

    def confidences(
        self,
        evidence: Evidence,
        signal: str = "fused",
        representation: Representation = "T",
        terminologies: Ints | None = None,
    ) -> Doubles:
        """The confidence of each candidate, in [0, 1]: of all signals fused, or the similarity of one alone.

        With ``terminologies``, their numbers by candidate, a name that several concepts share is mostly the one's whose
        preferred term it is.
        """
        if signal == "fused":
            scores = undominated(self.fusion.scores(evidence.features).astype(np.float64), evidence.features)
            if terminologies is not None:
                scores = preferred_first(scores, evidence, terminologies)
            return self.fusion.confidences_of(scores)
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
        (found,) = self.evidences(
            [query],
            signals=signals,
            k=k,
            allowed=allowed,
            hidden=hidden,
            also=also,
            source=source,
            representation=representation,
        )
        return found

    def evidences(
        self,
        queries: Sequence[Query],
        *,
        signals: Collection[str],
        k: int,
        allowed: Mask | None,
        hidden: Ints | None,
        also: Collection[int],
        source: NameSource,
        representation: Representation,
    ) -> list[Evidence]:
        """The `evidence` on the candidates of each of several queries, computed together."""
        parts = self.parts(source)
        if not parts or not queries:
            return [NOTHING] * len(queries)
        by_concept = representation == "C" and "dense" in signals
        by_name = [name for name in signals if name != "dense" or not by_concept]
        masks = [None if allowed is None else allowed[part.names.concepts] for _, part in parts]
        for (_, part), mask in zip(parts, masks, strict=True):
            part.backend.prepare(queries, by_name, k, mask)
        views = [PartView(part, queries, first=first, hidden=hidden) for first, part in parts]
        others = []
        if also:
            wanted = np.asarray(tuple(also), dtype=np.int64)
            named = [part.names.bounds[wanted] < part.names.bounds[wanted + 1] for _, part in parts]
            others.append(wanted[np.logical_or.reduce(named)])
        numbered = [(np.full(len(some), number), some) for some in others for number in range(len(queries))]
        if by_concept:
            near = self._nearest_concepts(source, views[0].vectors, k, allowed)
            numbered += [(np.full(len(some), number), some) for number, some in enumerate(near)]
        pairs = candidate_pairs(views, by_name, k, masks, numbered)
        if not len(pairs.concepts):
            return [NOTHING] * len(queries)
        tables = [name_table(view, pairs) for view in views]
        table = joined_tables(tables)
        if by_concept:
            means = self._to_means(source, queries, pairs)
        else:
            means = centroid_cosines(table, self._lengths(len(parts)).of(views, tables, pairs))
        return evidence_of(queries, pairs, table, means)

    def _to_means(self, source: NameSource, queries: Sequence[Query], pairs: Pairs) -> Floats:
        """The cosine of each pair's query to the concept's mean vector."""
        vectors, edges = self.concept_vectors(source), np.searchsorted(pairs.queries, np.arange(len(queries) + 1))
        spans = zip(queries, pairwise(edges.tolist()), strict=True)
        return np.concatenate([vectors.cosines(pairs.concepts[slice(*span)], one.vector) for one, span in spans])

    def _lengths(self, parts: int) -> CentroidLengths:
        if parts not in self._centroids:
            self._centroids[parts] = CentroidLengths(len(self.names.bounds) - 1)
        return self._centroids[parts]

    def _nearest_concepts(self, source: NameSource, vectors: Vectors, k: int, allowed: Mask | None) -> list[Ints]:
        """For each vector the ``k`` concepts with the nearest mean vectors, without those that have no names."""
        named = np.logical_or.reduce([np.diff(part.names.bounds) > 0 for _, part in self.parts(source)])
        found = self.concept_vectors(source).nearest_to_each(vectors, k, allowed)
        return [one.rows[named[one.rows]] for one in found]
