from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from built import SMALL, indexed
from ontonym.index import Index, open_index
from pipelines import DRUGS, HUMAN, blank


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index over two terminologies, with an encoder of its own, as the command line makes it."""
    folder = tmp_path_factory.mktemp("spacy")
    indexed(folder, {"human.tsv": HUMAN, "drugs.tsv": DRUGS}, SMALL)
    return folder


@pytest.fixture(scope="session")
def index(made: Path) -> Iterator[Index]:
    with open_index(made / "a.index") as opened:
        yield opened


@pytest.fixture
def pipeline(made: Path) -> Callable[..., Any]:
    """Makes a pipeline with the component, whose config gets these options."""

    def make(**config: Any) -> Any:
        nlp = blank()
        nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), **config})
        return nlp

    return make
