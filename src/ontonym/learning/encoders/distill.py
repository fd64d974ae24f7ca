"""Distils any encoder into a static one, which gives nearly the teacher's vectors a thousand times as fast.

The static encoder's table is fitted so that each name's vector points where the teacher's does (extra ``train``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ontonym.arrays import Rows
from ontonym.encoder.protocol import Encoder, Vectors, unit_rows
from ontonym.encoder.static import StaticEncoder, StaticShape, quantize, save_static
from ontonym.errors import InputError, needing
from ontonym.learning.encoders.agreement import EncoderAgreement, vectors_agree
from ontonym.learning.recipes import PoolOptions, name_pool
from ontonym.learning.recipes.table import described_sources
from ontonym.learning.threads import threads
from ontonym.ranges import check_seed
from ontonym.store import Terminology
from ontonym.text.normalization import normalize
from ontonym.text.strings import Strings

if TYPE_CHECKING:
    from ontonym.learning.encoders.trainable import TrainableStatic

_MOST_HELD_OUT = 2000
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class DistillOptions:
    """How a static encoder is fitted to a teacher; all of it lands in the encoder's manifest.

    ``rate`` is the learning rate at the first step and falls linearly to 0. ``held_out`` is the share of the names,
    2,000 at most, that the agreement is measured on. ``threads`` is part of the recipe: sums of floats depend on it.
    """

    epochs: int = 10
    batch: int = 512
    rate: float = 3e-3
    held_out: float = 0.05
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if min(self.epochs, self.batch, self.threads) < 1 or self.rate <= 0:
            raise InputError("distilling needs at least one epoch, name in a batch and thread, and a rate above 0")
        if not 0 <= self.held_out <= 0.5:
            raise InputError(f"held_out is a share from 0 to 0.5, not {self.held_out:g}")


@dataclass(frozen=True, slots=True)
class DistillStep:
    """What distilling reports: ``loss`` is 1 minus the mean cosine over the epoch, lower is better."""

    epoch: int
    epochs: int
    loss: float
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Distilled:
    """Float weights of shape ``(rows, dim)`` for `save_static`, and how far they reproduce the teacher.

    ``kept`` is the share of the squared length of the teacher's vectors that is left in ``dim`` columns. ``held_out``
    compares names never fitted to: their cosines with the teacher's vectors as they were fitted, the neighbours with
    those of its full vectors; None where none was held out. ``content`` is for the manifest.
    """

    weights: Vectors
    kept: float
    held_out: EncoderAgreement | None
    content: dict[str, object] = field(default_factory=dict)


def distill_names(
    teacher: Encoder,
    terminologies: Sequence[Terminology],
    output: Path,
    wanted: PoolOptions,
    shape: StaticShape,
    options: DistillOptions,
    *,
    report: Callable[[DistillStep], None] | None = None,
) -> Distilled:
    """Fits a static encoder to the teacher's vectors of the ``wanted`` names of terminologies, and writes it.

    Raises what `distill_static` raises.
    """
    pool = name_pool(terminologies, wanted)
    texts = pool.texts.take(np.unique(pool.spellings, return_index=True)[1]).tolist()
    done = distill_static(teacher, texts, shape, options, report=report)
    save_static(output, done.weights, shape, {**done.content, "terminologies": described_sources(terminologies)})
    return done


def distill_static(
    teacher: Encoder,
    texts: Sequence[str],
    shape: StaticShape,
    options: DistillOptions = DistillOptions(),
    *,
    report: Callable[[DistillStep], None] | None = None,
) -> Distilled:
    """A static encoder's weights fitted to the teacher's vectors of ``texts``; equal input gives equal weights.

    Where the lengths differ, the target is the projection of the teacher's vectors on their first ``shape.dim``
    principal directions (not centred, so that cosines stay), or is filled up with zeros.

    Raises InputError where fewer than two texts have a vector, MissingExtraError without torch.
    """
    with needing("torch", "train", "distilling an encoder"):
        from ontonym.learning.encoders.trainable import TrainableStatic
    names = _different(texts)
    vectors = teacher.encode(names)
    known = np.flatnonzero(vectors.any(axis=1))
    if len(known) < 2:
        raise InputError("there is nothing to distil: the teacher gives a vector for fewer than two of the names")
    names, vectors = [names[row] for row in known.tolist()], vectors[known]
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(len(names))
    held = min(int(len(names) * options.held_out), _MOST_HELD_OUT)
    tested, fitted = order[:held], order[held:]
    directions, kept = principal(vectors[fitted], shape.dim)
    targets = unit_rows(vectors @ directions)
    with threads(options.threads):
        trainable = TrainableStatic.drawn(shape, rng, scale=0.1)
        trainable.prepare(Strings.of(names), 0)
        weights = _fitted(trainable, targets, fitted, options, rng, report)
    agreed = _agreement(weights, shape, [names[row] for row in tested.tolist()], targets[tested], vectors[tested])
    described: dict[str, object] = {
        "teacher": teacher.fingerprint,
        "distillation": asdict(options),
        "names": len(names),
        "kept": round(kept, 6),
        "agreement": asdict(agreed) if agreed else None,
    }
    return Distilled(weights, kept, agreed, described)


def principal(vectors: Vectors, dim: int) -> tuple[Vectors, float]:
    """The first ``dim`` principal directions of unit vectors, not centred, and the share of their squares they keep.

    Shape ``(vectors' length, dim)``; directions beyond the vectors' length are zero.
    """
    length = vectors.shape[1]
    if dim >= length:
        return np.eye(length, dim, dtype=np.float32), 1.0
    squares = np.zeros((length, length))
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK].astype(np.float64)
        squares += block.T @ block
    values, directions = np.linalg.eigh(squares)
    first = directions[:, ::-1][:, :dim]
    signs = np.sign(first[np.abs(first).argmax(axis=0), np.arange(dim)])  # of two equal directions always the same
    return (first * signs).astype(np.float32), float(values[::-1][:dim].sum() / values.sum())


def _different(texts: Sequence[str]) -> list[str]:
    """One text of each normalized form: spellings that a static encoder cannot tell apart are one name."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(normalize(text), text)
    return list(found.values())


def _agreement(
    weights: Vectors, shape: StaticShape, names: Sequence[str], targets: Vectors, vectors: Vectors
) -> EncoderAgreement | None:
    if not names:
        return None
    student = StaticEncoder(*quantize(weights), shape, "").encode(names)
    angles, near = vectors_agree(student, targets), vectors_agree(student, vectors)
    return EncoderAgreement(angles.texts, angles.mean_cosine, angles.min_cosine, near.overlap, near.neighbours)


def _fitted(
    trainable: TrainableStatic, targets: Vectors, rows: Rows, options: DistillOptions, rng: np.random.Generator,
    report: Callable[[DistillStep], None] | None,
) -> Vectors:  # fmt: skip
    """The table of the trainable after it was fitted to the targets of some of its texts."""
    import torch

    began, unit = time.monotonic(), torch.nn.functional.normalize
    optimizer = torch.optim.Adam(trainable.parameters(), lr=options.rate)
    steps = options.epochs * -(-len(rows) // options.batch)
    slope = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for epoch in range(options.epochs):
        losses, order = [], rng.permutation(rows)
        for batch in np.split(order, range(options.batch, len(order), options.batch)):
            made = unit(trainable(trainable.features(batch)))
            loss = (1 - (made * torch.from_numpy(targets[batch])).sum(dim=1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            slope.step()
            losses.append(float(loss.detach()))
        if report:
            report(DistillStep(epoch + 1, options.epochs, sum(losses) / len(losses), time.monotonic() - began))
    weights: Vectors = trainable.table.detach().numpy()
    return weights
