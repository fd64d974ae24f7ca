"""A reranker's ONNX forms, and how its scores go together with the confidences of search."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.artifact import read_manifest, verify
from ontonym.encoder import open_reranker
from ontonym.encoder.mixing import WEIGHT, ScoredGroup, best_weight, mixed
from ontonym.encoder.rerank import TorchReranker
from ontonym.encoder.rerank_onnx import OnnxReranker, open_onnx_reranker
from ontonym.errors import ArtifactError, InputError
from ontonym.learning.rerankers.export import compare_forms, export_reranker
from ontonym.learning.rerankers.groups import CandidateGroup
from ontonym.learning.rerankers.options import RerankOptions
from ontonym.learning.rerankers.training import train_reranker

pytestmark = pytest.mark.training

WORDS = "heart lung liver kidney skin attack failure cancer pain stone".split()
QUICK = RerankOptions(epochs=1, batch=4, accumulate=1, rate=1e-3, tokens=32, threads=1, patience=0)


def groups(count: int, seed: int) -> list[CandidateGroup]:
    """Which candidate has the query's first word? Search puts the right one second."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        organs = rng.choice(WORDS[:5], 3, replace=False).tolist()
        candidates = tuple((f"{organ} {rng.choice(WORDS[5:])}", organ) for organ in organs)
        made.append(CandidateGroup((f"{organs[1]} {rng.choice(WORDS[5:])}",), candidates, 1, (0.5, 0.3, 0.1)))
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Callable[..., Path]) -> Path:
    """A reranker with its ONNX forms."""
    folder = tmp_path_factory.mktemp("forms")
    base = tiny_bert(folder / "bert", [*WORDS, "of"])
    trained = train_reranker(groups(60, 1), base, folder / "my.reranker", replace(QUICK, epochs=6), dev=groups(20, 2))
    assert trained.weight is not None
    assert trained.dev is not None
    assert trained.dev.mixed is not None
    export_reranker(folder / "my.reranker")
    return folder / "my.reranker"


PAIRS = [
    (["heart attack"], ["heart failure", "failure of the heart"]),
    (["x"], ["kidney stone", "stone of the kidney", "kidney stones in the left kidney", "renal stone"]),
    (["a very long name " * 20], ["another long name " * 20, "lung"]),
    (["heart"], ["heart"]),
]


def test_float32_gives_the_scores_of_torch(made: Path) -> None:
    torch, onnx = TorchReranker.open(made), open_onnx_reranker(made / "onnx" / "model.onnx")
    assert np.abs(onnx.score(PAIRS) - torch.score(PAIRS)).max() < 1e-5
    alone = np.concatenate([onnx.score([pair]) for pair in PAIRS])
    assert np.abs(onnx.score(PAIRS) - alone).max() < 1e-5
    assert len(set(alone.round(5).tolist())) == 4
    assert onnx.score([]).shape == (0,)
    assert onnx.weight == torch.weight == read_manifest(made, "reranker").content["weight"]
    assert onnx.tokens == torch.tokens == 32


def test_int8_is_near(made: Path) -> None:
    torch, int8 = TorchReranker.open(made), open_onnx_reranker(made / "onnx" / "model_int8.onnx")
    apart = np.abs(int8.score(PAIRS) - torch.score(PAIRS)).max()
    assert 0 < apart < 0.1
    prints = {one.fingerprint for one in (torch, int8, open_onnx_reranker(made / "onnx" / "model.onnx"))}
    assert len(prints) == 3


def test_forms_are_compared_on_groups(made: Path) -> None:
    asked = groups(30, 3)
    torch, float32, int8 = compare_forms(made, asked)
    assert (torch.name, float32.name, int8.name) == ("torch", "float32", "int8")
    assert (torch.strays, torch.farthest, torch.same) == (0, 0, 1)
    assert float32.farthest < 1e-5
    assert float32.same == 1
    assert float32.figures == torch.figures
    assert 0 < int8.strays <= int8.farthest < 0.2
    assert min(form.pairs for form in (torch, float32, int8)) > 0
    with pytest.raises(InputError, match="none was given"):
        compare_forms(made, [])


def test_the_door_opens_the_form_that_is_asked_for(made: Path, tmp_path: Path) -> None:
    assert isinstance(open_reranker(made), OnnxReranker)
    int8 = open_reranker(made / "onnx" / "model_int8.onnx")
    assert int8.fingerprint == open_onnx_reranker(made / "onnx" / "model_int8.onnx").fingerprint
    assert isinstance(open_reranker(made / "model.safetensors"), TorchReranker)
    with pytest.raises(ArtifactError, match="no such reranker"):
        open_reranker(tmp_path / "none")
    with pytest.raises(ArtifactError, match="no such reranker"):
        open_reranker(tmp_path / "none" / "onnx" / "model.onnx")


def test_an_exported_folder_stays_a_reranker_and_can_be_exported_again(made: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made, tmp_path / "copy")
    before = read_manifest(copy, "reranker").content
    export_reranker(copy)
    assert verify(copy, "reranker").content == before
    assert np.abs(TorchReranker.open(copy).score(PAIRS) - TorchReranker.open(made).score(PAIRS)).max() == 0


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda onnx: (onnx / "form.json").write_bytes(b"{}".ljust((onnx / "form.json").stat().st_size)), "lacks 'tok"),
        (lambda onnx: (onnx / "tokenizer.json").unlink(), "tokenizer.json is missing"),
        (lambda onnx: _blank(onnx / "model.onnx"), "model.onnx: damaged"),
        (lambda onnx: _blank(onnx / "tokenizer.json"), "tokenizer.json: damaged"),
    ],
)
def test_damaged_forms(made: Path, tmp_path: Path, spoil: Callable[[Path], object], message: str) -> None:
    copy = shutil.copytree(made, tmp_path / "copy")
    spoil(copy / "onnx")
    with pytest.raises(ArtifactError, match=message):
        open_reranker(copy)


def _blank(file: Path) -> None:
    file.write_bytes(b"?" * file.stat().st_size)


def test_a_form_that_is_not_there_or_is_none(made: Path, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"model_float\.onnx: is missing; write it again with"):
        open_onnx_reranker(made / "onnx" / "model_float.onnx")
    with pytest.raises(ArtifactError, match=r"other\.onnx: is no reranker: takes words"):
        open_onnx_reranker(_other_graph(shutil.copytree(made, tmp_path / "copy") / "onnx" / "other.onnx"))


def _other_graph(file: Path) -> Path:
    """A graph that gives back what it takes."""
    import onnx
    from onnx import TensorProto, helper

    words, same = (helper.make_tensor_value_info(name, TensorProto.INT64, [1]) for name in ("words", "same"))
    graph = helper.make_graph([helper.make_node("Identity", ["words"], ["same"])], "other", [words], [same])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, str(file))
    return file


def test_an_onnx_form_needs_no_torch(made: Path) -> None:
    code = (
        f"import sys; from ontonym.encoder import open_reranker; print(open_reranker({str(made)!r}).score([(['a'], "
        "['b'])]).shape, 'torch' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["(1,)", "False", "False"]


def test_a_reranker_without_a_learned_weight_has_the_stated_one(
    tmp_path: Path, made: Path, tiny_bert: Callable[..., Path]
) -> None:
    plain = [replace(group, confidences=()) for group in groups(8, 1)]
    trained = train_reranker(plain, tiny_bert(tmp_path / "bert", WORDS), tmp_path / "out", QUICK, dev=plain)
    assert trained.weight is None
    assert trained.dev is not None
    assert trained.dev.mixed is None
    assert TorchReranker.open(tmp_path / "out").weight == WEIGHT
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["content"]["weight"] is None


# Confidences and scores --------------------------------------------------------------------------------------------


def test_mixing_by_hand() -> None:
    confidences, scores = np.array([0.6, 0.2]), np.array([0.2, 0.5])  # odds 1/4 and 1
    assert mixed(confidences, scores, 0.0) == pytest.approx(confidences)
    assert mixed(confidences, scores, 1.0) == pytest.approx(np.array([0.15, 0.2]) / 0.35 * 0.8)
    assert mixed(confidences, scores, 0.5) == pytest.approx(np.array([0.3, 0.2]) / 0.5 * 0.8)
    assert mixed(np.array([0.9, 0.9]), np.array([0.5, 0.5]), 1.0) == pytest.approx([0.5, 0.5])  # together at most 1
    assert mixed(np.zeros(0), np.zeros(0), 1.0).shape == (0,)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8), st.floats(0, 50)
)  # fmt: skip
def test_mixed_confidences_are_confidences(pairs: list[tuple[float, float]], weight: float) -> None:
    confidences, scores = (np.array(part) for part in zip(*pairs, strict=True))
    found = mixed(confidences, scores, weight)
    assert ((found >= 0) & (found <= 1)).all()
    assert found.sum() == pytest.approx(min(confidences.sum(), 1))


def test_the_best_weight() -> None:
    helps = ScoredGroup(np.array([0.5, 0.4]), np.array([0.1, 0.9]), 1)
    harms = ScoredGroup(np.array([0.5, 0.4]), np.array([0.1, 0.9]), 0)
    unread = ScoredGroup(np.array([0.5, 0.4]), np.array([0.1, 0.9]), -1)
    assert best_weight([helps, unread]) == 2
    assert best_weight([harms]) == 0
    weight = best_weight([helps, helps, harms])
    assert weight is not None
    # Likeliest where the odds of the two are as often right: ln(4/5) + w ln 81 = ln 2, so w = 0.209.
    assert weight == pytest.approx(0.209, abs=0.026)
    assert best_weight([unread]) is None
    assert best_weight([]) is None
