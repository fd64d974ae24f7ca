"""The relations of a terminology other than is-a as arrays: which concepts have which target by which predicate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.ragged import owners_of
from ontonym.store import Terminology


class TermRelations:
    """The relations of a terminology; the arrays are made when first needed."""

    def __init__(self, terminology: Terminology) -> None:
        self._terminology = terminology

    def __len__(self) -> int:
        return len(self._terminology.part("relations").coded["relation_predicate"].codes)

    @cached_property
    def _arrays(self) -> tuple[Ints, Ints, Ints]:
        part = self._terminology.part("relations")
        sources = owners_of(part.counts)
        targets = self._terminology.find_rows(part.texts["relation_target"])
        return sources, np.asarray(part.coded["relation_predicate"].codes, np.int64), np.asarray(targets, np.int64)

    @cached_property
    def _names(self) -> dict[str, int]:
        names = self._terminology.part("relations").coded["relation_predicate"].names
        return {folded(name): code for code, name in reversed(list(enumerate(names)))}

    def predicates(self, name: str) -> frozenset[int] | None:
        """The numbers of the predicate with that name, or None where no relation has it."""
        found = self._names.get(folded(name))
        return None if found is None else frozenset({found})

    def predicates_of(self, rows: Iterable[int]) -> frozenset[int]:
        """The predicates that are named by these concepts: by a name of theirs, or by their id."""
        found = set()
        for row in rows:
            for text in (self._terminology.id(row), *self._terminology.names(row)):
                number = self._names.get(folded(text))
                if number is not None:
                    found.add(number)
        return frozenset(found)

    def sources(self, predicates: frozenset[int] | None, targets: Mask | None) -> Mask:
        """The concepts with a relation by one of the predicates (None: any) to one of the targets (None: any)."""
        sources, codes, ends = self._arrays
        found = np.zeros(len(self._terminology), bool)
        found[sources[self._kept(predicates, ends, targets, codes)]] = True
        return found

    def targets(self, predicates: frozenset[int] | None, sources: Mask) -> Mask:
        """The concepts to which one of these concepts has such a relation."""
        starts, codes, ends = self._arrays
        found = np.zeros(len(self._terminology), bool)
        kept = self._kept(predicates, starts, sources, codes) & (ends >= 0)
        found[ends[kept]] = True
        return found

    def counts(self, predicates: frozenset[int] | None, targets: Mask | None) -> Ints:
        """How many such relations each concept has."""
        sources, codes, ends = self._arrays
        kept = self._kept(predicates, ends, targets, codes)
        return np.bincount(sources[kept], minlength=len(self._terminology))

    def _kept(self, predicates: frozenset[int] | None, ends: Ints, mask: Mask | None, codes: Ints) -> Mask:
        kept = np.ones(len(codes), bool) if predicates is None else np.isin(codes, list(predicates))
        if mask is not None:
            kept &= (ends >= 0) & mask[np.maximum(ends, 0)]
        return kept


def folded(name: str) -> str:
    """The name of a predicate or property as it is compared: without ``(attribute)``, capitals, ``_`` and ``-``."""
    return re.sub(r"[\s_-]+", " ", re.sub(r"\s*\(attribute\)$", "", name)).strip().casefold()
