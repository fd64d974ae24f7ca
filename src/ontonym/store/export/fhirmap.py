"""FHIR ConceptMap (R4: https://hl7.org/fhir/R4/conceptmap.html, and R5) of a set of mappings, a group for each two
systems.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Literal

import orjson

from ontonym.ontology.fhir.conceptmap import JUSTIFICATION, PREDICATES, SSSOM
from ontonym.ontology.fhir.systems import slug
from ontonym.store.export.conceptmaps import EQUIVALENCES
from ontonym.store.export.fhirproperties import CODE, Urls, code_of
from ontonym.store.export.mappingfacts import MappingExport, MappingFacts
from ontonym.store.mappings.rows import BY_PERSON, NO_TERM, Row, denied

FhirVersion = Literal["R4", "R5"]
_Json = dict[str, Any]

RELATIONSHIPS = {
    "skos:exactMatch": "equivalent",
    "owl:equivalentClass": "equivalent",
    "skos:broadMatch": "source-is-narrower-than-target",
    "skos:narrowMatch": "source-is-broader-than-target",
}
"""R5's relationship of source to target for each predicate; any other is ``related-to``."""

UNRELATED = "fhir:not-related-to"
"""The relation that our reader uses for a denied ``skos:relatedMatch``."""

_COMMENTED = frozenset(("narrower", "inexact", "source-is-broader-than-target", "not-related-to"))
"""Relations that require a comment (constraints cmd-1 of R4 and R5); our reader knows that the predicate is not one."""
_PROPERTIES = {"predicate_id": "string", "mapping_justification": "string", "confidence": "decimal"}
"""The facts that are properties of a target in R5 and extensions in R4, by the IRIs of SSSOM: slot to FHIR's type."""

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


def write_fhir_map(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO, *, release: FhirVersion) -> MappingExport:
    """Writes mappings as a ConceptMap of a release of FHIR."""
    left_out: Counter[str] = Counter()
    kept = [row for row in rows if _fits(row, left_out)]
    urls = Urls({prefix: url.partition("|")[0] for prefix, url in facts.systems.items()})
    groups: dict[tuple[str, str], dict[str, _Json]] = {}
    targets: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for row in kept:
        nothing = row["object_id"] == NO_TERM
        systems = (urls.of_id(row["subject_id"]), "" if nothing else urls.of_id(row["object_id"]))
        element = groups.setdefault(systems, {}).setdefault(row["subject_id"], _element(row))
        said = (row["subject_id"], row["object_id"])
        if said in targets.setdefault(systems, set()):
            left_out["mappings of a pair that has one already"] += 1
            continue
        targets[systems].add(said)
        if nothing and release == "R5":
            element["noMap"] = True
        else:
            element.setdefault("target", []).append(_target(row, release))
    head = _head(kept, facts, release)
    versions = _versions(groups, facts)
    head["group"] = [
        {**_systems(systems, versions, release), "element": list(elements.values())}
        for systems, elements in groups.items()
    ]
    out.write(orjson.dumps({key: value for key, value in head.items() if value}, option=orjson.OPT_INDENT_2) + b"\n")
    return MappingExport(len(rows) - left_out.total(), left_out)


def _fits(row: Row, left_out: Counter[str]) -> bool:
    """Whether FHIR can represent the row: it is between codes, and denies no relation except any relation at all."""
    nothing = row["object_id"] == NO_TERM
    if not row.get("subject_id"):
        why = "sources without a code"
    elif denied(row) and (nothing or row["predicate_id"] != "skos:relatedMatch"):
        why = "mappings that are denied"
    elif not all(CODE.fullmatch(code_of(one)) for one in (row["subject_id"], *([] if nothing else [row["object_id"]]))):
        why = "codes that FHIR does not allow"
    else:
        return True
    left_out[why] += 1
    return False


def _head(rows: Sequence[Row], facts: MappingFacts, release: FhirVersion) -> _Json:
    """What the map says of itself, without its groups; empty values are left out later."""
    slots = facts.slots
    title = slots.get("mapping_set_title", "")
    name = re.sub(r"\W", "_", slug(title), flags=re.ASCII)
    decided = bool(rows) and all(row.get("mapping_justification") in BY_PERSON for row in rows)
    date = slots.get("mapping_date", "")
    licence = slots.get("license", "")
    scopes = ("sourceScopeUri", "targetScopeUri") if release == "R5" else ("sourceUri", "targetUri")
    declared = [
        {"code": name, "uri": f"{SSSOM}{name}", "type": type_}
        for name, type_ in _PROPERTIES.items()
        if any(name in _extra_facts(row, _relation(row, release)) for row in rows)
    ]
    return {
        "resourceType": "ConceptMap",
        "url": facts.url or slots.get("mapping_set_id", ""),
        "version": slots.get("mapping_set_version", ""),
        "name": name[:1].upper() + name[1:] if name[:1].isalpha() else f"Map_{name}" * bool(name),
        "title": title,
        "status": "active" if decided else "draft",
        "date": date if _DATE.fullmatch(date) else "",
        "description": slots.get("mapping_set_description") or slots.get("comment", ""),
        "copyright": "" if licence.endswith("/unspecified") else licence,
        "property": declared if release == "R5" else [],
        scopes[0]: facts.source_scope,
        scopes[1]: facts.target_scope,
    }


def _versions(groups: Mapping[tuple[str, str], object], facts: MappingFacts) -> dict[tuple[int, str], str]:
    """The version of each system by side: given with its URL, or that of the side where the side has one system."""
    found: dict[tuple[int, str], str] = {}
    given = dict(url.split("|", 1) for url in facts.systems.values() if "|" in url)
    for side, slot in enumerate(("subject_source_version", "object_source_version")):
        systems = {key[side] for key in groups} - {""}
        for system in systems:
            found[side, system] = given.get(system, "") or (facts.slots.get(slot, "") if len(systems) == 1 else "")
    return found


def _systems(systems: tuple[str, str], versions: Mapping[tuple[int, str], str], release: FhirVersion) -> _Json:
    made: _Json = {}
    for side, (key, system) in enumerate(zip(("source", "target"), systems, strict=True)):
        version = versions.get((side, system), "")
        if system and release == "R5":
            made[key] = f"{system}|{version}" if version else system
        elif system:
            made[key] = system
            made |= {f"{key}Version": version} if version else {}
    return made


def _element(row: Row) -> _Json:
    label = row.get("subject_label", "")
    return {"code": code_of(row["subject_id"]), **({"display": label} if label else {})}


def _relation(row: Row, release: FhirVersion) -> str:
    if row["object_id"] == NO_TERM:
        return "unmatched"
    if denied(row):
        return "not-related-to" if release == "R5" else "disjoint"
    if release == "R5":
        return RELATIONSHIPS.get(row["predicate_id"], "related-to")
    return EQUIVALENCES.get(row["predicate_id"], "relatedto")


def _extra_facts(row: Row, relation: str) -> dict[str, str | float]:
    """The facts of a row that have no field in FHIR, by slot of SSSOM."""
    said: dict[str, str | float] = {}
    predicate = UNRELATED if denied(row) else row["predicate_id"]
    if row["object_id"] != NO_TERM and PREDICATES[relation] != predicate:
        said["predicate_id"] = predicate
    if row.get("mapping_justification", JUSTIFICATION) != JUSTIFICATION:
        said["mapping_justification"] = row["mapping_justification"]
    if row.get("confidence"):
        said["confidence"] = float(row["confidence"])
    return said


def _target(row: Row, release: FhirVersion) -> _Json:
    """A target of the map: R4 has what SSSOM says beyond it as extensions, R5 as properties."""
    relation = _relation(row, release)
    said = _extra_facts(row, relation)
    nothing = row["object_id"] == NO_TERM
    comment = row.get("comment", "")
    if not comment and relation in _COMMENTED:
        comment = UNRELATED if denied(row) else row["predicate_id"]
    more = [(name, f"value{_PROPERTIES[name].capitalize()}", value) for name, value in said.items()]
    made: _Json = {
        "extension": [{"url": f"{SSSOM}{name}", key: value} for name, key, value in more] if release == "R4" else [],
        "code": "" if nothing else code_of(row["object_id"]),
        "display": "" if nothing else row.get("object_label", ""),
        "relationship" if release == "R5" else "equivalence": relation,
        "comment": comment,
        "property": [{"code": name, key: value} for name, key, value in more] if release == "R5" else [],
    }
    return {key: value for key, value in made.items() if value}
