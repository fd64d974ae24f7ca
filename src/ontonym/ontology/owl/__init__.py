"""Reader of OWL 2 ontologies (https://www.w3.org/TR/owl2-overview/), with the annotations that biomedicine uses."""

from __future__ import annotations

from ontonym.ontology.owl.read import read_owl

__all__ = ["read_owl"]
