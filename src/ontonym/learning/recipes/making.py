"""What every recipe takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ontonym.arrays import Ints32
from ontonym.learning.recipes.split import Split
from ontonym.text.strings import Strings


@dataclass(frozen=True, slots=True)
class RecipeOptions:
    """What recipes may be asked for; each says in its summary which of these it heeds.

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


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """What a recipe gives: for each split a table of places in the pool's texts, followed by those of ``more``.

    ``more`` are texts that the pool does not have (definitions, titles put together), and ``more_concepts`` the
    concepts they speak of, shape ``(len(more),)``. ``spellings`` are those of the pool's texts and of ``more``
    together, where a recipe knows them. ``told`` are counts for the manifest.
    """

    tables: Mapping[Split, Ints32]
    more: Strings = field(default_factory=lambda: Strings.of(()))
    more_concepts: Ints32 = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    spellings: Ints32 | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
