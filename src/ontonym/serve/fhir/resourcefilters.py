"""The filters of a value set over the concepts of a CodeSystem resource (FHIR R5, ValueSet.compose.include.filter)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, cast, get_args

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.concepts import CodeSystemContent, OneStep
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.regexes import matcher
from ontonym.serve.fhir.values import typed

Fits = Callable[[str], bool]
HIERARCHICAL = frozenset({"is-a", "descendent-of", "is-not-a", "generalizes", "child-of", "descendent-leaf"})
"""The operators of filters that ask for a part of the hierarchy."""


class _Raw(CodeSystemContent, Protocol):
    def raw(self, row: int) -> FhirJson: ...

    def has_property(self, code: str) -> bool: ...


def hierarchical(system: CodeSystemContent, op: str, value: str) -> Mask | None:
    """The concepts that an operator of the hierarchy admits, none for an unknown code; None for other operators."""
    if op not in HIERARCHICAL:
        return None
    row = system.row(value)
    none = np.zeros(len(system), bool)
    if row is None:
        return ~none if op == "is-not-a" else none
    if op == "child-of":
        none[list(system.children(row))] = True
        return none
    found = system.above(row) if op == "generalizes" else system.below(row)
    if op in ("descendent-of", "descendent-leaf"):
        found = found.copy()
        found[row] = False
    if op == "descendent-leaf":
        found &= ~system.having("child")
    return ~found if op == "is-not-a" else found


_TEXTS: dict[str, Callable[[FhirJson], list[str]]] = {
    "code": lambda raw: [raw.get("code", "")],
    "display": lambda raw: [raw["display"]] if raw.get("display") else [],
    "definition": lambda raw: [raw["definition"]] if raw.get("definition") else [],
    "designation": lambda raw: [entry.get("value", "") for entry in raw.get("designation") or ()],
}


def select(system: _Raw, property_code: str, op: str, value: str) -> Mask | None:
    """The rows that the filter admits; None where the property or the operator is not understood."""
    if property_code in ("concept", "code"):
        found = hierarchical(system, op, value)
        if found is None and op in ("=", "in", "not-in"):
            found = listed(system, [value] if op == "=" else value.split(","))
            return ~found if op == "not-in" else found
        return found if found is not None else _rows(system, op, value, _TEXTS["code"])
    if property_code in _TEXTS:
        return _rows(system, op, value, _TEXTS[property_code])
    if not system.has_property(property_code):
        return _implied(system, property_code, op, value)
    return _rows(system, op, value, lambda raw: _values(raw, property_code))


def listed(system: CodeSystemContent, codes: Iterable[str]) -> Mask:
    """The concepts with these codes; those that the code system does not have are left out."""
    found = np.zeros(len(system), bool)
    for code in codes:
        row = system.row(code.strip())
        if row is not None:
            found[row] = True
    return found


def beside(system: CodeSystemContent, name: str, codes: Iterable[str]) -> Mask:
    """The concepts that have one of these codes as a ``parent`` or ``child``."""
    found = np.zeros(len(system), bool)
    for row in np.flatnonzero(listed(system, codes)).tolist():
        found[list(system.children(row) if name == "parent" else system.parents(row))] = True
    return found


def having_relatives(system: CodeSystemContent, near: OneStep, value: str) -> Mask:
    """The concepts with a ``parent`` or ``child``, or those without one where ``value`` is not ``true``."""
    found = system.having(near)
    return found if value.strip().lower() == "true" else ~found


def _implied(system: CodeSystemContent, name: str, op: str, value: str) -> Mask | None:
    """What a filter admits by a property that follows from the place or the status of a concept."""
    if name == "inactive" and op == "=":
        return system.inactive() if value.strip().lower() == "true" else ~system.inactive()
    if name not in get_args(OneStep):
        return None
    if op == "exists":
        return having_relatives(system, cast(OneStep, name), value)
    return beside(system, name, value.split(",")) if op in ("=", "in") else None


def _values(raw: FhirJson, code: str) -> list[str]:
    values = []
    for entry in raw.get("property") or ():
        if entry.get("code") == code:
            kind, value = typed(entry)
            if kind == "valueCoding":
                values.append(str(value.get("code", "")))
            else:
                values.append(str(value).lower() if isinstance(value, bool) else str(value))
    return values


def _rows(system: _Raw, op: str, value: str, values: Callable[[FhirJson], list[str]]) -> Mask | None:
    if op == "exists":
        wanted = value.strip().lower() == "true"
        return np.fromiter((bool(values(system.raw(r))) == wanted for r in range(len(system))), bool, len(system))
    fits: Fits
    if op == "=":
        fits = value.__eq__
    elif op == "regex":
        fits = matcher(value)
    elif op in ("in", "not-in"):
        fits = frozenset(part.strip() for part in value.split(",")).__contains__
    else:
        return None
    single = [values(system.raw(row)) for row in range(len(system))]
    found = np.fromiter((any(map(fits, own)) for own in single), bool, len(system))
    return ~found if op == "not-in" else found
