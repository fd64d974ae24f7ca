from __future__ import annotations

import errno
import importlib
import math
import os
import signal
import sys
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontonym.encoder.static import StaticEncoder, StaticShape, open_static
from ontonym.errors import ArtifactError, InputError
from ontonym.learning.encoders.bases import Base
from ontonym.learning.encoders.datasets import Dataset, ExampleDataset, dev_accuracy, dev_questions, planned_steps
from ontonym.learning.encoders.losses import LossOptions
from ontonym.learning.encoders.options import Trained, TrainOptions, TrainStep
from ontonym.learning.encoders.train import estimate, train_encoder
from ontonym.learning.recipes import Examples, Texts
from ontonym.text.strings import Strings

pytestmark = pytest.mark.training

pytest.importorskip("torch")
pytest.importorskip("transformers")

SHAPE = StaticShape(dim=32, word_rows=1024, ngram_rows=2048)
OPTIONS = TrainOptions(
    steps=60, batch=64, rate=1e-2, warmup=0.0, decay=0.0, clip=0.0, neighbours=0, threads=1, every=60
)
LOSS = LossOptions(temperature=0.08)


def dataset(count: int = 40, dev: int = 0) -> ExampleDataset:
    """Concepts of two names that share no group of letters: only training can bring them together."""
    codes = ["".join("bcdfghjklm"[int(digit)] for digit in f"{number:03d}") for number in range(count)]
    names = [name for code in codes for name in (f"{code}osis", f"{code[::-1]}algia of {code}")]
    concepts = np.repeat(np.arange(count, dtype=np.int32), 2)
    texts = Texts(Strings.of(names), concepts, concepts, np.arange(2 * count, dtype=np.int32))
    table = np.arange(2 * count, dtype=np.int32).reshape(-1, 2)
    return ExampleDataset(Examples(texts, {"train": table[dev:], "dev": table[:dev]}, {"recipe": "made up"}))


def trained(
    place: Path,
    options: TrainOptions = OPTIONS,
    given: Dataset | None = None,
    base: Base | None = None,
    loss: LossOptions = LOSS,
    **more: object,
) -> tuple[StaticEncoder, Trained]:
    given = given or dataset()
    trainable = (base or Base("none", SHAPE)).trainable(given.texts.texts, seed=options.seed, dropout=0.0)
    done = train_encoder(trainable, [given], options, loss, work=place / "work", **more)  # type: ignore[arg-type]
    trainable.save(place / "an.encoder", {})
    return open_static(place / "an.encoder"), done


@pytest.fixture(scope="module")
def once_trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[TrainStep]]:
    """The encoder of the usual training, and what it reported."""
    folder, told = tmp_path_factory.mktemp("once"), []
    trained(folder, report=told.append)
    return folder / "an.encoder", told


def test_same_seed_gives_the_same_weights_to_the_bit(
    tmp_path: Path, once_trained: tuple[Path, list[TrainStep]]
) -> None:
    assert trained(tmp_path)[0].fingerprint == open_static(once_trained[0]).fingerprint


def test_another_seed_gives_other_weights(tmp_path: Path) -> None:
    few = replace(OPTIONS, steps=2)
    first, second = (trained(tmp_path / str(seed), replace(few, seed=seed))[0] for seed in (0, 1))
    assert first.fingerprint != second.fingerprint


def test_loss_falls_and_every_report_counts_on(once_trained: tuple[Path, list[TrainStep]]) -> None:
    told = once_trained[1]
    assert [(step.step, step.steps) for step in told] == [(20, 60), (40, 60), (60, 60)]
    assert told[-1].loss < told[0].loss / 2
    assert told[-1].left == 0


def test_names_of_a_concept_come_together_and_misspelled_ones_with_them(
    once_trained: tuple[Path, list[TrainStep]],
) -> None:
    encoder = open_static(once_trained[0])
    names = dataset().texts.texts.tolist()
    left, right = encoder.encode(names[::2]), encoder.encode(names[1::2])
    assert ((left @ right.T).argmax(axis=1) == np.arange(40)).mean() > 0.9
    misspelled = encoder.encode([name.replace("osis", "osiss") for name in names[::2]])
    assert ((misspelled @ left.T).argmax(axis=1) == np.arange(40)).mean() > 0.8


def test_training_onward_starts_from_the_base(tmp_path: Path, once_trained: tuple[Path, list[TrainStep]]) -> None:
    base, scratch = once_trained
    onward = Base(str(base))
    same, _ = trained(tmp_path / "same", replace(OPTIONS, steps=1, rate=0.0), base=onward)
    assert same.fingerprint == open_static(base).fingerprint
    told: list[TrainStep] = []
    trained(tmp_path / "on", replace(OPTIONS, steps=20), base=onward, report=told.append)
    assert told[0].loss < scratch[0].loss / 2


@pytest.mark.parametrize("change", [{"neighbours": 3}, {"accumulate": 2}, {"at_once": 30}])
def test_a_training_that_went_on_ends_as_one_that_was_never_stopped(tmp_path: Path, change: dict[str, int]) -> None:
    options = replace(OPTIONS, batch=16, steps=24, every=8, **change)
    whole, _ = trained(tmp_path / "whole", options)

    class Stop(Exception):
        pass

    def stop(step: TrainStep) -> None:
        if step.step == 16:
            raise Stop

    with pytest.raises(Stop):
        trained(tmp_path / "stopped", options, report=stop)
    assert [file.name for file in (tmp_path / "stopped" / "work").glob("checkpoint-*")] == ["checkpoint-8"]
    told: list[TrainStep] = []
    again, done = trained(tmp_path / "stopped", options, resume=True, report=told.append)
    assert told[0].step == 16
    assert done.steps == 24
    assert again.fingerprint == whole.fingerprint


def test_a_checkpoint_that_was_cut_short_is_passed_over(tmp_path: Path) -> None:
    options = replace(OPTIONS, batch=16, steps=24, every=8)
    whole, _ = trained(tmp_path / "whole", options)
    work = tmp_path / "whole" / "work"
    assert sorted(file.name for file in work.glob("checkpoint-*")) == ["checkpoint-16", "checkpoint-24"]
    (work / "checkpoint-24" / "trainer_state.json").write_text("{", encoding="utf-8")
    told: list[TrainStep] = []
    again, _ = trained(tmp_path / "whole", options, resume=True, report=told.append)
    assert [step.step for step in told] == [24]
    assert again.fingerprint == whole.fingerprint


def test_pieces_give_the_gradient_of_the_whole(tmp_path: Path) -> None:
    options = replace(OPTIONS, steps=3, batch=30)
    whole, _ = trained(tmp_path / "whole", options)
    pieces, _ = trained(tmp_path / "pieces", replace(options, at_once=7))
    texts = dataset().texts.texts.tolist()
    assert pieces.encode(texts) == pytest.approx(whole.encode(texts), abs=2e-3)  # int8 rounding


def test_dev_is_judged_and_training_stops_when_it_gets_no_better(tmp_path: Path) -> None:
    options = replace(OPTIONS, steps=200, every=5, rate=1e-5, patience=2)
    told: list[TrainStep] = []
    _, done = trained(tmp_path, options, dataset(dev=10), report=told.append)
    assert done.stopped == "no better on dev"
    assert done.steps < 200
    assert done.kept_step <= done.steps - 2 * 5
    assert told[-1].dev == done.history[-1].get("eval_accuracy", told[-1].dev)


def test_patience_is_counted_on_after_a_stop(tmp_path: Path) -> None:
    options = replace(OPTIONS, steps=200, every=5, rate=1e-5, patience=3)
    whole, first = trained(tmp_path / "whole", options, dataset(dev=10))
    assert first.stopped == "no better on dev"

    class Stop(Exception):
        pass

    def stop(step: TrainStep) -> None:
        if step.step == first.steps:  # the last of the judgements without a better figure
            raise Stop

    with pytest.raises(Stop):
        trained(tmp_path / "cut", options, dataset(dev=10), report=stop)
    for _ in range(2):  # then once more, when it had stopped already
        again, done = trained(tmp_path / "cut", options, dataset(dev=10), resume=True)
        assert (done.steps, done.kept_step, done.stopped) == (first.steps, first.kept_step, first.stopped)
        assert (done.dev, done.history) == (first.dev, first.history)
        assert again.fingerprint == whole.fingerprint
    (tmp_path / "cut" / "work" / f"checkpoint-{first.kept_step}" / "model.safetensors").write_bytes(b"")
    with pytest.raises(ArtifactError, match="work to begin anew"):
        trained(tmp_path / "cut", options, dataset(dev=10), resume=True)


def test_dev_accuracy_counts_the_nearest_name_that_is_not_spelled_alike() -> None:
    names = ["heart attack", "Heart attack", "cardiac infarct", "asthma"]
    concepts = np.array([0, 0, 0, 1], dtype=np.int32)
    texts = Texts(Strings.of(names), concepts, concepts, np.array([0, 0, 1, 2], dtype=np.int32))
    vectors = np.array([[1, 0], [1, 0], [0.6, 0.8], [0.8, 0.6]], dtype=np.float32)
    asked = np.array([0, 2])
    found = dev_accuracy(asked, np.arange(4), vectors[asked], vectors, texts)
    assert found == 0.0  # asthma is nearer to both than another name of the heart attack
    vectors[3] = [0.0, -1.0]
    assert dev_accuracy(asked, np.arange(4), vectors[asked], vectors, texts) == 1.0


def test_dev_questions_are_bounded_and_alike_each_time() -> None:
    options = replace(OPTIONS, dev_queries=4, dev_names=20)
    queries, names = dev_questions(dataset(dev=10), options)
    assert len(queries) == 4
    assert set(queries % 2) == {0}
    assert len(names) == 20
    assert set(queries + 1) <= set(names)
    again = dev_questions(dataset(dev=10), options)
    assert [part.tolist() for part in again] == [queries.tolist(), names.tolist()]


def test_nothing_to_train_on_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to train on"):
        trained(tmp_path, given=dataset(0))


def test_a_loss_that_is_no_number_stops_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lower the learning rate"):
        trained(tmp_path, replace(OPTIONS, rate=1e30, steps=20), loss=LossOptions(similarity="dot", temperature=1.0))


@pytest.mark.parametrize("writer", ["torch", "safetensors.torch"])
def test_a_full_disk_stops_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str) -> None:
    from safetensors import SafetensorError

    def full(*_: object, **__: object) -> None:
        reason = os.strerror(errno.ENOSPC)
        raise OSError(errno.ENOSPC, reason) if writer == "torch" else SafetensorError(reason)

    monkeypatch.setattr(importlib.import_module(writer), "save" if writer == "torch" else "save_file", full)
    with pytest.raises(InputError, match=r"No space left.*`resume=`"):
        trained(tmp_path, replace(OPTIONS, steps=4, every=2))
    assert list((tmp_path / "work").iterdir()) == []


def test_a_loss_that_is_no_number_says_where_the_last_good_state_lies(tmp_path: Path) -> None:
    from ontonym.learning.trainer import check_finite

    trained(tmp_path, replace(OPTIONS, steps=4, every=2))
    check_finite(1.5, 3, tmp_path)
    with pytest.raises(InputError, match=r"became nan at step 12: lower the learning rate.*No checkpoint"):
        check_finite(math.nan, 12, tmp_path)
    with pytest.raises(InputError, match=rf"became inf at step 5: .*lies in {tmp_path}/work/checkpoint-4"):
        check_finite(math.inf, 5, tmp_path / "work")


def test_too_little_memory_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from ontonym.learning.encoders.trainer import EncoderTrainer

    def full(*_: object) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(EncoderTrainer, "learn", full)
    with pytest.raises(InputError, match=r"too little memory for this batch: give `at_once=`"):
        trained(tmp_path, replace(OPTIONS, steps=4))


def test_estimate_counts_steps_as_training_does() -> None:
    options = replace(OPTIONS, steps=0, epochs=3.0, batch=16)
    given = dataset(40)
    trainable = Base("none", SHAPE).trainable(given.texts.texts, seed=0, dropout=0.0)
    found = estimate(trainable, [given], options, LossOptions())
    assert found.steps == planned_steps(given, options) == 9
    assert found.examples == 40
    assert found.epochs == pytest.approx(9 * 16 / 40)
    assert found.checkpoint > SHAPE.rows * SHAPE.dim * 4
    assert found.seconds > 0
    assert found.peak > 10_000_000


def test_two_lessons_are_learned_side_by_side(tmp_path: Path) -> None:
    first, second = dataset(40), dataset(60)
    trainable = Base("none", SHAPE).trainable(first.texts.texts, seed=0, dropout=0.0)
    options = replace(OPTIONS, steps=200)
    train_encoder(trainable, [first, second], options, LossOptions(), work=tmp_path / "work", weights=(1.0, 0.5))
    trainable.save(tmp_path / "an.encoder", {})
    encoder = open_static(tmp_path / "an.encoder")
    names = second.texts.texts.tolist()[80:]  # concepts that only the second dataset has
    left, right = encoder.encode(names[::2]), encoder.encode(names[1::2])
    assert ((left @ right.T).argmax(axis=1) == np.arange(20)).mean() > 0.9


def test_threads_of_torch_are_as_they_were(tmp_path: Path) -> None:
    import torch

    before = torch.get_num_threads()
    trained(tmp_path, replace(OPTIONS, steps=1, threads=1))
    assert torch.get_num_threads() == before


def trained_and_told(place: Path, told: Connection) -> None:
    """The long training, which tells each step that it reports."""
    trained(place, replace(OPTIONS, **LONG), report=lambda step: told.send(step.step))


LONG: dict[str, Any] = {"steps": 240, "batch": 16, "every": 50}


@pytest.fixture(scope="module")
def never_stopped(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The fingerprint of what the long training gives."""
    return trained(tmp_path_factory.mktemp("whole"), replace(OPTIONS, **LONG))[0].fingerprint


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_killed_and_gone_on_gives_the_same_encoder(
    tmp_path: Path, never_stopped: str, with_torch: BaseContext, sent: signal.Signals
) -> None:
    steps, told_there = with_torch.Pipe(duplex=False)
    stopped = with_torch.Process(target=trained_and_told, args=(tmp_path, told_there))
    stopped.start()
    told_there.close()
    while steps.recv() != 120:  # EOFError: training ended before it could be stopped
        pass
    time.sleep(0.01)
    os.kill(stopped.pid, sent)
    stopped.join()
    assert stopped.exitcode != 0
    assert not (tmp_path / "an.encoder").exists()
    told: list[TrainStep] = []
    again, _ = trained(tmp_path, replace(OPTIONS, **LONG), resume=True, report=told.append)
    assert told[0].step > 100
    assert again.fingerprint == never_stopped
