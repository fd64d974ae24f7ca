"""The common base of the handles on an index and on a page index: terminologies with consecutive concept numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import NoReturn

import numpy as np

from ontonym.arrays import Mask
from ontonym.closing import Closing
from ontonym.errors import UnknownNameError
from ontonym.manifest import Manifest
from ontonym.store import Terminology


class Handle(Closing):
    """An open, read-only artifact over terminologies; its concepts are numbered through all of them in order."""

    def __init__(self, path: Path, manifest: Manifest, terminologies: tuple[Terminology, ...]) -> None:
        self.path = path
        self.manifest = manifest
        self.terminologies = terminologies
        self._offsets = [0, *accumulate(map(len, terminologies))]

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"an open index is not pickled or copied: give {self.path}, and open it there")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.name} at {self.path}>"

    def close(self) -> None:
        """Closes the terminologies; the handle cannot be used afterwards."""
        for terminology in self.terminologies:
            terminology.close()

    @property
    def name(self) -> str:
        """The names of its terminologies."""
        return " + ".join(terminology.name for terminology in self.terminologies)

    @property
    def releases(self) -> str:
        """The names of its terminologies with their versions."""
        return " + ".join(terminology.full_name for terminology in self.terminologies)

    def place(self, concept: int) -> int:
        """Which of the terminologies a concept number belongs to, from 0."""
        return bisect_right(self._offsets, concept) - 1

    def locate(self, concept: int) -> tuple[Terminology, int]:
        """The terminology of a concept number and the concept's row in it."""
        place = self.place(concept)
        return self.terminologies[place], concept - self._offsets[place]

    def sharing_ids(self, terminology: Terminology, row: int) -> list[int]:
        """The numbers of the active concepts of the other terminologies that share an id with a concept: its own one,
        an alternative one, or a cross-reference of it."""
        place = next(number for number, one in enumerate(self.terminologies) if one is terminology)
        known = self._prefixes_elsewhere[place]
        lists = (terminology.lists(name)[row] for name in ("alternative_ids", "xrefs"))
        ids = [one for one in chain((terminology.id(row),), *lists) if one.partition(":")[0] in known]
        found = (
            (offset, other.current(one))
            for one in ids
            for offset, other in zip(self._offsets, self.terminologies, strict=False)
            if other is not terminology
        )
        return [offset + one for offset, one in found if one is not None]

    @cached_property
    def _prefixes_elsewhere(self) -> Sequence[frozenset[str]]:
        """By place the prefixes of all other terminologies: asked for with every hit."""
        prefixes = [frozenset(one.manifest.content["prefixes"]) for one in self.terminologies]
        return [frozenset().union(*prefixes[:place], *prefixes[place + 1 :]) for place in range(len(prefixes))]

    def id(self, concept: int) -> str:
        """The id of a concept number."""
        terminology, row = self.locate(concept)
        return terminology.id(row)

    def preferred(self, concept: int) -> str:
        """The preferred term of a concept number."""
        terminology, row = self.locate(concept)
        return terminology.preferred(row)

    def above(self, concept: int) -> set[int]:
        """The numbers of all concepts above a concept."""
        terminology, row = self.locate(concept)
        return {concept - row + one for one in terminology.hierarchy.above(row)}


def first_concepts(terminologies: Sequence[Terminology]) -> list[int]:
    """The number of the first concept of each terminology, where concepts are numbered through all of them."""
    return [0, *accumulate(map(len, terminologies))][:-1]


def concept_mask(
    terminologies: Sequence[Terminology], within: tuple[int, ...], tags: tuple[str, ...], named: tuple[str, ...]
) -> Mask:
    """A bitmap over the concepts of terminologies, read-only: those at or below one of ``within`` (numbers), with one
    of ``tags``, of one of the ``named`` terminologies; what is empty asks for nothing. Raises UnknownNameError.
    """
    names = [terminology.name for terminology in terminologies]
    known = {tag for terminology in terminologies for tag in terminology.tags}
    for what, wanted, valid in (("terminology", named, names), ("tag", tags, known)):
        for name in wanted:
            if name not in valid:
                raise UnknownNameError(what, name, valid)
    parts, first = [], 0
    for terminology in terminologies:
        count = len(terminology)
        part = np.full(count, not named or terminology.name in named)
        if within:
            rows = [number - first for number in within if 0 <= number - first < count]
            part &= terminology.hierarchy.descendants_mask(rows) if rows else np.False_
        if tags:
            tagged = np.zeros(count, dtype=np.bool_)
            for tag in set(tags) & set(terminology.tags):
                tagged |= terminology.tagged(tag)
            part &= tagged
        parts.append(part)
        first += count
    mask = np.concatenate(parts)
    mask.flags.writeable = False
    return mask
