"""The namespaces that RDF vocabularies are told by."""

from __future__ import annotations

from types import MappingProxyType

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DC = "http://purl.org/dc/elements/1.1/"
DCT = "http://purl.org/dc/terms/"
WELL_KNOWN = MappingProxyType(
    {OWL: "owl", RDF: "rdf", RDFS: "rdfs", SKOS: "skos", DC: "dc", DCT: "dct", "http://xmlns.com/foaf/0.1/": "foaf"}
)
"""Prefixes that everybody gives these namespaces."""
