"""Duplicate records of one concept in a terminology, as the terminology itself says: MEDIC has some diseases twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ontonym.store.open import Terminology

_EXACT = frozenset(("skos:exactMatch", "owl:equivalentClass"))
_NO_DIFFERENCE = re.compile(r"[\s,/-]+")
_MOST_PER_NAME = 3  # a preferred term of more concepts ("Other specified") tells nothing


def first_duplicates(terminology: Terminology, rows: Sequence[int]) -> list[int]:
    """For each of some concepts, the position among them of the first that is the same: nearly always its own.

    Two active concepts are the same if one has the other's id among its alternative ids, if one is mapped to the other
    by an exact match, if each cross-references the other, or if they have the same tags and the same preferred term but
    for capitals, commas, hyphens and slashes. Concepts of which one is above the other are never the same.
    """
    firsts = list(range(len(rows)))
    ids = [terminology.id(row) for row in rows]
    places = dict(zip(ids, firsts, strict=True))
    xrefs = terminology.lists("xrefs")
    pairs: list[tuple[int, int]] = []
    named: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        named.setdefault(_NO_DIFFERENCE.sub(" ", terminology.preferred(row).casefold()), []).append(place)
        pairs += [(places[other], place) for other in _claimed_ids(terminology, row) if other in places]
        pairs += [
            (places[other], place)
            for other in xrefs[row]
            if other in places and ids[place] in xrefs[rows[places[other]]]
        ]
    for one, *others in named.values():
        if others and len(others) < _MOST_PER_NAME:
            tags = _tags(terminology, rows[one])
            pairs += [(one, other) for other in others if _tags(terminology, rows[other]) == tags]
    for one, other in pairs:
        if firsts[one] != firsts[other] and _can_be_same(terminology, rows[one], rows[other]):
            first, later = sorted((firsts[one], firsts[other]))
            firsts = [first if one == later else one for one in firsts]
    return firsts


def recorded_duplicates(terminology: Terminology, row: int) -> list[int]:
    """The other concepts that are the same as one, ascending, as `first_duplicates` finds it out but for the names."""
    concept_id, xrefs = terminology.id(row), terminology.lists("xrefs")
    prefixes = terminology.manifest.content["prefixes"]
    own = [one for one in xrefs[row] if one.rpartition(":")[0] in prefixes]
    found = set(terminology.holders(concept_id))
    found.update(other for one in _claimed_ids(terminology, row) if (other := terminology.find(one)) is not None)
    found.update(other for one in own if (other := terminology.find(one)) is not None and concept_id in xrefs[other])
    return sorted(other for other in found if _can_be_same(terminology, row, other))


def _claimed_ids(terminology: Terminology, row: int) -> Iterator[str]:
    """The ids of which a record says that they are the same concept."""
    yield from terminology.lists("alternative_ids")[row]
    yield from (one.object_id for one in terminology.mappings_of(row) if one.predicate_id in _EXACT)


def _can_be_same(terminology: Terminology, one: int, other: int) -> bool:
    """Whether two rows are different active concepts of which none is above the other."""
    if one == other or not terminology.status(one) == terminology.status(other) == "active":
        return False
    hierarchy = terminology.hierarchy
    return one not in hierarchy.above(other) and other not in hierarchy.above(one)


def _tags(terminology: Terminology, row: int) -> tuple[str, ...]:
    return tuple(sorted(terminology.concept(row).tags))
