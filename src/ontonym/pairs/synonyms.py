"""The ``synonyms`` recipe: two names of one concept, or of two concepts that the terminologies link, are a pair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontonym.pairs.links import groups_of, linked_concepts
from ontonym.store import Terminology
from ontonym.text import normalize
from ontonym.types import Scope

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SynonymOptions:
    """How pairs are drawn.

    ``linked`` is the share of draws from a linked concept (another terminology's names) where there is one.
    ``scopes`` are the synonym scopes taken as names of the concept. ``exclude`` are names that must not be seen in
    training, compared after normalization. ``favour`` is the exponent that lets concepts with many names be drawn
    more often (0: all alike, 1: in proportion).
    """

    linked: float = 0.3
    scopes: tuple[Scope, ...] = ("exact", "narrow", "related")
    languages: tuple[str, ...] = ("en",)
    exclude: Collection[str] = ()
    favour: float = 0.5


class NamePool:
    """All names of some terminologies, ready to draw pairs from.

    Names of a concept are consecutive rows of ``names``: concept ``c`` has rows ``bounds[c]`` to ``bounds[c + 1]``.
    ``groups`` numbers sets of linked concepts and ``spellings`` equal normal forms: names that share either are never
    negatives of each other.
    """

    def __init__(self, names: list[str], concepts: Rows, bounds: Rows, links: Rows, options: SynonymOptions) -> None:
        self.names = names
        self.concepts = concepts
        self.bounds = bounds
        self.options = options
        count = len(bounds) - 1
        self.groups = groups_of(count, links)
        both = np.concatenate([links, links[:, ::-1]]) if len(links) else links
        order = np.lexsort((both[:, 1], both[:, 0]))
        self._linked = both[order, 1]
        self._linked_bounds = np.searchsorted(both[order, 0], np.arange(count + 1))
        numbers: dict[str, int] = {}
        self.spellings = np.fromiter(
            (numbers.setdefault(normalize(name), len(numbers)) for name in names), dtype=np.int64, count=len(names)
        )
        own = np.diff(bounds)
        linked = np.diff(self._linked_bounds)
        (self.drawable,) = np.nonzero((own > 1) | ((own > 0) & (linked > 0)))
        weights = np.minimum(own + linked, 6)[self.drawable].astype(np.float64) ** options.favour
        self._chances = np.cumsum(weights) / weights.sum() if len(weights) else weights

    def draw_concepts(self, rng: np.random.Generator, count: int) -> Rows:
        """Concepts with at least two names, drawn with replacement, shape ``(count,)``."""
        return self.drawable[np.searchsorted(self._chances, rng.random(count), side="right")]

    def draw_pairs(self, rng: np.random.Generator, concepts: Rows) -> tuple[Rows, Rows]:
        """One anchor and one positive name row for each concept that has two; never the same row twice."""
        own = np.diff(self.bounds)[concepts]
        linked = np.diff(self._linked_bounds)[concepts]
        across = (linked > 0) & ((own < 2) | (rng.random(len(concepts)) < self.options.linked))
        picks = rng.random((4, len(concepts)))
        anchors = self.bounds[concepts] + (picks[0] * own).astype(np.int64)
        # Another row of the same concept: an offset of 1 to own - 1, wrapped around.
        shift = 1 + (picks[1] * np.maximum(own - 1, 1)).astype(np.int64)
        positives = self.bounds[concepts] + (anchors - self.bounds[concepts] + shift) % np.maximum(own, 1)
        places = self._linked_bounds[concepts] + (picks[2] * linked).astype(np.int64)
        partners = self._linked[np.minimum(places, len(self._linked) - 1)] if len(self._linked) else concepts
        theirs = np.diff(self.bounds)[partners]
        positives = np.where(
            across & (theirs > 0), self.bounds[partners] + (picks[3] * theirs).astype(np.int64), positives
        )
        usable = (own > 0) & (anchors != positives)
        return anchors[usable], positives[usable]


def synonym_pool(terminologies: Sequence[Terminology], options: SynonymOptions) -> NamePool:
    """The pool of all active names of the terminologies in the wanted languages and scopes."""
    excluded = {normalize(name) for name in options.exclude}
    names: list[str] = []
    concepts: list[int] = []
    counts: list[int] = []
    for terminology in terminologies:
        scopes, languages, statuses = (
            terminology.term_scopes(),
            terminology.term_languages(),
            terminology.term_statuses(),
        )
        wanted = _among(scopes.codes, scopes.names, options.scopes)
        wanted &= _among(statuses.codes, statuses.names, ("active",))
        if options.languages:
            wanted &= _among(languages.codes, languages.names, options.languages)
        wanted &= terminology.active[terminology.term_concepts()]
        texts = terminology.term_texts()
        for row in range(len(terminology)):
            seen = set()
            for term in terminology.terms_of(row):
                text = texts[term]
                folded = text.casefold()
                if wanted[term] and folded not in seen and not (excluded and normalize(text) in excluded):
                    seen.add(folded)
                    names.append(text)
                    concepts.append(len(counts))
            counts.append(len(seen))
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return NamePool(names, np.asarray(concepts, dtype=np.int64), bounds, linked_concepts(terminologies), options)


def _among(codes: npt.NDArray[np.generic], names: Sequence[str], wanted: Sequence[str]) -> npt.NDArray[np.bool_]:
    return np.isin(codes, [code for code, name in enumerate(names) if name in wanted])
