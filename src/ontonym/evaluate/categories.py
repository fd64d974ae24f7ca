"""Category separation: whether names of near categories are more similar than those of distant ones (Schulz 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles
from ontonym.encoder import open_encoder
from ontonym.encoder.vectors import formed
from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.alike import MEASURES_BY_NAME, labelled
from ontonym.evaluate.results import Evaluation, Results, Table, TableRows
from ontonym.evaluate.significance import BootstrapOptions, Interval, mean_interval
from ontonym.store import Terminology
from ontonym.types import Progress

BY_NAME = BootstrapOptions(unit="mention")
"""Intervals over the names of the first category."""

_BLOCK = 1 << 23
"""The number of similarities in memory at once."""

_MOST_NUMBERS = 1 << 29
"""The limit on transformed numbers of all names, above which rank correlations by pairs of dimensions need too much
memory.
"""


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
    """The distinct preferred terms of a concept and all below it; a random sample if there are more than ``most``.

    Raises UnknownIdError for an id that the terminology does not have.
    """
    row = terminology.row(concept_id)
    rows = [row, *np.asarray(terminology.hierarchy.descendants(row)).tolist()]
    names = sorted({terminology.preferred(below) for below in rows if terminology.active[below]})
    if most and len(names) > most:
        drawn = np.sort(np.random.default_rng(seed).choice(len(names), most, replace=False))
        names = [names[place] for place in drawn.tolist()]
    return names


def without_shared(
    near: Sequence[str], other: Sequence[str], far: Sequence[str]
) -> tuple[list[str], list[str], list[str]]:
    """The names of three categories without those that two of them share.

    Raises InputError if a category has no name of its own.
    """
    sides = [set(side) for side in (near, other, far)]
    shared = (sides[0] & sides[1]) | (sides[0] & sides[2]) | (sides[1] & sides[2])
    first, second, third = ([name for name in side if name not in shared] for side in (near, other, far))
    for number, side in enumerate((first, second, third), 1):
        if not side:
            raise InputError(f"the category {number} of 3 has no name that the others do not have")
    return first, second, third


def overlap(near: Doubles, other: Doubles, far: Doubles) -> Doubles:
    """For each of the first vectors the share of pairs of the others in which the far one is at least as similar.

    Rows of unit length, shapes ``(a, dim)``, ``(b, dim)`` and ``(c, dim)``; returns shape ``(a,)``, whose mean is the
    relative overlap O. Exact: instead of summing over all triples, each name's similarities to the far category are
    sorted, and those to the other near one looked up in them.
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
    """The separation of three categories (near, near, far) by an encoder's vectors; a row of zeros does not count.

    ``measure`` is ``cos``, ``r``, ``rho`` or ``tau``. Raises InputError if a category has no name with a vector, or
    ``tau`` would not fit in memory, MissingExtraError without scipy.
    """
    forms = []
    for names in categories:
        vectors = np.asarray(encode(names))
        vectors = vectors[np.abs(vectors).max(axis=1, initial=0) > 0]
        width = vectors.shape[1] * (vectors.shape[1] - 1) // 2 if measure == "tau" else vectors.shape[1]
        if len(vectors) * width > _MOST_NUMBERS:
            raise InputError(
                f"tau of {len(vectors):,} names of {vectors.shape[1]} numbers takes too much memory: lower `most=`"
            )
        if not len(vectors):
            raise InputError("a category has no name that the encoder can represent")
        forms.append(formed(vectors, MEASURES_BY_NAME[measure]))
    return Separation(mean_interval(overlap(*forms), None, bootstrap), (len(forms[0]), len(forms[1]), len(forms[2])))


@dataclass(frozen=True, slots=True)
class CategoryOptions:
    """The encoders and ``measures`` (of `MEASURES_BY_NAME`) to compare, on at most ``most`` names of each category.

    If there are more, a sample is drawn by ``seed``; 0 takes all.
    """

    encoders: tuple[str, ...] = ("default",)
    measures: tuple[str, ...] = ("cos",)
    most: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.measures:
            if name not in MEASURES_BY_NAME:
                raise UnknownNameError("measure", name, MEASURES_BY_NAME)


def evaluate_categories(
    terminology: Terminology,
    near: tuple[str, str],
    far: str,
    options: CategoryOptions = CategoryOptions(),
    *,
    progress: Progress = lambda stage, done, total: None,
) -> Evaluation:
    """The separation of two near categories from a far one, each given by the id of its top concept; see `separate`.

    Names are preferred terms; those that two categories share are left out.
    """
    tops = (*near, far)
    categories = without_shared(*(names_below(terminology, top, most=options.most, seed=options.seed) for top in tops))
    titles = [f"{terminology.preferred(terminology.row(top))} ({top})" for top in tops]
    release = f"{terminology.name} {terminology.version}".strip()
    found: dict[str, dict[str, Separation]] = {}
    done, total = 0, len(options.encoders) * len(options.measures)
    for label, place in labelled(options.encoders).items():
        encode = open_encoder(place).encode
        found[label] = {}
        for name in options.measures:
            found[label][name] = separate(encode, categories, name)
            done += 1
            progress("comparing categories", done, total)
    rows: TableRows = tuple(
        (label, name, " × ".join(f"{size:,}" for size in one.names), one.overlap)
        for label, some in found.items()
        for name, one in some.items()
    )
    limit = f", at most {options.most:,} of each, seed {options.seed}" if options.most else ""
    notes = (
        f"near {titles[0]} and {titles[1]}, far {titles[2]}; preferred names, shared ones left out{limit}",
        "O: share of triples in which the far name is at least as similar; 0 is perfect, 0.5 is chance",
        BY_NAME.caption("name of the first category"),
    )
    columns = ("encoder", "measure", "names", "overlap O")
    table = Table("overlap", "Separation of categories", columns, rows, notes, best="low")
    shape = {
        "terminology": release,
        "categories": dict(zip(titles, map(len, categories), strict=True)),
        "encoders": {label: {name: one.to_dict() for name, one in some.items()} for label, some in found.items()},
    }
    return Evaluation(Results(f"Near and far categories of {release}", (), (table,)), shape)
