"""Finds concepts of several terminologies that mean the same, by cross-reference and by preferred name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontonym.arrays import Hashes, Ints32, Mask, Offsets, Rows, begins, distinct
from ontonym.ragged import boundaries, spread
from ontonym.store import Terminology
from ontonym.text.bulk import normalized_hashes
from ontonym.text.strings import Strings, hash_order

_MOST_PER_XREF = 3
_MOST_PER_NAME = 8
_BLOCK = 1 << 20


def linked_concepts(terminologies: Sequence[Terminology]) -> Rows:
    """Pairs of concepts that mean the same, shape ``(pairs, 2)``, first < second, sorted, each once.

    Concepts are numbered through all terminologies in their order. Two are linked if one cross-references the other, or
    if their preferred names are equal after normalization. A cross-reference to more than three concepts, or a name of
    more than eight, links nothing. Retired concepts are not linked.
    """
    active = np.concatenate([np.zeros(0, dtype=np.bool_), *(part.active for part in terminologies)])
    (numbers,) = np.nonzero(active)
    ids = Strings.joined([part.ids().strings() for part in terminologies]).take(numbers).hashes()
    names = normalized_hashes(Strings.joined([_preferred(part) for part in terminologies]).take(numbers))
    pairs = [_pairs_of_equal(ids, numbers, len(numbers)), _pairs_of_equal(names, numbers, _MOST_PER_NAME)]
    order = hash_order(ids)
    first = 0
    for part in terminologies:
        for name in ("xrefs", "alternative_ids"):
            pairs += _referenced(part, name, first, active, ids[order], numbers[order])
        first += len(part)
    found = np.sort(np.concatenate(pairs), axis=1)
    keys = distinct(found[:, 0] << 32 | found[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def _preferred(terminology: Terminology) -> Strings:
    """The preferred name of every concept, or its id where it has no name."""
    bounds = terminology.term_bounds()
    named = np.diff(bounds) > 0
    texts, ids = terminology.term_texts().strings(), terminology.ids().strings()
    if named.all():
        return texts.take(bounds[:-1])
    rows = np.empty(len(named), dtype=np.int64)
    rows[named] = np.arange(np.count_nonzero(named))
    rows[~named] = np.arange(np.count_nonzero(named), len(named))
    return Strings.joined([texts.take(bounds[:-1][named]), ids.take(np.flatnonzero(~named))]).take(rows)


def _pairs_of_equal(hashes: Hashes, numbers: Rows, most: int) -> Rows:
    """All pairs of concepts with equal hashes, if at most ``most`` concepts have that hash."""
    order = hash_order(hashes)
    ordered = hashes[order]
    bounds = np.append(np.flatnonzero(begins(ordered)), len(ordered))
    sizes = np.diff(bounds)
    chosen = (sizes > 1) & (sizes <= most)
    members = order[spread(bounds[:-1][chosen], sizes[chosen])]
    sizes = sizes[chosen]
    rank = spread(np.zeros(len(sizes), dtype=np.int64), sizes)  # the number of earlier members of its group
    starts = np.repeat(boundaries(sizes)[:-1], sizes)
    pairs = [np.repeat(members, rank), members[spread(starts, rank)]]
    return np.asarray(numbers[np.stack(pairs, axis=1)], dtype=np.int64)


def _referenced(
    terminology: Terminology, name: str, first: int, active: Mask, ids: Hashes, numbers: Rows
) -> list[Rows]:
    """Pairs of a concept and one that it references by its own id; ``ids`` are sorted, ``numbers`` their concepts."""
    lists = terminology.lists(name)
    bounds = np.asarray(lists.bounds)
    pairs: list[Rows] = [np.zeros((0, 2), dtype=np.int64)]
    for start in range(0, len(lists.values), _BLOCK):
        stop = min(start + _BLOCK, len(lists.values))
        owners = np.searchsorted(bounds, np.arange(start, stop), side="right") - 1 + first
        hashes = lists.values.strings(start, stop).hashes()
        places: Offsets = np.searchsorted(ids, hashes)
        known = active[owners]
        known[known] = ids[np.minimum(places[known], len(ids) - 1)] == hashes[known]
        owners, hashes, places = owners[known], hashes[known], places[known]
        counts = np.searchsorted(ids, hashes, side="right") - places
        counts[counts > _MOST_PER_XREF] = 0
        found = np.stack([np.repeat(owners, counts), numbers[spread(places, counts)]], axis=1)
        pairs.append(found[found[:, 0] != found[:, 1]])
    return pairs


def groups_of(count: int, links: Rows) -> Ints32:
    """A group number for each of ``count`` concepts: linked concepts, directly or not, share their smallest number."""
    groups = np.arange(count)
    left = links
    while len(left):
        ends = groups[left]
        lower, higher = ends.min(axis=1), ends.max(axis=1)
        apart = lower != higher
        left = left[apart]
        np.minimum.at(groups, higher[apart], lower[apart])
        while True:  # point every concept to the root of its tree
            roots = groups[groups]
            if np.array_equal(roots, groups):
                break
            groups = roots
    return groups.astype(np.int32)
