"""Resources of FHIR that the tests of its reader share."""

from __future__ import annotations

from typing import Any

from ontonym.types import Concept, Property

STANDARD = "http://hl7.org/fhir/concept-properties#"
SNOMED = "http://snomed.info/sct"
LOCAL = "http://clinic.example/CodeSystem/findings"

FINDINGS: dict[str, Any] = {
    "resourceType": "CodeSystem",
    "id": "findings",
    "url": LOCAL,
    "version": "2.0",
    "name": "Findings",
    "title": "Findings of the clinic",
    "status": "active",
    "copyright": "CC0,\n see there",
    "caseSensitive": True,
    "valueSet": "http://clinic.example/ValueSet/findings",
    "content": "complete",
    "hierarchyMeaning": "is-a",
    "property": [
        {"code": "up", "uri": STANDARD + "parent", "type": "code"},
        {"code": "child", "uri": STANDARD + "child", "type": "code"},
        {"code": "inactive", "uri": STANDARD + "inactive", "type": "boolean"},
        {"code": "other", "uri": STANDARD + "alternateCode", "type": "code"},
        {"code": "site", "type": "code"},
        {"code": "parent", "uri": "http://clinic.example/family", "type": "string"},
        {"code": "next", "uri": "http://purl.obolibrary.org/obo/IAO_0100001", "type": "code"},
    ],
    "concept": [
        {
            "code": "heart attack: acute",
            "display": "Heart attack",
            "definition": "Death of heart muscle.",
            "designation": [
                {"value": "Infarction"},
                {"language": "de", "value": "Herzinfarkt"},
                {"language": "de", "value": "Infarkt"},
                {"use": {"system": SNOMED, "code": "900000000000003001"}, "value": "Heart attack (disorder)"},
                {"use": {"system": SNOMED, "code": "900000000000013009"}, "value": "MI"},
                {"use": {"code": "slang"}, "language": "en-GB", "value": "Ticker trouble"},
                {"use": {"system": SNOMED, "code": "900000000000550004"}, "value": "A second definition."},
            ],
            "property": [
                {"code": "site", "valueCode": "heart"},
                {"code": "site", "valueCode": "not a code of ours"},
                {"code": "seen", "valueDateTime": "2024-02-01"},
                {"code": "weight", "valueDecimal": 1.25},
                {"code": "rank", "valueInteger": 7},
                {"code": "notSelectable", "valueBoolean": False},
                {"code": "parent", "valueString": "the Smiths"},
                {"code": "like", "valueCoding": {"system": SNOMED, "code": "22298006", "display": "MI"}},
                {"code": "near", "valueCoding": {"system": LOCAL, "code": "heart"}},
                {"code": "other", "valueCode": "HA"},
            ],
            "concept": [
                {
                    "code": "old",
                    "display": "Old heart attack",
                    "property": [
                        {"code": "inactive", "valueBoolean": True},
                        {"code": "next", "valueCode": "heart attack: acute"},
                        {"code": "up", "valueCode": "heart"},
                    ],
                }
            ],
        },
        {"code": "heart", "display": "Heart", "property": [{"code": "child", "valueCode": "attic"}]},
        {
            "code": "attic",
            "designation": [{"value": "Atrium"}],
            "property": [{"code": "status", "valueCode": "retired"}],
        },
    ],
}  # fmt: skip


def system(*codes: Any, **fields: Any) -> dict[str, Any]:
    concepts = [{"code": code, "display": code.upper()} if isinstance(code, str) else code for code in codes]
    base = {"resourceType": "CodeSystem", "id": "s", "url": "http://x.org/s", "content": "complete"}
    return base | {"concept": concepts} | fields


def value_set(*include: dict[str, Any], exclude: Any = (), **fields: Any) -> dict[str, Any]:
    compose = {"include": list(include)} | ({"exclude": list(exclude)} if exclude else {})
    return {"resourceType": "ValueSet", "id": "v", "url": "http://x.org/v", "compose": compose} | fields


def members(concepts: dict[str, Concept], url: str = "http://x.org/v") -> set[str]:
    return {c.id.partition(":")[2] for c in concepts.values() if Property("valueset", url) in c.properties}


SUPPLEMENT = system(
    {
        "code": "a",
        "designation": [{"language": "nl", "value": "aa"}, {"language": "en", "value": "A"}],
        "property": [{"code": "colour", "valueString": "red"}],
    },
    {"code": "zz", "display": "unknown"},
    id="more",
    url="http://x.org/more",
    content="supplement",
    supplements="http://x.org/s|1",
    language="en",
)

LEAF = {"code": "c", "property": [{"code": "colour", "valueString": "blue"}]}
TREE = system(
    {"code": "a", "property": [{"code": "colour", "valueString": "red"}], "concept": [
        {"code": "b", "display": "Bee", "concept": [LEAF]},
        {"code": "d", "property": [{"code": "inactive", "valueBoolean": True}]},
    ]},
    {"code": "E", "property": [{"code": "parent", "valueCode": "d"}]},
)  # fmt: skip

R4_MAP = {
    "resourceType": "ConceptMap",
    "id": "m",
    "url": "http://x.org/m",
    "version": "1",
    "sourceCanonical": "http://x.org/v",
    "group": [
        {
            "source": "http://x.org/s",
            "target": SNOMED,
            "unmapped": {"mode": "fixed", "code": "0"},
            "element": [
                {
                    "code": "a",
                    "display": "Ay",
                    "target": [
                        {"code": "1", "display": "One", "equivalence": "wider", "comment": "coarse"},
                        {
                            "code": "2",
                            "equivalence": "equivalent",
                            "dependsOn": [{"property": "age", "system": "http://x.org/ages", "value": "old"}],
                            "product": [{"property": "side", "value": "left"}],
                        },
                    ],
                },
                {"code": "b", "target": [{"equivalence": "unmatched", "comment": "none"}]},
                {"code": "c"},
                {"code": "d", "target": [{"code": "9", "equivalence": "sideways"}]},
            ],
        }
    ],
}
