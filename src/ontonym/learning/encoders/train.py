"""Trains an encoder, or estimates the cost of it; torch is imported when training begins (extra ``train``)."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from ontonym.errors import InputError, needing
from ontonym.learning.encoders.datasets import Dataset, WithoutDev, dev_questions, planned_steps
from ontonym.learning.encoders.losses import LossOptions
from ontonym.learning.encoders.options import Trained, TrainOptions, TrainStep
from ontonym.learning.threads import threads
from ontonym.text.strings import Strings

if TYPE_CHECKING:
    from ontonym.learning.encoders.trainable import Trainable


def train_encoder(
    trainable: Trainable,
    datasets: Sequence[Dataset],
    options: TrainOptions,
    loss: LossOptions,
    *,
    work: Path,
    weights: Sequence[float] = (),
    resume: bool = False,
    report: Callable[[TrainStep], None] | None = None,
) -> Trained:
    """Trains the trainable in place; equal input gives equal weights, also when it was resumed.

    With more than one dataset the losses of all are summed by ``weights`` (all 1 where empty): the first decides how
    long an epoch is, and its dev split is the one that is judged. ``work`` is a folder for checkpoints; with ``resume``
    training continues from the last complete one there, if any.

    Raises InputError where there is nothing to train on, where the loss needs negatives that the examples lack, and
    where it is no longer a number; MissingExtraError without torch and transformers.
    """
    if not all(len(dataset.table(0)) for dataset in datasets):
        raise InputError(
            "there is nothing to train on: the recipe gives no example from these terminologies in the wanted languages"
        )
    with needing("torch", "train", "training an encoder", exact=True):
        from ontonym.learning.encoders.trainer import EncoderTrainer
    began = time.monotonic()
    with threads(options.threads):
        trainable.prepare(Strings.joined([dataset.texts.texts for dataset in datasets]), options.tokens)
        weights = weights or [1.0] * len(datasets)
        trainer = EncoderTrainer(trainable, datasets, weights, options, loss, work, report)
        trainer.run(resume=resume)
    return trainer.outcome(time.monotonic() - began)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of a training, estimated from a few steps.

    ``seconds`` is the time of all ``steps``, of judging dev and of searching for hard negatives; ``peak`` is the peak
    memory of the process in bytes during the ``tried`` steps, None where it is unknown (Windows); ``checkpoint`` the
    size of a checkpoint on disk in bytes, ``texts`` the texts encoded per second.
    """

    steps: int
    examples: int
    epochs: float
    seconds: float
    texts: float
    peak: int | None
    checkpoint: int
    tried: int


_TRIED = 3


def estimate(
    trainable: Trainable,
    datasets: Sequence[Dataset],
    options: TrainOptions,
    loss: LossOptions,
    *,
    weights: Sequence[float] = (),
) -> Estimate:
    """Estimates the cost of a training from a few steps in a temporary folder; the trainable is changed by it.

    Raises what `train_encoder` raises.
    """
    seen: list[TrainStep] = []
    tried = replace(options, steps=_TRIED, every=_TRIED, begin=1.0, patience=0)
    with TemporaryDirectory() as folder:
        done = train_encoder(
            trainable, [WithoutDev(dataset) for dataset in datasets], tried, loss, work=Path(folder), weights=weights,
            report=seen.append,
        )  # fmt: skip
        last = max(Path(folder).glob("checkpoint-*"))
        checkpoint = sum(file.stat().st_size for file in last.iterdir())
    steps, examples = planned_steps(datasets[0], options), len(datasets[0].table(0))
    queries, names = dev_questions(datasets[0], options)
    looks = math.ceil(steps / (options.every or math.ceil(steps / 10))) * (len(queries) + len(names))
    concepts = len(np.unique(datasets[0].texts.concepts[np.unique(datasets[0].table(0))])) if options.neighbours else 0
    pace = done.texts * 3  # without gradients three times as many
    return Estimate(
        steps=steps,
        examples=examples,
        epochs=steps * options.batch / examples,
        seconds=done.training_seconds / _TRIED * steps + (looks + 6 * concepts) / max(pace, 1e-9),
        texts=done.texts,
        peak=_peak(),
        checkpoint=checkpoint,
        tried=_TRIED,
    )


def _peak() -> int | None:
    """The peak memory of this process in bytes; None where it is unknown."""
    try:
        import resource
    except ImportError:  # Windows has no such module
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
