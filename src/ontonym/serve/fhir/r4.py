"""FHIR R4 in and out of a server that speaks R5 inside: one table of what differs, applied to resources.

What R4 has no element for is carried by the extensions of the R5 specification (``http://hl7.org/fhir/5.0/…``), as
HL7's own converters do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.values import value_of

FIVE = "http://hl7.org/fhir/5.0/StructureDefinition/extension-"
EXPANSION_PROPERTY = FIVE + "ValueSet.expansion.property"
CONTAINS_PROPERTY = FIVE + "ValueSet.expansion.contains.property"
FILTER_OP = FIVE + "ValueSet.compose.include.filter.op"
R4_OPERATORS = frozenset("= is-a descendent-of is-not-a regex in not-in generalizes exists".split())
RELATIONSHIPS: Mapping[str, str] = {
    "equivalent": "equivalent",
    "source-is-narrower-than-target": "wider",
    "source-is-broader-than-target": "narrower",
    "related-to": "relatedto",
    "not-related-to": "disjoint",
}
CLOSED: Mapping[str, str] = {"wider": "subsumes", "narrower": "specializes"}  # $closure in R4 takes no others
EQUIVALENCES: Mapping[str, str] = {
    **{equivalence: relationship for relationship, equivalence in RELATIONSHIPS.items()},
    "equal": "equivalent",
    "subsumes": "source-is-narrower-than-target",
    "specializes": "source-is-broader-than-target",
    "inexact": "related-to",
    "unmatched": "not-related-to",
}
UNMAPPED_MODES: Mapping[str, str] = {"provided": "use-source-code", "fixed": "fixed", "other-map": "other-map"}
# The parameters of $translate in R4 and in R5; reversed, the side of the target.
TRANSLATE: Mapping[str, str] = {
    "code": "sourceCode",
    "coding": "sourceCoding",
    "codeableConcept": "sourceCodeableConcept",
    "source": "sourceScope",
    "target": "targetScope",
    "targetsystem": "targetSystem",
}
REVERSED: Mapping[str, str] = {
    "code": "targetCode",
    "coding": "targetCoding",
    "codeableConcept": "targetCodeableConcept",
    "source": "targetScope",
    "target": "sourceScope",
    "targetsystem": "sourceSystem",
}
# Elements of R5 that R4 does not have, by type.
NOT_IN_R4: Mapping[str, frozenset[str]] = {
    "": frozenset(
        """versionAlgorithmString versionAlgorithmCoding copyrightLabel approvalDate lastReviewDate effectivePeriod
        topic author editor reviewer endorser relatedArtifact""".split()
    ),
    "ValueSet": frozenset({"scope"}),
    "ConceptMap": frozenset({"property", "additionalAttribute"}),
}
_Change = Callable[[FhirJson], FhirJson]


def from_r4(resource: FhirJson, operation: str = "") -> FhirJson:
    """The R5 form of a resource that a client sent in R4; ``operation`` is the name of the operation it is for."""
    kind = resource.get("resourceType")
    if kind == "Parameters":
        return _parameters(resource, operation, from_r4)
    if kind == "Bundle":
        return _bundle(resource, _entry_from)
    change = _FROM.get(str(kind))
    return change(resource) if change else resource


def query_from_r4(query: Sequence[tuple[str, str]], operation: str) -> list[tuple[str, str]]:
    """The parameters of a query string by their names in R5."""
    names = _names(operation, backwards=("reverse", "true") in query)
    return [(names.get(name, name), value) for name, value in query]


def to_r4(resource: FhirJson, operations: Sequence[str] = ()) -> FhirJson:
    """The R4 form of an answer to these operations: one, or those of the entries of a batch."""
    kind = str(resource.get("resourceType"))
    if kind == "Parameters":
        return _parameters(resource, "", to_r4)
    if kind == "Bundle":
        names = iter(operations)
        return _bundle(resource, lambda entry: _inside(entry, partial(to_r4, operations=(next(names, ""),))))
    if kind == "ConceptMap" and "closure" in operations:
        closed = _translated("equivalence", "equivalence", CLOSED)
        return dict(_each(to_r4(resource), "group.element.target", closed))
    left_out = NOT_IN_R4[""] | NOT_IN_R4.get(kind, frozenset())
    kept = {name: value for name, value in resource.items() if name.lstrip("_") not in left_out}
    change = _TO.get(kind)
    return change(kept) if change else kept


def _bundle(bundle: FhirJson, change: _Change) -> FhirJson:
    if not isinstance(bundle.get("entry"), list):
        return bundle
    return {**bundle, "entry": [change(entry) if isinstance(entry, dict) else entry for entry in bundle["entry"]]}


def _entry_from(entry: FhirJson) -> FhirJson:
    """An entry of a Bundle; in a batch its url has an operation, with parameters that R4 may call otherwise."""
    place, _, query = str((entry.get("request") or {}).get("url", "")).partition("?")
    operation = place.rpartition("$")[2]
    made = _inside(entry, lambda resource: from_r4(resource, operation))
    if query and operation == "translate":
        named = query_from_r4(parse_qsl(query, keep_blank_values=True), operation)
        made["request"] = {**entry["request"], "url": f"{place}?{urlencode(named)}"}
    return made


def _inside(entry: FhirJson, change: _Change) -> FhirJson:
    return {
        name: change(value) if isinstance(value, dict) and "resourceType" in value else value
        for name, value in entry.items()
    }


def _parameters(resource: FhirJson, operation: str, change: Callable[..., FhirJson]) -> FhirJson:
    entries = resource.get("parameter")
    if not isinstance(entries, list):
        return resource
    backwards = any(isinstance(e, dict) and e.get("name") == "reverse" and e.get("valueBoolean") for e in entries)
    names = _names(operation, backwards=backwards)
    return {**resource, "parameter": [_entry(entry, names, change) for entry in entries]}


def _names(operation: str, *, backwards: bool) -> Mapping[str, str]:
    """The names in R5 of the parameters of an operation that R4 calls otherwise."""
    return {} if operation != "translate" else REVERSED if backwards else TRANSLATE


def _entry(entry: Any, names: Mapping[str, str], change: Callable[..., FhirJson]) -> Any:
    if not isinstance(entry, dict):
        return entry
    result = dict(entry)
    if isinstance(entry.get("name"), str):
        result["name"] = names.get(entry["name"], entry["name"])
    if isinstance(entry.get("resource"), dict):
        result["resource"] = change(entry["resource"])
    if entry.get("name") == "match" and change is to_r4:
        result["part"] = _match(entry.get("part") or [])
    return result


def _match(parts: list[FhirJson]) -> list[FhirJson]:
    """The parts of a match of $translate, with the equivalence and the url of the map where R4 has them."""
    have = {str(part.get("name")): part for part in parts}
    made = [_product_of(part) if part.get("name") == "product" else part for part in parts]
    if "relationship" in have:
        relationship = have["relationship"].get("valueCode")
        made.insert(0, {"name": "equivalence", "valueCode": RELATIONSHIPS.get(str(relationship), "relatedto")})
    if "originMap" in have and "source" not in have:
        made.append({"name": "source", "valueUri": have["originMap"].get("valueCanonical")})
    return made


def _product_of(product: FhirJson) -> FhirJson:
    """A product of a match as R4 has it: an element, and a concept."""
    have = {part.get("name"): value_of(part) for part in product.get("part") or ()}
    value = have.get("value")
    concept = value if isinstance(value, dict) else {"code": str(value)}
    element = {"name": "element", "valueUri": have.get("attribute", "")}
    return {"name": "product", "part": [element, {"name": "concept", "valueCoding": concept}]}


# Resources


def _each(resource: Any, path: str, change: _Change) -> Any:
    """The resource with every object at a path (``group.element.target``) changed."""
    if isinstance(resource, list):
        return [_each(entry, path, change) for entry in resource]
    if not isinstance(resource, dict):
        return resource
    if not path:
        return change(resource)
    head, _, rest = path.partition(".")
    return {**resource, head: _each(resource[head], rest, change)} if head in resource else resource


def _renamed(names: Mapping[str, str]) -> _Change:
    return lambda entry: {names.get(name, name): value for name, value in entry.items()}


def _without(*names: str) -> _Change:
    return lambda entry: {name: value for name, value in entry.items() if name not in names}


def _translated(name: str, other: str, values: Mapping[str, str], default: str = "") -> _Change:
    """Changes the value of an element and what it is called; an unknown value becomes the default, or stays."""

    def change(entry: FhirJson) -> FhirJson:
        result = {key: value for key, value in entry.items() if key != name}
        value = entry.get(name)
        return {**result, other: values.get(value, default or value)} if isinstance(value, str) else result

    return change


SCOPES = {
    "sourceUri": "sourceScopeUri",
    "sourceCanonical": "sourceScopeCanonical",
    "targetUri": "targetScopeUri",
    "targetCanonical": "targetScopeCanonical",
}
_ATTRIBUTE = {"property": "attribute", "value": "valueString"}


def _concept_map_from(resource: FhirJson) -> FhirJson:
    result = _renamed(SCOPES)(resource)
    result = _each(result, "group.element", _without_unmatched)
    result = _each(
        result, "group.element.target", _translated("equivalence", "relationship", EQUIVALENCES, "related-to")
    )
    for name in ("product", "dependsOn"):
        result = _each(result, f"group.element.target.{name}", _renamed(_ATTRIBUTE))
    result = _each(result, "group.unmapped", _renamed({"url": "otherMap"}))
    result = _each(result, "group.unmapped", _translated("mode", "mode", UNMAPPED_MODES))
    return dict(_each(result, "group", _versioned))


def _without_unmatched(element: FhirJson) -> FhirJson:
    """An element whose only target says that there is none."""
    targets = element.get("target")
    if not isinstance(targets, list) or not all(isinstance(t, dict) for t in targets):
        return element
    kept = [t for t in targets if t.get("equivalence") != "unmatched"]
    if kept == targets:
        return element
    rest = {name: value for name, value in element.items() if name != "target"}
    return {**rest, "target": kept} if kept else {**rest, "noMap": True}


def _versioned(group: FhirJson) -> FhirJson:
    result = dict(group)
    for side in ("source", "target"):
        version = result.pop(f"{side}Version", None)
        if isinstance(version, str) and isinstance(result.get(side), str):
            result[side] = f"{result[side]}|{version}"
    return result


def _concept_map_to(resource: FhirJson) -> FhirJson:
    result = _renamed({new: old for old, new in SCOPES.items()})(resource)
    result = _each(result, "group", _unversioned)
    result = _each(result, "group.element", _with_unmatched)
    result = _each(
        result, "group.element.target", _translated("relationship", "equivalence", RELATIONSHIPS, "relatedto")
    )
    for name in ("product", "dependsOn"):
        result = _each(result, f"group.element.target.{name}", _property_of)
    modes = {new: old for old, new in UNMAPPED_MODES.items()}
    result = _each(result, "group.unmapped", _renamed({"otherMap": "url"}))
    result = _each(result, "group.unmapped", _translated("mode", "mode", modes))
    return dict(_each(result, "group.unmapped", _without("relationship", "valueSet")))


def _with_unmatched(element: FhirJson) -> FhirJson:
    result = {name: value for name, value in element.items() if name not in ("noMap", "valueSet")}
    if element.get("noMap"):
        result["target"] = [{"equivalence": "unmatched"}]
    return result


def _property_of(entry: FhirJson) -> FhirJson:
    value = next((str(v) for n, v in entry.items() if n.startswith("value")), "")
    return {"property": entry.get("attribute", ""), "value": value}


def _unversioned(group: FhirJson) -> FhirJson:
    result = dict(group)
    for side in ("source", "target"):
        url, bar, version = str(result.get(side, "")).partition("|")
        if bar:
            result |= {side: url, f"{side}Version": version}
    return result


def _value_set_from(resource: FhirJson) -> FhirJson:
    result = resource
    for kind in ("include", "exclude"):
        result = _each(result, f"compose.{kind}.filter", _filter_from)
    expansion = result.get("expansion")
    if isinstance(expansion, dict):
        properties, rest = _taken(expansion, EXPANSION_PROPERTY)
        made = {**rest, "property": [_fields(entry) for entry in properties]} if properties else rest
        made = _contained(made, _contains_from)
        result = {**result, "expansion": made}
    return result


def _filter_from(entry: FhirJson) -> FhirJson:
    extra = entry.get("_op")
    if not isinstance(extra, dict):
        return entry
    found, _ = _taken(extra, FILTER_OP)
    operator = next((e.get("valueCode") for e in found), None)
    kept = {name: value for name, value in entry.items() if name != "_op"}
    return {**kept, "op": operator} if operator else entry


def _contains_from(concept: FhirJson) -> FhirJson:
    properties, rest = _taken(concept, CONTAINS_PROPERTY)
    return {**rest, "property": [_fields(entry) for entry in properties]} if properties else rest


def _contained(parent: FhirJson, change: _Change) -> FhirJson:
    children = parent.get("contains")
    if not isinstance(children, list):
        return parent
    made = [_contained(change(child), change) if isinstance(child, dict) else child for child in children]
    return {**parent, "contains": made}


def _taken(element: FhirJson, url: str) -> tuple[list[FhirJson], FhirJson]:
    """The extensions of an element with that url, and the element without them."""
    extensions = element.get("extension")
    if not isinstance(extensions, list):
        return [], element
    found = [entry for entry in extensions if isinstance(entry, dict) and entry.get("url") == url]
    kept = [entry for entry in extensions if entry not in found]
    rest = {name: value for name, value in element.items() if name != "extension"}
    return found, {"extension": kept, **rest} if kept else rest


def _fields(entry: FhirJson) -> FhirJson:
    """The parts of an extension as one object: ``{"code": …, "uri": …}`` or ``{"code": …, "valueCode": …}``."""
    result: FhirJson = {}
    for inner in entry.get("extension") or ():
        for name, value in inner.items():
            if name.startswith("value"):
                result[name if inner.get("url") == "value" else str(inner.get("url"))] = value
    return result


def _value_set_to(resource: FhirJson) -> FhirJson:
    result = resource
    for kind in ("include", "exclude"):
        result = _each(result, f"compose.{kind}.filter", _filter_to)
    result = _each(result, "compose", _without("property"))
    expansion = result.get("expansion")
    if isinstance(expansion, dict):
        made = {name: value for name, value in expansion.items() if name not in ("property", "next")}
        shown = [
            {"url": EXPANSION_PROPERTY, "extension": _parts(entry, {"code": "valueCode", "uri": "valueUri"})}
            for entry in expansion.get("property") or ()
        ]
        if shown:
            made["extension"] = [*(made.get("extension") or ()), *shown]
        result = {**result, "expansion": _contained(made, _contains_to)}
    return result


def _filter_to(entry: FhirJson) -> FhirJson:
    operator = entry.get("op")
    if operator in R4_OPERATORS:
        return entry
    kept = {name: value for name, value in entry.items() if name != "op"}
    return {**kept, "_op": {"extension": [{"url": FILTER_OP, "valueCode": operator}]}}


def _contains_to(concept: FhirJson) -> FhirJson:
    properties = concept.get("property")
    if not properties:
        return concept
    kept = {name: value for name, value in concept.items() if name not in ("property", "extension")}
    shown = [{"url": CONTAINS_PROPERTY, "extension": _parts(entry, {"code": "valueCode"})} for entry in properties]
    return {"extension": [*(concept.get("extension") or ()), *shown], **kept}


def _parts(entry: FhirJson, types: Mapping[str, str]) -> list[FhirJson]:
    parts = [{"url": name, kind: entry[name]} for name, kind in types.items() if name in entry]
    value = next(({name: v} for name, v in entry.items() if name.startswith("value")), None)
    return [*parts, {"url": "value", **value}] if value else parts


def _capabilities_to(resource: FhirJson) -> FhirJson:
    return {**resource, "fhirVersion": "4.0.1"}


def _terminology_to(resource: FhirJson) -> FhirJson:
    return dict(_each(resource, "codeSystem", _without("content")))


_FROM: Mapping[str, _Change] = {"ConceptMap": _concept_map_from, "ValueSet": _value_set_from}
_TO: Mapping[str, _Change] = {
    "ConceptMap": _concept_map_to,
    "ValueSet": _value_set_to,
    "CapabilityStatement": _capabilities_to,
    "TerminologyCapabilities": _terminology_to,
}
