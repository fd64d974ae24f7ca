from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ontonym.encoder import open_encoder
from ontonym.encoder.static import StaticEncoder, StaticShape, quantize, save_static
from ontonym.errors import InputError
from ontonym.learning.encoders.agreement import vectors_agree
from ontonym.learning.encoders.distill import DistillOptions, DistillStep, distill_static, principal
from ontonym.text.normalization import tokens

pytestmark = pytest.mark.training

torch = pytest.importorskip("torch", reason="needs the extra train")

SHAPE = StaticShape(dim=16, word_rows=256, ngram_rows=512)
QUICK = DistillOptions(epochs=30, batch=32, rate=1e-2, held_out=0.2)


class Teacher:
    """Gives each word a random direction, and each name the sum of its words'."""

    fingerprint = "the teacher"

    def __init__(self, dim: int = 24) -> None:
        self.dim = dim

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in tokens(text):
                seed = int.from_bytes(word.encode()[:7], "big")
                vectors[row] += np.random.default_rng(seed).standard_normal(self.dim, dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, norms, out=vectors, where=norms > 0)


def student(weights: np.ndarray, shape: StaticShape = SHAPE) -> StaticEncoder:
    return StaticEncoder(*quantize(weights), shape, "student")


def test_the_student_gives_the_teachers_vectors_even_of_names_it_never_saw(names: list[str]) -> None:
    shape = StaticShape(dim=24, word_rows=256, ngram_rows=512)
    done = distill_static(Teacher(), names, shape, QUICK)
    assert done.kept == 1.0
    assert done.held_out is not None
    assert done.held_out.texts == 30  # a fifth of the 150 names
    assert done.held_out.mean_cosine > 0.98
    assert done.held_out.overlap > 0.9
    untrained = np.random.default_rng(0).standard_normal((shape.rows, shape.dim), dtype=np.float32)
    before = vectors_agree(student(untrained, shape).encode(names), Teacher().encode(names))
    after = vectors_agree(student(done.weights, shape).encode(names), Teacher().encode(names))
    assert before.mean_cosine < 0.3
    assert after.mean_cosine > 0.95


def test_fewer_columns_keep_most_neighbours(names: list[str]) -> None:
    done = distill_static(Teacher(), names, SHAPE, QUICK)
    assert 0.8 < done.kept < 1
    assert vectors_agree(student(done.weights).encode(names), Teacher().encode(names)).overlap > 0.6


def test_equal_input_gives_equal_weights(names: list[str]) -> None:
    options = DistillOptions(epochs=2, batch=32)
    one, again = (distill_static(Teacher(), names, SHAPE, options).weights for _ in range(2))
    assert (one == again).all()
    other = distill_static(Teacher(), names, SHAPE, DistillOptions(epochs=2, batch=32, seed=1)).weights
    assert not (one == other).all()


def test_the_loss_falls_and_is_reported(names: list[str]) -> None:
    told: list[DistillStep] = []
    distill_static(Teacher(), names, SHAPE, DistillOptions(epochs=5, batch=32, rate=1e-2), report=told.append)
    assert [step.epoch for step in told] == [1, 2, 3, 4, 5]
    assert told[-1].loss < 0.5 * told[0].loss


def test_the_weights_make_an_encoder_that_tells_its_teacher(names: list[str], tmp_path: Path) -> None:
    done = distill_static(Teacher(), names, SHAPE, DistillOptions(epochs=1))
    save_static(tmp_path / "a.encoder", done.weights, SHAPE, done.content)
    from ontonym.artifact import read_manifest

    content = read_manifest(tmp_path / "a.encoder").content
    assert content["teacher"] == "the teacher"
    assert content["distillation"]["epochs"] == 1
    assert content["agreement"]["texts"] == done.held_out.texts
    assert open_encoder(tmp_path / "a.encoder").dim == 16


def test_a_transformer_is_a_teacher(tiny: Path, names: list[str]) -> None:
    teacher = open_encoder(tiny / "model.safetensors")
    done = distill_static(teacher, names, SHAPE, DistillOptions(epochs=40, batch=32, rate=1e-2, held_out=0))
    assert done.held_out is None
    assert vectors_agree(student(done.weights).encode(names), teacher.encode(names)).overlap > 0.5


def test_principal_directions_are_those_of_the_singular_values() -> None:
    vectors = np.random.default_rng(0).standard_normal((300, 10)).astype(np.float32) * np.arange(
        1, 11, dtype=np.float32
    )
    directions, kept = principal(vectors, 4)
    _, values, expected = np.linalg.svd(vectors.astype(np.float64), full_matrices=False)
    assert np.abs(directions.T @ expected[:4].T) == pytest.approx(np.eye(4), abs=1e-3)
    assert kept == pytest.approx((values[:4] ** 2).sum() / (values**2).sum())
    assert (directions[np.abs(directions).argmax(axis=0), np.arange(4)] > 0).all()


def test_more_columns_than_the_teacher_has_stay_empty() -> None:
    directions, kept = principal(np.eye(3, dtype=np.float32), 5)
    assert directions.tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert kept == 1.0


def test_nothing_to_distil_is_an_error() -> None:
    with pytest.raises(InputError, match="fewer than two"):
        distill_static(Teacher(), ["?", "heart", "Heart"], SHAPE)
    with pytest.raises(InputError, match="held_out"):
        DistillOptions(held_out=1)
    with pytest.raises(InputError, match="at least one epoch"):
        DistillOptions(epochs=0)
