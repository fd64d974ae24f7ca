"""The texts that training examples are made of: the names of some terminologies, and which of them mean the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontonym.folding import folded
from ontonym.ontology.batch import Coded
from ontonym.pairs.links import groups_of, linked_concepts
from ontonym.pairs.split import SPLITS, Split, Splits, split_concepts, split_texts
from ontonym.store import Terminology
from ontonym.store.hierarchy import Edges
from ontonym.strings import Offsets, Strings, boundaries
from ontonym.text import normalize
from ontonym.types import Scope

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """Which names take part, and how concepts are split.

    ``languages`` are two-letter codes (empty for all), ``scopes`` the synonym scopes taken as names. ``exclude`` are
    texts that must not be seen, compared after normalization. ``shares`` of train, dev and test sum to 1; ``seed``
    draws the split.
    """

    languages: tuple[str, ...] = ("en",)
    scopes: tuple[Scope, ...] = ("exact", "narrow", "related")
    exclude: Collection[str] = ()
    shares: tuple[float, float, float] = (1.0, 0.0, 0.0)
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """All wanted names of active concepts, the concepts numbered through all terminologies in their order.

    The names of concept ``c`` are the rows ``bounds[c]`` to ``bounds[c + 1]`` of ``texts``, the preferred first.
    ``concepts`` gives the concept of each text. ``meanings`` numbers, for each concept, the set of linked concepts that
    it belongs to, and ``spellings``, for each text, its folded form: texts that share either mean the same and are
    never negatives of each other. ``links`` are the linked concepts, shape ``(links, 2)``. ``splits`` and
    ``text_splits`` are those of concepts and of texts.
    """

    terminologies: Sequence[Terminology]
    options: PoolOptions
    texts: Strings
    concepts: Numbers
    bounds: Offsets
    meanings: Numbers
    spellings: Numbers
    links: Rows
    splits: Splits
    text_splits: Splits

    @property
    def concept_count(self) -> int:
        """How many concepts the terminologies have together, those without a wanted name included."""
        return len(self.bounds) - 1

    @property
    def firsts(self) -> Offsets:
        """The number of each terminology's first concept, with the end."""
        return boundaries(np.array([len(terminology) for terminology in self.terminologies], dtype=np.int64))

    def names_of(self, split: Split) -> npt.NDArray[np.bool_]:
        """A bitmap over the texts: those that a split may use."""
        mask: npt.NDArray[np.bool_] = self.text_splits == SPLITS.index(split)
        return mask

    def usable(self, split: Split) -> tuple[Rows, Offsets]:
        """The name rows a split may use, ascending, and where in them those of each concept begin, with the end."""
        mask = self.names_of(split)
        counts = np.zeros(self.concept_count, dtype=np.int64)
        np.add.at(counts, self.concepts[mask], 1)
        return np.flatnonzero(mask), boundaries(counts)

    def parents(self) -> Edges:
        """The is-a edges of all concepts, from each to its parents."""
        return self._edges("parents")

    def children(self) -> Edges:
        """The is-a edges of all concepts, from each to its children."""
        return self._edges("children")

    def _edges(self, way: str) -> Edges:
        pointers, targets = [np.zeros(1, dtype=np.int64)], []
        for terminology, first in zip(self.terminologies, self.firsts.tolist(), strict=False):
            hierarchy = terminology.hierarchy
            edges = hierarchy.parent_edges if way == "parents" else hierarchy.child_edges
            pointers.append(np.asarray(edges.indptr[1:]) + pointers[-1][-1])
            targets.append(np.asarray(edges.indices) + np.uint32(first))
        return Edges(np.concatenate(pointers), np.concatenate([np.zeros(0, dtype=np.uint32), *targets]))


def name_pool(terminologies: Sequence[Terminology], options: PoolOptions = PoolOptions()) -> Pool:
    """The pool of the terminologies' names in the wanted languages and scopes; a name twice in a concept comes once."""
    parts: list[Strings] = []
    concepts: list[Numbers] = []
    first = 0
    for terminology in terminologies:
        rows = _wanted(terminology, options)
        texts = terminology.term_texts().strings().take(rows)
        parts.append(texts)
        concepts.append((terminology.term_concepts()[rows].astype(np.int64) + first).astype(np.int32))
        first += len(terminology)
    texts = Strings.joined(parts)
    owners = np.concatenate([np.zeros(0, dtype=np.int32), *concepts])
    keys = folded(texts).hashes()
    spellings = np.unique(keys, return_inverse=True)[1].astype(np.int32)
    kept = _first_of_each(owners, spellings) & ~_excluded(texts, options.exclude)
    texts, owners, spellings = texts.take(np.flatnonzero(kept)), owners[kept], spellings[kept]
    links = linked_concepts(terminologies)
    meanings = groups_of(first, links)
    ids = Strings.joined([terminology.ids().strings() for terminology in terminologies])
    splits = split_concepts(ids, meanings, options.shares, options.seed)
    return Pool(
        terminologies=terminologies,
        options=options,
        texts=texts,
        concepts=owners,
        bounds=boundaries(np.bincount(owners, minlength=first)),
        meanings=meanings,
        spellings=spellings,
        links=links,
        splits=splits,
        text_splits=split_texts(splits, owners, spellings),
    )


def _wanted(terminology: Terminology, options: PoolOptions) -> Rows:
    wanted = _among(terminology.term_scopes(), options.scopes)
    wanted &= _among(terminology.term_statuses(), ("active",))
    if options.languages:
        wanted &= _among(terminology.term_languages(), options.languages)
    wanted &= terminology.active[terminology.term_concepts()]
    return np.flatnonzero(wanted)


def _among(column: Coded, wanted: Sequence[str]) -> npt.NDArray[np.bool_]:
    codes = [code for code, name in enumerate(column.names) if name in wanted]
    chosen: npt.NDArray[np.bool_] = np.isin(column.codes, codes)
    return chosen


def _first_of_each(concepts: Numbers, spellings: Numbers) -> npt.NDArray[np.bool_]:
    """A bitmap: True where the concept has no text of this spelling before."""
    pairs = concepts.astype(np.int64) << 32 | spellings
    first = np.zeros(len(pairs), dtype=np.bool_)
    first[np.unique(pairs, return_index=True)[1]] = True
    return first


def _excluded(texts: Strings, exclude: Collection[str]) -> npt.NDArray[np.bool_]:
    unwanted = {normalize(text) for text in exclude}
    if not unwanted:
        return np.zeros(len(texts), dtype=np.bool_)
    return np.fromiter((normalize(text) in unwanted for text in texts), dtype=np.bool_, count=len(texts))
