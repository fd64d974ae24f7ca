from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Callable
from multiprocessing.context import BaseContext
from pathlib import Path

import pytest
from organs import WORDS

NAMES = tuple(
    f"{where} {what}{how}"
    for where in ("heart", "kidney", "Liver", "retinal", "Café-au-lait", "type 2")
    for what in ("pain", "Failure", "infarction", "neoplasm, malignant", "atrophy")
    for how in ("", " (disorder)", " of the newborn", ", acute", " NOS with very many other words behind it")
)
"""Names of a terminology that nobody has."""


@pytest.fixture
def single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """No encoder computes in bfloat16, whatever the processor can."""
    monkeypatch.setattr("ontonym.encoder.transformer.has_bf16", lambda device: False)


@pytest.fixture(scope="session")
def with_torch() -> BaseContext:
    """Makes processes that need not load torch and transformers: one process does, and they are its forks."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ontonym.learning.encoders.trainer", "ontonym.learning.rerankers.trainer"])
    return context


@pytest.fixture(scope="session")
def tiny_original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transformer encoder of two layers with random weights, as ENCODER folder."""
    pytest.importorskip("sentence_transformers", reason="needs the extra train")
    import torch

    from ontonym.encoder.transformer import save_transformer
    from ontonym.learning.encoders.small import SmallOptions, new_transformer

    torch.set_num_threads(1)
    options = SmallOptions(layers=2, dim=32, heads=2, feedforward=64, vocabulary=300, max_length=24)
    model = new_transformer(NAMES, options, seed=5)
    with torch.no_grad():  # names as far from one another as those of a trained model
        for name, parameter in model.named_parameters():
            parameter.mul_(20 if "word_embeddings" in name else 3 if parameter.ndim > 1 else 1)
    folder = tmp_path_factory.mktemp("tiny") / "tiny.encoder"
    save_transformer(folder, model)
    return folder


@pytest.fixture
def tiny(tiny_original: Path, tmp_path: Path) -> Path:
    """A copy of the tiny transformer encoder, to be changed at will."""
    return Path(shutil.copytree(tiny_original, tmp_path / "tiny.encoder"))


@pytest.fixture
def plain(tiny: Path) -> Path:
    """The same without a manifest: a plain sentence-transformers folder."""
    (tiny / "manifest.json").unlink()
    return tiny


@pytest.fixture(scope="session")
def exported_original(tiny_original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnxruntime", reason="needs the extra onnx")
    pytest.importorskip("onnx", reason="needs the extra onnx")
    from ontonym.learning.encoders.export import export_onnx

    folder = tmp_path_factory.mktemp("exported") / "tiny.encoder"
    export_onnx(tiny_original, folder)
    return folder


@pytest.fixture
def exported(exported_original: Path, tmp_path: Path) -> Path:
    """A copy of the tiny transformer encoder with its ONNX form."""
    return Path(shutil.copytree(exported_original, tmp_path / "exported.encoder"))


@pytest.fixture
def names() -> list[str]:
    return list(NAMES)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Callable[..., Path]) -> Path:
    """What a reranker of organs is trained from."""
    return tiny_bert(tmp_path_factory.mktemp("base") / "bert", [*WORDS, "of", "the"], dropout=0.1)
