"""Training examples made from terminologies, one file per recipe."""

from ontonym.learning.recipes.examples import Examples, Texts, open_examples, save_examples
from ontonym.learning.recipes.making import RecipeOptions
from ontonym.learning.recipes.pool import Pool, PoolOptions, name_pool
from ontonym.learning.recipes.table import RECIPES, Recipe, find_recipe, make_examples

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
