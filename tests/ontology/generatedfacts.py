"""What the oracles of generated releases share: our facts of concepts, and their comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.types import Concept

Row = dict[str, str]
Facts = dict[str, dict[str, Any]]
FIRST_DAY = "20250101"
GB, US, GERMAN_LANGUAGE = "900000000000508004", "900000000000509007", "de"
FSN, SYNONYM = "900000000000003001", "900000000000013009"
PREFERRED, STATED, IS_A = "900000000000548007", "900000000000010007", "116680003"
WITHOUT_TAG = re.compile(r"\s*\([^()]+\)\s*$")


def ours(paths: Sequence[Path], facts: Callable[[Concept], dict[str, Any]], **options: object) -> Facts:
    release = read_release(paths, options=ReadOptions(**options))  # type: ignore[arg-type]
    return {concept.id: facts(concept) for concept in release.concepts()}


def same(found: Facts, expected: Facts) -> None:
    """Compares fact by fact, so that a difference says which concept and what."""
    assert found.keys() == expected.keys()
    for concept_id, facts in expected.items():
        assert {"id": concept_id, **found[concept_id]} == {"id": concept_id, **facts}
