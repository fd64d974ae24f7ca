from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from milvusserver import MilvusServer, milvus_served, why_not
from postgres import Server, served
from workshop import Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session")
def words() -> Callable[[int, int], list[str]]:
    """Made-up names of one to six words with the skew of real ones: few words often, many seldom."""

    @functools.cache
    def drawn(count: int, seed: int) -> tuple[str, ...]:
        rng = np.random.default_rng(seed)
        syllables = "car di neph ro hep at os ten ul my al gi ar thr lum bo cran sta fem pto ven zu qui".split()
        vocabulary = ["".join(rng.choice(syllables, rng.integers(2, 5))) + "x" for _ in range(900)]
        chances = 1 / np.arange(1, 901)
        chances /= chances.sum()
        sizes = rng.integers(1, 7, count)
        found = iter(rng.choice(vocabulary, sizes.sum(), p=chances).tolist())
        return tuple(" ".join(islice(found, size)) for size in sizes.tolist())

    return lambda count, seed: list(drawn(count, seed))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A PostgreSQL server."""
    with served() as started:
        yield started


@pytest.fixture(scope="module")
def milvus() -> Iterator[MilvusServer]:
    """A Milvus server, where one is installed."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with milvus_served() as started:
        yield started


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the cache of what is opened from a server."""
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ONTONYM_CACHE", str(place))
    return place
