"""Reader of SNOMED CT as RF2, the release format of SNOMED International and its members.

Specification: https://docs.snomed.org/snomed-ct-specifications/snomed-ct-release-file-specification
"""

from __future__ import annotations

from ontonym.ontology.rf2.files import is_rf2
from ontonym.ontology.rf2.read import read_rf2

__all__ = ["is_rf2", "read_rf2"]
