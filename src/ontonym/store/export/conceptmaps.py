"""FHIR R4 ConceptMaps (https://hl7.org/fhir/R4/conceptmap.html): one for each source of mappings, in one Bundle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, BinaryIO

import orjson

from ontonym.ontology.fhir.conceptmap import JUSTIFICATION, MAP_GROUP, MAP_PRIORITY, MAP_RULE, PREDICATES, SSSOM
from ontonym.store.export.fhirproperties import Survey, Urls, code_of
from ontonym.store.export.formats import write_items
from ontonym.store.export.walk import Walk
from ontonym.types import Concept, Mapping

EQUIVALENCES = MappingProxyType(
    {
        "skos:exactMatch": "equivalent",
        "owl:equivalentClass": "equivalent",
        "skos:broadMatch": "wider",
        "skos:narrowMatch": "narrower",
        "skos:relatedMatch": "relatedto",
        "skos:closeMatch": "inexact",
        "owl:disjointWith": "disjoint",
        "fhir:not-related-to": "disjoint",
        "fhir:unmatched": "unmatched",
    }
)
"""R4's equivalence for each predicate, else ``relatedto``. An extension names a predicate that would get lost."""

_COMMENTED = frozenset({"narrower", "inexact"})
"""Equivalences that require a comment (constraint cmd-1)."""


def write_concept_maps(walk: Walk, found: Survey, urls: Urls, out: BinaryIO, left_out: Counter[str]) -> None:
    """Writes a Bundle entry for each source of mappings, with a group for each pair of code systems."""
    for source in dict.fromkeys(source for source, _, _ in found.maps):
        named = "://" in source or source.startswith("urn:")
        url, _, version = source.partition("|") if named else ("", "", "")
        facts = {"url": url, "version": version, "name": "" if named else source}
        head = {"resourceType": "ConceptMap", **{k: v for k, v in facts.items() if v}, "status": "active"}
        out.write(b',\n{"resource":' + orjson.dumps(head)[:-1] + b',"group":[')
        groups = [key for key in found.maps if key[0] == source]
        for number, key in enumerate(groups):
            _, prefix, target = key
            systems = {"source": urls.of(prefix), **({"target": target} if target else {})}
            out.write((b",\n" if number else b"\n") + orjson.dumps(systems)[:-1] + b',"element":[')
            concepts = walk.concepts("writing mappings", found.maps[key])
            write_items(out, _elements(concepts, source, target, urls, left_out))
            out.write(b"\n]}")
        out.write(b"\n]}}")


def _elements(
    concepts: Iterator[Concept], source: str, target: str, urls: Urls, left_out: Counter[str]
) -> Iterator[dict[str, Any]]:
    for concept in concepts:
        mappings = [
            m
            for m in concept.mappings
            if m.source == source and (urls.of_id(m.object_id) if m.object_id else "") == target
        ]
        left_out["repeated mappings"] += len(mappings) - len(set(mappings))
        named = {"display": concept.preferred} if concept.terms else {}
        yield {"code": code_of(concept.id), **named, "target": [_target(m) for m in dict.fromkeys(mappings)]}


def _target(mapping: Mapping) -> dict[str, Any]:
    """A target of a concept map, with extensions for what FHIR R4 has no field for."""
    equivalence = EQUIVALENCES.get(mapping.predicate_id, "relatedto") if mapping.object_id else "unmatched"
    extensions: list[dict[str, Any]] = []
    if PREDICATES[equivalence] != mapping.predicate_id:
        extensions.append({"url": f"{SSSOM}predicate_id", "valueString": mapping.predicate_id})
    if mapping.justification != JUSTIFICATION:
        extensions.append({"url": f"{SSSOM}mapping_justification", "valueString": mapping.justification})
    if mapping.confidence is not None:
        extensions.append({"url": f"{SSSOM}confidence", "valueDecimal": mapping.confidence})
    if mapping.group:
        extensions.append({"url": MAP_GROUP, "valueInteger": mapping.group})
    if mapping.priority:
        extensions.append({"url": MAP_PRIORITY, "valueInteger": mapping.priority})
    made = {
        "extension": extensions,
        "code": code_of(mapping.object_id) if mapping.object_id else "",
        "display": mapping.object_label,
        "equivalence": equivalence,
        "comment": mapping.comment or (mapping.predicate_id if equivalence in _COMMENTED else ""),
        "dependsOn": [{"property": MAP_RULE, "value": mapping.rule}] if mapping.rule else [],
    }
    return {key: value for key, value in made.items() if value}
