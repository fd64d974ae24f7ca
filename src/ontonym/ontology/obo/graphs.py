"""Reader of OBO Graphs JSON (https://github.com/geneontology/obographs). A node is a row; classes become concepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import list_of, object_of, read_json
from ontonym.files.source import Source
from ontonym.jsonbytes import json_bytes
from ontonym.ontology.obo.flat import COMMENT, MATCH, SYNONYM_SCOPES, release_version, stated_mapping, typed_synonym
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Mapping, Property, Relation, Term

_VALUE_FIELDS = MappingProxyType(
    {
        "http://purl.obolibrary.org/obo/IAO_0100001": "replaced_by",
        "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId": "alternative_ids",
        "http://www.geneontology.org/formats/oboInOwl#consider": "consider",
        "http://www.geneontology.org/formats/oboInOwl#hasOBONamespace": "tags",
    }
)
"""Annotation property to the field of a Concept it fills; what no field holds is kept as a property."""

_DEFINITION = "http://purl.obolibrary.org/obo/IAO_0000115"

PROPERTY = "property node"
INDIVIDUAL = "individual node"
UNTYPED = "node without a type"
UNLABELLED = "node without a label, of another ontology"


def read_obographs(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of OBO Graphs JSON files, all their graphs; deprecated nodes come as retired concepts."""
    seen: set[str] = set()
    for source in sources:
        for graph in _graphs(source, log):
            nodes, edges = list_of(graph, "nodes"), list_of(graph, "edges")
            parents, relations = _index_edges(edges, source, log)
            typed = any(isinstance(node, dict) and node.get("type") == "CLASS" for node in nodes)
            for node in nodes:
                try:
                    rule = _skip_rule(node, typed)
                    if rule:
                        log.counts.skip(rule)
                        continue
                    concept = _concept(node, log, parents, relations)
                    if concept.id in seen:
                        raise BadRow(f"duplicate id {concept.id}")
                except BadRow as broken:
                    log.malformed(source, None, str(broken), json_bytes(node).decode()[:400])
                    continue
                seen.add(concept.id)
                log.counts.keep()
                yield concept


def _graphs(source: Source, log: ReleaseLog) -> list[dict[str, Any]]:
    """The graphs of the document; the release's metadata is taken from the first."""
    document = read_json(source)
    graphs = document.get("graphs") if isinstance(document, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(graph, dict) for graph in graphs):
        source.fail(None, 'no list "graphs" of objects in the JSON', "Is it an OBO Graphs file?")
    for graph in graphs:
        try:
            _describe(graph, log)
        except BadRow as broken:
            source.fail(None, f"graph metadata: {broken}")
        for key in ("nodes", "edges"):
            if not isinstance(graph.get(key, []), list):
                source.fail(None, f'"{key}" of a graph is not a list')
    return graphs


def _describe(graph: dict[str, Any], log: ReleaseLog) -> None:
    name = _text(graph.get("id", "")).rsplit("/", 1)[-1].rsplit("#", 1)[-1]
    log.describe(name=name.removesuffix(".json").removesuffix(".owl").removesuffix(".obo"))
    meta = object_of(graph, "meta")
    for entry in list_of(meta, "basicPropertyValues"):
        predicate, value = _text(_member(entry, "pred")), _text(_member(entry, "val"))
        if predicate.endswith(("/license", "/licence")):
            log.describe(licence=value)
        elif predicate.endswith("/title"):
            log.describe(title=value)
        elif predicate.endswith("#versionInfo"):
            log.describe(version=value)
    log.describe(version=release_version(_text(meta.get("version") or "")))


def _index_edges(
    edges: list[Any], source: Source, log: ReleaseLog
) -> tuple[dict[str, list[str]], dict[str, list[Relation]]]:
    """Parents and other relations by subject, all as the document's own ids on the subject side."""
    parents: dict[str, list[str]] = {}
    relations: dict[str, list[Relation]] = {}
    for edge in edges:
        subject, predicate, target = map(edge.get, ("sub", "pred", "obj")) if isinstance(edge, dict) else (None,) * 3
        if not (isinstance(subject, str) and isinstance(predicate, str) and isinstance(target, str)):
            log.leave_out("edges_not_read", "an edge without two ends and a predicate", source, None)
            continue
        if predicate in {"is_a", "http://www.w3.org/2000/01/rdf-schema#subClassOf"}:
            parents.setdefault(subject, []).append(log.identifier(target))
        else:
            relations.setdefault(subject, []).append(Relation(curie(predicate), log.identifier(target)))
    return parents, relations


def _skip_rule(node: Any, typed: bool) -> str:
    """The rule that leaves the node out, or an empty string; ``typed`` says whether the graph types its classes."""
    if not isinstance(node, dict):
        raise BadRow("a node that is not an object")
    kind = node.get("type")
    if kind == "PROPERTY":
        return PROPERTY
    if kind == "INDIVIDUAL":
        return INDIVIDUAL
    if kind is None and typed:
        return UNTYPED
    return "" if node.get("lbl") else UNLABELLED


def _concept(
    node: dict[str, Any], log: ReleaseLog, parents: dict[str, list[str]], relations: dict[str, list[Relation]]
) -> Concept:
    """The concept of a node; ``parents`` and ``relations`` are those of its edges, by the node's IRI."""
    iri = _text(node.get("id"))
    if not iri:
        raise BadRow("a node without an id")
    meta = object_of(node, "meta")
    concept_id = log.identifier(iri)
    definition = _text(object_of(meta, "definition").get("val", ""))
    definitions = [definition] if definition else []
    values: dict[str, list[str]] = {name: [] for name in _VALUE_FIELDS.values()}
    properties = [Property(COMMENT, text) for comment in list_of(meta, "comments") if (text := _text(comment).strip())]
    mappings: list[Mapping] = []
    for entry in list_of(meta, "basicPropertyValues"):
        predicate, value = _text(_member(entry, "pred")), _member(entry, "val")
        text = value if isinstance(value, str) else json_bytes(value).decode()
        name = _VALUE_FIELDS.get(predicate)
        match = MATCH.fullmatch(predicate)
        if name is not None:
            values[name].append(text if name == "tags" else log.identifier(text))
        elif predicate == _DEFINITION:
            definitions.append(text)
        elif match:
            mappings.append(stated_mapping(concept_id, match[1], text))
        else:
            properties.append(Property(curie(predicate), text))
    subsets = [_text(subset).rsplit("#", 1)[-1].rsplit("/", 1)[-1] for subset in list_of(meta, "subsets")]
    return Concept(
        id=concept_id,
        terms=(Term(_text(node.get("lbl")), "preferred"), *_synonyms(meta, log)),
        parents=tuple(dict.fromkeys(parents.get(iri, ()))),
        relations=tuple(relations.get(iri, ())),
        definitions=tuple(definitions),
        tags=(*values["tags"], *subsets),
        status="retired" if meta.get("deprecated") is True else "active",
        alternative_ids=tuple(values["alternative_ids"]),
        replaced_by=tuple(values["replaced_by"]),
        consider=tuple(values["consider"]),
        xrefs=tuple(dict.fromkeys(curie(_text(_member(xref, "val"))) for xref in list_of(meta, "xrefs"))),
        properties=tuple(properties),
        mappings=tuple(mappings),
    )


def _synonyms(meta: dict[str, Any], log: ReleaseLog) -> Iterator[Term]:
    for entry in list_of(meta, "synonyms"):
        text = _text(_member(entry, "val")).strip()
        if not text:
            log.counts.skip_term("empty name")
            continue
        scope = SYNONYM_SCOPES.get(_text(entry.get("pred", "")).rsplit("#", 1)[-1], "related")
        kind = _text(entry.get("synonymType") or "").rsplit("#", 1)[-1]
        yield typed_synonym(text, scope, curie(kind))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadRow(f"expected a text, found {type(value).__name__}")
    return value


def _member(entry: Any, key: str) -> Any:
    if not isinstance(entry, dict):
        raise BadRow(f"expected an object with {key!r}, found {type(entry).__name__}")
    return entry.get(key)
