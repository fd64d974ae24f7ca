"""The history of components as RF2 keeps it: one row for each time that a component came, changed or went."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .draws import Bools, Draws, Ints
from .world import FIRST, NEVER, World

_TOUCHES = 3


@dataclass(frozen=True, slots=True)
class Versions:
    """Rows of a file in order: the component (a row of the arrays they were made from), time, active or not.

    ``odd`` says that an odd number of changes is still to come, so that what flips with every change ends as it should.
    ``last`` marks the last row of each component (the snapshot), ``fresh`` those of the release itself (the delta).
    """

    component: Ints
    time: Ints
    active: Bools
    odd: Bools
    last: Bools
    fresh: Bools

    def __len__(self) -> int:
        return len(self.component)

    def take(self, rows: Bools) -> Versions:
        """Some of the rows."""
        return Versions(
            self.component[rows], self.time[rows], self.active[rows], self.odd[rows], self.last[rows], self.fresh[rows]
        )


def versions(
    born: Ints, dead: Ints, now: int, draws: Draws, purpose: str, keys: Ints, *, changing: bool = True
) -> Versions:
    """The rows of components that live from ``born`` until ``dead`` (times), with up to three changes between.

    Without ``changing`` they only come and go. Changes lie before the first written release, so that later ones change
    only what they say they do.
    """
    touched = 1 + draws.below(f"{purpose}.touch", FIRST - 1, keys[:, None], np.arange(_TOUCHES)[None, :])
    touched.sort(axis=1)
    valid = (touched > born[:, None]) & (touched < dead[:, None]) & changing
    valid[:, 1:] &= touched[:, 1:] != touched[:, :-1]
    gone = (dead <= now) & (dead != NEVER)
    there = np.concatenate([np.ones((len(born), 1), dtype=bool), valid, gone[:, None]], axis=1)
    times = np.concatenate([born[:, None], touched, dead[:, None]], axis=1)
    component, column = np.nonzero(there)
    ahead = (
        valid.sum(axis=1)[component]
        - np.concatenate([np.zeros((len(born), 1), int), valid.cumsum(axis=1)], axis=1)[
            component, np.minimum(column, _TOUCHES)
        ]
    )
    time = times[component, column]
    last = np.append(component[1:] != component[:-1], True)[: len(component)]
    return Versions(component, time, column != _TOUCHES + 1, ahead % 2 == 1, last, time == now)


@dataclass(frozen=True, slots=True)
class Lives:
    """Components that follow one another: the row they were made for, the how manieth it is there, and its times."""

    row: Ints
    generation: Ints
    born: Ints
    dead: Ints

    def __len__(self) -> int:
        return len(self.row)


def successions(
    world: World, purpose: str, keys: Ints, born: Ints, until: Ints, *, early: float, late: float, most: int
) -> Lives:
    """The components that follow one another in one place, each retired when the next comes, the last at ``until``.

    A place changes hands once in its history with chance ``early``, and at every written release with chance ``late``;
    never oftener than ``most`` times.
    """
    draws = world.draws
    generation, since = np.zeros(len(keys), dtype=np.int64), born.copy()
    pieces: list[tuple[Ints, Ints, Ints, Ints]] = []
    moment = born + 1 + draws.below(f"{purpose}.when", FIRST - 1 - born, keys)
    chances = [(moment, draws.happens(early, f"{purpose}.early", keys) & (born < FIRST - 1))]
    for time in range(FIRST, world.now + 1):
        happens = draws.happens(late, purpose, keys, time) & (born < time)
        chances.append((np.full(len(keys), time), happens))
    for times, happens in chances:
        rows = np.flatnonzero(happens & (times < until) & (generation < most))
        pieces.append((rows, generation[rows], since[rows], times[rows]))
        generation[rows] += 1
        since[rows] = times[rows]
    pieces.append((np.arange(len(keys)), generation, since, until))
    row, count, start, end = (np.concatenate([piece[part] for piece in pieces]) for part in range(4))
    return Lives(row, count, start, end)
