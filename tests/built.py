"""Small terminologies and indexes, built from the text of a release as its files have it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontonym.encoder.static import StaticShape, save_static
from ontonym.index import AddedTerm, Index, IndexOptions, add_terms, build_index, open_index
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology

SMALL = StaticShape(dim=64, word_rows=512, ngram_rows=1024)
ROOMY = StaticShape(dim=256, word_rows=4096, ngram_rows=8192)
"""In so many rows and dimensions, texts that share no word are nearly orthogonal."""


def random_encoder(place: Path, shape: StaticShape = ROOMY, seed: int = 0) -> Path:
    """A static encoder with random weights: texts are as similar as their words and letters are equal."""
    weights = np.random.default_rng(seed).standard_normal((shape.rows, shape.dim), dtype=np.float32)
    save_static(place, weights, shape, {})
    return place


def imported(folder: Path, releases: Mapping[str, str]) -> list[Path]:
    """Writes each file, and imports it as NAME.terminology beside it."""
    made = []
    for name, text in releases.items():
        file = folder / name
        file.write_text(text, encoding="utf-8")
        made.append(file.with_suffix(".terminology"))
        build_terminology(read_release([file]), made[-1])
    return made


def indexed_twice(folder: Path, releases: Mapping[str, str], terms: Sequence[AddedTerm]) -> None:
    """The index plain.index over all of these releases, and the same with added terms as added.index."""
    plain = indexed(folder, releases).rename(folder / "plain.index")
    shutil.copytree(plain, folder / "added.index")
    add_terms(folder / "added.index", terms)


def indexed(folder: Path, releases: Mapping[str, str], shape: StaticShape = ROOMY, *, everyday: bool = False) -> Path:
    """The index a.index over all of these releases, with the random encoder a.encoder."""
    encoder = random_encoder(folder / "a.encoder", shape)
    with ExitStack() as stack:
        terminologies = [stack.enter_context(open_terminology(path)) for path in imported(folder, releases)]
        options = IndexOptions(everyday=everyday)
        build_index(terminologies, folder / "a.index", encoder=encoder, options=options)
    return folder / "a.index"


def index_fixture(releases: Mapping[str, str], shape: StaticShape = ROOMY, *, everyday: bool = False) -> Any:
    """The fixture ``index`` of a test file: the open index over all of these releases, as `indexed` builds it."""

    @pytest.fixture(scope="module")
    def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
        with open_index(indexed(tmp_path_factory.mktemp("index"), releases, shape, everyday=everyday)) as opened:
            yield opened

    return index


def twice_fixtures(releases: Mapping[str, str], terms: Sequence[AddedTerm]) -> tuple[Any, Any, Any]:
    """The fixtures ``folder``, ``index`` and ``added`` of a test file: the indexes of `indexed_twice`, both open."""

    @pytest.fixture(scope="module")
    def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
        made = tmp_path_factory.mktemp("twice")
        indexed_twice(made, releases, terms)
        return made

    @pytest.fixture(scope="module")
    def index(folder: Path) -> Iterator[Index]:
        with open_index(folder / "plain.index") as opened:
            yield opened

    @pytest.fixture(scope="module")
    def added(folder: Path) -> Iterator[Index]:
        with open_index(folder / "added.index") as opened:
            yield opened

    return folder, index, added
