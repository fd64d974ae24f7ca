"""What changed between two releases of a terminology: concepts, names and hierarchy, found column by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ontonym.store.open import Terminology
from ontonym.strings import Hashes, Strings, mixed

Rows = npt.NDArray[np.int64]

Kind = Literal[
    "added", "removed", "retired", "reinstated", "renamed", "synonym gained", "synonym lost", "parent gained",
    "parent lost",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The kinds of change, in the order in which they are told."""

_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one concept.

    ``preferred`` is its preferred term today (of a removed concept the one it had). ``old`` and ``new`` are names or
    ids, as the kind has it: both preferred terms of a renamed concept, a name gained or lost, a parent gained or lost.
    ``replaced_by`` are the ids that take the place of a retired or removed concept, ``consider`` weaker suggestions.
    """

    kind: Kind
    id: str
    preferred: str
    old: str = ""
    new: str = ""
    replaced_by: tuple[str, ...] = ()
    consider: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two terminologies, as rows of theirs; `changes` tells it in words.

    A pair of arrays holds rows of the old one and of the new one at the same places; names are rows of terms.
    """

    old: Terminology
    new: Terminology
    added: Rows = field(default_factory=_NONE.copy)
    removed: Rows = field(default_factory=_NONE.copy)
    retired: tuple[Rows, Rows] = (_NONE, _NONE)
    reinstated: tuple[Rows, Rows] = (_NONE, _NONE)
    renamed: tuple[Rows, Rows] = (_NONE, _NONE)
    names_gained: Rows = field(default_factory=_NONE.copy)
    names_lost: Rows = field(default_factory=_NONE.copy)
    parents_gained: Rows = field(default_factory=_NONE.copy)
    parents_lost: Rows = field(default_factory=_NONE.copy)

    def counts(self) -> dict[str, int]:
        """How many changes there are of each kind."""
        numbers = (
            self.added, self.removed, self.retired[0], self.reinstated[0], self.renamed[0], self.names_gained,
            self.names_lost, self.parents_gained, self.parents_lost,
        )  # fmt: skip
        return {kind: len(rows) for kind, rows in zip(KINDS, numbers, strict=True)}

    def changes(self) -> Iterator[Change]:
        """Every change, kind after kind, by row."""
        old, new = self.old, self.new
        for row in self.added.tolist():
            yield Change("added", new.id(row), new.preferred(row))
        for row in self.removed.tolist():
            yield Change("removed", old.id(row), old.preferred(row), replaced_by=self._heirs(row))
        for row in self.retired[1].tolist():
            concept = new.concept(row)
            heirs, near = concept.replaced_by, concept.consider
            yield Change("retired", concept.id, concept.preferred, replaced_by=heirs, consider=near)
        for row in self.reinstated[1].tolist():
            yield Change("reinstated", new.id(row), new.preferred(row))
        for before, after in zip(*(rows.tolist() for rows in self.renamed), strict=True):
            name = new.preferred(after)
            yield Change("renamed", new.id(after), name, old.preferred(before), name)
        for kind, terms, terminology in (
            ("synonym gained", self.names_gained, new),
            ("synonym lost", self.names_lost, old),
        ):
            yield from self._names(kind, terms, terminology)  # type: ignore[arg-type]
        for kind, edges, terminology in (
            ("parent gained", self.parents_gained, new),
            ("parent lost", self.parents_lost, old),
        ):
            yield from self._parents(kind, edges, terminology)  # type: ignore[arg-type]

    def _heirs(self, row: int) -> tuple[str, ...]:
        """What a concept that is no longer there was merged into: who has its id today."""
        today = self.new.current(self.old.id(row))
        return () if today is None else (self.new.id(today),)

    def _names(self, kind: Kind, terms: Rows, terminology: Terminology) -> Iterator[Change]:
        owners = terminology.term_concepts()
        texts = terminology.term_texts()
        for term in terms.tolist():
            row = int(owners[term])
            text = texts[term]
            told = {"new": text} if terminology is self.new else {"old": text}
            yield Change(kind, terminology.id(row), terminology.preferred(row), **told)

    def _parents(self, kind: Kind, edges: Rows, terminology: Terminology) -> Iterator[Change]:
        parents = terminology.lists("parents")
        owners = np.searchsorted(np.asarray(parents.bounds), edges, side="right") - 1
        for edge, row in zip(edges.tolist(), owners.tolist(), strict=True):
            parent = parents.values[edge]
            told = {"new": parent} if terminology is self.new else {"old": parent}
            yield Change(kind, terminology.id(row), terminology.preferred(row), **told)


def diff(old: Terminology, new: Terminology) -> Difference:
    """What is different in ``new``; concepts are told by their ids.

    A concept that is in both and active in both is compared by its active names (text and language) and its parents.
    Those of added, removed, retired and reinstated concepts are not told one by one. Names are compared as published.
    """
    after = new.find_rows(old.ids().strings())
    # an id that is another concept's alternative id today is no concept of its own any more
    own = after >= 0
    own[own] = new.ids().strings().take(after[own]).equal(old.ids().strings().take(np.flatnonzero(own)))
    before = np.flatnonzero(own)
    after = after[own]
    was, is_ = old.active[before], new.active[after]
    known = np.zeros(len(new), dtype=np.bool_)
    known[after] = True
    kept = was & is_
    pairs = (before[kept], after[kept])
    renamed = _renamed(old, new, *pairs)
    names_gained, names_lost = _names_changed(old, new, *pairs, renamed)
    parents_gained, parents_lost = _parents_changed(old, new, *pairs)
    return Difference(
        old,
        new,
        added=np.flatnonzero(~known & new.active),
        removed=np.flatnonzero(~own & old.active),
        retired=(before[was & ~is_], after[was & ~is_]),
        reinstated=(before[~was & is_], after[~was & is_]),
        renamed=(pairs[0][renamed], pairs[1][renamed]),
        names_gained=names_gained,
        names_lost=names_lost,
        parents_gained=parents_gained,
        parents_lost=parents_lost,
    )


def _renamed(old: Terminology, new: Terminology, before: Rows, after: Rows) -> npt.NDArray[np.bool_]:
    return ~_first_names(old, before).equal(_first_names(new, after))


def _first_names(terminology: Terminology, rows: Rows) -> Strings:
    """The preferred terms of concepts; empty where one has no name."""
    bounds = terminology.term_bounds()
    firsts, has = bounds[rows], bounds[rows + 1] > bounds[rows]
    texts = terminology.term_texts().strings()
    if not len(texts):
        return Strings.of([""] * len(rows))
    taken = texts.take(np.minimum(firsts, len(texts) - 1))
    return taken if has.all() else Strings.of([text if there else "" for text, there in zip(taken, has, strict=True)])


def _names_changed(
    old: Terminology, new: Terminology, before: Rows, after: Rows, renamed: npt.NDArray[np.bool_]
) -> tuple[Rows, Rows]:
    """The term rows gained and lost by concepts in both, without the two names of a renaming."""
    old_terms, old_marks = _term_marks(old, _numbered(old, before))
    new_terms, new_marks = _term_marks(new, _numbered(new, after))
    gained = new_terms[~np.isin(new_marks, old_marks)]
    lost = old_terms[~np.isin(old_marks, new_marks)]
    told_new, told_old = new.term_bounds()[after[renamed]], old.term_bounds()[before[renamed]]
    return gained[~np.isin(gained, told_new)], lost[~np.isin(lost, told_old)]


def _numbered(terminology: Terminology, rows: Rows) -> Rows:
    """For each concept its place among those compared, or -1."""
    places = np.full(len(terminology), -1, dtype=np.int64)
    places[rows] = np.arange(len(rows))
    return places


def _term_marks(terminology: Terminology, places: Rows) -> tuple[Rows, Hashes]:
    """The active terms of the concepts compared, and a mark of each: concept, text and language."""
    owners = places[terminology.term_concepts()]
    statuses, languages = terminology.term_statuses(), terminology.term_languages()
    terms = np.flatnonzero((owners >= 0) & (statuses.codes == statuses.names.index("active")))
    spoken = Strings.of(languages.names).hashes()[languages.codes[terms]]
    texts = terminology.term_texts().strings().take(terms).hashes()
    return terms, mixed(owners[terms], texts, spoken)


def _parents_changed(old: Terminology, new: Terminology, before: Rows, after: Rows) -> tuple[Rows, Rows]:
    old_edges, old_marks = _edge_marks(old, _numbered(old, before))
    new_edges, new_marks = _edge_marks(new, _numbered(new, after))
    return new_edges[~np.isin(new_marks, old_marks)], old_edges[~np.isin(old_marks, new_marks)]


def _edge_marks(terminology: Terminology, places: Rows) -> tuple[Rows, Hashes]:
    """The published parents of the concepts compared, and a mark of each: concept and parent."""
    parents = terminology.lists("parents")
    owners = np.repeat(places, np.diff(np.asarray(parents.bounds)))
    edges = np.flatnonzero(owners >= 0)
    return edges, mixed(owners[edges], parents.values.strings().take(edges).hashes())
