"""Terminologies made of a list of concepts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ontonym.ontology.batch import batches_of
from ontonym.store import build_terminology
from ontonym.types import Concept


class Listed:
    """A release with these concepts."""

    def __init__(self, concepts: Sequence[Concept], name: str, version: str) -> None:
        self.metadata = {"name": name, "version": version}
        self.counts = self
        self.given = concepts

    def to_dict(self) -> dict[str, Any]:
        return {}

    def batches(self) -> Any:
        return batches_of(self.given)


def stored(path: Path, concepts: Sequence[Concept], name: str = "tiny", version: str = "") -> Path:
    build_terminology(Listed(concepts, name, version or str(len(concepts))), path)
    return path
