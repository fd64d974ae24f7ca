"""A reranker: its scores, what it can be trained from, and its figures."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from organs import PAIRS, QUICK, learnable

from ontonym.encoder.rerank import TorchReranker
from ontonym.errors import ArtifactError, InputError
from ontonym.learning.rerankers.groups import CandidateGroup, groups_digest, rerank_figures
from ontonym.learning.rerankers.training import train_reranker

pytestmark = pytest.mark.training


@pytest.fixture(scope="module")
def made(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reranker after a few steps."""
    path = tmp_path_factory.mktemp("made") / "my.reranker"
    train_reranker(learnable(12, 0), base, path, QUICK)
    return path


# Scoring -----------------------------------------------------------------------------------------------------------


def test_scores_are_those_of_a_plain_cross_encoder(made: Path) -> None:
    from sentence_transformers import CrossEncoder

    reranker = TorchReranker.open(made)
    plain = CrossEncoder(str(made), device="cpu", local_files_only=True)
    passages = reranker.passages(PAIRS)
    assert passages[0] == ("heart attack", "heart failure; failure of the heart")
    assert plain.max_seq_length == reranker.tokens == 48
    expected = plain.predict(passages, show_progress_bar=False)
    scores = reranker.score(PAIRS)
    assert np.abs(scores - expected).max() < 1e-5
    assert len(set(scores.round(6).tolist())) == 4
    assert ((scores > 0) & (scores < 1)).all()


def test_threads_share_a_reranker(made: Path) -> None:
    reranker = TorchReranker.open(made)
    asked = [[([f"heart {n} {'x' * 90}"], ["attack", f"failure {n}"])] for n in range(64)]
    expected = [reranker.score(pairs) for pairs in asked]
    again = TorchReranker.open(made)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(again.score, asked))
    assert np.abs(np.concatenate(found) - np.concatenate(expected)).max() < 1e-6


def test_scores_do_not_depend_on_what_is_scored_beside(made: Path) -> None:
    reranker = TorchReranker.open(made)
    alone = np.concatenate([reranker.score([pair]) for pair in PAIRS])
    assert np.abs(reranker.score(PAIRS) - alone).max() < 1e-6
    assert np.abs(reranker.score(PAIRS[::-1], at_once=1)[::-1] - alone).max() < 1e-6
    assert reranker.score([]).shape == (0,)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (([], ["a"]), "pair 0: the query has no alias"),
        ((["a"], []), "pair 0: the candidate has no alias"),
        (("a", ["b"]), "pair 0: the query is the text 'a', but a list"),
    ],
)
def test_pairs_without_aliases_are_refused(made: Path, pair: tuple[list[str], list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TorchReranker.open(made).score([pair])


def test_a_folder_that_is_no_reranker(tmp_path: Path, made: Path, base: Path) -> None:
    with pytest.raises(ArtifactError, match=r"no such reranker; make one with `train_reranker\(\)`"):
        TorchReranker.open(tmp_path / "none")
    with pytest.raises(ArtifactError, match="is not a reranker"):
        TorchReranker.open(base)
    copy = shutil.copytree(made, tmp_path / "copy")
    (copy / "model.safetensors").unlink()
    with pytest.raises(ArtifactError, match=r"model.safetensors is missing; rebuild with `train_reranker\(\)`"):
        TorchReranker.open(copy)


def test_no_device(made: Path) -> None:
    with pytest.raises(InputError, match="device 'gpu7' cannot be used"):
        TorchReranker.open(made, device="gpu7")


# Bases -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("config.json", "file config.json is missing"),
        ("model.safetensors", "file model.safetensors is missing"),
        ("tokenizer.json", "file tokenizer.json .* is missing"),
    ],
)
def test_a_base_with_a_missing_file(base: Path, tmp_path: Path, gone: str, message: str) -> None:
    copy = shutil.copytree(base, tmp_path / "copy")
    (copy / gone).unlink()
    with pytest.raises(ArtifactError, match=message):
        train_reranker(learnable(2, 0), copy, tmp_path / "out", QUICK)


def test_a_base_that_is_pickled_or_broken(base: Path, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="no such folder; give one with a BERT-like model"):
        train_reranker(learnable(2, 0), tmp_path / "none", tmp_path / "out", QUICK)
    pickled = shutil.copytree(base, tmp_path / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ArtifactError, match=r"has its weights in pytorch_model\.bin only"):
        train_reranker(learnable(2, 0), pickled, tmp_path / "out", QUICK)
    broken = shutil.copytree(base, tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ArtifactError, match="cannot be loaded as a cross-encoder"):
        train_reranker(learnable(2, 0), broken, tmp_path / "out", QUICK)
    strange = shutil.copytree(base, tmp_path / "strange")
    config = json.loads((strange / "config.json").read_text())
    remote = {"model_type": "unheard-of", "auto_map": {"AutoConfig": "code.Config"}}
    (strange / "config.json").write_text(json.dumps(config | remote))
    (strange / "code.py").write_text("raise SystemExit('the code of a model folder was run')")
    with pytest.raises(ArtifactError, match="cannot be loaded as a cross-encoder"):
        train_reranker(learnable(2, 0), strange, tmp_path / "out", QUICK)
    assert not (tmp_path / "out").exists()


def test_the_first_module_of_a_sentence_transformers_folder_is_a_base(base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "st"
    shutil.copytree(base, folder / "0_Transformer")
    (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "0_Transformer", "type": "t"}]))
    groups = learnable(4, 0)
    ours = train_reranker(groups, folder, tmp_path / "a", QUICK).manifest
    assert ours.fingerprint == train_reranker(groups, base, tmp_path / "b", QUICK).manifest.fingerprint


def test_a_trained_reranker_is_a_base_and_keeps_its_head(made: Path, tmp_path: Path) -> None:
    train_reranker(learnable(4, 1), made, tmp_path / "next", replace(QUICK, rate=1e-12))
    assert (
        np.abs(TorchReranker.open(tmp_path / "next").score(PAIRS) - TorchReranker.open(made).score(PAIRS)).max() < 1e-6
    )


# Figures -----------------------------------------------------------------------------------------------------------


def test_figures_by_hand() -> None:
    def group(positive: int) -> CandidateGroup:
        return CandidateGroup(("q",), tuple((f"c{number}",) for number in range(12)), positive)

    groups = [group(0), group(1), group(11), group(-1)]
    figures = rerank_figures(groups)
    assert (figures.n, figures.recall_1, figures.recall_10) == (4, 0.25, 0.5)
    assert figures.normalised_1 == pytest.approx(1 / 3)
    assert figures.mrr == pytest.approx((1 + 1 / 2 + 1 / 12) / 4)
    turned = [np.arange(12.0)] * 4  # the last first
    assert rerank_figures(groups, turned).recall_1 == 0.25
    assert rerank_figures(groups, [np.zeros(12)] * 4) == figures  # ties stay as search had them
    assert rerank_figures([]).recall_1 == 0


def test_groups() -> None:
    group = CandidateGroup(("a",), (("b",), ("c",)), 1)
    assert group.teaches
    assert groups_digest([group]) != groups_digest([replace(group, positive=0)])
    with pytest.raises(ValueError, match="the positive is at 2 of 2 candidates"):
        replace(group, positive=2)
    with pytest.raises(ValueError, match="need an alias"):
        replace(group, candidates=((),))
