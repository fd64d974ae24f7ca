from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ontonym.ontology.batch import Batch, batches_of
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.types import Concept


@dataclass
class Counted:
    rows: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {"read": self.rows}


@dataclass
class ListedRelease:
    """A release whose concepts are given."""

    given: Iterable[Concept]
    metadata: dict[str, str] = field(default_factory=lambda: {"name": "tiny", "version": "2024-01"})
    counts: Counted = field(default_factory=Counted)

    def concepts(self) -> Iterator[Concept]:
        for concept in self.given:
            self.counts.rows += 1
            yield concept

    def batches(self) -> Iterator[Batch]:
        return batches_of(self.concepts())


@pytest.fixture
def release() -> type[ListedRelease]:
    return ListedRelease


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Callable[..., Terminology]]:
    """Builds a terminology of these concepts and opens it; closes what it opened."""
    opened: list[Terminology] = []

    def build(*concepts: Concept, **options: Any) -> Terminology:
        place = tmp_path / f"{len(opened)}.terminology"
        build_terminology(ListedRelease(concepts), place, **options)
        opened.append(open_terminology(place))
        return opened[-1]

    yield build
    for terminology in opened:
        terminology.close()
