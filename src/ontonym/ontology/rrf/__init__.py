"""Reader of the Rich Release Format: the UMLS Metathesaurus and RxNorm, as the National Library of Medicine sends them.

Specification: UMLS Reference Manual, chapter 3 (https://www.ncbi.nlm.nih.gov/books/NBK9685/), and RxNorm's technical
documentation.
"""

from __future__ import annotations

from ontonym.ontology.rrf.files import is_rrf
from ontonym.ontology.rrf.read import read_rrf

__all__ = ["is_rrf", "read_rrf"]
