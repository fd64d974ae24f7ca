"""What a release says of retired concepts: which active ones took their place, and what they were called."""

from __future__ import annotations

import re

import numpy as np

from ontonym.arrays import Rows
from ontonym.learning.recipes.pool import among
from ontonym.ontology.rf2.ids import ASSOCIATIONS
from ontonym.store import Terminology

LISTS = ("replaced_by", "consider")
"""Associations that the store keeps for every format."""

_STEPS = 20
"""Replacements that are followed one after another."""

_TAG = re.compile(r"\s+\((?!&)[^()]+\)\s*$")
_NO_TAG = re.compile(r"(\bor|&)\s+\([^()]+\)\s*$")
_DEPRECATED = re.compile(r"^\s*\[D\]\s*|\s*\[D\]\s*$")
_OBSOLETE = re.compile(r"^obsolete[\s_:]+", re.IGNORECASE)


def known_associations(terminology: Terminology) -> list[str]:
    """The names that `associated` takes: the lists that every format has, and in RF2 its own associations."""
    predicates = terminology.part("relations").coded["relation_predicate"].names
    own = set(ASSOCIATIONS.values())
    return [*LISTS, *(name for name in predicates if name in own or "association" in name.casefold())]


def associated(terminology: Terminology, name: str) -> Rows:
    """Each retired concept with each active one that it leads to by an association, as rows, shape ``(pairs, 2)``.

    A replacement that is retired itself leads on to its own where it has exactly one.
    """
    if name in LISTS:
        lists = terminology.lists(name)
        owners = np.repeat(np.arange(len(terminology)), np.diff(np.asarray(lists.bounds)))
        targets = lists.values.strings()
    else:
        part = terminology.part("relations")
        owners = np.repeat(np.arange(len(terminology)), part.counts)
        rows = np.flatnonzero(among(part.coded["relation_predicate"], (name,)))
        owners, targets = owners[rows], part.texts["relation_target"].take(rows)
    retired = np.flatnonzero(~terminology.active[owners])
    owners, rows = owners[retired], current_rows(terminology, terminology.find_rows(targets.take(retired)))
    pairs: Rows = np.stack([owners, rows], axis=1)[rows >= 0]
    return pairs


def current_rows(terminology: Terminology, rows: Rows) -> Rows:
    """The rows, a retired one led on to its replacement as long as it has exactly one; -1 where that ends nowhere."""
    bounds = np.asarray(terminology.lists("replaced_by").bounds)
    ids = terminology.lists("replaced_by").values.strings()
    current = rows.copy()
    for _ in range(_STEPS):
        left = np.flatnonzero((current >= 0) & ~terminology.active[current])
        single = bounds[current[left] + 1] - bounds[current[left]] == 1
        current[left[~single]] = -1
        left = left[single]
        if not len(left):
            break
        current[left] = terminology.find_rows(ids.take(bounds[current[left]]))
    current[(current >= 0) & ~terminology.active[current]] = -1
    return current


def as_in_use(text: str, kind: str) -> str:
    """A name without what only says that it is out of use ("[D]", "obsolete"), an FSN without its category."""
    name = _DEPRECATED.sub("", _OBSOLETE.sub("", text))
    if kind == "fsn" and not _NO_TAG.search(name):
        name = _TAG.sub("", name)
    return name.strip()
