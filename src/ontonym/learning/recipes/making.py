"""The input and output of every recipe, and texts that the pool does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ontonym.arrays import Bytes, Ints32, Rows, places_in
from ontonym.errors import InputError
from ontonym.learning.recipes.pool import Pool, excluded
from ontonym.learning.recipes.split import OUT, Split
from ontonym.ranges import check_seed
from ontonym.text.folding import folded
from ontonym.text.strings import Strings


@dataclass(frozen=True, slots=True)
class RecipeOptions:
    """The options of the recipes; the summary of each says which of these it uses.

    ``seed`` draws everything random. ``relations`` are the relation types of ``graph`` (empty: all; is-a is
    ``is-a``). ``linked`` is, for ``drawn``, the share of draws whose positive is a name of a linked concept. ``favour``
    is the exponent by which ``drawn`` draws concepts with many names more often (0: all alike, 1: in proportion).
    ``ratio`` is, for ``batches``, how many annotated texts come to one text of the ontology. ``associations`` are, for
    ``historical``, what leads from a retired concept to an active one: ``replaced_by``, ``consider``, or a type of the
    release's own (``SAME AS``). ``predicates`` are those of the mappings that ``mappings`` takes.
    """

    seed: int = 0
    relations: tuple[str, ...] = ()
    linked: float = 0.3
    favour: float = 0.5
    ratio: float = 1 / 3
    associations: tuple[str, ...] = ("replaced_by",)
    predicates: tuple[str, ...] = ("skos:exactMatch", "owl:equivalentClass")

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not 0 <= self.linked <= 1:
            raise InputError(f"`linked=` must be between 0 and 1, not {self.linked:g}")
        for name, value in (("favour", self.favour), ("ratio", self.ratio)):
            if not value >= 0:
                raise InputError(f"`{name}=` must be at least 0, not {value:g}")


@dataclass(frozen=True, slots=True, eq=False)
class RecipeOutput:
    """The result of a recipe: for each split a table of positions in the pool's texts, followed by those of ``more``.

    ``more`` are texts that the pool does not have (definitions, concatenated titles); ``more_concepts`` are their
    concepts, shape ``(len(more),)``. ``spellings`` are those of the pool's texts and of ``more``, if the recipe
    computed them. ``described`` are counts for the manifest.
    """

    tables: Mapping[Split, Ints32]
    more: Strings = field(default_factory=lambda: Strings.of(()))
    more_concepts: Ints32 = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    spellings: Ints32 | None = None
    described: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class ExtraTexts:
    """Texts beside the pool's, the concept of each, and the split that may use it, or `OUT`.

    ``spellings`` are those of the pool's texts followed by these. ``excluded`` counts the texts excluded by the
    options.
    """

    texts: Strings
    concepts: Ints32
    splits: Bytes
    spellings: Ints32
    excluded: int


def extra_texts(pool: Pool, texts: Strings, concepts: Rows, own: Bytes | None = None) -> ExtraTexts:
    """The texts with their splits: ``own`` (by default the split of their concept), or `OUT`.

    A text is `OUT` if it is to be excluded, or if a concept of another split, or another of these texts in a later
    split, has the same spelling.
    """
    own = pool.splits[concepts] if own is None else own
    spellings = _numbered(pool, texts)
    size = int(max(spellings.max(initial=-1), pool.spellings.max(initial=-1))) + 1
    lowest, highest = np.full(size, OUT, dtype=np.uint8), np.zeros(size, dtype=np.uint8)
    of_texts = pool.splits[pool.concepts]
    np.minimum.at(lowest, pool.spellings, of_texts)
    np.maximum.at(highest, pool.spellings, of_texts)
    later = np.zeros(size, dtype=np.uint8)
    np.maximum.at(later, spellings, np.where(own == OUT, 0, own))
    known = lowest[spellings] != OUT
    alone = ~known | ((lowest[spellings] == own) & (highest[spellings] == own))
    unwanted = excluded(texts, pool.options)
    splits = np.where(alone & (later[spellings] == own) & ~unwanted, own, OUT).astype(np.uint8)
    together = np.concatenate([pool.spellings, spellings])
    return ExtraTexts(texts, concepts.astype(np.int32), splits, together, int(unwanted.sum()))


def _numbered(pool: Pool, texts: Strings) -> Ints32:
    """The number of each text's spelling: the pool's number for a known spelling, else a new one."""
    hashes = folded(texts).hashes()
    new, inverse = np.unique(hashes, return_inverse=True)
    known = places_in(pool.folds, new)
    numbers = np.where(known >= 0, known, len(pool.folds) + np.arange(len(new)))
    return numbers[inverse].astype(np.int32)
