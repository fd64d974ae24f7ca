"""Kong's ``graph`` recipe, main names of connected concepts, and ``comb``, which joins it with ``synonyms``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ontonym.arrays import Ints32, Mask, Rows
from ontonym.errors import UnknownNameError
from ontonym.learning.recipes.combining import apart, distinct_pairs
from ontonym.learning.recipes.making import RecipeOptions, RecipeOutput
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.learning.recipes.synonyms import is_icd10, make_synonyms

IS_A = "is-a"
APART = ("disjoint_from", "owl:disjointWith", "disjoint", "different from")
"""Relations that say that two concepts differ; they connect nothing unless named in ``relations``."""


def make_graph(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Pairs (m, c) = (l_i^1, l_j^1) of connected concepts i and j (Kong, section 4.2), each two concepts once.

    The anchor belongs to the concept that states the relation, so for is-a to the child. In ICD-10 it belongs to the
    parent, and only parent and child are connected unless ``relations`` names others (Kong, section 4.1). The main name
    is the preferred one, or the first that the split may use. Raises UnknownNameError for a relation that none of the
    terminologies has.
    """
    connected = distinct_pairs(_connected(pool, options.relations))
    tables: dict[Split, Ints32] = {}
    within_split = 0
    for split in SPLITS:
        rows, bounds = pool.usable(split)
        named = np.diff(bounds) > 0
        pairs = connected[named[connected].all(axis=1)]
        within_split += len(pairs)
        tables[split] = apart(rows[bounds[:-1][pairs]].astype(np.int32), pool.spellings)
    named = np.diff(pool.bounds) > 0
    across = int(named[connected].all(axis=1).sum()) - within_split
    return RecipeOutput(tables, described={"connected": len(connected), "across_splits": across})


def _connected(pool: Pool, relations: tuple[str, ...]) -> Rows:
    """The connected concepts, the stating one first; in is-a of ICD-10, the parent first."""
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    wanted, known = {_key(name) for name in relations}, {IS_A}
    for number, (terminology, first) in enumerate(zip(pool.terminologies, pool.firsts.tolist(), strict=False)):
        if not wanted or IS_A in wanted:
            edges = terminology.hierarchy.parent_edges
            is_a = np.stack([edges.sources(), edges.indices.astype(np.int64)], axis=1) + first
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
    """The concepts of a terminology and the targets of their relations, there or else in the other terminologies."""
    terminology = pool.terminologies[number]
    part = terminology.part("relations")
    owners = part.owners()
    rows = np.flatnonzero(part.coded["relation_predicate"].among(predicates) & terminology.active[owners])
    found = pool.find(part.texts["relation_target"].take(rows))
    targets = found[number]
    for others in found:
        targets = np.where(targets < 0, others, targets)
    known: Mask = targets >= 0
    return np.stack([owners[rows][known] + pool.firsts[number], targets[known]], axis=1)


_TASKS = {"synonyms": make_synonyms, "graph": make_graph}


def make_comb(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """The pairs of ``synonyms`` and of ``graph``, "firstly down-sampled to equal sizes and then combined".

    Kong, section 4.3: a task is one of the two recipes over one terminology, so that six tasks of 33,000 pairs and more
    (the smallest is the graph of ICD-10) make the paper's 198,000. In each split every task with pairs gives as many as
    the smallest of them, drawn without replacement.
    """
    made = {name: task(pool, options, epoch) for name, task in _TASKS.items()}
    with_more = made["synonyms"]
    owners = np.concatenate([pool.concepts, with_more.more_concepts])
    tables: dict[Split, Ints32] = {}
    described: dict[Split, dict[str, int]] = {}
    for number, split in enumerate(SPLITS):
        rng = np.random.default_rng((options.seed, number))
        tasks = dict(_tasks(pool, split, made, owners))
        described[split] = {name: len(table) for name, table in tasks.items()}
        least = min(described[split].values(), default=0)
        drawn = [table[np.sort(rng.permutation(len(table))[:least])] for table in tasks.values()]
        tables[split] = np.concatenate([np.zeros((0, 2), dtype=np.int32), *drawn])
    return RecipeOutput(
        tables,
        more=with_more.more,
        more_concepts=with_more.more_concepts,
        spellings=with_more.spellings,
        described={"tasks": described, **made["graph"].described},
    )


def _tasks(pool: Pool, split: Split, made: dict[str, RecipeOutput], owners: Ints32) -> Iterator[tuple[str, Ints32]]:
    """The tasks that have pairs in a split, by terminology and recipe; a pair belongs to its anchor's terminology."""
    for name, part in made.items():
        table = part.tables[split]
        of = np.searchsorted(pool.firsts, owners[table[:, 0]], side="right") - 1
        for number, terminology in enumerate(pool.terminologies):
            own = table[of == number]
            if len(own):
                yield f"{terminology.name} {number + 1} {name}", own
