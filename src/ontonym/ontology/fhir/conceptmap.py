"""ConceptMap (FHIR R4 and R5): its elements as SSSOM mappings of their source concepts."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import JsonObject, flag_of, object_of, objects_of, text_of
from ontonym.ontology.batch import LARGEST_PLACE
from ontonym.ontology.fhir.fields import coding_text, value_of, written
from ontonym.ontology.fhir.resources import Resource
from ontonym.ontology.fhir.systems import Systems
from ontonym.types import Mapping

PREDICATES = MappingProxyType(
    {
        "equal": "skos:exactMatch", "equivalent": "skos:exactMatch", "wider": "skos:broadMatch",
        "subsumes": "skos:broadMatch", "source-is-narrower-than-target": "skos:broadMatch",
        "narrower": "skos:narrowMatch", "specializes": "skos:narrowMatch",
        "source-is-broader-than-target": "skos:narrowMatch", "relatedto": "skos:relatedMatch",
        "related-to": "skos:relatedMatch", "inexact": "skos:relatedMatch", "disjoint": "owl:disjointWith",
        "not-related-to": "fhir:not-related-to", "unmatched": "fhir:unmatched",
    }
)  # fmt: skip
"""Equivalence (R4) or relationship (R5) to predicate. R4 names what the target is to the source, as SKOS does; the
codes of R5 begin with what the source is. The last two say that there is no match, for which SKOS has no predicate."""

SSSOM = "https://w3id.org/sssom/"
"""Under extensions (R5: properties) named by SSSOM's own IRIs a target may say what FHIR has no field for:
``predicate_id``, ``mapping_justification``, ``confidence``."""
MAP_RULE, MAP_GROUP, MAP_PRIORITY = (f"urn:ontonym:map-{name}" for name in ("rule", "group", "priority"))
"""The names that our export gives to the parts of a map that depends on the patient."""

NO_TARGET = "fhir:unmatched"
JUSTIFICATION = "semapv:UnspecifiedMatching"
"""FHIR does not say how a mapping was found."""


class ConceptMap:
    """One ConceptMap resource, loaded."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self.document = resource.load()
        self.mapped = 0
        declared = objects_of(self.document, "property")
        self._uris = {text_of(one, "code"): text_of(one, "uri") for one in declared}

    def facts(self) -> dict[str, Any]:
        """The manifest's entry; ``unmapped`` says what each group does with codes that it does not list."""
        document = self.document
        scopes = {
            side: next((text_of(document, key) for key in keys if isinstance(document.get(key), str)), "")
            for side, keys in (
                ("source_scope", ("sourceScopeUri", "sourceScopeCanonical", "sourceUri", "sourceCanonical")),
                ("target_scope", ("targetScopeUri", "targetScopeCanonical", "targetUri", "targetCanonical")),
            )
        }
        given = {
            "url": self.resource.url,
            "version": self.resource.version,
            "name": self.resource.name,
            "title": self.resource.title,
            **scopes,
        }
        unmapped = [
            {"source": group.get("source"), "target": group.get("target"), **object_of(group, "unmapped")}
            for group in objects_of(document, "group")
            if group.get("unmapped")
        ]
        facts: dict[str, Any] = {key: value for key, value in given.items() if value}
        return facts | {"mappings": self.mapped} | ({"unmapped": unmapped} if unmapped else {})

    def elements(self) -> Iterator[tuple[str, str, JsonObject]]:
        """URL and version of the source system, and the element, of every element of every group.

        Raises ``BadRow`` for a group of the wrong shape.
        """
        for group in objects_of(self.document, "group"):
            system, _, version = text_of(group, "source").partition("|")
            for element in objects_of(group, "element"):
                target = text_of(group, "target").partition("|")[0]
                yield system, text_of(group, "sourceVersion") or version, {**element, "_target": target}

    def mappings(self, system: str, element: JsonObject, systems: Systems) -> list[Mapping]:
        """The mappings of one element; raises ``BadRow`` for one of the wrong shape."""
        code = text_of(element, "code")
        if not code:
            raise BadRow(
                "an element without a code" + ("; maps of whole value sets are not read" * ("valueSet" in element))
            )
        url, version = self.resource.url or self.resource.id or self.resource.name, self.resource.version
        stated_by = f"{url}|{version}" if url and version else url
        subject = systems.identifier(system, code)
        label = text_of(element, "display")
        targets = objects_of(element, "target")
        if not targets or flag_of(element, "noMap"):
            found = [Mapping(subject, NO_TARGET, "", JUSTIFICATION, subject_label=label, source=stated_by)]
        else:
            found = [
                self._mapping(target, element["_target"], subject, label, stated_by, systems) for target in targets
            ]
        self.mapped += len(found)
        return found

    def _mapping(
        self, target: JsonObject, system: str, subject: str, label: str, stated_by: str, systems: Systems
    ) -> Mapping:
        """The mapping to one target of a concept map, with what its extensions and properties say in SSSOM's words."""
        relation = text_of(target, "relationship") or text_of(target, "equivalence") or "relatedto"
        predicate = PREDICATES.get(relation)
        if predicate is None:
            raise BadRow(f"unknown relationship {relation!r} (known: {', '.join(PREDICATES)})")
        code = text_of(target, "code")
        if not code and predicate not in {NO_TARGET, "fhir:not-related-to"}:
            raise BadRow(f"a target without a code that is said to be {relation}")
        comment = text_of(target, "comment")
        more = {text_of(item, "url"): value_of(item)[1] for item in objects_of(target, "extension")}
        properties = objects_of(target, "property")
        more |= {self._uris.get(text_of(item, "code"), ""): value_of(item)[1] for item in properties}
        confidence = more.get(f"{SSSOM}confidence")
        stated = str(more.get(f"{SSSOM}predicate_id") or predicate)
        return Mapping(
            subject,
            stated,
            systems.identifier(system, code) if code else "",
            str(more.get(f"{SSSOM}mapping_justification") or JUSTIFICATION),
            confidence=float(confidence) if isinstance(confidence, int | float) else None,
            group=_place(more.get(MAP_GROUP)),
            priority=_place(more.get(MAP_PRIORITY)),
            subject_label=label,
            object_label=text_of(target, "display"),
            source=stated_by,
            rule=_rule(target),
            comment=comment if comment != stated else "",
        )


def _place(value: Any) -> int:
    """The group or priority of a mapping that depends on the patient; 0 where there is none."""
    if not isinstance(value, int):
        return 0
    if not 0 <= value <= LARGEST_PLACE:
        raise BadRow(f"the group or priority {value} is not a number from 0 to {LARGEST_PLACE:,}")
    return value


def _rule(target: JsonObject) -> str:
    """``dependsOn`` and ``product`` in words: ``depends on PROPERTY = VALUE; gives PROPERTY = VALUE``."""
    parts = []
    for key, words in (("dependsOn", "depends on"), ("product", "gives")):
        for item in objects_of(target, key):
            name = text_of(item, "property") or text_of(item, "attribute")
            if name == MAP_RULE:
                parts.append(text_of(item, "value"))
                continue
            value = item["value"] if "value" in item else value_of(item)[1]
            if isinstance(value, str) and item.get("system"):
                value = coding_text({"system": item["system"], "code": value, "display": item.get("display")})
            parts.append(f"{words} {name} = {written(value) if value is not None else item.get('valueSet', '')}")
    return "; ".join(parts)
