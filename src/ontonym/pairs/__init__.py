"""Training examples made from terminologies, one file per recipe."""

from ontonym.pairs.examples import Examples, Texts, open_examples, save_examples
from ontonym.pairs.making import RecipeOptions
from ontonym.pairs.pool import Pool, PoolOptions, name_pool
from ontonym.pairs.recipes import RECIPES, Recipe, find_recipe, make_examples

__all__ = [
    "RECIPES",
    "Examples",
    "Pool",
    "PoolOptions",
    "Recipe",
    "RecipeOptions",
    "Texts",
    "find_recipe",
    "make_examples",
    "name_pool",
    "open_examples",
    "save_examples",
]
