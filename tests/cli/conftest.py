from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ontonym.cli import main
from ontonym.encoder.static import StaticShape, save_static

OBO = """format-version: 1.2
data-version: 2024-01-01
ontology: tiny

[Term]
id: T:1
name: Phenotypic abnormality

[Term]
id: T:2
name: Abnormality of the heart
is_a: T:1

[Term]
id: T:3
name: Myocardial infarction
synonym: "Heart attack" EXACT layperson []
synonym: "Cardiac infarct" EXACT []
is_a: T:2

[Term]
id: T:4
name: Palpitations
synonym: "Skipped heart beats" EXACT layperson []
synonym: "Missed beats" EXACT []
is_a: T:2

[Term]
id: T:5
name: Fever
synonym: "Pyrexia" EXACT []
synonym: "Raised body temperature" EXACT []
is_a: T:1

[Term]
id: T:6
name: Seizure
synonym: "Fits" EXACT layperson []
synonym: "Epileptic seizure" EXACT []
is_a: T:1

[Term]
id: T:9
name: obsolete Dropsy
is_obsolete: true
"""

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path_factory.mktemp("own") / "cache"
    monkeypatch.setenv("ONTONYM_CACHE", str(cache))
    monkeypatch.delenv("ONTONYM_DEBUG", raising=False)
    return cache


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that are not folded, however long the paths of the temporary folders are."""
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static encoder with random weights: equal words get equal vectors, which is enough here."""
    path = tmp_path_factory.mktemp("encoder") / "tiny.encoder"
    shape = StaticShape(dim=16, word_rows=64, ngram_rows=64)
    weights = np.random.default_rng(0).standard_normal((shape.rows, shape.dim)).astype(np.float32)
    save_static(path, weights, shape, {})
    return path


@pytest.fixture
def run() -> Run:
    def invoke(*arguments: object, input: str | None = None) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=input)

    return invoke


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, encoder: Path) -> Path:
    """A folder with tiny.obo, and tiny.terminology and tiny.index made from it."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.obo").write_text(OBO)
    for arguments in (
        ["import", folder / "tiny.obo", "-o", folder / "tiny.terminology"],
        ["index", folder / "tiny.terminology", "--no-everyday", "--encoder", encoder, "-o", folder / "tiny.index"],
    ):
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def terminology(tiny: Path) -> Path:
    return tiny / "tiny.terminology"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "made.encoder"


@pytest.fixture(scope="session")
def trainable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a BERT-like model with random weights, as sentence-transformers writes it."""
    pytest.importorskip("sentence_transformers")
    from ontonym.learning.encoders.small import SmallOptions, new_transformer

    folder = tmp_path_factory.mktemp("model") / "bert"
    names = ["heart attack", "skipped heart beats", "raised body temperature", "epileptic seizure"]
    new_transformer(names, SmallOptions(layers=1, dim=8, heads=2, feedforward=16, vocabulary=200)).save(str(folder))
    return folder
