"""The ``graph`` recipe: Kong's graph-based task, the main names of two concepts that the terminology connects."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints32, Rows
from ontonym.errors import UnknownNameError
from ontonym.learning.recipes.combining import distinct, spelled_apart
from ontonym.learning.recipes.icd10 import is_icd10
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool, among
from ontonym.learning.recipes.split import SPLITS, Split

IS_A = "is-a"
APART = ("disjoint_from", "owl:disjointWith", "disjoint", "different from")
"""Relations that say that two concepts are not alike; they connect nothing unless asked for by name."""


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Pairs (m, c) = (l_i^1, l_j^1) of connected concepts i and j (Kong, section 4.2), each two concepts once.

    The anchor is of the concept that states the relation, so for is-a of the child; in ICD-10 it is of the parent, and
    only parent and child are connected unless ``relations`` names others (Kong, section 4.1). The main name is the
    preferred one, or where a split may not use that, the first that it may. Raises UnknownNameError for a relation
    that none of the terminologies has.
    """
    connected = distinct(_connected(pool, options.relations))
    tables: dict[Split, Ints32] = {}
    within_split = 0
    for split in SPLITS:
        rows, bounds = pool.usable(split)
        named = np.diff(bounds) > 0
        pairs = connected[named[connected].all(axis=1)]
        within_split += len(pairs)
        tables[split] = spelled_apart(rows[bounds[:-1][pairs]].astype(np.int32), pool.spellings)
    named = np.diff(pool.bounds) > 0
    across = int(named[connected].all(axis=1).sum()) - within_split
    return Made(tables, told={"connected": len(connected), "across_splits": across})


def _connected(pool: Pool, relations: tuple[str, ...]) -> Rows:
    """The concepts that are connected, stating one first; is-a of ICD-10 has the parent first."""
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    wanted, known = {_key(name) for name in relations}, {IS_A}
    for number, (terminology, first) in enumerate(zip(pool.terminologies, pool.firsts.tolist(), strict=False)):
        if not wanted or IS_A in wanted:
            edges = terminology.hierarchy.parent_edges
            children = np.repeat(np.arange(len(terminology)), edges.degrees())
            is_a = np.stack([children, edges.indices.astype(np.int64)], axis=1) + first
            pairs.append(is_a[:, ::-1] if is_icd10(terminology) else is_a)
        predicates = terminology.part("relations").coded["relation_predicate"].names
        known |= set(predicates)
        chosen = _chosen(tuple(predicates), wanted, only_is_a=is_icd10(terminology))
        if chosen:
            pairs.append(_related(pool, number, chosen))
    unknown = [name for name in relations if _key(name) not in {_key(name) for name in known}]
    if unknown:
        raise UnknownNameError("relation", unknown[0], known)
    return np.concatenate(pairs)


def _key(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")


def _chosen(predicates: tuple[str, ...], wanted: set[str], *, only_is_a: bool) -> tuple[str, ...]:
    if wanted:
        return tuple(name for name in predicates if _key(name) in wanted)
    return () if only_is_a else tuple(name for name in predicates if name not in APART)


def _related(pool: Pool, number: int, predicates: tuple[str, ...]) -> Rows:
    """The concepts of a terminology and what their relations lead to, there or else in the other terminologies."""
    terminology = pool.terminologies[number]
    part = terminology.part("relations")
    owners = np.repeat(np.arange(len(terminology)), part.counts)
    rows = np.flatnonzero(among(part.coded["relation_predicate"], predicates) & terminology.active[owners])
    found = pool.find(part.texts["relation_target"].take(rows))
    targets = found[number]
    for others in found:
        targets = np.where(targets < 0, others, targets)
    known: npt.NDArray[np.bool_] = targets >= 0
    return np.stack([owners[rows][known] + pool.firsts[number], targets[known]], axis=1)
