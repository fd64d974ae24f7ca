"""The best rival of a concept among the candidates of a query: how the two are related, and what decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.tasks.duplicates import duplicates_of
from ontonym.tasks.explain.decisions import Decision, decision

Kinship = Literal["parent", "child", "ancestor", "descendant", "sibling", "kin", "unrelated", "flat", "elsewhere"]
"""The relation of a rival to a concept. ``kin``: they have a more distant common ancestor; ``unrelated``: they have
none; ``flat``: there is no hierarchy; ``elsewhere``: the rival is of another terminology.
"""


@dataclass(frozen=True, slots=True)
class Named:
    """A concept by its id and preferred term."""

    id: str
    preferred: str


@dataclass(frozen=True, slots=True)
class Rival:
    """The best other candidate of the same terminology that is no duplicate: the first, or for the first the second.

    ``lead`` is the concept's confidence minus the rival's. ``steps`` is the number of is-a steps between them, up to
    the common ancestors ``via`` and down again; None if there is no such path. ``decision`` is what decided between the
    concept (first) and the rival (second).
    """

    concept: Named
    confidence: float
    lead: float
    kinship: Kinship
    steps: int | None = None
    via: tuple[Named, ...] = ()
    decision: Decision | None = None


def rival_of(
    index: Index, choice: Choice, choices: Sequence[Choice], shifts: Mapping[int, float] = MappingProxyType({})
) -> Rival | None:
    """The best rival of a choice among all choices, None where there is none.

    ``shifts`` are by how much the document moved the log-odds of concepts.
    """
    other = _runner_up(index, choice, choices)
    if other is None:
        return None
    shift = shifts.get(choice.concept, 0.0) - shifts.get(other.concept, 0.0)
    found = related(index, choice.concept, other.concept, choice.confidence, other.confidence)
    return replace(found, decision=decision(index, choice, other, shift))


def _runner_up(index: Index, choice: Choice, choices: Sequence[Choice]) -> Choice | None:
    """The best rival: the first other choice of the same terminology that is no duplicate."""
    concept, own = choice.concept, index.place(choice.concept)
    same = duplicates_of(index, choice)
    for other in choices:
        if other.concept == concept or index.place(other.concept) != own or other.concept in same:
            continue
        if not said_together(choice, other):
            continue
        if concept not in duplicates_of(index, other):
            return other
    return None


def said_together(one: Choice, other: Choice) -> bool:
    """Whether two choices are for the same text, and not for two items of a list."""
    texts, others = ({read.query.text for _, read in choice.readings} for choice in (one, other))
    return not (texts and others) or not texts.isdisjoint(others)


def related(index: Index, concept: int, other: int, confidence: float, others: float) -> Rival:
    """Another concept as the rival of a concept, with the confidences of both; without what decided."""
    terminology, row = index.locate(concept)
    theirs, other_row = index.locate(other)
    hierarchy = terminology.hierarchy
    apart: Kinship = "unrelated" if hierarchy.edge_count else "flat"
    found = Rival(
        Named(index.id(other), index.preferred(other)),
        others,
        confidence - others,
        apart if theirs is terminology else "elsewhere",
    )
    way = hierarchy.shortest_way(row, other_row) if theirs is terminology else None
    if way is None:
        return found
    steps, rows = way
    via = tuple(Named(terminology.id(one), terminology.preferred(one)) for one in rows.tolist())
    return replace(found, kinship=_kinship(row, other_row, steps, rows.tolist()), steps=steps, via=via)


def _kinship(row: int, other: int, steps: int, via: Sequence[int]) -> Kinship:
    if other in via:
        return "parent" if steps == 1 else "ancestor"
    if row in via:
        return "child" if steps == 1 else "descendant"
    return "sibling" if steps == 2 else "kin"
