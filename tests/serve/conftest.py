from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'ontonym[serve]'")

from fhiranimals import ANIMALS, MAP, PETS
from starlette.testclient import TestClient

from ontonym.serve.fhir.engine import Engine
from ontonym.serve.fhir.library import Shelf
from serving import Serving, served_folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tiny.index over tiny.terminology, and other.index over other.terminology."""
    folder = tmp_path_factory.mktemp("served")
    served_folder(folder)
    return folder


@pytest.fixture
def own(built: Path, tmp_path: Path) -> Path:
    """A copy of it, to be written to."""
    shutil.copytree(built, tmp_path / "own")
    return tmp_path / "own"


@pytest.fixture(scope="module")
def served(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a server of both indexes, which nothing writes to."""
    with Serving(built, tmp_path_factory.mktemp("reviews")) as client:
        yield client


@pytest.fixture
def engine() -> Engine:
    """A FHIR engine that has the animals."""
    return Engine([Shelf([ANIMALS, PETS, MAP])])
