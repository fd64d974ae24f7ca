from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from built import SMALL, indexed
from ontonym.index import Index, open_index
from warded import WARD


@pytest.fixture(scope="session")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index that nobody changes, beside its terminology and encoder."""
    return indexed(tmp_path_factory.mktemp("ward"), {"ward.csv": WARD}, SMALL)


@pytest.fixture(scope="session")
def index(ward: Path) -> Iterator[Index]:
    with open_index(ward) as opened:
        yield opened
