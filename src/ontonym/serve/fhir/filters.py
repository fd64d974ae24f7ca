"""One filter of a value set: the concepts of the code system that it admits, or what is wrong with it."""

from __future__ import annotations

from ontonym.arrays import Mask
from ontonym.serve.fhir.budget import MATCH, Budget
from ontonym.serve.fhir.concepts import CodeSystemContent
from ontonym.serve.fhir.outcomes import FhirJson, refused
from ontonym.serve.fhir.resourcefilters import HIERARCHICAL


def admitted(system: CodeSystemContent, entry: FhirJson, where: str, value_set: str, budget: Budget) -> Mask:
    """The concepts that a filter admits; ``where`` is its path, ``value_set`` the url for messages.

    Raises FhirError where it has no value or is not understood, or asks for the place of an unknown code in the
    hierarchy of a complete code system.
    """
    name, op, value = entry.get("property", ""), entry.get("op", ""), entry.get("value", "")
    if not value:
        message = "UNABLE_TO_HANDLE_SYSTEM_FILTER_WITH_NO_VALUE"
        facts = {"system": system.url, "property": name, "op": op}
        raise refused(400, "invalid", message, detail="vs-invalid", expression=where, **facts)
    budget.spend(len(value) / 2)  # it may list many codes
    if system.nested:
        budget.spend(len(system) * (1 + MATCH * (op == "regex") + len(value) / 100))
    if system.content == "complete":
        for code in _places(name, op, value):
            if system.row(code) is None:
                facts = {"code": code, "system": system.url, "property": name, "op": op}
                raise refused(422, "not-found", "FILTER_UNKNOWN", detail="vs-invalid", expression=where, **facts)
    found = system.select(name, op, value, budget)
    if found is None:
        facts = {"property": name, "op": op, "value": value, "vs": value_set, "system": system.url}
        raise refused(400, "not-supported", "FILTER_NOT_UNDERSTOOD", detail="vs-invalid", expression=where, **facts)
    budget.spend_on(found)
    return found


def _places(name: str, op: str, value: str) -> list[str]:
    """The codes whose place in the hierarchy a filter asks for."""
    if name in ("concept", "code") and op in HIERARCHICAL:
        return [value]
    if name in ("parent", "child") and op in ("=", "in"):
        return [code.strip() for code in value.split(",")]
    return []
