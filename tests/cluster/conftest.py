from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from built import SMALL, indexed
from ontonym.cli import main
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


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs ``ontonym`` with arguments, in this process."""
    return lambda *arguments: CliRunner().invoke(main, [str(one) for one in arguments])
