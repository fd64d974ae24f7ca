"""The signals over the names of an index: the candidates that they bring for a query, and what they say of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints, Mask, distinct
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.conceptmeans import MeanLengths, mean_cosines
from ontonym.index.dense import DenseSignal
from ontonym.index.evidence import (
    NOTHING,
    SIGNAL_COLUMNS,
    Evidence,
    candidate_pairs,
    evidence_of,
)
from ontonym.index.extra import ExtraNames
from ontonym.index.fuse import Fusion, default_fusion, preferred_first, undominated
from ontonym.index.nametable import NameTable, Pairs, PartView, name_table
from ontonym.index.namewords import JoinedFacts
from ontonym.index.part import IndexPart, mean_vectors_of
from ontonym.index.partnames import NamesOfParts
from ontonym.index.query import Query, read_queries
from ontonym.index.scan import NameSource, Representation, Scan
from ontonym.index.spelling import Speller
from ontonym.text.lexicon import Lexicon, shipped_lexicon

SIGNALS: Mapping[str, Collection[str]] = MappingProxyType(
    {"fused": tuple(SIGNAL_COLUMNS), **{name: (name,) for name in SIGNAL_COLUMNS}}
)
"""The signals that can rank, all fused or one alone, each with the signals that bring its candidates."""

_WORDS_SHARE = 0.8
"""Beside other signals the rarest words of a query bring names, those that have this share of the weight of all: the
others take most of the time and hardly bring another candidate.
"""


class _SourceCache:
    """The parts of one source of names, which are searched together, with what is kept of them from query to query: the
    facts of their words, and the lengths of the sums of each concept's vectors, which depend on the parts.

    ``everyday`` is the part of everyday names, if there is one.
    """

    def __init__(self, parts: Sequence[tuple[int, IndexPart]], concepts: int, everyday: IndexPart | None) -> None:
        self.parts = parts
        self.facts = JoinedFacts([part.names for _, part in parts])
        self._everyday = next((place for place, (_, part) in enumerate(parts) if part is everyday), -1)
        self._lengths, self._own_lengths = MeanLengths(concepts), MeanLengths(concepts)

    def mean_cosines(self, views: Sequence[PartView], table: NameTable, pairs: Pairs) -> Floats:
        """The cosine of each pair's query to the mean vector of its concept's names: of all, or of those that are no
        everyday names where that is nearer. These are many for some concepts, and would draw the mean away from what
        the terminology says.
        """
        every = mean_cosines(table, self._lengths.of(views, table.parts, pairs))
        if self._everyday < 0:
            return every
        first, part = self.parts[self._everyday]
        others = [place for place in range(len(views)) if place != self._everyday]
        lengths = self._own_lengths.of([views[one] for one in others], [table.parts[one] for one in others], pairs)
        is_own = (table.rows < first) | (table.rows >= first + len(part.names))
        nearer: Floats = np.maximum(every, mean_cosines(table, lengths, is_own))
        return nearer


class Signals(NamesOfParts):
    """The three signals over the names of an index: the candidates that they bring, and their joint evidence.

    ``languages`` are those beside English that queries may be in: that names are in, or that the encoder knows.
    """

    def __init__(
        self,
        encoder: Encoder,
        ontology: IndexPart,
        added: ExtraNames | None = None,
        lexicon: Lexicon | None = None,
        firsts: Sequence[int] = (0,),
        everyday: ExtraNames | None = None,
        fusion: Fusion | None = None,
        languages: Collection[str] = (),
    ) -> None:
        super().__init__(ontology, everyday, added, firsts)
        self.encoder = encoder
        self.fusion = fusion or default_fusion()
        self.languages = frozenset(languages)
        self.lexicon = shipped_lexicon() if lexicon is None else lexicon
        self.speller = Speller(ontology.names, ontology.word_letters, ontology.word_sizes)
        self._joined_means: dict[int, DenseSignal] = {}  # by the number of parts
        self._caches: dict[NameSource, _SourceCache] = {}

    def amended(self, added: ExtraNames | None, fusion: Fusion) -> Signals:
        """The same ontology names with other added terms and weights of the ranking."""
        other = copy(self)
        other.added, other.fusion = added, fusion
        other._parts, other._joined_means, other._caches = {}, {}, {}
        return other

    def _cache_of(self, source: NameSource) -> _SourceCache:
        """The parts of a source, with what is kept of them."""
        found = self._caches.get(source)
        if found is None:
            everyday = self.everyday.part if self.everyday else None
            found = self._caches[source] = _SourceCache(self.parts(source), len(self.names.bounds) - 1, everyday)
        return found

    def mean_vectors(self, source: NameSource) -> list[DenseSignal]:
        """The mean vectors of the concepts over the names of a source, and over everyday names; computed when first
        needed.

        Everyday names have means of their own: they are many for some concepts, and would draw the mean of what the
        terminology says (Xu equation 8) away from it.
        """
        parts = [part for _, part in self.parts(source)]
        own = [part for part in parts if not self.is_everyday(part)]
        if len(own) > 1 and len(own) not in self._joined_means:
            self._joined_means[len(own)] = mean_vectors_of(own)
        means = own[0].mean_vectors if len(own) == 1 else self._joined_means[len(own)]
        return [means, *(part.mean_vectors for part in parts if self.is_everyday(part))]

    def query(self, text: str) -> Query:
        """A text as a query, for use in several searches."""
        return self.queries([text])[0]

    def queries(self, texts: Sequence[str], languages: Sequence[str] = ()) -> list[Query]:
        """Texts as queries, encoded together; in these languages, by tag, if they are known."""
        return read_queries(self.encoder, texts, languages)

    def cosines(self, text: str, others: Sequence[str]) -> list[float]:
        """The cosine of a text to each of some others, in [-1, 1]."""
        if not others:
            return []
        own, *vectors = self.encoder.encode_names([text, *others])
        return [float(own @ vector) for vector in vectors]

    def meant(self, word: str) -> str | None:
        """The word of names that a normalized word is a slip for (`Speller.meant`); None where some name has it."""
        return None if word in self.lexicon or any(self.is_known([word])) else self.speller.meant(word)

    def nearness(
        self, queries: Sequence[Query], source: NameSource, representation: Representation, allowed: Mask | None = None
    ) -> list[float]:
        """For each query the highest cosine of a name (T) or of a concept's mean vector (C), in [-1, 1]; -1 for none.

        It is an upper bound of the dense similarity in the evidence, and much faster to compute.
        """
        vectors = np.array([query.vector for query in queries])
        if representation == "C":
            found = [means.nearest_to_each(vectors, 1, allowed) for means in self.mean_vectors(source)]
        else:
            parts = [part for _, part in self.parts(source)]
            masks = [None if allowed is None else allowed[part.names.concepts] for part in parts]
            found = [part.dense.nearest_to_each(vectors, 1, mask) for part, mask in zip(parts, masks, strict=True)]
        return [
            max((float(one.similarities[0]) for one in own if len(one.rows)), default=-1.0)
            for own in zip(*found, strict=True)
        ]

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

    def evidence(self, query: Query, scan: Scan = Scan()) -> Evidence:  # noqa: B008 (frozen)
        """The candidates that the signals bring for a query, and what all signals say of each."""
        (found,) = self.evidences([query], scan)
        return found

    def evidences(self, queries: Sequence[Query], scan: Scan) -> list[Evidence]:
        """The `evidence` on the candidates of each of several queries, computed together, which is faster."""
        source, k, allowed = scan.source, scan.k, scan.allowed
        signals = SIGNALS[scan.signal]
        cache = self._cache_of(source)
        parts = cache.parts
        if not parts or not queries:
            return [NOTHING] * len(queries)
        by_concept = scan.representation == "C" and "dense" in signals
        by_name = [name for name in signals if name != "dense" or not by_concept]
        masks = [None if allowed is None else allowed[part.names.concepts] for _, part in parts]
        for (_, part), mask in zip(parts, masks, strict=True):
            part.backend.prepare(queries, by_name, k, mask)
        share = _WORDS_SHARE if len(signals) > 1 else 1.0
        views = [PartView(part, queries, first=first, hidden=scan.hidden, share=share) for first, part in parts]
        also: list[tuple[Ints, Ints]] = []  # queries with concepts that no name brings
        if scan.also:
            named = self.concepts_with_names(scan.also, source)
            also += [(np.full(len(named), number), named) for number in range(len(queries))]
        if by_concept:
            near = self._nearest_concepts(source, views[0].vectors, k, allowed)
            also += [(np.full(len(some), number), some) for number, some in enumerate(near)]
        pairs, brought = candidate_pairs(views, by_name, k, masks, also)
        if not len(pairs.concepts):
            return [NOTHING] * len(queries)
        table = name_table(views, pairs, brought, cache.facts)
        if by_concept:
            means = self._cosines_to_means(source, queries, pairs)  # these mean vectors have been searched
        else:
            means = cache.mean_cosines(views, table, pairs)
        return evidence_of(queries, pairs, table, means)

    def _cosines_to_means(self, source: NameSource, queries: Sequence[Query], pairs: Pairs) -> Floats:
        """The cosine of each pair's query to the concept's mean vector, the nearer one where it has two."""
        edges = np.searchsorted(pairs.queries, np.arange(len(queries) + 1))
        spans = [
            (one, pairs.concepts[slice(*span)]) for one, span in zip(queries, pairwise(edges.tolist()), strict=True)
        ]
        found = [
            np.concatenate([vectors.cosines(concepts, one.vector) for one, concepts in spans])
            for vectors in self.mean_vectors(source)
        ]
        nearer: Floats = np.maximum.reduce(found)
        return nearer

    def _nearest_concepts(self, source: NameSource, vectors: Vectors, k: int, allowed: Mask | None) -> list[Ints]:
        """For each vector the ``k`` concepts with the nearest mean vectors, without those that have no names."""
        named = np.logical_or.reduce([np.diff(part.names.bounds) > 0 for _, part in self.parts(source)])
        found = [means.nearest_to_each(vectors, k, allowed) for means in self.mean_vectors(source)]
        return [
            distinct(np.concatenate([one.rows[named[one.rows]] for one in some])) for some in zip(*found, strict=True)
        ]
