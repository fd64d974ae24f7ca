"""Rerankers in training: what is learned, what is refused, and trainings that go on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from organs import PAIRS, QUICK, WORDS, learnable

from ontonym.artifact import read_manifest
from ontonym.encoder.rerank import TorchReranker
from ontonym.errors import InputError, MismatchError, UnknownNameError
from ontonym.learning.rerankers.groups import CandidateGroup, rerank_figures
from ontonym.learning.rerankers.options import RerankOptions, RerankStep
from ontonym.learning.rerankers.training import TrainedReranker, checkpoint_folder, train_reranker

pytestmark = pytest.mark.training


# Training ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["passage-pair", "listwise"])
def test_it_learns_what_can_be_learned(base: Path, tmp_path: Path, loss: str) -> None:
    train, dev, test = learnable(300, 1), learnable(60, 2), learnable(60, 3)
    steps: list[RerankStep] = []
    options = RerankOptions(loss=loss, epochs=6, batch=8, accumulate=2, rate=3e-3, tokens=48, threads=1, patience=0)
    made = train_reranker(train, base, tmp_path / "out", options, dev=dev, test=test, report=steps.append)
    assert made.dev is not None and made.test is not None
    assert made.dev.search == rerank_figures(dev)
    assert made.dev.search.recall_1 < 0.5
    assert made.dev.reranked.recall_1 >= 0.9
    assert made.test.reranked.recall_1 >= 0.85
    assert steps[-1].loss < steps[0].loss / 2
    assert (steps[-1].step, steps[-1].steps) == (made.steps, 228)
    judged = [row["recall_1"] for row in made.history if "recall_1" in row]
    assert len(judged) == 7  # before the first step, and after each epoch
    assert max(judged) == made.dev.reranked.recall_1
    scores = TorchReranker.open(tmp_path / "out").score([(dev[0].query, candidate) for candidate in dev[0].candidates])
    assert int(scores.argmax()) == dev[0].positive
    content = read_manifest(tmp_path / "out", "reranker").content
    assert content["training"]["loss"] == loss
    assert content["test"]["reranked"]["n"] == 60


def test_the_loss_is_rahimis(base: Path, tmp_path: Path) -> None:
    """Section 3.2, over one positive and its negatives, the mean over the groups; candidates may differ in number."""
    dropless = tmp_path / "dropless"
    shutil.copytree(base, dropless)
    config = json.loads((dropless / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (dropless / "config.json").write_text(json.dumps(config))
    groups = learnable(3, 5)
    groups[1] = CandidateGroup(groups[1].query, (groups[1].candidates[0], ("bone",), *groups[1].candidates[1:]), 0)
    groups[2] = CandidateGroup(groups[2].query, groups[2].candidates[:2], 1)
    tiny = replace(QUICK, batch=3, rate=1e-12)
    for accumulate in (1, 2):
        made = train_reranker(groups, dropless, tmp_path / "out", replace(tiny, accumulate=accumulate))
        reranker = TorchReranker.open(tmp_path / "out")
        expected = 0.0
        for group in groups:
            for place, candidate in enumerate(group.candidates):
                (f,) = reranker.score([(group.query, candidate)])
                expected -= float(np.log(f if place == group.positive else 1 - f))
        assert made.history == [{"step": 1, "loss": pytest.approx(expected / 3, abs=1e-5)}]


def test_wrong_candidates_are_drawn_from_all_at_first_and_from_the_foremost_at_last() -> None:
    from ontonym.learning.rerankers.trainer import GroupSteps

    wrong = [f"wrong{number}" for number in range(20)]
    groups = [CandidateGroup(("heart",), tuple((name,) for name in [*wrong[:5], "right", *wrong[5:]]), 5)] * 40
    steps = GroupSteps(groups, replace(QUICK, epochs=2, batch=2, negatives=3))
    read: list[list[str]] = []
    for group in (group for step in range(len(steps)) for group in steps[step]["groups"]):
        assert group.candidates[group.positive] == ("right",)
        names = [candidate[0] for place, candidate in enumerate(group.candidates) if place != group.positive]
        assert len(set(names) & set(wrong)) == len(names) == 3
        read.append(names)
    assert len(read) == 80
    assert max(wrong.index(name) for names in read[:20] for name in names) >= 17
    assert max(wrong.index(name) for names in read[40:44] for name in names) <= 9
    assert read[-1] == wrong[:3]


def test_parts_of_a_step_give_the_same_gradient(base: Path, tmp_path: Path, tiny_bert: Callable[..., Path]) -> None:
    still = tiny_bert(tmp_path / "still", WORDS)
    groups = learnable(8, 0)
    scores = []
    for accumulate, at_once in ((1, 10_000), (3, 50), (8, 1)):
        options = replace(QUICK, batch=8, accumulate=accumulate, at_once=at_once, epochs=3)
        train_reranker(groups, still, tmp_path / "out", options)
        scores.append(TorchReranker.open(tmp_path / "out").score(PAIRS))
    assert np.abs(scores[0] - scores[1]).max() < 1e-5
    assert np.abs(scores[0] - scores[2]).max() < 1e-5


def test_equal_input_gives_equal_rerankers(base: Path, tmp_path: Path) -> None:
    first, again, other = (
        train_reranker(learnable(12, 0), base, tmp_path / name, replace(QUICK, seed=seed)).manifest.fingerprint
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert first == again != other


def test_training_leaves_torchs_threads_as_they_were(base: Path, tmp_path: Path) -> None:
    import torch

    before = torch.get_num_threads()
    train_reranker(learnable(2, 0), base, tmp_path / "a", replace(QUICK, threads=before + 1))
    assert torch.get_num_threads() == before


def test_no_better_on_dev_stops_early_and_keeps_the_best(base: Path, tmp_path: Path) -> None:
    dev = [CandidateGroup(group.query, group.candidates[:1], 0) for group in learnable(4, 2)]  # nothing to be better at
    options = replace(QUICK, epochs=50, patience=2, every=1)
    made = train_reranker(learnable(12, 0), base, tmp_path / "out", options, dev=dev)
    assert (made.stopped, made.steps, made.best_step) == ("no better on dev", 2, 0)
    still = train_reranker(learnable(4, 0), base, tmp_path / "still", replace(QUICK, rate=1e-12))
    assert still.stopped == "done"
    assert (
        np.abs(
            TorchReranker.open(tmp_path / "out").score(PAIRS) - TorchReranker.open(tmp_path / "still").score(PAIRS)
        ).max()
        < 1e-6
    )


def test_a_loss_that_is_no_number(base: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the loss became (nan|inf) at step \d+: lower the learning rate"):
        train_reranker(learnable(40, 0), base, tmp_path / "out", replace(QUICK, rate=1e30, clip=0, warmup=0))
    assert not (tmp_path / "out").exists()


def test_nothing_to_learn(base: Path, tmp_path: Path) -> None:
    groups = [CandidateGroup(("a",), (("b",),), 0), CandidateGroup(("a",), (("b",), ("c",)), -1)]
    with pytest.raises(InputError, match="no group has a right and a wrong candidate"):
        train_reranker(groups, base, tmp_path / "out", QUICK)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"loss": "pairwise"}, UnknownNameError, "ranking loss 'pairwise'.*listwise, passage-pair"),
        ({"precision": "fp8"}, UnknownNameError, "precision 'fp8'.*bf16, float32"),
        ({"batch": 0}, InputError, "`batch=` must be at least 1, not 0"),
        ({"seed": -1}, InputError, "`seed=` must be between 0 and 4294967295, not -1"),
        ({"clip": -1.0}, InputError, "`clip=` must be at least 0, not -1"),
        ({"rate": 0.0}, InputError, "`epochs=` and `rate=` must be above 0"),
        ({"warmup": 1.0}, InputError, "`warmup=` from 0 to below 1"),
    ],
)
def test_wrong_options(wrong: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        RerankOptions(**wrong)  # type: ignore[arg-type]


def test_more_tokens_than_the_model_reads(base: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"500 tokens for a pair: .* reads 16 to 96; choose `tokens=` among them"):
        train_reranker(learnable(2, 0), base, tmp_path / "out", replace(QUICK, tokens=500))


# Going on ----------------------------------------------------------------------------------------------------------

GOING_ON = replace(QUICK, epochs=4, every=2)  # 12 steps, judged and kept after every second


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}


@pytest.fixture(scope="module")
def whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainedReranker]:
    """A training with dev that was never stopped, and where it lies."""
    output = tmp_path_factory.mktemp("whole") / "whole"
    return output, train_reranker(learnable(12, 0), base, output, GOING_ON, dev=learnable(5, 9))


def dies(die_at: int, base: Path, output: Path, resume: bool) -> None:
    """Trains, and kills this process before a step."""
    from ontonym.learning.rerankers.trainer import RerankTrainer

    learn = RerankTrainer.learn

    def learn_and_die(self: RerankTrainer, *given: Any) -> Any:
        if self.state.global_step == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return learn(self, *given)

    RerankTrainer.learn = learn_and_die  # type: ignore[method-assign]
    train_reranker(learnable(12, 0), base, output, GOING_ON, dev=learnable(5, 9), resume=resume)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
def test_after_kill_9_it_ends_as_if_never_stopped(
    base: Path, tmp_path: Path, whole: tuple[Path, TrainedReranker], with_torch: BaseContext
) -> None:
    place, made = whole
    output = tmp_path / "cut"
    for round_, die_at in enumerate((3, 8)):
        process = with_torch.Process(target=dies, args=(die_at, base, output, round_ > 0))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert checkpoint_folder(output).exists()
        assert not output.exists()
    resumed = train_reranker(learnable(12, 0), base, output, GOING_ON, dev=learnable(5, 9), resume=True)
    assert resumed.manifest.fingerprint == made.manifest.fingerprint
    assert files(output) == files(place)
    assert (resumed.history, resumed.best_step) == (made.history, made.best_step)
    assert not checkpoint_folder(output).exists()


def interrupted(
    base: Path, output: Path, options: RerankOptions, dev: Sequence[CandidateGroup] = (), at: int = 4, **more: bool
) -> None:
    """Trains until the first report from a step on, which comes before its checkpoint."""

    def stop(step: RerankStep) -> None:
        if step.step >= at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_reranker(learnable(12, 0), base, output, options, dev=dev, report=stop, **more)


def test_from_every_checkpoint_it_ends_the_same(
    base: Path, tmp_path: Path, whole: tuple[Path, TrainedReranker]
) -> None:
    for at in (4, 6, 8, 10, 12):
        interrupted(base, tmp_path / "cut", GOING_ON, learnable(5, 9), at, resume=at > 4)
        found = sorted(place.name for place in checkpoint_folder(tmp_path / "cut").glob("checkpoint-*"))
        assert f"checkpoint-{at - 2}" in found
        assert len(found) <= 2
    resumed = train_reranker(learnable(12, 0), base, tmp_path / "cut", GOING_ON, dev=learnable(5, 9), resume=True)
    assert files(tmp_path / "cut") == files(whole[0])
    assert resumed.history == whole[1].history


def test_patience_goes_on_where_it_was_and_the_base_may_be_the_best(base: Path, tmp_path: Path) -> None:
    dev = [CandidateGroup(group.query, group.candidates[:1], 0) for group in learnable(4, 2)]  # nothing to be better at
    options = replace(QUICK, epochs=50, patience=3, every=1)
    whole = train_reranker(learnable(12, 0), base, tmp_path / "whole", options, dev=dev)
    assert (whole.stopped, whole.steps, whole.best_step) == ("no better on dev", 3, 0)
    interrupted(base, tmp_path / "cut", options, dev, at=3)
    resumed = train_reranker(learnable(12, 0), base, tmp_path / "cut", options, dev=dev, resume=True)
    assert (resumed.stopped, resumed.steps, resumed.best_step) == ("no better on dev", 3, 0)
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


def test_a_checkpoint_of_another_training_is_refused(base: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    interrupted(base, output, GOING_ON)
    with pytest.raises(MismatchError, match=r"of another training \(differing in training.rate\)"):
        train_reranker(learnable(12, 0), base, output, replace(GOING_ON, rate=2e-3), resume=True)
    with pytest.raises(MismatchError, match=r"differing in groups\)"):
        train_reranker(learnable(12, 1), base, output, GOING_ON, resume=True)
    with pytest.raises(MismatchError, match=r"differing in dev\)"):
        train_reranker(learnable(12, 0), base, output, GOING_ON, dev=learnable(2, 0), resume=True)
    fresh = train_reranker(learnable(12, 0), base, output, GOING_ON)  # without --resume it begins anew
    assert fresh.steps == 12


@pytest.fixture(scope="module")
def cut_short(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where a training without dev was interrupted, and the fingerprint that it has at its end."""
    folder = tmp_path_factory.mktemp("cut_short")
    whole = train_reranker(learnable(12, 0), base, folder / "whole", GOING_ON)
    interrupted(base, folder / "out", GOING_ON, at=6)
    return folder / "out", whole.manifest.fingerprint


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.pt", "trainer_state.json"])
def test_a_damaged_checkpoint_is_passed_over(
    base: Path, tmp_path: Path, cut_short: tuple[Path, str], name: str
) -> None:
    output = tmp_path / "out"
    shutil.copytree(checkpoint_folder(cut_short[0]), checkpoint_folder(output))
    file = checkpoint_folder(output) / "checkpoint-4" / name
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    told: list[RerankStep] = []
    resumed = train_reranker(learnable(12, 0), base, output, GOING_ON, resume=True, report=told.append)
    assert told[0].step == 4
    assert resumed.manifest.fingerprint == cut_short[1]


def test_a_checkpoint_that_cannot_be_written(base: Path, tmp_path: Path) -> None:
    checkpoint_folder(tmp_path / "out").write_text("no folder")
    with pytest.raises(InputError, match=r"checkpoints cannot be kept there: .*`output=` another place"):
        train_reranker(learnable(4, 0), base, tmp_path / "out", QUICK)
    assert [path.name for path in tmp_path.iterdir()] == ["out.checkpoint"]


def test_the_named_device_is_the_one_that_is_used(base: Path, tmp_path: Path) -> None:
    from ontonym.encoder.crossmodel import CrossModel
    from ontonym.learning.rerankers.trainer import RerankTrainer

    options = replace(QUICK, device="meta")
    trainer = RerankTrainer(CrossModel.load(base, device="meta"), learnable(4, 0), [], options, tmp_path / "work", None)
    devices = {parameter.device.type for parameter in trainer.model.parameters()}
    assert devices == {trainer.args.device.type, trainer.accelerator.device.type} == {"meta"}
