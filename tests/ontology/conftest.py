from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
