"""Category separation: are names of near categories more alike than names of distant ones (Schulz, section 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles
from ontonym.encoder.vectors import formed
from ontonym.errors import InputError
from ontonym.evaluate.alike import MEASURES_BY_NAME
from ontonym.evaluate.significance import BootstrapOptions, Interval, mean_interval
from ontonym.store import Terminology

BY_NAME = BootstrapOptions(unit="mention")
"""Intervals over the names of the first category."""

_BLOCK = 1 << 23
"""Similarities held at once."""

_MOST_NUMBERS = 1 << 29
"""Numbers of the forms of all names, beyond which rank correlations by pairs of dimensions do not fit in memory."""


@dataclass(frozen=True, slots=True)
class Separation:
    """The relative overlap of two near categories with a far one, in [0, 1]: lower is better, 0.5 is chance.

    ``overlap`` is #O / (|near| × |other| × |far|), over names that can be represented, with its 95% interval over the
    names of the first category. ``names`` are how many names each category has.
    """

    overlap: Interval
    names: tuple[int, int, int]

    def to_dict(self) -> dict[str, Any]:
        """The figure as JSON values."""
        return {"overlap": self.overlap.to_dict(), "names": list(self.names)}


def names_below(terminology: Terminology, concept_id: str, *, most: int = 0, seed: int = 0) -> list[str]:
    """The preferred names of a concept and of all below it, different ones; of more than ``most`` some, drawn.

    Raises UnknownIdError for an id that the terminology does not have.
    """
    row = terminology.row(concept_id)
    rows = [row, *np.asarray(terminology.hierarchy.descendants(row)).tolist()]
    names = sorted({terminology.preferred(below) for below in rows if terminology.active[below]})
    if most and len(names) > most:
        drawn = np.sort(np.random.default_rng(seed).choice(len(names), most, replace=False))
        names = [names[place] for place in drawn.tolist()]
    return names


def apart(near: Sequence[str], other: Sequence[str], far: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The names of three categories without those that two of them have.

    Raises InputError where a category has no name of its own.
    """
    sides = [set(side) for side in (near, other, far)]
    shared = (sides[0] & sides[1]) | (sides[0] & sides[2]) | (sides[1] & sides[2])
    first, second, third = ([name for name in side if name not in shared] for side in (near, other, far))
    for number, side in enumerate((first, second, third), 1):
        if not side:
            raise InputError(f"the category {number} of 3 has no name that the others do not have")
    return first, second, third


def overlap(near: Doubles, other: Doubles, far: Doubles) -> Doubles:
    """For each of the first vectors the share of pairs of the others where the far one is at least as similar.

    Rows of unit length, shapes ``(a, dim)``, ``(b, dim)`` and ``(c, dim)``; gives shape ``(a,)``, whose mean is the
    relative overlap O. Exact: for every name of the near category its similarities to the far one are sorted, and each
    of those to the other near one looked up in them, instead of the sum over all triples.
    """
    found = np.zeros(len(near))
    step = max(1, _BLOCK // (len(other) + len(far)))
    for start in range(0, len(near), step):
        some = near[start : start + step]
        to_other, to_far = some @ other.T, np.sort(some @ far.T, axis=1)
        for row in range(len(some)):
            below = np.searchsorted(to_far[row], np.sort(to_other[row]), side="left")
            found[start + row] = (len(far) - below).sum(dtype=np.float64)
    return found / (len(other) * len(far))


def separate(
    encode: Callable[[Sequence[str]], npt.NDArray[np.float32]],
    categories: tuple[Sequence[str], Sequence[str], Sequence[str]],
    measure: str = "cos",
    bootstrap: BootstrapOptions = BY_NAME,
) -> Separation:
    """The separation of three categories (near, near, far) by an encoder's vectors; a row of zeros is no vector.

    ``measure`` is ``cos``, ``r``, ``rho`` or ``tau``. Raises InputError where a category has no name with a vector, or
    where ``tau`` would not fit in memory, MissingExtraError without scipy.
    """
    forms = []
    for names in categories:
        vectors = np.asarray(encode(names))
        vectors = vectors[np.abs(vectors).max(axis=1, initial=0) > 0]
        width = vectors.shape[1] * (vectors.shape[1] - 1) // 2 if measure == "tau" else vectors.shape[1]
        if len(vectors) * width > _MOST_NUMBERS:
            raise InputError(
                f"tau of {len(vectors):,} names of {vectors.shape[1]} numbers takes too much memory: lower --most"
            )
        if not len(vectors):
            raise InputError("a category has no name that the encoder can represent")
        forms.append(formed(vectors, MEASURES_BY_NAME[measure]))
    return Separation(mean_interval(overlap(*forms), None, bootstrap), (len(forms[0]), len(forms[1]), len(forms[2])))
