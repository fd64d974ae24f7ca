"""FHIR R4 CodeSystem (https://hl7.org/fhir/R4/codesystem.html); a Bundle if ids have several prefixes or there are
mappings.

The hierarchy is in ``parent`` properties, since a concept may have several parents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from ontonym.errors import InputError
from ontonym.ontology.fhir.fields import ADDITIONAL_USE, STANDARDS_STATUS, USES
from ontonym.ontology.fhir.systems import slug
from ontonym.store.export.conceptmaps import write_concept_maps
from ontonym.store.export.fhirproperties import CODE, Declarations, Urls, code_of, survey
from ontonym.store.export.formats import write_items
from ontonym.store.export.walk import Walk
from ontonym.store.mappings.iris import split_id
from ontonym.types import Concept, Term

SNOMED = "http://snomed.info/sct"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl"
OMO = "http://purl.obolibrary.org/obo/omo.owl"

_USES = {
    ("preferred", "exact"): ("http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra", "preferredForLanguage"),
    ("fsn", "exact"): (SNOMED, "900000000000003001"),
    ("synonym", "exact"): (SNOMED, "900000000000013009"),
    ("synonym", "narrow"): (OBO_IN_OWL, "hasNarrowSynonym"),
    ("synonym", "broad"): (OBO_IN_OWL, "hasBroadSynonym"),
    ("synonym", "related"): (OBO_IN_OWL, "hasRelatedSynonym"),
    ("lay", "exact"): (OMO, "OMO:0003003"),
    ("abbreviation", "exact"): (OMO, "OMO:0003000"),
    ("entry", "exact"): ("", "entry"),
}
"""The designation use for each kind and scope of a name; the FHIR reader converts it back."""


def designation_use(term: Term) -> dict[str, Any]:
    """The use of a name's designation in FHIR, as a Coding: the first one where a name has several."""
    return _coded(*(_USES.get((term.kind, term.scope)) or _USES[term.kind, "exact"]))


def write_fhir(walk: Walk, out: BinaryIO) -> Counter[str]:
    """Writes the terminology as a CodeSystem, or a Bundle of several or with mappings; returns what is left out."""
    urls = Urls(walk.metadata.get("details", {}).get("systems", {}))
    found = survey(walk, urls)
    prefixes = list(found.rows)
    if walk.url and len(prefixes) > 1:
        shown = ", ".join(prefix or "none" for prefix in prefixes[:5])
        raise InputError(f"one URL cannot be that of {len(prefixes)} code systems (prefixes of the ids: {shown}, …)")
    if walk.url:
        urls.set(prefixes[0], walk.url)
    details = walk.metadata.get("details", {})
    known = {part["prefix"]: part for part in details.get("code_systems", ()) if "prefix" in part}
    left_out = found.left_out
    bundled = len(prefixes) > 1 or bool(found.maps)
    if bundled:
        out.write(b'{"resourceType":"Bundle","type":"collection","entry":[\n')
    for number, prefix in enumerate(prefixes):
        given = known.get(prefix, {})
        system = _System(walk, prefix, given, urls, found.declarations(prefix, given))
        out.write(b",\n" if number else b"")
        out.write(b'{"resource":' if bundled else b"")
        _write_system(system, walk, found.rows[prefix], out, left_out)
        out.write(b"}" if bundled else b"")
    if bundled:
        write_concept_maps(walk, found, urls, out, left_out)
    out.write(b"\n]}\n" if bundled else b"\n")
    return left_out


def _write_system(system: _System, walk: Walk, rows: Any, out: BinaryIO, left_out: Counter[str]) -> None:
    head = orjson.dumps(system.head(len(rows)))
    out.write(head[:-1] + b',"concept":[')
    write_items(out, (system.concept(one, left_out) for one in walk.concepts("writing", rows)))
    out.write(b"\n]}")


def _coded(system: str, code: str) -> dict[str, Any]:
    return {"system": system, "code": code} if system else {"code": code}


class _System:
    """Writes one code system: its metadata, its codes, and its concepts as JSON."""

    def __init__(self, walk: Walk, prefix: str, given: dict[str, Any], urls: Urls, declarations: Declarations) -> None:
        self._walk = walk
        self._prefix = prefix
        self._given = given
        self._urls = urls
        self._declarations = declarations
        languages: dict[str, int] = walk.terminology.statistics.get("terms_by_language", {})
        self._language = given.get("language") or max(languages, key=lambda tag: languages[tag], default="en")
        self._uses: dict[str, str] = given.get("designation_uses", {})

    def head(self, count: int) -> dict[str, Any]:
        """All fields except the concepts."""
        given, metadata = self._given, self._walk.metadata
        name = str(given.get("name") or self._prefix or metadata["name"])
        alone = self._walk.metadata.get("prefix", "") in {self._prefix, ""}
        head = {
            "resourceType": "CodeSystem",
            "id": (given.get("id") or slug(self._prefix or metadata["name"]).replace("_", "-"))[:64] or "codes",
            "language": self._language,
            "url": self._urls.of(self._prefix),
            "version": given.get("version") or (metadata["version"] if alone else ""),
            "name": re.sub(r"\W", "_", name if name[:1].isupper() else name[:1].upper() + name[1:], flags=re.ASCII),
            "title": given.get("title") or (metadata.get("title") if alone else "") or name,
            "status": "active",
            "copyright": metadata.get("licence") if alone else "",
            "caseSensitive": bool(given.get("case_sensitive", True)),
            "valueSet": given.get("value_set"),
            "hierarchyMeaning": "is-a",
            "content": given.get("content") if given.get("content") in {"fragment", "example"} else "complete",
            "count": count,
            "property": self._declarations.shown(),
        }
        return {key: value for key, value in head.items() if value not in ("", None, [])}

    def concept(self, concept: Concept, left_out: Counter[str]) -> dict[str, Any]:
        """The concept in FHIR's form; counts what FHIR cannot represent."""
        display = self._display(concept)
        rest = concept.terms[1:] if display else concept.terms
        made: dict[str, Any] = {"code": code_of(concept.id)}
        if display:
            made["display"] = display
        if concept.definitions:
            made["definition"] = concept.definitions[0]
        designations = [self._designation(term, left_out) for term in rest]
        designations += (
            {"use": {"system": SNOMED, "code": "900000000000550004", "display": "Definition"}, "value": text}
            for text in concept.definitions[1:]
        )
        properties = list(self._properties(concept, left_out))
        return (
            made
            | ({"designation": designations} if designations else {})
            | ({"property": properties} if properties else {})
        )

    def _display(self, concept: Concept) -> str:
        if not concept.terms:
            return ""
        term = concept.terms[0]
        plain = term.kind == "preferred" and term.status == "active" and term.scope == "exact" and not term.source
        return term.text if plain and term.language == self._language else ""

    def _designation(self, term: Term, left_out: Counter[str]) -> dict[str, Any]:
        """A name as a designation; what FHIR cannot hold of it is counted."""
        left_out["white space around a name"] += term.text != term.text.strip()
        left_out["where a name comes from"] += term.source in USES or term.source != term.source.strip()
        uses = [designation_use(term)]
        if (term.kind, term.scope) not in _USES:
            uses.append(_coded(*_USES["synonym", term.scope]))
        if CODE.fullmatch(term.source):
            uses.append(_coded(self._uses.get(term.source, ""), term.source))
        elif term.source:
            uses.append({"display": term.source})
        if term.source and (term.kind, term.scope) == ("synonym", "exact"):
            uses = uses[1:]  # the use of a name that is not a plain synonym implies the rest
        extensions = [{"url": ADDITIONAL_USE, "valueCoding": use} for use in uses[1:]]
        if term.status == "retired":
            extensions.append({"url": STANDARDS_STATUS, "valueCode": "withdrawn"})
        extended = {"extension": extensions} if extensions else {}
        return {**extended, "language": term.language, "use": uses[0], "value": term.text}

    def _properties(self, concept: Concept, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
        """All other facts of the concept, in the order of the declarations."""
        codes = self._declarations
        if concept.status == "retired":
            yield {"code": codes.own["inactive"], "valueBoolean": True}
        for parent in concept.parents:
            prefix, _ = split_id(parent)
            same = prefix == self._prefix
            yield (
                {"code": codes.own["parent"], "valueCode": code_of(parent)}
                if same
                else {"code": codes.own["parentElsewhere"], "valueCoding": self._coding(parent)}
            )
        for alternative in concept.alternative_ids:
            if split_id(alternative)[0] == self._prefix and self._prefix:
                yield {"code": codes.own["alternateCode"], "valueCode": code_of(alternative)}
            else:
                yield {"code": codes.own["alternativeId"], "valueString": alternative}
        for name, ids in (("replacedBy", concept.replaced_by), ("consider", concept.consider)):
            yield from ({"code": codes.own[name], "valueCoding": self._coding(target)} for target in ids)
        for name, texts in (("xref", concept.xrefs), ("tag", concept.tags)):
            yield from ({"code": codes.own[name], "valueString": text} for text in texts)
        for relation in concept.relations:
            if codes.types[relation.predicate] == "code":
                yield {"code": codes.code(relation.predicate), "valueCode": code_of(relation.target)}
            else:
                yield {"code": codes.code(relation.predicate), "valueCoding": self._coding(relation.target)}
        for prop in concept.properties:
            value = codes.value(prop)
            left_out["properties named like a relation, or empty"] += value is None
            if value is not None:
                yield value

    def _coding(self, concept_id: str) -> dict[str, str]:
        """A Coding for a concept of any system."""
        return {"system": self._urls.of_id(concept_id), "code": " ".join(code_of(concept_id).split())}
