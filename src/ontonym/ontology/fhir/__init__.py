"""Reader of FHIR R4 and R5 CodeSystem, ValueSet and ConceptMap, from JSON, NDJSON, Bundles and packages."""

from ontonym.ontology.fhir.read import read_fhir
from ontonym.ontology.fhir.resources import is_fhir

__all__ = ["is_fhir", "read_fhir"]
