"""The recipes: ways to make training examples from terminologies alone, behind one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.errors import UnknownNameError
from ontonym.folding import folded
from ontonym.pairs import drawn
from ontonym.pairs.examples import Examples, Texts
from ontonym.pairs.making import Made, RecipeOptions
from ontonym.pairs.pool import Pool, PoolOptions
from ontonym.store import Terminology
from ontonym.strings import Strings


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe: ``summary`` says in a line what it pairs and after whom, ``fresh`` whether every epoch draws anew.

    ``make`` takes the pool, the options and the number of the epoch (0 upward; it matters to ``fresh`` recipes only).
    Examples of a split are made of texts of that split alone, so that nothing of dev and test is seen in training.
    """

    name: str
    make: Callable[[Pool, RecipeOptions, int], Made]
    summary: str
    fresh: bool = False


RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe(
                "drawn", drawn.make, "each epoch one pair of names of each concept, or of two linked ones", fresh=True
            ),
        )
    }
)
"""Every recipe by its name, the one place where recipes are listed."""


def find_recipe(name: str) -> Recipe:
    """The recipe of this name; UnknownNameError lists the valid ones."""
    if name not in RECIPES:
        raise UnknownNameError("recipe", name, RECIPES)
    return RECIPES[name]


def make_examples(pool: Pool, recipe: Recipe, options: RecipeOptions, epoch: int = 0) -> Examples:
    """The examples that a recipe makes of a pool, told as the manifest will tell them."""
    made = recipe.make(pool, options, epoch)
    if len(made.more):
        texts = _with_more(pool, made)
    else:
        texts = Texts(pool.texts, pool.concepts, pool.meanings[pool.concepts], pool.spellings)
    told = {
        "recipe": recipe.name,
        "options": {**asdict(options), "pool": _told_of(pool.options)},
        "concepts": pool.concept_count,
        "names": int(pool.bounds[-1]),
        "terminologies": [_source(terminology) for terminology in pool.terminologies],
        **made.told,
    }
    return Examples(texts, made.tables, told)


def _with_more(pool: Pool, made: Made) -> Texts:
    joined = Strings.joined([pool.texts, made.more])
    concepts = np.concatenate([pool.concepts, made.more_concepts])
    spellings = np.unique(folded(joined).hashes(), return_inverse=True)[1].astype(np.int32)
    return Texts(joined, concepts, pool.meanings[concepts], spellings)


def _told_of(options: PoolOptions) -> dict[str, Any]:
    return {**asdict(options), "exclude": len(options.exclude)}


def _source(terminology: Terminology) -> dict[str, str]:
    return {
        "name": terminology.name,
        "version": terminology.version,
        "licence": str(terminology.metadata.get("licence", "")),
        "fingerprint": terminology.fingerprint,
    }
