"""Which concepts of several terminologies mean the same: by cross-reference and by preferred name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ontonym.store import Terminology
from ontonym.text import normalize

Rows = npt.NDArray[np.int64]

_MOST_PER_XREF = 3
_MOST_PER_NAME = 8


def linked_concepts(terminologies: Sequence[Terminology]) -> Rows:
    """Pairs of concepts that mean the same, shape ``(pairs, 2)``, first < second, sorted, each once.

    Concepts are numbered through all terminologies in their order. Two are linked when one cross-references the
    other, or when their preferred names are equal after normalization. A cross-reference to more than three concepts
    or a name of more than eight says too little, and links nothing.
    """
    by_id: dict[str, list[int]] = defaultdict(list)
    by_name: dict[str, list[int]] = defaultdict(list)
    xrefs: list[tuple[int, tuple[str, ...]]] = []
    base = 0
    for terminology in terminologies:
        active = terminology.active
        for row in range(len(terminology)):
            if not active[row]:
                continue
            concept = terminology.concept(row)
            by_id[concept.id].append(base + row)
            by_name[normalize(concept.preferred)].append(base + row)
            if concept.xrefs or concept.alternative_ids:
                xrefs.append((base + row, concept.xrefs + concept.alternative_ids))
        base += len(terminology)
    pairs = {tuple(sorted((a, b))) for a, b in _by_reference(by_id, xrefs) if a != b}
    pairs |= {(a, b) for group in by_name.values() if 1 < len(group) <= _MOST_PER_NAME for a, b in _combined(group)}
    pairs |= {(a, b) for group in by_id.values() if len(group) > 1 for a, b in _combined(group)}
    return np.asarray(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _by_reference(
    by_id: dict[str, list[int]], xrefs: Iterable[tuple[int, tuple[str, ...]]]
) -> Iterable[tuple[int, int]]:
    for concept, references in xrefs:
        for reference in references:
            targets = by_id.get(reference, ())
            if len(targets) <= _MOST_PER_XREF:
                yield from ((concept, target) for target in targets)


def _combined(group: Sequence[int]) -> Iterable[tuple[int, int]]:
    ordered = sorted(group)
    return ((a, b) for position, a in enumerate(ordered) for b in ordered[position + 1 :])


def groups_of(count: int, links: Rows) -> npt.NDArray[np.int32]:
    """A group number for each of ``count`` concepts: linked concepts, directly or through others, share one."""
    parent = list(range(count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for first, second in links.tolist():
        parent[root(second)] = root(first)
    return np.fromiter(map(root, range(count)), dtype=np.int32, count=count)
