from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from made import opened

from ontonym.store import Terminology
from ontonym.types import Concept


@pytest.fixture
def open_concepts(tmp_path: Path) -> Iterator[Callable[..., list[Terminology]]]:
    """Builds terminologies of lists of concepts and opens them; closes what it opened."""
    with ExitStack() as stack:
        made: list[int] = []

        def build(*releases: Sequence[Concept]) -> list[Terminology]:
            made.append(1)
            folder = tmp_path / str(len(made))
            folder.mkdir()
            return stack.enter_context(opened(folder, *releases))

        yield build
