"""OBO Graphs JSON (https://github.com/geneontology/obographs): one graph, its nodes, then its edges, one per line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, BinaryIO

import orjson

from ontonym.ontology.fhir.systems import OBO_PREFIXES
from ontonym.ontology.obo.flat import SYNONYM_SCOPES, typed_synonym
from ontonym.ontology.xrefs import curie
from ontonym.store.export.formats import write_items
from ontonym.store.export.walk import Walk
from ontonym.types import Concept, Kind, Term

OBO = "http://purl.obolibrary.org/obo/"
META = "http://www.geneontology.org/formats/oboInOwl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"

IRI_FORMS = MappingProxyType(
    {
        "SCTID": "http://snomed.info/id/{}",
        "MESH": "http://id.nlm.nih.gov/mesh/{}",
        "ORPHA": "http://www.orpha.net/ORDO/Orphanet_{}",
        "EFO": "http://www.ebi.ac.uk/efo/EFO_{}",
        "Wikidata": "http://www.wikidata.org/entity/{}",
        "OMIM": "https://omim.org/entry/{}",
    }
)
"""The form of IRIs of each prefix; ids of other prefixes are written as CURIEs, which the format allows."""

_SCOPES = MappingProxyType({scope: name for name, scope in SYNONYM_SCOPES.items()})
_TYPES = MappingProxyType[Kind, str]({"lay": "OMO_0003003", "abbreviation": "OMO_0003000"})
_PLAIN_TAG = re.compile(r"[^#/\s]+(?: [^#/\s]+)*")


def write_obographs(walk: Walk, out: BinaryIO) -> Counter[str]:
    """Writes the terminology as a document of one graph; returns what is left out."""
    left_out: Counter[str] = Counter()
    head = orjson.dumps(_graph_head(walk.metadata))
    out.write(b'{"graphs":[' + head[:-1] + b',\n"nodes":[')
    write_items(out, (_node(concept, left_out) for concept in walk.concepts("writing nodes")))
    out.write(b'\n],\n"edges":[')
    write_items(out, (edge for concept in walk.concepts("writing edges") for edge in _edges(concept)))
    out.write(b"\n]}]}\n")
    return left_out


def iri_of(concept_id: str) -> str:
    """The IRI that reads back as this id, or the id itself if there is none."""
    prefix, _, local = concept_id.partition(":")
    form = f"{OBO}{prefix}_{{}}" if prefix in OBO_PREFIXES else IRI_FORMS.get(prefix)
    iri = form.format(local) if form else concept_id
    return iri if curie(iri) == concept_id else concept_id


def _graph_head(metadata: dict[str, Any]) -> dict[str, Any]:
    values = [
        {"pred": predicate, "val": metadata[key]}
        for predicate, key in (
            ("http://www.w3.org/2002/07/owl#versionInfo", "version"),
            ("http://purl.org/dc/terms/title", "title"),
            ("http://purl.org/dc/terms/license", "licence"),
        )
        if metadata.get(key)
    ]
    return {"id": metadata.get("name", ""), "meta": {"basicPropertyValues": values}}


def _edges(concept: Concept) -> Iterator[dict[str, str]]:
    subject = iri_of(concept.id)
    for parent in concept.parents:
        yield {"sub": subject, "pred": "is_a", "obj": iri_of(parent)}
    for relation in concept.relations:
        yield {"sub": subject, "pred": iri_of(relation.predicate), "obj": iri_of(relation.target)}


def _node(concept: Concept, left_out: Counter[str]) -> dict[str, Any]:
    node: dict[str, Any] = {"id": iri_of(concept.id), "type": "CLASS"}
    if concept.terms:
        label = concept.terms[0]
        node["lbl"] = label.text
        _note_lost(label, Term(label.text, "preferred"), left_out)
    else:
        left_out["concepts without a name (written, but not read back)"] += 1
    meta = {key: value for key, value in _meta(concept, left_out).items() if value}
    return node | ({"meta": meta} if meta else {})


def _meta(concept: Concept, left_out: Counter[str]) -> dict[str, Any]:
    plain_tags = all(_PLAIN_TAG.fullmatch(tag) for tag in concept.tags)
    return {
        "definition": {"val": concept.definitions[0]} if concept.definitions else None,
        "subsets": list(concept.tags) if plain_tags else None,
        "synonyms": [_synonym(term, left_out) for term in concept.terms[1:]],
        "xrefs": [{"val": xref} for xref in concept.xrefs],
        "basicPropertyValues": [{"pred": p, "val": v} for p, v in _values(concept, plain_tags, left_out)],
        "deprecated": concept.status == "retired" or None,
    }


def _values(concept: Concept, plain_tags: bool, left_out: Counter[str]) -> Iterator[tuple[str, str]]:
    """Annotation property and value of everything that has no field of its own."""
    for predicate, values in (
        (f"{OBO}IAO_0000115", concept.definitions[1:]),
        (f"{META}hasOBONamespace", () if plain_tags else concept.tags),
        (f"{META}hasAlternativeId", concept.alternative_ids),
        (f"{OBO}IAO_0100001", concept.replaced_by),
        (f"{META}consider", concept.consider),
    ):
        yield from ((predicate, value) for value in values)
    for prop in concept.properties:
        yield prop.name, prop.value
    for mapping in concept.mappings:
        prefix, _, relation = mapping.predicate_id.partition(":")
        if prefix == "skos" and mapping.object_id:
            yield f"{SKOS}{relation}", mapping.object_id
            said = (mapping.source, mapping.rule, mapping.comment, mapping.object_label, mapping.confidence or "")
            left_out["what a mapping says beyond predicate and target"] += any(said)
        else:
            left_out["mappings without a target, or with a predicate that is not one of SKOS"] += 1


def _synonym(term: Term, left_out: Counter[str]) -> dict[str, Any]:
    """The synonym with the type that reads back as the term, or comes nearest."""
    synonym = {"pred": _SCOPES[term.scope], "val": term.text}
    kind = _TYPES.get(term.kind, "")
    types = [term.source, f"{OBO}{kind}" if kind else "", f"{OBO}OMO_0003008" if term.status == "retired" else ""]
    read = {type_: typed_synonym(term.text.strip(), term.scope, _as_read(type_)) for type_ in types}
    best = min(types, key=lambda t: (read[t] != term, read[t].kind != term.kind, read[t].status != term.status))
    _note_lost(term, read[best], left_out)
    return synonym | ({"synonymType": best} if best else {})


def _as_read(synonym_type: str) -> str:
    return curie(synonym_type.rsplit("#", 1)[-1])


def _note_lost(term: Term, read: Term, left_out: Counter[str]) -> None:
    """Counts what changes in a name when it is read back."""
    for what, name in (
        ("languages of names", "language"),
        ("kinds of names", "kind"),
        ("scopes of names", "scope"),
        ("retired names (written as active)", "status"),
        ("where a name comes from", "source"),
        ("white space around a name", "text"),
    ):
        left_out[what] += getattr(term, name) != getattr(read, name)
