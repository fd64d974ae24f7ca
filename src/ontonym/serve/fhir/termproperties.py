"""The properties of a terminology's concepts by name: what a release says that is neither a name nor a relation, and
the fields of a concept that FHIR shows as properties."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from itertools import chain

import numpy as np

from ontonym.arrays import Column, Ints, Mask
from ontonym.ragged import owners_of
from ontonym.serve.fhir.budget import VALUE, Budget
from ontonym.serve.fhir.termrelations import folded
from ontonym.store import Terminology
from ontonym.store.export.fhirproperties import code_of
from ontonym.store.mappings.iris import split_id

FIELDS: Mapping[str, str] = {
    "xref": "xrefs",
    "tag": "tags",
    "replacedby": "replaced_by",
    "consider": "consider",
    "alternatecode": "alternative_ids",
}
"""The fields of a concept that are properties, by the name as it is compared."""


class TermProperties:
    """The properties of a terminology for the code system of one prefix; nothing is read before it is asked for."""

    def __init__(self, terminology: Terminology, prefix: str) -> None:
        self._terminology = terminology
        self._prefix = prefix

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        names: dict[str, list[int]] = {}
        for number, name in enumerate(self._terminology.part("properties").coded["property_name"].names):
            names.setdefault(folded(name), []).append(number)
        return names

    def has(self, name: str) -> bool:
        """Whether some concept has a property of that name, or the name is that of a field."""
        return folded(name) in self._numbers or folded(name) in FIELDS

    def values(self, *names: str) -> tuple[Ints, list[str]]:
        """All values of the properties of these names, each with the row of its concept, ascending."""
        numbers = [number for name in names for number in self._numbers.get(folded(name), ())]
        part = self._terminology.part("properties")
        codes: Column = part.coded["property_name"].codes
        places = np.flatnonzero(np.isin(codes, numbers)) if numbers else np.empty(0, np.int64)
        ends = np.cumsum(part.counts)
        return ends.searchsorted(places, side="right"), part.texts["property_value"].take(places).tolist()

    def fitting(self, names: Collection[str], fits: Callable[[str], bool], budget: Budget, each: float = VALUE) -> Mask:
        """The concepts with a property or field of one of the names whose value fits; concepts count by their codes.

        All values of these names are looked at, and ``fits`` costs ``each`` for each of them that is different: that is
        taken from the ``budget``.
        """
        found = np.zeros(len(self._terminology), bool)
        of_fields = (self._field(FIELDS[name]) for name in map(folded, names) if name in FIELDS)
        for rows, values in chain([self.values(*names)], of_fields):
            budget.spend(len(found) / 200 + VALUE * len(values))
            different = set(values)
            budget.spend(each * len(different))
            known = {value: fits(value) for value in different}
            found[rows[np.fromiter((known[value] for value in values), bool, len(values))]] = True
        return found

    def _field(self, name: str) -> tuple[Ints, list[str]]:
        """All values of a field, each with the row of its concept, as `$lookup` shows them."""
        if name == "tags":
            part = self._terminology.part(name)
            tags = part.coded["tag"]
            return owners_of(part.counts), [tags.names[c] for c in tags.codes.tolist()]
        lists = self._terminology.lists(name)
        rows = owners_of(np.diff(np.asarray(lists.bounds)))
        values = lists.values.strings().tolist()
        if name == "xrefs":
            return rows, values
        if name == "alternative_ids":
            kept = np.fromiter((split_id(text)[0] == self._prefix for text in values), bool, len(values))
            rows, values = rows[kept], [text for text, keep in zip(values, kept.tolist(), strict=True) if keep]
        return rows, [code_of(text) for text in values]
