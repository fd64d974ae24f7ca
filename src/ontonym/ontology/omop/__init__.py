"""Reader of the OMOP Standardized Vocabularies as Athena (https://athena.ohdsi.org) sends them, and of the user's own
SOURCE_TO_CONCEPT_MAP.

Specification: OMOP Common Data Model 5.4, section "Vocabulary Tables" (https://ohdsi.github.io/CommonDataModel/), and
The Book of OHDSI, chapter 5.
"""

from __future__ import annotations

from ontonym.ontology.omop.files import is_omop
from ontonym.ontology.omop.read import read_omop

__all__ = ["is_omop", "read_omop"]
