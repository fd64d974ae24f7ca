"""Small terminologies of invented concepts, and examples read back as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from listed import stored
from ontonym.learning.recipes import Examples, Pool, PoolOptions, RecipeOptions, find_recipe, make_examples, name_pool
from ontonym.learning.recipes.split import Split
from ontonym.store import Terminology, open_terminology
from ontonym.types import Concept, Term

USUAL = RecipeOptions()
ALL_NAMES_TRAIN = PoolOptions()


def concept(concept_id: str, *names: str | Term, **more: Any) -> Concept:
    """A concept whose first name is the preferred one; ``parents`` and the like may be one text parted by spaces."""
    terms = [
        name if isinstance(name, Term) else Term(name, "synonym" if place else "preferred")
        for place, name in enumerate(names)
    ]
    lists = ("parents", "xrefs", "alternative_ids", "replaced_by", "consider", "tags")
    parted = {name: tuple(value.split()) if name in lists else value for name, value in more.items()}
    return Concept(concept_id, terms=tuple(terms), **parted)


@contextmanager
def opened(folder: Path, *releases: Sequence[Concept]) -> Iterator[list[Terminology]]:
    """The terminologies of these concepts, each named by its place."""
    with ExitStack() as stack:
        terminologies = []
        for place, concepts in enumerate(releases):
            path = folder / f"{place}.terminology"
            stored(path, concepts, f"t{place}", "1")
            terminologies.append(stack.enter_context(open_terminology(path)))
        yield terminologies


def examples_of(
    terminologies: Sequence[Terminology],
    recipe: str,
    *,
    epoch: int = 0,
    options: RecipeOptions = USUAL,
    pool: PoolOptions = ALL_NAMES_TRAIN,
    annotated: Sequence[tuple[str, str]] = (),
) -> Examples:
    return make_examples(name_pool(terminologies, pool, annotated), find_recipe(recipe), options, epoch)


def texts_of(examples: Examples, split: Split = "train") -> list[tuple[str, ...]]:
    """The examples of a split as tuples of texts, in their order."""
    texts = examples.texts.texts
    return [tuple(texts[place] for place in row) for row in examples.table(split).tolist()]


def number(pool: Pool, concept_id: str) -> int:
    """The number of the concept with this id, the first where several terminologies have it."""
    for terminology, first in zip(pool.terminologies, pool.firsts.tolist(), strict=False):
        for row in range(len(terminology)):
            if terminology.id(row) == concept_id:
                return first + row
    raise KeyError(concept_id)


def seed_with(
    terminologies: Sequence[Terminology], wanted: dict[str, Split], shares: tuple[float, float, float]
) -> int:
    """The first seed that puts these concepts into these splits."""
    for seed in range(2000):
        pool = name_pool(terminologies, PoolOptions(shares=shares, seed=seed))
        names = ("train", "dev", "test")
        if all(names[pool.splits[number(pool, one)]] == split for one, split in wanted.items()):
            return seed
    raise AssertionError(f"no seed below 2000 splits {wanted}")
