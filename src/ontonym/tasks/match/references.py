"""Features from cross-references: whether both concepts of a pair refer to the same id, or one to the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Hashes, Ints
from ontonym.index import Index
from ontonym.ragged import boundaries, spread
from ontonym.store import Terminology
from ontonym.text.strings import Strings, hash_order

XREF_FEATURES = (
    "xref_shared",  # both point to the same, or one to the other: 1 over how many targets do, summed
    "xref_differs",  # both refer to the same vocabulary, but to no common id
)

_MOST = 3
"""References that more concepts of the target have are ignored."""

_Made = TypeVar("_Made")

_made: WeakKeyDictionary[Terminology, dict[Hashable, Any]] = WeakKeyDictionary()
"""What was made of an open terminology beside others, by what it is and their fingerprints: a server asks for the same
two with each concept."""


def _once(
    make: Callable[[Terminology, Sequence[Terminology]], _Made], source: Terminology, targets: Sequence[Terminology]
) -> _Made:
    """What ``make`` gives for a terminology and others, made once while the first is open."""
    known = _made.setdefault(source, {})
    asked = (make.__qualname__, *(one.fingerprint for one in targets))
    if asked not in known:
        known[asked] = make(source, targets)
    found: _Made = known[asked]
    return found


@dataclass(frozen=True, slots=True)
class References:
    """The references of the concepts of one side, their own ids included: concept row, hash of the id, hash of its
    prefix.
    """

    concepts: Ints
    hashes: Hashes
    prefixes: Hashes

    @classmethod
    def of(cls, terminologies: Sequence[Terminology]) -> References:
        """The references of the active concepts of terminologies, numbered through, ordered by hash."""
        concepts, texts, first = [], [], 0
        for terminology in terminologies:
            lists = terminology.lists("xrefs")
            lengths = np.diff(np.asarray(lists.bounds))
            for owners, ids in (
                (np.repeat(np.arange(len(lengths)), lengths), lists.values.strings()),
                (np.arange(len(terminology)), terminology.ids().strings()),
            ):
                rows = np.flatnonzero(terminology.active[owners])
                concepts.append(owners[rows] + first)
                texts.append(ids.take(rows))
            first += len(terminology)
        joined = Strings.joined(texts)
        hashes = joined.hashes()
        order = hash_order(hashes)
        return cls(np.concatenate(concepts).astype(np.int64)[order], hashes[order], _prefixes(joined).hashes()[order])


def _prefixes(ids: Strings) -> Strings:
    """The prefix of each id up to its last colon; the whole id if it has none."""
    begins = ids.offsets[:-1]
    ends = ids.last(ord(":"))
    lengths = np.where(ends >= 0, ends - begins, ids.lengths)
    return Strings(ids.data[spread(begins, lengths)], boundaries(lengths))


@dataclass(frozen=True)
class SharedReferences:
    """The pairs of concepts that share a reference, with the weight of that.

    ``keys`` are ``source * targets + target``, ascending, with ``weights`` in (0, 1]; ``targets`` is one more than the
    highest concept number of the target.
    """

    ours: References
    theirs: References
    targets: int
    keys: Ints
    weights: Doubles

    @classmethod
    def between(cls, source: Terminology, targets: Sequence[Terminology]) -> SharedReferences:
        """The pairs between a terminology and the terminologies of an index."""
        return _once(cls._between, source, targets)

    @classmethod
    def _between(cls, source: Terminology, targets: Sequence[Terminology]) -> SharedReferences:
        ours, theirs = References.of([source]), References.of(targets)
        left = np.searchsorted(theirs.hashes, ours.hashes)
        counts = np.searchsorted(theirs.hashes, ours.hashes, side="right") - left
        counts[counts > _MOST] = 0
        found = theirs.concepts[spread(left, counts)]
        width = sum(map(len, targets)) + 1
        keys = np.repeat(ours.concepts, counts) * width + found
        shares = np.repeat(1 / np.maximum(counts, 1), counts)
        unique, places = np.unique(keys, return_inverse=True)
        weights = np.minimum(np.bincount(places, weights=shares, minlength=len(unique)), 1.0)
        return cls(ours, theirs, width, unique, weights)

    def of(self, source: int) -> Ints:
        """The concept numbers that share a reference with a source concept."""
        left, right = np.searchsorted(self.keys, [source * self.targets, (source + 1) * self.targets])
        return self.keys[left:right] % self.targets

    def features(self, sources: Ints, targets: Ints) -> dict[str, Doubles]:
        """`XREF_FEATURES` of each pair of a source and a target."""
        keys = sources * self.targets + targets
        shared = np.zeros(len(keys))
        if len(self.keys):
            places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            shared = np.where(self.keys[places] == keys, self.weights[places], 0.0)
        differs = self._point_alike(sources, targets) & (shared == 0)
        return dict(zip(XREF_FEATURES, (shared, differs.astype(np.float64)), strict=True))

    def _point_alike(self, sources: Ints, targets: Ints) -> npt.NDArray[np.bool_]:
        """Whether both concepts of each pair refer to a common vocabulary."""
        ours, theirs, width = self._vocabularies
        left = np.searchsorted(ours, sources * width)
        counts = np.searchsorted(ours, (sources + 1) * width) - left
        pairs = np.repeat(np.arange(len(sources)), counts)
        wanted = targets[pairs] * width + ours[spread(left, counts)] % width
        if not len(theirs) or not len(wanted):
            return np.zeros(len(sources), dtype=np.bool_)
        at = np.minimum(np.searchsorted(theirs, wanted), len(theirs) - 1)
        return np.bincount(pairs[theirs[at] == wanted], minlength=len(sources)) > 0

    @cached_property
    def _vocabularies(self) -> tuple[Ints, Ints, int]:
        """The vocabularies that the concepts of both sides refer to: ``concept * width + vocabulary``, ascending, of
        the source and of the target, and the width."""
        prefixes, places = np.unique(np.concatenate([self.ours.prefixes, self.theirs.prefixes]), return_inverse=True)
        mine, other = places[: len(self.ours.prefixes)], places[len(self.ours.prefixes) :]
        width = len(prefixes)
        return np.unique(self.ours.concepts * width + mine), np.unique(self.theirs.concepts * width + other), width


def on_both_sides(source: Terminology, index: Index) -> tuple[Ints, Ints]:
    """The active concepts whose ids are on both sides: rows of the source, and their concept numbers in the index."""
    return _once(_on_both_sides, source, index.terminologies)


def _on_both_sides(source: Terminology, targets: Sequence[Terminology]) -> tuple[Ints, Ints]:
    rows: list[Ints] = [np.empty(0, dtype=np.int64)]
    numbers = rows.copy()
    first = 0
    for terminology in targets:
        found = source.find_rows(terminology.ids().strings())
        here = np.flatnonzero((found >= 0) & terminology.active)
        same = [source.id(int(found[row])) == terminology.id(row) for row in here.tolist()]
        here = here[np.asarray(same, dtype=np.bool_)]
        rows.append(found[here])
        numbers.append(here + first)
        first += len(terminology)
    return np.concatenate(rows), np.concatenate(numbers)
