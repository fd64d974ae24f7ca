"""What is done to an answer before it is compared: server detail is removed and what has no order is sorted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

KEPT_EXTENSIONS = frozenset(
    {
        "http://hl7.org/fhir/StructureDefinition/" + name
        for name in """
        codesystem-alternate codesystem-conceptOrder codesystem-label coding-sctdescid itemWeight rendering-style
        rendering-xhtml translation valueset-concept-definition valueset-conceptOrder valueset-deprecated valueset-label
        valueset-supplement alternate-code-use alternate-code-status
        operationoutcome-message-id structuredefinition-standards-status valueset-unclosed valueset-unclosed-reason
    """.split()
    }
    | {"http://hl7.org/fhir/uv/application-feature/StructureDefinition/feature"}
    | {f"http://hl7.org/fhir/test/StructureDefinition/unknown-extension-{n}" for n in (1, 3, 4, 5)}
)


def scrubbed(resource: Any) -> Any:
    """A copy without text, meta, diagnostics and the extensions that no test looks at, sorted as the tests are."""
    copy = _clean(resource)
    _sort(copy)
    return copy


def _clean(value: Any) -> Any:
    if isinstance(value, list):
        return [_clean(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, part in value.items():
        if "resourceType" in value and name in ("text", "meta"):
            continue
        if name == "compose" and value.get("resourceType") == "ValueSet":
            result[name] = part
            continue
        kept = [e for e in part if _kept(e)] if name == "extension" and isinstance(part, list) else part
        if kept != [] or name != "extension":
            result[name] = _clean(kept)
    return result


def _kept(extension: Any) -> bool:
    url = extension.get("url", "")
    return "://" not in url or url in KEPT_EXTENSIONS


def _sort(resource: Any) -> None:
    kind = resource.get("resourceType") if isinstance(resource, dict) else None
    if kind == "Parameters":
        _sort_parameters(resource.get("parameter", []))
    elif kind == "OperationOutcome":
        resource.get("issue", []).sort(key=_issue)
    elif kind == "ValueSet":
        resource.get("extension", []).sort(key=_of("url"))
        expansion = resource.get("expansion", {})
        expansion.get("parameter", []).sort(key=lambda p: (p.get("name", ""), _value(p)))
        expansion.get("property", []).sort(key=_of("uri", "code"))
        expansion.get("extension", []).sort(key=_of("url"))
        _sort_contains(expansion)
    elif kind == "CapabilityStatement":
        _sort_capabilities(resource)
    elif kind == "TerminologyCapabilities":
        resource.get("expansion", {}).get("parameter", []).sort(key=_of("name"))
    elif kind == "Bundle":
        for entry in resource.get("entry", []):
            _sort(entry.get("resource", {}))


def _sort_contains(parent: Any) -> None:
    contains = parent.get("contains", [])
    contains.sort(key=_of("code"))
    for concept in contains:
        concept.get("extension", []).sort(key=_of("url"))
        concept.get("designation", []).sort(key=cmp_to_key(_designations))
        concept.get("property", []).sort(key=_of("code"))
        _sort_contains(concept)


def _designations(a: Any, b: Any) -> int:
    name = "language" if "language" in a and "language" in b else "value"
    return (a.get(name, "") > b.get(name, "")) - (a.get(name, "") < b.get(name, ""))


def _sort_parameters(parameters: list[Any]) -> None:
    for parameter in parameters:
        _sort_parameters(parameter.get("part", []))
        _sort(parameter.get("resource", {}))
        if parameter.get("name") == "message" and isinstance(parameter.get("valueString"), str):
            parameter["valueString"] = "; ".join(sorted(parameter["valueString"].split("; ")))
    parameters.sort(key=_parameter)


def _parameter(parameter: Any) -> tuple[str, str, str]:
    name = parameter.get("name", "")
    parts = {part.get("name"): _value(part).lower() for part in parameter.get("part", [])}
    if name == "property":
        return name, parts.get("code", ""), parts.get("value", "")
    if name == "designation":
        return name, parts.get("language", ""), parts.get("value", "")
    return name, "", ""


def _issue(issue: Any) -> tuple[str, ...]:
    places = issue.get("expression") or issue.get("location") or [""]
    text = issue.get("details", {}).get("text", "")
    return issue.get("severity", ""), issue.get("code", ""), places[0], text


def _sort_capabilities(resource: Any) -> None:
    resource.get("extension", []).sort(key=_of("url"))
    for rest in resource.get("rest", []):
        rest.get("operation", []).sort(key=_of("name"))
        rest.get("resource", []).sort(key=_of("type"))
        for entry in rest.get("resource", []):
            entry.get("interaction", []).sort(key=_of("code"))
            entry.get("operation", []).sort(key=_of("name"))


def _value(entry: Any) -> str:
    return next((str(value) for name, value in entry.items() if name.startswith("value")), "")


def _of(*names: str) -> Callable[[Any], tuple[str, ...]]:
    return lambda entry: tuple(str(entry.get(name, "")) for name in names)
