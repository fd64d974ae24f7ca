"""The recipes: ways to make training examples from terminologies alone, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

import numpy as np

from ontonym.errors import InputError, UnknownNameError
from ontonym.learning.recipes.examples import Examples, Texts
from ontonym.learning.recipes.fresh import make_batches, make_drawn
from ontonym.learning.recipes.graph import make_comb, make_graph
from ontonym.learning.recipes.historical import make_historical
from ontonym.learning.recipes.making import RecipeOptions, RecipeOutput
from ontonym.learning.recipes.pairing import make_annotated, make_definitions, make_mappings, make_translations
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import split_examples
from ontonym.learning.recipes.synonyms import make_synonyms
from ontonym.learning.recipes.triplets import make_triplets
from ontonym.store import Terminology
from ontonym.text.folding import folded
from ontonym.text.strings import Strings


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe: ``summary`` says in a line what it pairs and after whom; ``fresh`` recipes draw anew in every epoch.

    ``make`` takes the pool, the options and the number of the epoch (from 0; only ``fresh`` recipes use it). Examples
    of a split are made only from texts of that split, so that training sees nothing of dev and test. ``needs`` says
    what the terminologies must have for it to give anything. ``uses`` are the fields of `RecipeOptions` that it takes
    beside ``seed``, and ``annotated`` where it takes annotated texts.
    """

    name: str
    make: Callable[[Pool, RecipeOptions, int], RecipeOutput]
    summary: str
    fresh: bool = False
    needs: str = "concepts with several names in the wanted languages"
    uses: tuple[str, ...] = ()


RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe(
                "drawn",
                make_drawn,
                "each epoch one pair of names of each concept, or of two linked ones",
                fresh=True,
                uses=("linked", "favour"),
            ),
            Recipe(
                "synonyms",
                make_synonyms,
                "every two names of a concept, the preferred on the right; the three sections of ICD-10 (Kong 4)",
            ),
            Recipe(
                "graph",
                make_graph,
                "the preferred names of two connected concepts, by is-a or any relation (Kong 4)",
                needs="is-a or other relations between concepts with names in the wanted languages",
                uses=("relations",),
            ),
            Recipe(
                "comb",
                make_comb,
                "synonyms and graph of every terminology in equal parts (Kong 4.3)",
                needs="concepts with several names in the wanted languages, or relations between named concepts",
                uses=("relations",),
            ),
            Recipe(
                "triplets",
                make_triplets,
                "every two names of a concept, its parents' and others' as negatives (Ngo, Algorithm 1)",
                needs="concepts with several names in the wanted languages, and is-a to parents that have some",
            ),
            Recipe(
                "batches",
                make_batches,
                "each epoch every text of a concept with another, annotated ones repeated (Xu 3.1, 4.2)",
                fresh=True,
                needs="concepts with several names in the wanted languages, or annotated texts of theirs",
                uses=("ratio", "annotated"),
            ),
            Recipe(
                "annotated",
                make_annotated,
                "annotated texts with the preferred name of their concept (Kong 6.3)",
                needs="annotated texts (`annotated=`) of concepts with names in the wanted languages",
                uses=("annotated",),
            ),
            Recipe(
                "historical",
                make_historical,
                "names of a retired concept with those of its replacement (Schulz 3.1)",
                needs="retired concepts that lead to active ones by the wanted associations",
                uses=("associations",),
            ),
            Recipe(
                "definitions",
                make_definitions,
                "every name of a concept with its definitions",
                needs="definitions of concepts with names in the wanted languages",
            ),
            Recipe(
                "mappings",
                make_mappings,
                "names of two concepts that a mapping or a cross-reference says are the same",
                needs="mappings with the wanted predicates or cross-references between them, or equal preferred names",
                uses=("predicates",),
            ),
            Recipe(
                "translations",
                make_translations,
                "names of a concept in different languages",
                needs="names of a concept in several of the wanted languages (all of them: `languages=all`)",
            ),
        )
    }
)
"""All recipes by name."""


def find_recipe(name: str) -> Recipe:
    """The recipe of this name; raises UnknownNameError, which lists the valid ones."""
    if name not in RECIPES:
        raise UnknownNameError("recipe", name, RECIPES)
    return RECIPES[name]


def check_recipe_options(recipes: Sequence[Recipe], options: RecipeOptions, *, annotated: bool) -> None:
    """InputError for an option that none of these recipes uses; ``annotated``: whether annotated texts are given."""
    given = [name for name, value in asdict(options).items() if value != getattr(RecipeOptions(), name)]
    used = {"seed"}.union(*(recipe.uses for recipe in recipes))
    for name in [*given, *(["annotated"] if annotated else [])]:
        if name not in used:
            fit = [recipe.name for recipe in RECIPES.values() if name in recipe.uses]
            what = f"the recipe{'s' * (len(fit) > 1)} {' and '.join(fit)}"
            asked = " and ".join(recipe.name for recipe in recipes)
            raise InputError(f"`{name}=` is for {what}, not for {asked}: leave it out, or take another recipe")


def make_examples(pool: Pool, recipe: Recipe, options: RecipeOptions, epoch: int = 0) -> Examples:
    """The examples of a recipe from a pool, with their description for the manifest.

    Raises InputError, which says what the recipe needs, if there is no training example, and for examples that are
    split but drawn anew in every epoch.
    """
    if recipe.fresh and pool.options.split_by == "example":
        raise InputError(
            f"`split_by=example`: the recipe {recipe.name} draws its examples anew in every epoch; split by concept"
        )
    made = recipe.make(pool, options, epoch)
    if not len(made.tables["train"]):
        names = ", ".join(part.name for part in pool.terminologies)
        raise InputError(f"the recipe {recipe.name} gives no training example from {names}: it needs {recipe.needs}")
    if len(made.more):
        texts = _with_more(pool, made)
    else:
        texts = Texts(pool.texts, pool.concepts, pool.meanings[pool.concepts], pool.spellings)
    described = {
        "recipe": recipe.name,
        "options": {**asdict(options), "pool": {**asdict(pool.options), "exclude": len(pool.options.exclude)}},
        "concepts": pool.concept_count,
        "names": pool.name_count,
        "terminologies": described_sources(pool.terminologies),
        **pool.described,
        **made.described,
    }
    if pool.options.split_by == "example":
        return Examples(texts, split_examples(made.tables["train"], pool.options.shares, pool.options.seed), described)
    return Examples(texts, made.tables, described)


def _with_more(pool: Pool, made: RecipeOutput) -> Texts:
    joined = Strings.joined([pool.texts, made.more])
    concepts = np.concatenate([pool.concepts, made.more_concepts])
    spellings = made.spellings
    if spellings is None:
        spellings = np.unique(folded(joined).hashes(), return_inverse=True)[1].astype(np.int32)
    return Texts(joined, concepts, pool.meanings[concepts], spellings)


def described_sources(terminologies: Sequence[Terminology]) -> list[dict[str, str]]:
    """The manifest's description of the terminologies used for training."""
    return [{**one.release, "licence": str(one.metadata.get("licence", ""))} for one in terminologies]
