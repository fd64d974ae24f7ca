"""The properties of a terminology's concepts by name: what a release says that is neither a name nor a relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from ontonym.arrays import Column, Ints, Mask
from ontonym.serve.fhir.termrelations import folded
from ontonym.store import Terminology


class TermProperties:
    """The properties of a terminology; nothing is read before it is asked for."""

    def __init__(self, terminology: Terminology) -> None:
        self._terminology = terminology

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        names: dict[str, list[int]] = {}
        for number, name in enumerate(self._terminology.part("properties").coded["property_name"].names):
            names.setdefault(folded(name), []).append(number)
        return names

    def has(self, name: str) -> bool:
        """Whether some concept has a property of that name."""
        return folded(name) in self._numbers

    def values(self, *names: str) -> tuple[Ints, list[str]]:
        """All values of the properties of these names, each with the row of its concept, ascending."""
        numbers = [number for name in names for number in self._numbers.get(folded(name), ())]
        part = self._terminology.part("properties")
        codes: Column = part.coded["property_name"].codes
        places = np.flatnonzero(np.isin(codes, numbers)) if numbers else np.empty(0, np.int64)
        ends = np.cumsum(part.counts)
        return ends.searchsorted(places, side="right"), part.texts["property_value"].take(places).tolist()

    def fitting(self, names: Iterable[str], fits: Callable[[str], bool]) -> Mask:
        """The concepts with a property of one of the names whose value fits."""
        rows, values = self.values(*names)
        found = np.zeros(len(self._terminology), bool)
        known = {value: fits(value) for value in set(values)}
        found[rows[np.fromiter((known[value] for value in values), bool, len(values))]] = True
        return found
