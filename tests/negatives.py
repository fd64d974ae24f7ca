"""Indexes for tests of wrong candidates and hard negatives, and which concepts are unfit as either."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ontonym.index import Index
from ontonym.text.normalization import normalize
from ontonym.types import Concept

ALL_TRAIN = (1.0, 0.0, 0.0)

HEART = (
    "id: T:1\nname: disorder",
    "id: T:2\nname: heart disorder\nsynonym: \"cardiac disorder\" EXACT []\nis_a: T:1",
    "id: T:3\nname: acute heart disorder\nsynonym: \"acute cardiac disorder\" EXACT []\nis_a: T:2",
    "id: T:4\nname: chronic heart disorder\nsynonym: \"chronic cardiac disorder\" EXACT []\nis_a: T:2\nxref: T:6",
    "id: T:5\nname: lung disorder\nsynonym: \"pulmonary disorder\" EXACT []\nis_a: T:1",
    "id: T:6\nname: heart disorder of long standing\nis_a: T:1",
    "id: T:7\nname: cardiac disorder in acute form\nsynonym: \"acute cardiac state\" EXACT []\nis_a: T:1",
)  # fmt: skip


def numbers(index: Index, *ids: str) -> list[int]:
    return [index.number(f"T:{number}") for number in ids]


def random_index(workshop, words: Callable[[int, int], list[str]], seed: int) -> Index:
    """Two terminologies of made-up concepts with shared names, cross-references and several parents."""
    rng = np.random.default_rng(seed)
    names = words(400, seed % 7)
    terminologies = []
    for letter, count in (("T", 40), ("U", 25)):
        stanzas = []
        for number in range(count):
            own = rng.choice(len(names), rng.integers(1, 5), replace=False).tolist()
            lines = [f"id: {letter}:{number}", f"name: {names[own[0]]}"]
            lines += [f'synonym: "{names[name]}" EXACT []' for name in own[1:]]
            lines += [f"is_a: {letter}:{parent}" for parent in {*rng.integers(0, max(number, 1), 2).tolist()} if number]
            if letter == "U" and rng.random() < 0.3:
                lines.append(f"xref: T:{rng.integers(40)}")
            stanzas.append("\n".join(lines))
        terminologies.append(workshop.terminology(f"{letter}{seed}", *stanzas))
    return workshop.index(*terminologies, name=f"index{seed}")


def owners(index: Index) -> dict[str, set[int]]:
    """The concepts that have each name, by its normalized form, read from the terminologies themselves."""
    found: dict[str, set[int]] = {}
    for concept in range(index.concept_count):
        terminology, row = index.locate(concept)
        for term in terminology.concept(row).terms:
            found.setdefault(normalize(term.text), set()).add(concept)
    return found


@lru_cache(maxsize=1)
def records(index: Index) -> list[tuple[Concept, str]]:
    """Every concept, and its preferred name as it is normalized."""
    found = [terminology.concept(row) for terminology in index.terminologies for row in range(len(terminology))]
    return [(concept, normalize(concept.preferred)) for concept in found]


@lru_cache(maxsize=1000)
def unfit(index: Index, concept: int) -> set[int]:
    """What may not be a negative for a concept, worked out one concept at a time."""
    same = {concept}
    while True:  # what means the same, through cross-references and preferred names
        more = set()
        for other, (record, name) in enumerate(records(index)):
            for member in same:
                mine, its_name = records(index)[member]
                if name == its_name or record.id in mine.xrefs or mine.id in record.xrefs:
                    more.add(other)
        if more <= same:
            break
        same |= more
    above, front = set(), list(same)
    while front:
        for parent in records(index)[front.pop()][0].parents:
            number = index.number(parent)
            if number not in above:
                above.add(number)
                front.append(number)
    return same | above
