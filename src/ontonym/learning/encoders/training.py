"""How an encoder is trained: the options, what is told on the way, and the one function that trains.

Light: torch and transformers are imported when training begins (extra ``train``).
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints32
from ontonym.errors import InputError, MissingExtraError
from ontonym.learning.encoders.losses import LossOptions
from ontonym.learning.recipes import Examples, Pool, Recipe, RecipeOptions, Texts, make_examples

if TYPE_CHECKING:
    from ontonym.learning.encoders.trainable import Learner

Precision = Literal["float32", "bf16", "fp16"]


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How an encoder is trained; all of it lands in the encoder's manifest.

    ``steps`` of the optimizer, or where 0, ``epochs`` over the examples. ``batch`` examples are in a step, in
    ``accumulate`` parts whose gradients are added up, each with negatives of its own. ``at_once`` texts are held in
    memory with all they need for the gradient (0: all); smaller parts give the same gradient for more time.

    ``rate`` is the highest learning rate; it rises over the share ``warmup`` of the steps and falls linearly to 0.
    ``decay`` is AdamW's weight decay, ``clip`` the highest norm of the gradient (0: any). ``neighbours`` is how many
    nearest concepts are drawn into a batch beside each concept, as hard negatives, once the share ``begin`` of the
    steps is done (0 neighbours: none). ``tokens`` is where texts are cut, ``dropout`` that of the transformer (-1: its
    own).

    ``seed`` draws everything random. ``threads`` (0: all) is part of the recipe: sums of floats depend on it.
    ``every`` so many steps the encoder is judged on dev and a checkpoint written (0: ten times); after ``patience``
    times without a better figure training stops, and the best weights are kept (0: never, the last are kept).
    ``dev_queries`` and ``dev_names`` bound what dev costs.
    """

    steps: int = 0
    epochs: float = 3.0
    batch: int = 256
    accumulate: int = 1
    at_once: int = 0
    rate: float = 2e-5
    warmup: float = 0.06
    decay: float = 0.01
    clip: float = 1.0
    neighbours: int = 0
    begin: float = 0.0
    tokens: int = 24
    dropout: float = 0.0
    precision: Precision = "float32"
    seed: int = 0
    threads: int = 0
    every: int = 0
    patience: int = 0
    dev_queries: int = 1000
    dev_names: int = 5000


ADAPT = TrainOptions(
    steps=500, batch=1024, rate=1e-3, warmup=0.0, decay=0.0, clip=0.0, neighbours=3, begin=1 / 3, threads=1
)
"""How a trained static encoder is adapted to a terminology."""

FROM_SCRATCH = replace(ADAPT, steps=2500, rate=3e-3)
"""How a static encoder is trained that goes on from no other."""

FINE_TUNE = TrainOptions()
"""How a transformer is trained."""

STATIC_LOSS = LossOptions(temperature=0.08)
"""The loss of a static encoder, unless another is asked for."""


@dataclass(frozen=True, slots=True)
class TrainStep:
    """What the trainer tells while it works.

    ``loss`` is the mean since the last report, ``texts`` how many texts a second were encoded, ``left`` the seconds
    until the end at this pace, ``dev`` the last accuracy@1 on dev in [0, 1], None before the first.
    """

    step: int
    steps: int
    loss: float
    seconds: float
    texts: float = 0.0
    left: float = 0.0
    dev: float | None = None


@dataclass(frozen=True, slots=True)
class Trained:
    """What became of a training: ``steps`` done, and why it ended.

    ``dev`` is the accuracy of the weights that were kept, those of ``kept_step`` (None without dev).

    ``seconds`` are those of this run, ``training_seconds`` those spent in steps, in which ``texts`` texts a second were
    encoded. ``history`` has a row for each report: step, loss, rate, dev.
    """

    steps: int
    dev: float | None
    kept_step: int
    stopped: Literal["done", "no better on dev"]
    seconds: float
    training_seconds: float
    texts: float
    history: Sequence[dict[str, float]] = field(default_factory=tuple)


class Lesson(Protocol):
    """Where examples come from: the texts, and a table of training examples for each epoch."""

    @property
    def texts(self) -> Texts:
        """The texts of all examples."""
        ...

    def table(self, epoch: int) -> Ints32:
        """The training examples of an epoch (0 upward); as many columns in every epoch."""
        ...

    def dev(self) -> Ints32:
        """The examples of the dev split, empty where there is none."""
        ...

    def told(self) -> dict[str, Any]:
        """What the manifest should tell of it."""
        ...


class FromExamples:
    """The lesson of examples made before (a PAIRS folder): every epoch has the same."""

    def __init__(self, examples: Examples) -> None:
        self.texts = examples.texts
        self._examples = examples

    def table(self, epoch: int) -> Ints32:
        """The same table in every epoch."""
        return self._examples.table("train")

    def dev(self) -> Ints32:
        """The dev examples."""
        return self._examples.table("dev")

    def told(self) -> dict[str, Any]:
        """The manifest of the examples, with their counts."""
        return {**self._examples.told, "examples": self._examples.counts()}


class FromRecipe:
    """The lesson of a recipe over terminologies; a recipe that draws anew does so in every epoch."""

    def __init__(self, pool: Pool, recipe: Recipe, options: RecipeOptions) -> None:
        self._pool, self._recipe, self._options = pool, recipe, options
        self._first = make_examples(pool, recipe, options)
        self.texts = self._first.texts
        self._last: tuple[int, Ints32] = (0, self._first.table("train"))

    def table(self, epoch: int) -> Ints32:
        """The training examples of an epoch."""
        if self._recipe.fresh and epoch != self._last[0]:
            self._last = (epoch, make_examples(self._pool, self._recipe, self._options, epoch).table("train"))
        return self._last[1]

    def dev(self) -> Ints32:
        """The dev examples of the first epoch."""
        return self._first.table("dev")

    def told(self) -> dict[str, Any]:
        """Recipe, options, sources and counts."""
        return {**self._first.told, "examples": self._first.counts()}


def train_encoder(
    learner: Learner,
    lessons: Sequence[Lesson],
    options: TrainOptions,
    loss: LossOptions,
    *,
    work: Path,
    weights: Sequence[float] = (),
    resume: bool = False,
    report: Callable[[TrainStep], None] | None = None,
) -> Trained:
    """Trains the learner in place; equal input gives equal weights, also when it went on after a stop.

    With more than one lesson the losses of all are summed by ``weights`` (all 1 where empty): the first decides how
    long an epoch is, and its dev split is the one that is judged. ``work`` is a folder for checkpoints; with ``resume``
    training goes on from the last whole one there, if any.

    Raises InputError where there is nothing to train on, where the loss needs negatives that the examples lack, and
    where it is no longer a number; MissingExtraError without torch and transformers.
    """
    if not all(len(lesson.table(0)) for lesson in lessons):
        raise InputError(
            "there is nothing to train on: the recipe gives no example from these terminologies in the wanted languages"
        )
    try:
        from ontonym.learning.encoders.trainer import run
    except ImportError as error:
        raise MissingExtraError(error.name or "torch", "train", "training an encoder") from error
    return run(
        learner, lessons, weights or [1.0] * len(lessons), options, loss, work=work, resume=resume, report=report
    )


def planned_steps(lesson: Lesson, options: TrainOptions) -> int:
    """How many steps a training has whose first lesson this is."""
    per_epoch = parts_of(len(lesson.table(0)), options)
    return options.steps or max(1, math.ceil(options.epochs * per_epoch / options.accumulate / process_count()))


def process_count() -> int:
    """How many processes train together, each with a device and batches of its own (``accelerate launch``)."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Whether this process is the one that writes and tells."""
    return os.environ.get("RANK", "0") == "0"


def parts_of(examples: int, options: TrainOptions) -> int:
    """Into how many parts of steps an epoch of so many examples falls."""
    return max(1, math.ceil(examples / max(options.batch // options.accumulate, 1)))


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a training will take, told from a few steps of it.

    ``seconds`` are those of all ``steps``, of looking at dev and for hard negatives; ``peak`` the most memory of the
    process in bytes while ``tried`` steps were done, ``checkpoint`` the size of one on disk, ``texts`` texts a second.
    """

    steps: int
    examples: int
    epochs: float
    seconds: float
    texts: float
    peak: int
    checkpoint: int
    tried: int


_TRIED = 3


def estimate(
    learner: Learner,
    lessons: Sequence[Lesson],
    options: TrainOptions,
    loss: LossOptions,
    *,
    weights: Sequence[float] = (),
) -> Estimate:
    """Trains a few steps in a temporary folder and tells what all of them would take; the learner is changed by it.

    Raises what `train_encoder` raises.
    """
    seen: list[TrainStep] = []
    tried = replace(options, steps=_TRIED, every=_TRIED, begin=1.0, patience=0)
    with TemporaryDirectory() as folder:
        done = train_encoder(
            learner, [_Unjudged(lesson) for lesson in lessons], tried, loss, work=Path(folder), weights=weights,
            report=seen.append,
        )  # fmt: skip
        last = max(Path(folder).glob("checkpoint-*"))
        checkpoint = sum(file.stat().st_size for file in last.iterdir())
    steps, examples = planned_steps(lessons[0], options), len(lessons[0].table(0))
    queries, names = dev_questions(lessons[0], options)
    looks = math.ceil(steps / (options.every or math.ceil(steps / 10))) * (len(queries) + len(names))
    concepts = len(np.unique(lessons[0].texts.concepts[np.unique(lessons[0].table(0))])) if options.neighbours else 0
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


class _Unjudged:
    """A lesson without its dev split."""

    def __init__(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self.texts = lesson.texts
        self.table = lesson.table
        self.told = lesson.told

    def dev(self) -> Ints32:
        return self._lesson.table(0)[:0]


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def dev_questions(lesson: Lesson, options: TrainOptions) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Which texts are asked on dev, and among which: rows of the lesson's texts, both bounded by the options.

    A dev example's anchor is asked; the names are the positives of dev, and others drawn from all texts.
    """
    table = lesson.dev()
    rng = np.random.default_rng((options.seed, 17))
    if not len(table):
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty
    _, firsts = np.unique(table[:, 0], return_index=True)
    chosen = np.sort(rng.permutation(firsts)[: options.dev_queries])
    names = np.unique(table[chosen, 1])
    more = np.setdiff1d(np.arange(len(lesson.texts)), names)
    extra = rng.permutation(more)[: max(0, options.dev_names - len(names))]
    return table[chosen, 0].astype(np.int64), np.sort(np.concatenate([names, extra])).astype(np.int64)


def dev_accuracy(
    queries: npt.NDArray[np.int64],
    names: npt.NDArray[np.int64],
    asked: npt.NDArray[np.float32],
    known: npt.NDArray[np.float32],
    texts: Texts,
) -> float:
    """The share of queries whose nearest name, those spelled alike aside, means the same: in [0, 1], higher is better.

    ``asked`` and ``known`` are the unit vectors of ``queries`` and ``names``, rows of ``texts``.
    """
    similarities = asked @ known.T
    alike = texts.spellings[queries][:, None] == texts.spellings[names][None]
    similarities[alike] = -2.0
    best = names[similarities.argmax(axis=1)]
    return float((texts.meanings[best] == texts.meanings[queries]).mean())
