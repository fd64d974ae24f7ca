from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ontonym.encoder.static import StaticEncoder, StaticShape, quantize, save_static
from ontonym.encoder.train import TrainOptions, TrainStep, train_static
from ontonym.errors import InputError
from ontonym.pairs import NamePool, SynonymOptions

pytest.importorskip("torch")

SHAPE = StaticShape(dim=32, word_rows=1024, ngram_rows=2048)
OPTIONS = TrainOptions(steps=60, batch=64, rate=1e-2)


def pool(count: int = 40) -> NamePool:
    """Concepts of two names that share no letters group: only training can bring them together."""
    names, bounds = [], [0]
    for number in range(count):
        code = "".join("bcdfghjklm"[int(digit)] for digit in f"{number:03d}")
        names += [f"{code}osis", f"{code[::-1]}algia of {code}"]
        bounds.append(len(names))
    concepts = np.repeat(np.arange(count), 2)
    links = np.empty((0, 2), dtype=np.int64)
    return NamePool(names, concepts, np.asarray(bounds), links, SynonymOptions())


def opened(weights: np.ndarray) -> StaticEncoder:
    return StaticEncoder(*quantize(weights), SHAPE, "test")


def test_same_seed_gives_the_same_weights_to_the_bit() -> None:
    first, second = (train_static(pool(), SHAPE, OPTIONS) for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_another_seed_gives_other_weights() -> None:
    first = train_static(pool(), SHAPE, TrainOptions(steps=2, batch=16))
    second = train_static(pool(), SHAPE, TrainOptions(steps=2, batch=16, seed=1))
    assert not np.array_equal(first, second)


def test_loss_falls_and_every_report_counts_on() -> None:
    told: list[TrainStep] = []
    train_static(pool(), SHAPE, OPTIONS, report=told.append)
    assert [(step.step, step.steps) for step in told] == [(20, 60), (40, 60), (60, 60)]
    assert told[-1].loss < told[0].loss / 2


def test_names_of_a_concept_come_together_and_misspelled_ones_with_them() -> None:
    encoder = opened(train_static(pool(), SHAPE, OPTIONS))
    names = pool().names
    left, right = encoder.encode(names[::2]), encoder.encode(names[1::2])
    assert ((left @ right.T).argmax(axis=1) == np.arange(40)).mean() > 0.9
    misspelled = encoder.encode([name.replace("osis", "osiss") for name in names[::2]])
    assert ((misspelled @ left.T).argmax(axis=1) == np.arange(40)).mean() > 0.9


def test_training_onward_starts_from_the_base(tmp_path: Path) -> None:
    base = save_static(tmp_path / "base", train_static(pool(), SHAPE, OPTIONS), SHAPE, {})
    start = base.table.astype(np.float32) * base.scales[:, None]
    same = train_static(pool(), SHAPE, TrainOptions(steps=1, batch=8, rate=0.0), base=base)
    assert same == pytest.approx(start)
    told: list[TrainStep] = []
    train_static(pool(), SHAPE, TrainOptions(steps=20, batch=64), base=base, report=told.append)
    scratch: list[TrainStep] = []
    train_static(pool(), SHAPE, TrainOptions(steps=20, batch=64), report=scratch.append)
    assert told[0].loss < scratch[0].loss / 2


def test_hard_neighbours_train_too_and_alike_each_time() -> None:
    options = TrainOptions(steps=30, batch=64, rate=1e-2, neighbours=3)
    first, second = (train_static(pool(), SHAPE, options) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert np.isfinite(first).all()


def test_nothing_to_train_on_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing to train on"):
        train_static(pool(1), SHAPE, OPTIONS)


def test_threads_of_torch_are_as_they_were() -> None:
    import torch

    before = torch.get_num_threads()
    train_static(pool(), SHAPE, TrainOptions(steps=1, batch=8, threads=1))
    assert torch.get_num_threads() == before


TRAIN = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_train_static import SHAPE, pool
from ontonym.encoder.static import save_static
from ontonym.encoder.train import TrainOptions, train_static
def told(step):
    print(step.step, flush=True)
weights = train_static(pool(), SHAPE, TrainOptions(steps=100_000, batch=64), report=told)
save_static(Path(sys.argv[1]), weights, SHAPE, {})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child there")
def test_control_c_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", TRAIN, str(tmp_path / "new.encoder"), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"20\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode != 0
    assert list(tmp_path.iterdir()) == []
