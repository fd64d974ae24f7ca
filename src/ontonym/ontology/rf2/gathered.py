"""What was found of the concepts, table after table, and its parts for any of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts
from ontonym.ontology.batch import Part
from ontonym.text.strings import Coded, Strings, boundaries, spread


@dataclass(frozen=True, slots=True)
class _Values:
    """Values of one group in the order of their owners; ``bounds`` says where each owner's begin."""

    bounds: npt.NDArray[np.int64]
    texts: dict[str, Strings]
    coded: dict[str, Coded]
    numbers: dict[str, npt.NDArray[np.float64]]


@dataclass(slots=True)
class Gathered:
    """The values of all groups of ``count`` concepts, each added with the places of its owners."""

    count: int
    _values: dict[str, list[_Values]] = field(default_factory=dict)

    def add(
        self,
        group: str,
        owners: AnyInts,
        texts: dict[str, Strings] | None = None,
        coded: dict[str, Coded] | None = None,
        numbers: dict[str, npt.NDArray[np.float64]] | None = None,
    ) -> None:
        """Adds values to a group; those of one owner keep their order, after what was added before."""
        ordered = bool((owners[1:] >= owners[:-1]).all())
        order = None if ordered else np.argsort(owners, kind="stable")
        counts = np.bincount(owners, minlength=self.count)
        self._values.setdefault(group, []).append(
            _Values(
                boundaries(counts),
                {name: column if order is None else column.take(order) for name, column in (texts or {}).items()},
                {
                    name: column if order is None else Coded(column.codes[order], column.names)
                    for name, column in (coded or {}).items()
                },
                {name: column if order is None else column[order] for name, column in (numbers or {}).items()},
            )
        )

    def parts(self, rows: npt.NDArray[np.int64]) -> dict[str, Part]:
        """The groups of the concepts in these rows."""
        return {group: _joined([_part(values, rows) for values in added]) for group, added in self._values.items()}


def _part(values: _Values, rows: npt.NDArray[np.int64]) -> Part:
    starts = values.bounds[rows]
    counts = values.bounds[rows + 1] - starts
    places = spread(starts, counts)
    return Part(
        counts,
        {name: column.take(places) for name, column in values.texts.items()},
        {name: Coded(column.codes[places], column.names) for name, column in values.coded.items()},
        {name: column[places] for name, column in values.numbers.items()},
    )


def _joined(parts: list[Part]) -> Part:
    """Several parts of one group as one, each concept's values in the order of the parts."""
    if len(parts) == 1:
        return parts[0]
    owners = np.concatenate([np.repeat(np.arange(len(part.counts)), part.counts) for part in parts])
    order = np.argsort(owners, kind="stable")
    texts = {name: Strings.joined([part.texts[name] for part in parts]).take(order) for name in parts[0].texts}
    coded = {}
    for name in parts[0].coded:
        table: dict[str, int] = {}
        codes = []
        for part in parts:
            column = part.coded[name]
            translated = np.array([table.setdefault(value, len(table)) for value in column.names], dtype=np.uint32)
            codes.append(translated[column.codes] if len(translated) else np.zeros(0, dtype=np.uint32))
        coded[name] = Coded(np.concatenate(codes)[order], tuple(table))
    numbers = {name: np.concatenate([part.numbers[name] for part in parts])[order] for name in parts[0].numbers}
    return Part(np.sum([part.counts for part in parts], axis=0), texts, coded, numbers)
