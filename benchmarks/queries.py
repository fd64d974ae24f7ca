"""Queries as people type them, made from the names of a terminology: exact, misspelled, shuffled and long."""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ontonym.text.normalization import normalize
from peers import Names

LEADS = (
    "patient complains of", "history of", "known", "suspected", "rule out", "admitted with", "status post",
    "follow-up visit for", "family history of", "no improvement of",
)  # fmt: skip
TAILS = (
    "since last week", "noted on examination today", "as described by the mother", "in the past medical history",
    "worse at night and after exercise", "not otherwise specified",
)  # fmt: skip
"""What people write before and after a name."""

LONG_WORDS = 14


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, its kind, and the ids of the concepts that have a name it was made from."""

    text: str
    kind: str
    right: frozenset[str]


def _exact(name: str, other: str, rng: np.random.Generator) -> str:
    return name


def _misspelled(name: str, other: str, rng: np.random.Generator) -> str:
    """One letter of a word of four or more letters is left out, doubled, swapped with the next or replaced."""
    places = [i for i in range(1, len(name) - 1) if name[i - 1 : i + 2].isalpha()]
    if not places:
        return name
    place = int(rng.choice(places))
    before, letter, after = name[:place], name[place], name[place + 1 :]
    fate = int(rng.integers(4))
    if fate == 0:
        return before + after
    if fate == 1:
        return before + letter + letter + after
    if fate == 2:
        return before + after[0] + letter + after[1:]
    return before + str(rng.choice(list(string.ascii_lowercase))) + after


def _shuffled(name: str, other: str, rng: np.random.Generator) -> str:
    words = name.split()
    return " ".join(words[place] for place in rng.permutation(len(words)))


def _long(name: str, other: str, rng: np.random.Generator) -> str:
    """The name in a line of a note, with a second name after it until the line is long."""
    line = f"{rng.choice(LEADS)} {name} {rng.choice(TAILS)}"
    return line if len(line.split()) >= LONG_WORDS else f"{line}, {rng.choice(LEADS)} {other}"


KINDS: Mapping[str, Callable[[str, str, np.random.Generator], str]] = MappingProxyType(
    {"exact": _exact, "misspelled": _misspelled, "shuffled": _shuffled, "long": _long}
)
"""How a query is made from a name (and another name), by kind."""


def draw_queries(names: Names, count: int, *, seed: int) -> list[Asked]:
    """``count`` queries of all kinds in turn, from names drawn without replacement where there are enough."""
    rng = np.random.default_rng(seed)
    holders: dict[str, set[str]] = defaultdict(set)
    for text, id_ in zip(names.texts, names.ids, strict=True):
        holders[normalize(text)].add(id_)
    rows = rng.choice(len(names.texts), size=count, replace=count > len(names.texts)).tolist()
    kinds = list(KINDS)
    asked = []
    for number, row in enumerate(rows):
        kind = kinds[number % len(kinds)]
        name = names.texts[row]
        other = names.texts[int(rng.integers(len(names.texts)))]
        text = KINDS[kind](name, other, rng)
        right = holders[normalize(name)] | (holders[normalize(other)] if other in text else set())
        asked.append(Asked(text, kind, frozenset(right)))
    return asked
