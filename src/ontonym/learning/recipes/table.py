"""The recipes: ways to make training examples from terminologies alone, behind one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.errors import InputError, UnknownNameError
from ontonym.learning.recipes import (
    batches,
    comb,
    definitions,
    drawn,
    graph,
    historical,
    mapped,
    supervised,
    synonyms,
    translations,
    triplets,
)
from ontonym.learning.recipes.examples import Examples, Texts
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool, PoolOptions
from ontonym.store import Terminology
from ontonym.text.folding import folded
from ontonym.text.strings import Strings


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe: ``summary`` says in a line what it pairs and after whom, ``fresh`` whether every epoch draws anew.

    ``make`` takes the pool, the options and the number of the epoch (0 upward; it matters to ``fresh`` recipes only).
    Examples of a split are made of texts of that split alone, so that nothing of dev and test is seen in training.
    ``needs`` says what the terminologies must have for it to give anything.
    """

    name: str
    make: Callable[[Pool, RecipeOptions, int], Made]
    summary: str
    fresh: bool = False
    needs: str = "concepts with several names in the wanted languages"


RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe(
                "drawn", drawn.make, "each epoch one pair of names of each concept, or of two linked ones", fresh=True
            ),
            Recipe(
                "synonyms",
                synonyms.make,
                "every two names of a concept, the preferred on the right; the three sections of ICD-10 (Kong 4)",
            ),
            Recipe(
                "graph",
                graph.make,
                "the preferred names of two connected concepts, by is-a or any relation (Kong 4)",
                needs="is-a or other relations between concepts with names in the wanted languages",
            ),
            Recipe(
                "comb",
                comb.make,
                "synonyms and graph of every terminology in equal parts (Kong 4.3)",
                needs="concepts with several names in the wanted languages, or relations between named concepts",
            ),
            Recipe(
                "triplets",
                triplets.make,
                "every two names of a concept, its parents' and others' as negatives (Ngo, Algorithm 1)",
                needs="concepts with several names in the wanted languages, and is-a to parents that have some",
            ),
            Recipe(
                "batches",
                batches.make,
                "each epoch every text of a concept with another, annotated ones repeated (Xu 3.1, 4.2)",
                fresh=True,
                needs="concepts with several names in the wanted languages, or annotated texts of theirs",
            ),
            Recipe(
                "annotated",
                supervised.make,
                "annotated texts with the preferred name of their concept (Kong 6.3)",
                needs="annotated texts (--annotated) of concepts with names in the wanted languages",
            ),
            Recipe(
                "historical",
                historical.make,
                "names of a retired concept with those of its replacement (Schulz 3.1)",
                needs="retired concepts that lead to active ones by the wanted associations",
            ),
            Recipe(
                "definitions",
                definitions.make,
                "every name of a concept with its definitions",
                needs="definitions of concepts with names in the wanted languages",
            ),
            Recipe(
                "mappings",
                mapped.make,
                "names of two concepts that a mapping or a cross-reference says are the same",
                needs="mappings with the wanted predicates or cross-references between them, or equal preferred names",
            ),
            Recipe(
                "translations",
                translations.make,
                "names of a concept in different languages",
                needs="names of a concept in several of the wanted languages (all of them: --language all)",
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
    """The examples that a recipe makes of a pool, told as the manifest will tell them.

    Raises InputError where there is none to train on, which says what the recipe needs.
    """
    made = recipe.make(pool, options, epoch)
    if not len(made.tables["train"]):
        names = ", ".join(part.name for part in pool.terminologies)
        raise InputError(f"the recipe {recipe.name} gives no training example from {names}: it needs {recipe.needs}")
    if len(made.more):
        texts = _with_more(pool, made)
    else:
        texts = Texts(pool.texts, pool.concepts, pool.meanings[pool.concepts], pool.spellings)
    told = {
        "recipe": recipe.name,
        "options": {**asdict(options), "pool": _told_of(pool.options)},
        "concepts": pool.concept_count,
        "names": pool.name_count,
        "terminologies": [_source(terminology) for terminology in pool.terminologies],
        **pool.told,
        **made.told,
    }
    return Examples(texts, made.tables, told)


def _with_more(pool: Pool, made: Made) -> Texts:
    joined = Strings.joined([pool.texts, made.more])
    concepts = np.concatenate([pool.concepts, made.more_concepts])
    spellings = made.spellings
    if spellings is None:
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
