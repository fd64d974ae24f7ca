"""What is true of every concept of a generated terminology at every release: kind, birth, retirement, parents.

All of it is computed from the concept's number, so nothing is stored: the first are metadata,
then kinds take turns in blocks of 100. Every fourth concept of a kind may have children and is never retired; parents
have smaller numbers and are older than their children, so the hierarchy has no cycle at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .draws import Bools, Draws, Ints
from .kinds import KINDS
from .metadata import CORE, NAMESPACE, REASONS, SPECIALS, Special
from .render import sctids

HISTORY = (20020131, 20050131, 20080131, 20110131, 20140131, 20170131, 20190131, 20210731, 20230131, 20240701)
"""Dates of the releases before the first that is written; a time is the number of a release, from 0."""

FIRST = len(HISTORY)
NEVER = 127
SPECIAL = -1

_FIRST_YEAR = 2025
_BORN_AT_ONCE = 0.55
_INNER = 4
PARENT_SLOTS = 3


@dataclass(frozen=True, slots=True)
class Options:
    """What decides a generated terminology.

    ``concepts`` counts those of release 1 without the metadata. ``changed`` is the share of concepts renamed from one
    release to the next, and scales the other changes; ``retired`` the share retired by release 1. ``release`` counts
    from 1.
    """

    concepts: int = 520_000
    seed: int = 1
    release: int = 1
    changed: float = 0.01
    retired: float = 160 / 520

    def at(self, release: int) -> Options:
        """The same terminology at another release."""
        return replace(self, release=release)


def date_of(time: int) -> int:
    """The date (YYYYMMDD) of a release by its time: from the first written one on, the first day of every month."""
    if time < FIRST:
        return HISTORY[time]
    years, months = divmod(time - FIRST, 12)
    return (_FIRST_YEAR + years) * 10000 + (months + 1) * 100 + 1


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive concepts: number, kind (``SPECIAL`` for metadata), number within the kind, birth and retirement.

    Times are numbers of releases; ``dead`` is ``NEVER`` for a concept that is active at the release.
    """

    numbers: Ints
    kinds: Ints
    members: Ints
    born: Ints
    dead: Ints

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Ints | Bools) -> Block:
        """The block of some rows."""
        return Block(self.numbers[rows], self.kinds[rows], self.members[rows], self.born[rows], self.dead[rows])


@dataclass(frozen=True)
class World:
    """The terminology that the options describe, as computed on demand.

    ``specials`` are its metadata concepts. An extension has a ``base``, in which all its parents and targets lie.
    """

    options: Options
    specials: tuple[Special, ...] = SPECIALS
    namespace: int = NAMESPACE
    module: int = CORE
    base: World | None = None

    @property
    def first(self) -> int:
        """The number of the first concept that is not metadata."""
        return len(self.specials)

    @property
    def targets(self) -> World:
        """The terminology that parents and targets lie in."""
        return self.base or self

    @property
    def now(self) -> int:
        """The time of the release."""
        return FIRST + self.options.release - 1

    @property
    def new(self) -> int:
        """How many concepts each release after the first adds."""
        return max(1, round(self.options.changed * self.options.concepts))

    @property
    def size(self) -> int:
        """All concepts at the release, metadata and retired ones too."""
        return self.first + self.options.concepts + self.new * (self.options.release - 1)

    @cached_property
    def draws(self) -> Draws:
        """The draws of the seed."""
        return Draws(self.options.seed)

    @cached_property
    def _turns(self) -> tuple[Ints, Ints, Ints]:
        """For the places of a block of 100: the kind and the how manieth of it; then each kind's places, by kind."""
        kinds = np.repeat(np.arange(len(KINDS)), [kind.share for kind in KINDS])
        kinds = kinds[np.argsort(np.arange(100) * 37 % 100, kind="stable")]
        ranks = np.zeros(100, dtype=np.int64)
        places = np.zeros((len(KINDS), 100), dtype=np.int64)
        for kind in range(len(KINDS)):
            own = np.flatnonzero(kinds == kind)
            ranks[own] = np.arange(len(own))
            places[kind, : len(own)] = own
        return kinds, ranks, places

    @cached_property
    def _shares(self) -> Ints:
        return np.array([kind.share for kind in KINDS])

    @cached_property
    def _before(self) -> Ints:
        """How many places of each kind lie before each place of a block of 100."""
        same = self._turns[0][None, :] == np.arange(len(KINDS))[:, None]
        before: Ints = np.cumsum(same, axis=1) - same
        return before

    def block(self, start: int, stop: int) -> Block:
        """The concepts numbered from ``start`` to ``stop`` (exclusive)."""
        numbers = np.arange(start, min(stop, self.size))
        turn, place = np.divmod(numbers - self.first, 100)
        kinds, ranks, _ = self._turns
        kind = np.where(numbers < self.first, SPECIAL, kinds[place])
        shares = self._shares[kind]
        # The names of an extension come after all that the base will use for a long time.
        ahead = _INNER * ((self.base.options.concepts // 100 + 1) * shares // 2 + 1) if self.base else 0
        member = np.where(numbers < self.first, numbers, turn * shares + ranks[place] + ahead)
        born = self.born(numbers)
        return Block(numbers, kind, member, born, self._dead(numbers, kind, member, born))

    def born(self, numbers: Ints) -> Ints:
        """When each concept came."""
        steps = np.linspace(_BORN_AT_ONCE, 0.99, FIRST)
        limits = (np.append(steps, 1.0) * self.options.concepts).astype(np.int64)
        regular = numbers - self.first
        later = FIRST + 1 + (regular - self.options.concepts) // self.new
        return np.where(regular < self.options.concepts, np.searchsorted(limits, regular, side="right"), later)

    def _dead(self, numbers: Ints, kinds: Ints, members: Ints, born: Ints) -> Ints:
        mortal = (kinds != SPECIAL) & (members % _INNER != 0)
        old_enough = born < FIRST - 1
        share = min(1.0, self.options.retired / (1 - 1 / _INNER) / 0.95)
        early = mortal & old_enough & self.draws.happens(share, "retire", numbers)
        moment = born + 1 + self.draws.below("retire.when", FIRST - 1 - born, numbers)
        dead = np.where(early, moment, NEVER)
        for time in range(FIRST, self.now + 1):
            chance = self.draws.happens(self.options.changed / 4, "retire.now", numbers, time)
            dead = np.where(mortal & (dead == NEVER) & (born < time) & chance, time, dead)
        return dead

    def ids(self, numbers: Ints) -> Ints:
        """The SNOMED CT ids of the concepts."""
        own = sctids(np.maximum(numbers - self.first, 0), self.namespace, 10)
        known = np.array([special[0] for special in self.specials])
        return np.where(numbers < self.first, known[np.clip(numbers, 0, self.first - 1)], own)

    def inner_before(self, kinds: Ints, numbers: Ints) -> Ints:
        """How many concepts of the kind that may have children there are before each number."""
        turn, place = np.divmod(np.maximum(numbers - self.first, 0), 100)
        return -(-(turn * self._shares[kinds] + self._before[kinds, place]) // _INNER)

    def inner(self, kinds: Ints, ranks: Ints) -> Ints:
        """The number of the concept of the kind that is the ``ranks``-th of those that may have children."""
        _, _, places = self._turns
        turn, rank = np.divmod(ranks * _INNER, self._shares[kinds])
        return self.first + turn * 100 + places[kinds, rank]

    def parents(self, block: Block, slot: int, moves: Ints) -> Ints:
        """The parent of each concept in one of ``PARENT_SLOTS`` slots after so many moves, or -1 where it has none.

        Numbers are those of ``targets``. Slots never share a parent.
        """
        regular = np.maximum(block.kinds, 0)
        limit = self._choices(block, regular)
        choices = (limit - slot + PARENT_SLOTS - 1) // PARENT_SLOTS
        rank = self.draws.below("parent", choices, block.numbers, slot, moves) * PARENT_SLOTS + slot
        found = np.where((block.kinds != SPECIAL) & (choices > 0), self.targets.inner(regular, rank), -1)
        if slot:
            return found
        if not self.specials:
            return np.where((found < 0) & (block.numbers > 0), 0, found)
        above = {special[0]: number for number, special in enumerate(self.targets.specials)}
        known = np.array([above.get(special[3], -1) for special in self.specials])
        own = known[np.minimum(block.numbers, self.first - 1)]
        return np.where(block.kinds == SPECIAL, own, np.maximum(found, 0))

    def target(self, block: Block, kind: int, purpose: str) -> Ints:
        """An active concept of the kind, older than each concept, or -1 where there is none; numbered as in
        ``targets``.
        """
        kinds = np.full(len(block), kind)
        limit = self._choices(block, kinds)
        rank = self.draws.below(purpose, limit, block.numbers)
        return np.where(limit > 0, self.targets.inner(kinds, rank), -1)

    def _choices(self, block: Block, kinds: Ints) -> Ints:
        """How many concepts of the kinds each concept may have as parent or target: older ones, or the base's."""
        if self.base is None:
            return self.inner_before(kinds, block.numbers)
        return self.base.inner_before(kinds, np.full(len(block), self.base.first + self.base.options.concepts))

    def reasons(self, block: Block) -> Ints:
        """Why each concept was retired, as a row of ``REASONS``."""
        return self.draws.below("retire.reason", len(REASONS), block.numbers)
