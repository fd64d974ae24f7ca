"""The CapabilityStatement, the TerminologyCapabilities and $versions: what this server can do and has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontonym.manifest import ontonym_version
from ontonym.serve.fhir.canonicals import OWN, newest
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.settings import RULES
from ontonym.serve.fhir.values import parameter, parameters

VERSION = "5.0.0"
"""The version of FHIR that the engine speaks."""
TEST_VERSION = "1.7.0"
DATE = "2026-11-24"
FEATURE = "http://hl7.org/fhir/uv/application-feature/StructureDefinition/feature"
DEFINITION = "http://hl7.org/fhir/OperationDefinition/"
EXPANSION_PARAMETERS = (
    "activeOnly",
    "cache-id",
    "count",
    "designation",
    "displayLanguage",
    "excludeNested",
    "filter",
    "includeDefinition",
    "includeDesignations",
    "offset",
    "property",
    "tx-resource",
    "useSupplement",
    *RULES,
)
OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "CodeSystem": ("lookup", "validate-code", "batch-validate-code", "subsumes"),
    "ValueSet": ("expand", "validate-code", "batch-validate-code"),
    "ConceptMap": ("translate",),
}
SEARCHED: Mapping[str, str] = {
    "_id": "token",
    "url": "uri",
    "version": "token",
    "name": "string",
    "title": "string",
    "status": "token",
}


def capability_statement(base: str) -> FhirJson:
    """The CapabilityStatement of the server; ``base`` is the url of its root."""
    software = ontonym_version()
    return {
        "resourceType": "CapabilityStatement",
        "id": "ontonym",
        "extension": [
            _feature("http://hl7.org/fhir/uv/tx-tests/FeatureDefinition/test-version", {"valueCode": TEST_VERSION}),
            _feature(
                "http://hl7.org/fhir/uv/tx-ecosystem/FeatureDefinition/CodeSystemAsParameter", {"valueBoolean": True}
            ),
        ],
        "url": OWN + "capability-statement",
        "version": software,
        "name": "ontonym",
        "title": "ontonym terminology server",
        "status": "active",
        "date": DATE,
        "kind": "instance",
        "instantiates": ["http://hl7.org/fhir/CapabilityStatement/terminology-server"],
        "software": {"name": "ontonym", "version": software, "releaseDate": DATE},
        "implementation": {"description": "ontonym terminology server", "url": base},
        "fhirVersion": VERSION,
        "format": ["application/fhir+json", "application/fhir+xml"],
        "rest": [
            {
                "mode": "server",
                "resource": [_type(name) for name in OPERATIONS],
                "interaction": [{"code": "batch"}],
                "operation": [
                    {"name": "versions", "definition": DEFINITION + "CapabilityStatement-versions"},
                    {"name": "closure", "definition": DEFINITION + "ConceptMap-closure"},
                ],
            }
        ],
    }


def _feature(definition: str, value: dict[str, Any]) -> FhirJson:
    return {
        "url": FEATURE,
        "extension": [{"url": "definition", "valueCanonical": definition}, {"url": "value", **value}],
    }


def _type(name: str) -> FhirJson:
    return {
        "type": name,
        "interaction": [{"code": "read"}, {"code": "search-type"}],
        "conditionalRead": "not-match",
        "searchParam": [{"name": parameter, "type": kind} for parameter, kind in SEARCHED.items()],
        "operation": [{"name": word, "definition": f"{DEFINITION}{name}-{word}"} for word in OPERATIONS[name]],
    }


def terminology_capabilities(library: Library) -> FhirJson:
    """The TerminologyCapabilities: every code system with its versions."""
    systems: dict[str, list[Any]] = {}
    for system in library.systems():
        systems.setdefault(system.url, []).append(system)
    shown = []
    for url, group in sorted(systems.items()):
        latest = newest(system.version for system in group)
        versions = [
            {
                **({"code": system.version} if system.version else {}),
                "isDefault": system.version == latest,
                "compositional": False,
            }
            for system in group
        ]
        shown.append({"uri": url, "version": versions, "content": group[0].content})
    result: FhirJson = {
        "resourceType": "TerminologyCapabilities",
        "id": "ontonym",
        "url": OWN + "terminology-capabilities",
        "version": ontonym_version(),
        "name": "ontonym",
        "title": "ontonym terminology server",
        "status": "active",
        "date": DATE,
        "kind": "instance",
        "codeSearch": "in-compose",
        "expansion": {
            "hierarchical": True,
            "paging": True,
            "parameter": [{"name": name} for name in sorted(EXPANSION_PARAMETERS)],
        },
        "validateCode": {"translations": True},
        "translation": {"needsMap": False},
        "closure": {"translation": False},
    }
    return {**result, "codeSystem": shown} if shown else result


def versions() -> FhirJson:
    """The Parameters that answer $versions: those of FHIR that clients may ask for."""
    default = VERSION.rpartition(".")[0]
    return parameters(
        parameter("version", "String", default),
        parameter("version", "String", "4.0"),
        parameter("default", "String", default),
    )
