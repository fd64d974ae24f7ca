"""The ``comb`` recipe: Kong's comb task, synonyms and graph of every terminology in equal parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ontonym.arrays import Ints32
from ontonym.learning.recipes import graph, synonyms
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split

_TASKS = {"synonyms": synonyms.make, "graph": graph.make}


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """The pairs of ``synonyms`` and of ``graph``, "firstly down-sampled to equal sizes and then combined".

    Kong, section 4.3: a task is one of the two recipes over one terminology, so that six tasks of 33,000 pairs and
    more (the smallest is the graph of ICD-10) make the paper's 198,000. In each split every task that has pairs there
    gives as many as the smallest of them, drawn without replacement.
    """
    made = {name: task(pool, options, epoch) for name, task in _TASKS.items()}
    with_more = made["synonyms"]
    owners = np.concatenate([pool.concepts, with_more.more_concepts])
    tables: dict[Split, Ints32] = {}
    told: dict[Split, dict[str, int]] = {}
    for number, split in enumerate(SPLITS):
        rng = np.random.default_rng((options.seed, number))
        tasks = dict(_tasks(pool, split, made, owners))
        told[split] = {name: len(table) for name, table in tasks.items()}
        least = min(told[split].values(), default=0)
        drawn = [table[np.sort(rng.permutation(len(table))[:least])] for table in tasks.values()]
        tables[split] = np.concatenate([np.zeros((0, 2), dtype=np.int32), *drawn])
    return Made(
        tables,
        more=with_more.more,
        more_concepts=with_more.more_concepts,
        spellings=with_more.spellings,
        told={"tasks": told},
    )


def _tasks(pool: Pool, split: Split, made: dict[str, Made], owners: Ints32) -> Iterator[tuple[str, Ints32]]:
    """Each task that has pairs in a split, by terminology and recipe; a pair is of its anchor's terminology."""
    for name, part in made.items():
        table = part.tables[split]
        of = np.searchsorted(pool.firsts, owners[table[:, 0]], side="right") - 1
        for number, terminology in enumerate(pool.terminologies):
            own = table[of == number]
            if len(own):
                yield f"{terminology.name} {number + 1} {name}", own
