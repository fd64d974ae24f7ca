"""RDF for readers of ontologies and vocabularies: safe parsing, triples in little memory, ids and labels."""

from __future__ import annotations

from ontonym.ontology.rdf.parse import is_owl, is_skos

__all__ = ["is_owl", "is_skos"]
