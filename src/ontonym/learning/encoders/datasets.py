"""Datasets to train an encoder on, and its accuracy on their dev split."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from ontonym.arrays import Floats, Ints, Ints32, Mask
from ontonym.learning.encoders.options import TrainOptions, parts_of, process_count
from ontonym.learning.recipes import Examples, Pool, Recipe, RecipeOptions, Texts, make_examples


class Dataset(Protocol):
    """A dataset: texts, and a table of training examples for each epoch."""

    @property
    def texts(self) -> Texts:
        """The texts of all examples."""
        ...

    def table(self, epoch: int) -> Ints32:
        """The training examples of an epoch (from 0); every epoch has the same number of columns."""
        ...

    def dev(self) -> Ints32:
        """The examples of the dev split, empty where there is none."""
        ...

    def described(self) -> dict[str, Any]:
        """The description for the manifest."""
        ...


class ExampleDataset:
    """Ready-made examples (a PAIRS folder), the same in every epoch."""

    def __init__(self, examples: Examples) -> None:
        self.texts = examples.texts
        self._examples = examples

    def table(self, epoch: int) -> Ints32:
        """The same table in every epoch."""
        return self._examples.table("train")

    def dev(self) -> Ints32:
        """The dev examples."""
        return self._examples.table("dev")

    def described(self) -> dict[str, Any]:
        """The manifest of the examples, with their counts."""
        return {**self._examples.described, "examples": self._examples.counts()}


class RecipeDataset:
    """Examples that a recipe makes from terminologies; some recipes draw new ones in every epoch."""

    def __init__(self, pool: Pool, recipe: Recipe, options: RecipeOptions) -> None:
        self._pool, self._recipe, self._options = pool, recipe, options
        self._first = make_examples(pool, recipe, options)
        self.texts = self._first.texts
        self._last: tuple[int, Ints32] = (0, self._first.table("train"))

    def table(self, epoch: int) -> Ints32:
        """The training examples of an epoch."""
        if self._recipe.fresh and epoch != self._last[0]:
            self._last = (epoch, make_examples(self._pool, self._recipe, self._options, epoch).table("train"))
        return self._last[1]

    def dev(self) -> Ints32:
        """The dev examples of the first epoch."""
        return self._first.table("dev")

    def described(self) -> dict[str, Any]:
        """Recipe, options, sources and counts."""
        return {**self._first.described, "examples": self._first.counts()}


class WithoutDev:
    """A dataset without its dev split."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self.texts = dataset.texts
        self.table = dataset.table
        self.described = dataset.described

    def dev(self) -> Ints32:
        """No examples."""
        return self._dataset.table(0)[:0]


def dev_questions(dataset: Dataset, options: TrainOptions) -> tuple[Ints, Ints]:
    """The queries of dev, and the names to search: rows of the texts, at most as many as in the options.

    The queries are anchors of dev examples; the names are the positives of dev, and others drawn from all texts.
    """
    table = dataset.dev()
    rng = np.random.default_rng((options.seed, 17))
    if not len(table):
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty
    _, firsts = np.unique(table[:, 0], return_index=True)
    chosen = np.sort(rng.permutation(firsts)[: options.dev_queries])
    names = np.unique(table[chosen, 1])
    more = np.setdiff1d(np.arange(len(dataset.texts)), names)
    extra = rng.permutation(more)[: max(0, options.dev_names - len(names))]
    return table[chosen, 0].astype(np.int64), np.sort(np.concatenate([names, extra])).astype(np.int64)


def dev_accuracy(
    queries: Ints,
    names: Ints,
    asked: Floats,
    known: Floats,
    texts: Texts,
) -> float:
    """The share of `dev_right` queries: in [0, 1], higher is better."""
    return float(dev_right(queries, names, asked, known, texts).mean())


def dev_right(
    queries: Ints,
    names: Ints,
    asked: Floats,
    known: Floats,
    texts: Texts,
) -> Mask:
    """Whether the nearest name of each query, except names of the same spelling, means the same.

    ``asked`` and ``known`` are the unit vectors of ``queries`` and ``names``, rows of ``texts``.
    """
    similarities = asked @ known.T
    alike = texts.spellings[queries][:, None] == texts.spellings[names][None]
    similarities[alike] = -2.0
    best = names[similarities.argmax(axis=1)]
    right: Mask = texts.meanings[best] == texts.meanings[queries]
    return right


def planned_steps(dataset: Dataset, options: TrainOptions) -> int:
    """The number of steps of a training whose first dataset this is."""
    per_epoch = parts_of(len(dataset.table(0)), options)
    return options.steps or max(1, math.ceil(options.epochs * per_epoch / options.accumulate / process_count()))
