"""Concepts that are never negatives of a concept: those of the same meaning, its ancestors, and those mapped to it."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints, Ints32
from ontonym.index.handle import first_concepts
from ontonym.index.open import Index
from ontonym.learning.recipes.links import groups_of, linked_concepts
from ontonym.store.hierarchy import Edges


class Equivalents:
    """The equivalents of every concept of an index; concepts have the numbers of the index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        count = index.concept_count
        self.meanings: Ints32 = groups_of(count, linked_concepts(index.terminologies))
        """The number of each concept's meaning: concepts that cross-reference each other or share their preferred name,
        directly or through others, have the same."""
        order = np.argsort(self.meanings, kind="stable")
        self._members = Edges.of_pairs(self.meanings[order].astype(np.int64), order, count)
        mapped = _mapped(index)
        both = np.concatenate([mapped, mapped[:, ::-1]])
        self._mapped = Edges.of_pairs(both[:, 0], both[:, 1], count)

    def same(self, concept: int) -> Ints:
        """The concepts that mean the same, itself included, ascending."""
        return self._members.of(int(self.meanings[concept])).astype(np.int64)

    def of(self, concept: int, *, ancestors: bool = True) -> Ints:
        """Itself, what means the same, what any of these is mapped to or is below, and what means the same as those."""
        same = self.same(concept)
        near = [same, *(self._mapped.of(member).astype(np.int64) for member in same.tolist())]
        if ancestors:
            for member in same.tolist():
                terminology, row = self._index.locate(member)
                near.append(terminology.hierarchy.ancestors(row).astype(np.int64) + (member - row))
        meanings = np.unique(self.meanings[np.concatenate(near)])
        return np.unique(self._members.of_all(meanings.astype(np.int64)).astype(np.int64))


def _mapped(index: Index) -> Ints:
    """Pairs of concepts of which one is mapped to the other or cross-references it, shape ``(pairs, 2)``."""
    pairs: list[tuple[int, int]] = []
    for terminology, first in zip(index.terminologies, first_concepts(index.terminologies), strict=True):
        xrefs = terminology.lists("xrefs")
        has_mappings = bool(terminology.statistics.get("mappings", 1))
        for row in range(len(terminology)):
            objects = [mapping.object_id for mapping in terminology.mappings_of(row)] if has_mappings else []
            for reference in (*xrefs[row], *objects):
                other = index.find(reference)
                if other is not None and other != first + row:
                    pairs.append((first + row, other))
    return np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
