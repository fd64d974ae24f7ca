"""Category separation: whether names of near categories are more similar than those of distant ones (Schulz 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.arrays import Doubles, Floats
from ontonym.encoder import open_encoder
from ontonym.encoder.protocol import Encoder
from ontonym.encoder.vectors import VectorsEncoder
from ontonym.errors import InputError
from ontonym.evaluate.overlaps import (
    Similarities,
    fuzzy_jaccard,
    max_jaccard,
    overlap,
    overlap_of,
    vector_forms,
    word_forms,
)
from ontonym.evaluate.pairsimilarity import MEASURES_BY_NAME, check_measure, labelled, measures_of
from ontonym.evaluate.results import Cell, Evaluation, Results, Table, TableRows
from ontonym.evaluate.significance import EACH, Interval, mean_interval
from ontonym.ranges import check_seed
from ontonym.store import Terminology
from ontonym.types import Progress, no_progress

Categories = Sequence[Sequence[str]]
"""The names of two near categories and of a far one."""

WORD_SETS: Mapping[str, Callable[[VectorsEncoder, Categories], Similarities]] = MappingProxyType(
    {"fJ": fuzzy_jaccard, "mJ": max_jaccard}
)
"""The measures between names as sets of words, by name."""


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


def names_below(
    terminology: Terminology, concept_id: str, *, most: int = 0, seed: int = 0, every_name: bool = False
) -> list[str]:
    """The distinct preferred terms, or with ``every_name`` all active terms, of a concept and all below it.

    A random sample if there are more than ``most``.

    Raises UnknownIdError for an id that the terminology does not have.
    """
    row = terminology.row(concept_id)
    rows = [row, *np.asarray(terminology.hierarchy.descendants(row)).tolist()]
    rows = [below for below in rows if terminology.active[below]]
    if every_name:
        names = sorted({name for below in rows for name in terminology.names(below)})
    else:
        names = sorted({terminology.preferred(below) for below in rows})
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


def separate(
    encode: Callable[[Sequence[str]], Floats],
    categories: Categories,
    measure: str = "cos",
) -> Separation:
    """The separation of three categories (near, near, far) by an encoder's vectors; a row of zeros does not count.

    ``measure`` is one of `MEASURES_BY_NAME`. Raises InputError if a category has no name with a vector, or ``tau``
    would not fit in memory, MissingExtraError without scipy.
    """
    forms = [vector_forms(encode, names, MEASURES_BY_NAME[measure]) for names in categories]
    return _separation([*map(len, forms)], lambda: overlap(*forms))


def separate_words(
    encoder: VectorsEncoder,
    categories: Categories,
    measure: str,
    *,
    any_word: bool = False,
) -> Separation:
    """The same by word vectors, over names whose words all have one, with ``any_word`` at least one.

    ``measure`` is one of `measures_of`: ``avg_`` and ``pair_`` before those of vectors, ``fJ`` and ``mJ``.
    """
    sides = [
        [name for name in names if (encoder.rows(name) if any_word else encoder.knows(name))] for names in categories
    ]

    def shares() -> Doubles:
        if measure in WORD_SETS:
            return overlap_of(WORD_SETS[measure](encoder, sides))
        aggregated, _, short = measure.partition("_")
        kind, pairwise = MEASURES_BY_NAME[short], aggregated == "pair"
        return overlap(*(word_forms(encoder, side, kind, pairwise=pairwise) for side in sides))

    return _separation([*map(len, sides)], shares)


def _separation(sizes: Sequence[int], shares: Callable[[], Doubles]) -> Separation:
    if not all(sizes):
        raise InputError("a category has no name that the encoder can represent")
    near, other, far = sizes
    return Separation(mean_interval(shares(), None, EACH), (near, other, far))


@dataclass(frozen=True, slots=True)
class CategoryOptions:
    """The encoders and ``measures`` (of `MEASURES_BY_NAME`, or for word vectors of `measures_of`) to compare.

    With ``every_measure`` all that each encoder has. Names are preferred terms, with ``every_name`` all terms, at most
    ``most`` of each category, drawn by ``seed`` (0: all). ``any_word`` is as in `separate_words`.
    """

    encoders: tuple[str, ...] = ("default",)
    measures: tuple[str, ...] = ("cos",)
    every_measure: bool = False
    every_name: bool = False
    any_word: bool = False
    most: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.seed and not self.most:
            raise InputError("`seed=` draws names, and all are taken: give `most=N` too")
        for name in self.measures:
            check_measure(name)

    def measures_of(self, encoder: Encoder) -> tuple[str, ...]:
        """The measures of an encoder; those of vectors are taken between the mean vectors of words."""
        own = measures_of(encoder)
        wanted = own if self.every_measure else self.measures
        named = (f"avg_{name}" if f"avg_{name}" in own else name for name in wanted)
        return tuple(dict.fromkeys(check_measure(name, own) for name in named))


def evaluate_categories(
    terminology: Terminology,
    near: tuple[str, str],
    far: str,
    options: CategoryOptions = CategoryOptions(),
    *,
    progress: Progress = no_progress,
) -> Evaluation:
    """The separation of two near categories from a far one, each given by the id of its top concept; see `separate`.

    Names that two categories share are left out. Where an encoder is asked by several measures, a second table has the
    best and the worst of each (Schulz, table 6).
    """
    tops = (*near, far)
    categories = without_shared(
        *(
            names_below(terminology, top, most=options.most, seed=options.seed, every_name=options.every_name)
            for top in tops
        )
    )
    found: dict[str, dict[str, Separation]] = {}
    encoders = {label: open_encoder(place) for label, place in labelled(options.encoders).items()}
    if options.any_word and not any(isinstance(encoder, VectorsEncoder) for encoder in encoders.values()):
        raise InputError("`any_word=` is for files of word vectors, and no encoder is one: leave it out")
    asked = [(label, measure) for label, encoder in encoders.items() for measure in options.measures_of(encoder)]
    for done, (label, measure) in enumerate(asked, 1):
        encoder = encoders[label]
        found.setdefault(label, {})[measure] = (
            separate_words(encoder, categories, measure, any_word=options.any_word)
            if isinstance(encoder, VectorsEncoder)
            else separate(encoder.encode, categories, measure)
        )
        progress("comparing categories", done, len(asked))
    titles = [f"{terminology.preferred(terminology.row(top))} ({top})" for top in tops]
    release = terminology.full_name
    shape = {
        "terminology": release,
        "categories": dict(zip(titles, map(len, categories), strict=True)),
        "encoders": {label: {name: one.to_dict() for name, one in some.items()} for label, some in found.items()},
    }
    limit = f", at most {options.most:,} of each, seed {options.seed}" if options.most else ""
    which = "all names" if options.every_name else "preferred names"
    about = (
        f"near {titles[0]} and {titles[1]}, far {titles[2]}; {which}, shared ones left out{limit}",
        EACH.caption("the first category's name"),
    )
    return Evaluation(Results(f"Near and far categories of {release}", about, _tables(found)), shape)


def _tables(found: Mapping[str, Mapping[str, Separation]]) -> tuple[Table, ...]:
    """Every figure, and where there are several measures, the best and the worst of each encoder."""
    rows: TableRows = tuple(
        (label, name, " × ".join(f"{size:,}" for size in one.names), one.overlap)
        for label, some in found.items()
        for name, one in some.items()
    )
    notes = ("O: share of triples in which the far name is at least as similar; 0 is perfect, 0.5 is chance",)
    columns = ("encoder", "measure", "names", "overlap O")
    table = Table("overlap", "Separation of categories", columns, rows, notes, best="low")
    extremes: list[tuple[Cell, ...]] = []
    for label, some in found.items():
        ordered = sorted(some.items(), key=lambda item: item[1].overlap.value)
        (best, low), (worst, high) = ordered[0], ordered[-1]
        extremes.append((label, f"{best}/{worst}", low.overlap, high.overlap))
    if all(len(some) < 2 for some in found.values()):
        return (table,)
    columns = ("encoder", "measure (best/worst)", "O, best", "O, worst")
    return (table, Table("extremes", "By the best and the worst measure (Schulz, table 6)", columns, tuple(extremes)))
