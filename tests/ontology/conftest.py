from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept


@pytest.fixture
def read(write: Callable[[str, str | bytes], Path]) -> Callable[..., tuple[list[Concept], Release]]:
    def _read(name: str, content: str | bytes, **options: object) -> tuple[list[Concept], Release]:
        release = read_release([write(name, content)], options=ReadOptions(**options))  # type: ignore[arg-type]
        return list(release.concepts()), release

    return _read


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., tuple[dict[str, Concept], Release]]:
    """The concepts by id of resources that lie in a file each."""

    def read(*resources: Any, **options: Any) -> tuple[dict[str, Concept], Release]:
        paths = []
        for number, resource in enumerate(resources):
            paths.append(tmp_path / f"{number}.json")
            paths[-1].write_text(json.dumps(resource, indent=1))
        release = read_release(paths, options=ReadOptions(**options))
        concepts = list(release.concepts())
        by_id = {concept.id: concept for concept in concepts}
        assert len(by_id) == len(concepts)
        return by_id, release

    return read
