"""The texts that training examples are made of: the names of terminologies, and which of them mean the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from ontonym.arrays import Bytes, Hashes, Ints32, Mask, Offsets, Rows, distinct, places_in
from ontonym.errors import UnknownNameError
from ontonym.learning.recipes.links import groups_of, linked_concepts
from ontonym.learning.recipes.split import SPLITS, Split, SplitBy, split_concepts, split_texts
from ontonym.ontology.options import speaks
from ontonym.ragged import boundaries
from ontonym.ranges import check_seed
from ontonym.store import Terminology, refuse_repeats
from ontonym.store.hierarchy import Edges
from ontonym.text.bulk import normalized_hashes
from ontonym.text.folding import folded
from ontonym.text.strings import Coded, Strings
from ontonym.types import Scope

_SHOWN = 5
"""The number of unknown ids that are listed in the counts."""


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """Which names are used, and how concepts are split.

    ``languages`` are language tags (empty for all; ``en`` includes ``en-GB``), ``scopes`` the synonym scopes to use.
    ``exclude`` are texts that must not be used, compared after normalization. ``shares`` of train, dev and test sum to
    1, of concepts or, with ``split_by`` "example", of what a recipe makes; ``seed`` is for the split.
    """

    languages: tuple[str, ...] = ("en",)
    scopes: tuple[Scope, ...] = ("exact", "narrow", "related")
    exclude: Collection[str] = ()
    shares: tuple[float, float, float] = (1.0, 0.0, 0.0)
    split_by: SplitBy = "concept"
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.split_by not in get_args(SplitBy):
            raise UnknownNameError("way to split", self.split_by, get_args(SplitBy))

    @property
    def concept_shares(self) -> tuple[float, float, float]:
        """The shares of the concepts in train, dev and test."""
        return self.shares if self.split_by == "concept" else (1.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Pool:
    """All wanted names of active concepts, the concepts numbered through all terminologies in their order.

    The names of concept ``c`` are the rows ``bounds[c]`` to ``bounds[c + 1]`` of ``texts``, the preferred first; after
    them, from ``bounds[-1]``, come annotated texts. ``concepts`` is the concept of each text, ``term_rows`` the term
    row of each name in its terminology. ``meanings`` numbers, for each concept, the set of linked concepts that it
    belongs to, and ``spellings``, for each text, its folded form (whose hash is in ``folds``, ascending): texts that
    share either mean the same and are never negatives of each other. ``links`` are the linked concepts, shape
    ``(links, 2)``. ``splits`` and ``text_splits`` are those of concepts and of texts. ``described`` are counts for the
    manifest.
    """

    terminologies: Sequence[Terminology]
    options: PoolOptions
    texts: Strings
    concepts: Ints32
    bounds: Offsets
    meanings: Ints32
    spellings: Ints32
    links: Rows
    splits: Bytes
    text_splits: Bytes
    term_rows: Rows
    folds: Hashes
    described: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name_count(self) -> int:
        """The number of texts that are names of the terminologies; they come first."""
        return int(self.bounds[-1])

    @property
    def concept_count(self) -> int:
        """The number of concepts of all terminologies, including those without a wanted name."""
        return len(self.bounds) - 1

    @property
    def firsts(self) -> Offsets:
        """The number of each terminology's first concept, with the end."""
        return boundaries(np.array([len(terminology) for terminology in self.terminologies], dtype=np.int64))

    def names_of(self, split: Split) -> Mask:
        """A bitmap of the texts that a split may use."""
        mask: Mask = self.text_splits == SPLITS.index(split)
        return mask

    def usable(self, split: Split) -> tuple[Rows, Offsets]:
        """The name rows that a split may use, ascending, and the bounds of each concept's in them."""
        rows = np.flatnonzero(self.names_of(split)[: self.name_count])
        return rows, boundaries(np.bincount(self.concepts[rows], minlength=self.concept_count))

    def usable_texts(self, count: int) -> dict[Split, Mask]:
        """For each split a bitmap over ``count`` texts, of which the pool's come first: the pool's texts that it may
        use.
        """
        more = np.zeros(count - len(self.texts), dtype=np.bool_)
        return {split: np.concatenate([self.names_of(split), more]) for split in SPLITS}

    def annotated_of(self, split: Split) -> Rows:
        """The rows of annotated texts that a split may use, ascending."""
        return np.flatnonzero(self.names_of(split)[self.name_count :]) + self.name_count

    def column(self, name: Literal["kind", "language", "source"]) -> Coded:
        """A property of each name (not of annotated texts) in its terminology: its kind, language or source."""
        table: dict[str, int] = {}
        parts = [np.zeros(0, dtype=np.uint32)]
        ends = self.bounds[self.firsts].tolist()
        for place, terminology in enumerate(self.terminologies):
            columns = {
                "kind": terminology.term_kinds, "language": terminology.term_languages,
                "source": terminology.term_sources,
            }  # fmt: skip
            own = columns[name]()
            numbers = np.array([table.setdefault(value, len(table)) for value in own.names], dtype=np.uint32)
            parts.append(numbers[own.codes[self.term_rows[ends[place] : ends[place + 1]]]])
        return Coded(np.concatenate(parts), tuple(table))

    def find(self, ids: Strings) -> list[Rows]:
        """For each terminology the active concept with each own or alternative id, or -1."""
        found = []
        for terminology, first in zip(self.terminologies, self.firsts.tolist(), strict=False):
            rows = terminology.find_rows(ids)
            known = rows >= 0
            known[known] = terminology.active[rows[known]]
            found.append(np.where(known, rows + first, -1))
        return found

    def has_spelling(self, concepts: Rows, rows: Rows) -> Mask:
        """Whether some concept with the meaning of each of ``concepts`` has a text with the spelling of each of
        ``rows``.
        """
        wanted = self.meanings[concepts].astype(np.int64) << 32 | self.spellings[rows]
        has: Mask = places_in(self._keys, wanted) >= 0
        return has

    @cached_property
    def _keys(self) -> Rows:
        return distinct(self.meanings[self.concepts].astype(np.int64) << 32 | self.spellings)

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


def name_pool(
    terminologies: Sequence[Terminology],
    options: PoolOptions = PoolOptions(),
    annotated: Sequence[tuple[str, str]] = (),
) -> Pool:
    """The pool of the terminologies' names in the wanted languages and scopes; repeated names of a concept come once.

    ``annotated`` are texts with the concept id given by annotators (own, alternative, or that of a retired concept with
    one replacement); their language is not checked. Raises InputError where a terminology is given twice.
    """
    refuse_repeats(terminologies)
    firsts = boundaries(np.array([len(part) for part in terminologies], dtype=np.int64))
    rows = [_wanted(terminology, options) for terminology in terminologies]
    found, described = _annotated(terminologies, annotated)
    parts = [part.term_texts().strings().take(own) for part, own in zip(terminologies, rows, strict=True)]
    texts = Strings.joined([*parts, Strings.of([annotated[place][0] for place in np.flatnonzero(found >= 0).tolist()])])
    owners = [
        part.term_concepts()[own].astype(np.int64) + first
        for part, own, first in zip(terminologies, rows, firsts[:-1].tolist(), strict=True)
    ]
    names = sum(map(len, rows))
    concepts = np.concatenate([*owners, found[found >= 0]]).astype(np.int32)
    folds, places = np.unique(folded(texts).hashes(), return_inverse=True)
    spellings: Ints32 = places.astype(np.int32)
    kept = ~excluded(texts, options)
    if options.exclude:
        described["excluded"] = {"names": int((~kept[:names]).sum()), "annotated": int((~kept[names:]).sum())}
    kept[:names] &= _first_of_each(concepts[:names], spellings[:names])
    kept[names:] &= _first_of_each(concepts[names:], spellings[names:])
    term_rows = np.concatenate([np.zeros(0, dtype=np.int64), *rows])[kept[:names]]
    texts, concepts, spellings = texts.take(np.flatnonzero(kept)), concepts[kept], spellings[kept]
    links = linked_concepts(terminologies)
    meanings = groups_of(int(firsts[-1]), links)
    ids = Strings.joined([terminology.ids().strings() for terminology in terminologies])
    splits = split_concepts(ids, meanings, options.concept_shares, options.seed)
    bounds = boundaries(np.bincount(concepts[: len(term_rows)], minlength=int(firsts[-1])))
    if annotated:
        described["annotated"]["kept"] = len(texts) - len(term_rows)
    described["concepts_without_names"] = _unnamed(terminologies, bounds)
    return Pool(
        terminologies=terminologies,
        options=options,
        texts=texts,
        concepts=concepts,
        bounds=bounds,
        meanings=meanings,
        spellings=spellings,
        links=links,
        splits=splits,
        text_splits=split_texts(splits, concepts, spellings),
        term_rows=term_rows,
        folds=folds,
        described=described,
    )


def _wanted(terminology: Terminology, options: PoolOptions) -> Rows:
    wanted = terminology.term_scopes().among(options.scopes)
    wanted &= terminology.term_statuses().among(("active",))
    wanted &= in_languages(terminology.term_languages(), options.languages)
    wanted &= terminology.active[terminology.term_concepts()]
    return np.flatnonzero(wanted)


def in_languages(column: Coded, languages: tuple[str, ...]) -> Mask:
    """A bitmap of the rows in one of the languages; all rows if none is given."""
    if not languages:
        return np.ones(len(column.codes), dtype=np.bool_)
    return column.among([name for name in column.names if speaks(name, languages)])


def _annotated(
    terminologies: Sequence[Terminology], annotated: Sequence[tuple[str, str]]
) -> tuple[Rows, dict[str, Any]]:
    """The concept of each annotated text, -1 if no terminology knows its id, and the counts."""
    ids = list(dict.fromkeys(concept_id for _, concept_id in annotated))
    concepts: dict[str, int] = {}
    base = 0
    for terminology in terminologies:
        for concept_id in ids:
            if concept_id not in concepts and (row := terminology.current(concept_id)) is not None:
                concepts[concept_id] = base + row
        base += len(terminology)
    found = np.array([concepts.get(concept_id, -1) for _, concept_id in annotated], dtype=np.int64)
    unknown = [concept_id for concept_id in ids if concept_id not in concepts]
    described = {
        "given": len(annotated),
        "of_unknown_concepts": int((found < 0).sum()),
        "unknown_concepts": {"count": len(unknown), "first": unknown[:_SHOWN]},
    }
    return found, {"annotated": described} if annotated else {}


def _unnamed(terminologies: Sequence[Terminology], bounds: Offsets) -> int:
    """The number of active concepts without a wanted name, which occur in no example of names."""
    active = np.concatenate([np.zeros(0, dtype=np.bool_), *(part.active for part in terminologies)])
    return int(np.count_nonzero(active & (np.diff(bounds) == 0)))


def _first_of_each(concepts: Ints32, spellings: Ints32) -> Mask:
    """A bitmap: True for the first text of each spelling in each concept."""
    pairs = concepts.astype(np.int64) << 32 | spellings
    first = np.zeros(len(pairs), dtype=np.bool_)
    first[np.unique(pairs, return_index=True)[1]] = True
    return first


def excluded(texts: Strings, options: PoolOptions) -> Mask:
    """A bitmap of the texts that must not be used."""
    if not options.exclude:
        return np.zeros(len(texts), dtype=np.bool_)
    unwanted: Mask = np.isin(normalized_hashes(texts), normalized_hashes(Strings.of(list(options.exclude))))
    return unwanted
