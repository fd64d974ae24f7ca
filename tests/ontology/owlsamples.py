"""An ontology in RDF/XML around what a test says."""

from __future__ import annotations

HEADER = """<rdf:RDF xmlns="http://purl.obolibrary.org/obo/xx.owl#" xml:base="http://purl.obolibrary.org/obo/xx.owl"
  xmlns:obo="http://purl.obolibrary.org/obo/" xmlns:oio="http://www.geneontology.org/formats/oboInOwl#"
  xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
  xmlns:dct="http://purl.org/dc/terms/" xmlns:efo="http://www.ebi.ac.uk/efo/" xmlns:sssom="https://w3id.org/sssom/"
  xmlns:ncit="http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#" xmlns:fma="http://purl.org/sig/ont/fma/">
"""


def ontology(body: str, doctype: str = "") -> str:
    """The file with these resources in it."""
    return f'<?xml version="1.0"?>\n{doctype}{HEADER}{body}</rdf:RDF>\n'
