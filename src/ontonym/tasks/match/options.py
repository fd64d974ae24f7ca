"""The options of a match, and the mappings that are already decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from ontonym.arrays import Ints
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.signals import SIGNALS
from ontonym.store import Terminology
from ontonym.store.mappings import Row

Aggregate = Literal["learned", "max", "mean", "best-three", "reciprocal-rank"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)

Wording = Literal["auto", "written", "read"]
WORDINGS: tuple[Wording, ...] = get_args(Wording)

Mode = Literal["best", "mutual", "one-to-one"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """How concepts are matched.

    ``aggregate`` computes the score of a candidate, in [0, 1], from the results of the source concept's names.
    ``learned`` weighs all features of the pair and is the estimated probability that the two are the same. The others
    aggregate the confidences of the names: the highest (``max``), their mean over all names, that of the best three
    (``best-three``), or the mean of one over its rank (``reciprocal-rank``). ``k`` candidates of each name are
    considered, and as many of a concept are kept, with all whose name is equal.

    ``mode``: ``best`` proposes each source concept's best candidate; ``mutual`` only if no other source concept is
    better for that candidate; ``one-to-one`` the pairs with the highest total score, each concept in at most one (extra
    ``eval``: scipy). Nothing is proposed whose score is below ``threshold``. With ``related``, concepts without a match
    are proposed as narrower or broader than one. ``structure`` and ``xrefs`` say whether ``learned`` uses the
    hierarchies and cross-references.

    ``names``: ``written`` searches for names as they are, ``read`` as a search reads them, with abbreviations written
    out and slips corrected; ``auto`` reads those of a list of codes: a source without hierarchy and cross-references
    that has fewer than half as many further names as concepts.
    """

    aggregate: Aggregate = "learned"
    mode: Mode = "mutual"
    threshold: float = 0.3
    k: int = 10
    signal: str = "fused"
    within: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    structure: bool = True
    xrefs: bool = True
    related: bool = False
    names: Wording = "auto"

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise UnknownNameError("way to aggregate", self.aggregate, AGGREGATES)
        if self.signal not in SIGNALS:
            raise UnknownNameError("signal", self.signal, SIGNALS)
        if self.mode not in MODES:
            raise UnknownNameError("mode", self.mode, MODES)
        if self.names not in WORDINGS:
            raise UnknownNameError("way to take names", self.names, WORDINGS)
        if not 0 <= self.threshold <= 1:
            raise InputError(f"the threshold is {self.threshold}, but a score is between 0 and 1")
        if self.k < 1:
            raise InputError(f"k is {self.k}, but at least one candidate must be asked for")
        if self.aggregate == "learned" and self.signal != "fused":
            raise InputError(
                f"the learned score weighs all signals, but only {self.signal} was chosen; choose another aggregate, "
                f"such as max"
            )


def with_wording(options: MatchOptions, source: Terminology) -> MatchOptions:
    """The options, with ``names`` as they are for this source."""
    if options.names != "auto":
        return options
    plain = not source.hierarchy.has_levels and not len(source.lists("xrefs").values)
    further = np.maximum(np.diff(source.term_bounds()) - 1, 0).sum()
    return replace(options, names="read" if plain and 2 * further < len(source) else "written")


@dataclass(frozen=True, slots=True)
class KnownChange:
    """What a decision was made on, ``was``, is something else ``now``: the name of the concept ``id``, or its id."""

    id: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class KnownMappings:
    """Earlier decisions: source ids with the ids they are ``mapped`` to, and pairs that are ``denied``.

    Ids ``mapped`` to none have no match, or only one that is broader, narrower or related. Three kinds of decisions
    were left out: ``undecided`` counts those that a program found and is not sure enough to propose; ``sourceless`` and
    ``targetless`` list those whose concept the source or the index does not have, as their file has them;
    ``relabelled`` lists the source concepts that no longer have the name they were decided under. ``followed`` lists
    ids of kept decisions that were retired or merged, with their successors.
    """

    mapped: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    denied: frozenset[tuple[str, str]] = frozenset()
    undecided: int = 0
    sourceless: tuple[Row, ...] = ()
    targetless: tuple[Row, ...] = ()
    relabelled: tuple[KnownChange, ...] = ()
    followed: tuple[KnownChange, ...] = ()

    def rows(self, source: Terminology) -> Ints:
        """The rows of the source concepts that are decided."""
        found = (source.find(id_) for id_ in self.mapped)
        return np.asarray([row for row in found if row is not None], dtype=np.int64)

    def pairs(self, source: Terminology, index: Index) -> Ints:
        """The pairs decided to be the same: source rows and concept numbers of the index, shape ``(n, 2)``."""
        found = [
            (row, number)
            for id_, targets in self.mapped.items()
            for target in targets
            if (row := source.find(id_)) is not None and (number := index.find(target)) is not None
        ]
        return np.asarray(found, dtype=np.int64).reshape(-1, 2)
