"""The terminology on disk: built once from a reader's stream, opened read-only by everything else."""

from __future__ import annotations

from ontonym.ontology.batch import Coded
from ontonym.store.build import build_terminology
from ontonym.store.hierarchy import Hierarchy
from ontonym.store.open import Terminology, open_terminology

__all__ = ["Coded", "Hierarchy", "Terminology", "build_terminology", "open_terminology"]
