"""Duplicate records among the candidates of a query: they are one answer, so they are not rivals of each other.

``firsts`` has for each candidate the position of the first one that is the same concept; for nearly all their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from ontonym.index import Index
from ontonym.index.calibration import way_found
from ontonym.index.choices import Choice, RankedCandidates
from ontonym.index.interpretation import Interpretation
from ontonym.memo import kept_for_owner
from ontonym.ontology.omop.words import MAPS_TO
from ontonym.store.duplicates import first_duplicates, recorded_duplicates
from ontonym.text.normalization import normalize
from ontonym.text.unspecified import without_unspecified
from ontonym.types import Hit, Reason

_MOST_KNOWN, _MOST_ABOVE = 1 << 16, 1 << 12
LIKELY = 0.02
"""The least confidence of a candidate that is compared with others: less likely ones are not worth the time."""


class RankedHit(Protocol):
    """What ranks a hit, one that is made when it is wanted too."""

    @property
    def id(self) -> str:
        """The id of its concept."""

    @property
    def terminology(self) -> str:
        """The name of its terminology."""

    @property
    def confidence(self) -> float:
        """In [0, 1]."""

    @property
    def equivalents(self) -> tuple[str, ...]:
        """Further ids of its concept."""

    @property
    def reason(self) -> Reason:
        """Why it was found."""


def duplicates_of(index: Index, choice: Choice) -> list[int]:
    """The concepts that are duplicates of a choice, by its record, or by its name if they are likely candidates."""
    read = choice.read
    if read.scan.signal == "fused" and read.confidences[choice.place] < LIKELY:
        return []
    recorded, likely = _recorded(index, choice.concept), _among_likely(index, read).get(choice.concept)
    return sorted(recorded | likely - {choice.concept} if likely else recorded)


@kept_for_owner(_MOST_KNOWN)  # the same concepts are hits of many queries
def _recorded(index: Index, concept: int) -> frozenset[int]:
    """The concepts that are duplicates by its record."""
    terminology, row = index.locate(concept)
    return frozenset(concept - row + one for one in recorded_duplicates(terminology, row))


@kept_for_owner(16)  # the hits of a few queries are made one after another
def _among_likely(index: Index, read: Interpretation) -> Mapping[int, frozenset[int]]:
    """The likely candidates of a query that have duplicates among them, each with all of these and itself."""
    found: dict[int, frozenset[int]] = {}
    (likely,) = np.nonzero(read.confidences >= LIKELY)
    if read.scan.signal != "fused" or len(likely) < 2:
        return found
    for place in set(read.terminologies[likely].tolist()):
        concepts = read.evidence.concepts[likely[read.terminologies[likely] == place]].tolist()
        if len(concepts) < 2:
            continue
        terminology, row = index.locate(concepts[0])
        firsts = first_duplicates(terminology, [concept - concepts[0] + row for concept in concepts])
        for first in {first for number, first in enumerate(firsts) if first != number}:
            same = frozenset(concept for concept, one in zip(concepts, firsts, strict=True) if one == first)
            found |= dict.fromkeys(same, same)
    return found


def firsts_of_choices(index: Index, choices: Sequence[Choice]) -> list[int]:
    """The ``firsts`` of the candidates of one query; improbable ones are not compared."""
    places: dict[int, int] = {}
    firsts = list(range(len(choices)))
    likely = [number for number, choice in enumerate(choices) if choice.confidence >= LIKELY]
    for number in likely:
        concept = choices[number].concept
        same = _among_likely(index, choices[number].read).get(concept, ())
        places[concept] = firsts[number] = min((places[one] for one in same if one in places), default=number)
    return _with_twins(index, firsts, {number: choices[number].concept for number in likely})


def _with_twins(index: Index, firsts: list[int], likely: Mapping[int, int]) -> list[int]:
    """The ``firsts`` where concepts that say the same as one above them are the same as that one.

    ``likely`` are the positions that are compared, each with its concept.
    """
    numbers, concepts = list(likely), list(likely.values())
    for above, below in (*above_their_twins(index, concepts), *mapped_to_twins(index, concepts)):
        first, later = sorted((firsts[numbers[above]], firsts[numbers[below]]))
        firsts = [first if one == later else one for one in firsts]
    return firsts


def above_their_twins(index: Index, concepts: Sequence[int]) -> list[tuple[int, int]]:
    """The places of some concepts, ascending, each with that of one below it that has its name but for what it leaves
    unspecified: "Unspecified asthma" below "Asthma".
    """
    terminologies = [*map(index.place, concepts)]
    found: list[tuple[int, int]] = []
    for below, concept in enumerate(concepts):
        others = [place for place, one in enumerate(terminologies) if one == terminologies[below] and place != below]
        above = concepts_above(index, concept) if others else ()
        found += [
            (place, below)
            for place in others
            if concepts[place] in above and _short_forms(index, concepts[place])[0] in _short_forms(index, concept)
        ]
    return sorted(found)


def mapped_to_twins(index: Index, concepts: Sequence[int]) -> list[tuple[int, int]]:
    """The places of some concepts that are not standard in OMOP, ascending, each with that of the standard one that it
    maps to, where both have a name in common but for what it leaves unspecified.
    """
    places = {concept: place for place, concept in enumerate(concepts)}
    return [
        (place, places[standard])
        for concept, place in places.items()
        for standard in _standards(index, concept)
        if standard in places and not set(_short_forms(index, concept)).isdisjoint(_short_forms(index, standard))
    ]


@kept_for_owner(_MOST_KNOWN)
def _standards(index: Index, concept: int) -> tuple[int, ...]:
    """The concepts of the same terminology that OMOP's *Maps to* has for one; none for those that are standard."""
    terminology, row = index.locate(concept)
    mapped = (one.object_id for one in terminology.mappings_of(row) if one.source == MAPS_TO)
    return tuple(concept - row + other for one in mapped if one and (other := terminology.find(one)) is not None)


@kept_for_owner(_MOST_ABOVE)  # each step asks for those of the likely candidates
def concepts_above(index: Index, concept: int) -> frozenset[int]:
    """The concepts above a concept (`Index.above`)."""
    return frozenset(index.above(concept))


@kept_for_owner(_MOST_KNOWN)
def _short_forms(index: Index, concept: int) -> tuple[str, ...]:
    """The forms of a concept's names without what they leave unspecified, that of its preferred term first."""
    terminology, row = index.locate(concept)
    exact = (term.text for term in map(terminology.term, terminology.terms_of(row)) if term.scope == "exact")
    forms = (normalize(without_unspecified(text)) for text in (terminology.preferred(row), *exact))
    return tuple(dict.fromkeys(forms))


def firsts_of_candidates(index: Index, found: RankedCandidates) -> list[int]:
    """The ``firsts`` of the candidates of one query; improbable ones, which are the last, are not compared."""
    likely = next((number for number, one in enumerate(found.confidences) if one < LIKELY), len(found))
    return [*firsts_of_choices(index, [*map(found.choice, range(likely))]), *range(likely, len(found))]


def firsts_of_hits(hits: Sequence[RankedHit]) -> list[int]:
    """The ``firsts`` of the hits of one query, by their records."""
    firsts = list(range(len(hits)))
    for number, hit in enumerate(hits if any(hit.equivalents for hit in hits) else ()):
        same = (
            place
            for place, other in enumerate(hits[:number])
            if other.terminology == hit.terminology and (other.id in hit.equivalents or hit.id in other.equivalents)
        )
        firsts[number] = next((firsts[place] for place in same), number)
    return firsts


def firsts_with_twins(index: Index, hits: Sequence[RankedHit], confidences: Sequence[float]) -> list[int]:
    """The `firsts_of_hits`, where likely ones that say the same as one above them are the same as that one too.

    ``confidences`` are those that the hits have now.
    """
    likely = {
        number: index.number_in(hit.terminology, hit.id)
        for number, (hit, sure) in enumerate(zip(hits, confidences, strict=True))
        if sure >= LIKELY
    }
    return _with_twins(index, firsts_of_hits(hits), likely)


def joint_confidences(shared: Sequence[float], firsts: Sequence[int]) -> list[float]:
    """For each candidate the sum over its duplicates, itself included; at most 1, which duplicates found by different
    modules of a sieve may exceed.
    """
    sums = [0.0] * len(shared)
    for one, first in zip(shared, firsts, strict=True):
        sums[first] += one
    return [min(sums[first], 1.0) for first in firsts]


def is_same(one: RankedHit, other: RankedHit) -> bool:
    """Whether two hits are one concept."""
    return one.id == other.id or one.id in other.equivalents or other.id in one.equivalents


def surest_of(hits: Sequence[RankedHit]) -> float:
    """The highest confidence of a concept, its duplicates counted with it; 0 without hits."""
    return max(joint_confidences([hit.confidence for hit in hits], firsts_of_hits(hits)), default=0.0)


def named_confidence(hits: Sequence[Hit]) -> float:
    """The confidence of the first hit and of all that share its name, of which one is meant; 0 without hits."""
    ambiguous = hits[0].ambiguous if hits else ()
    return sum(hit.confidence for number, hit in enumerate(hits) if number == 0 or hit.id in ambiguous)


def joint_order(shared: Sequence[float], firsts: Sequence[int]) -> list[int]:
    """The positions in the order of the joint confidences, equal ones as they are; unchanged without duplicates."""
    order = list(range(len(shared)))
    if order == list(firsts):
        return order
    joint = joint_confidences(shared, firsts)
    return sorted(order, key=lambda number: -joint[number])


def way_among(choices: Sequence[Choice], number: int, firsts: Sequence[int]) -> str:
    """How a choice was found (`Choice.way`); a name that only its duplicates have too is not shared."""
    choice = choices[number]
    same = {other.concept for other, first in zip(choices, firsts, strict=True) if first == firsts[number]}
    if len(same) == 1:
        return choice.way
    is_shared = not same.issuperset(choice.namesakes())
    return way_found(choice.read.query.correction, is_name=choice.is_spelled, is_shared=is_shared)


def is_a_name(hits: Sequence[RankedHit]) -> bool:
    """Whether the best hit has a name equal to the text as it was written."""
    return bool(hits) and hits[0].reason.rule in ("exact", "normalized")


def surest_as_written(hits: Sequence[RankedHit]) -> float:
    """The confidence of a short form by itself; 0 if it had to be corrected."""
    return surest_of(hits) if hits and hits[0].reason.rule != "spelling" else 0.0
