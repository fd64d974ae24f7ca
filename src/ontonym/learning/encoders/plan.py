"""What a training does in which step: the batches of all lessons by number, the same however often it was stopped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints32, Rows
from ontonym.learning.encoders.batches import Batch, Batcher
from ontonym.learning.encoders.nearest import nearest_concepts
from ontonym.learning.encoders.trainable import encode_rows
from ontonym.learning.encoders.training import Lesson, TrainOptions, parts_of, planned_steps, process_count
from ontonym.text.strings import boundaries


class Queue:
    """The examples of one lesson in batches, by the number of the part: epoch after epoch, each in a drawn order.

    ``first`` is where the lesson's texts begin among those that the learner has prepared.
    """

    def __init__(self, learner: Any, lesson: Lesson, options: TrainOptions, work: Path, first: int) -> None:
        self.learner, self.lesson, self.options, self.work, self.first = learner, lesson, options, work, first
        self.size = max(options.batch // options.accumulate, 1)
        self.per_epoch = parts_of(len(lesson.table(0)), options)
        self._epoch, self._begins = -1, 0
        self._table: Ints32 = np.zeros((0, 2), dtype=np.int32)
        self._batches: list[Rows] = []

    def timed(self, steps: int) -> None:
        """Says how long the training is: hard negatives are looked for anew six times in it, as the encoder changes."""
        parts = steps * self.options.accumulate * process_count()
        self.refresh = max(1, round(parts / 6 / self.per_epoch))
        self.begin = math.ceil(self.options.begin * parts)

    def batch(self, part: int) -> Batch:
        """The batch of this part of a step."""
        if part < self._begins:
            self._epoch, self._begins, self._batches = -1, 0, []
        while part >= self._begins + len(self._batches):
            self._enter(self._epoch + 1, part)
        return Batch.of(self.lesson.texts, self._table[self._batches[part - self._begins]])

    def _enter(self, epoch: int, part: int) -> None:
        """Makes the batches of the next epoch, or only counts them where the part wanted lies beyond."""
        begins = self._begins + len(self._batches)
        table = self.lesson.table(epoch)
        self._epoch, self._begins, self._table = epoch, begins, table
        count = parts_of(len(table), self.options)
        if part >= begins + count:
            self._batches = [np.zeros(0, dtype=np.int64)] * count
            return
        rng = np.random.default_rng((self.options.seed, epoch, self.first))
        batcher = Batcher(self.size, self._nearest(epoch, begins))
        self._batches = list(batcher.batches(rng, table, self.lesson.texts.concepts))

    def _nearest(self, epoch: int, begins: int) -> npt.NDArray[np.int32] | None:
        """The nearest concepts as the encoder saw them when the epoch's turn began; kept beside the checkpoints."""
        if not self.options.neighbours or begins < self.begin:
            return None
        file = self.work / f"nearest-{self.first}-{epoch // self.refresh}.npy"
        if not file.exists():
            found = nearest_concepts(
                lambda rows: encode_rows(self.learner, rows + self.first),
                self.lesson,
                self.options.neighbours,
                self.options.seed,
            )
            staged = file.with_suffix(".part")
            with staged.open("wb") as stream:
                np.save(stream, found, allow_pickle=False)
            staged.replace(file)
        nearest: npt.NDArray[np.int32] = np.load(file, allow_pickle=False)
        return nearest


class Plan:
    """All parts of a training by number, step by step, each step in ``accumulate`` parts.

    Where there are several lessons, a part has a batch of each, and every text of them is encoded once.
    """

    def __init__(self, learner: Any, lessons: Sequence[Lesson], options: TrainOptions, work: Path) -> None:
        self.learner, self.options = learner, options
        firsts = boundaries(np.array([len(lesson.texts) for lesson in lessons]))
        self.queues = [
            Queue(learner, lesson, options, work, int(first)) for lesson, first in zip(lessons, firsts, strict=False)
        ]
        self.lesson = lessons[0]
        self.steps = planned_steps(self.lesson, options)
        for queue in self.queues:
            queue.timed(self.steps)

    def __len__(self) -> int:
        return self.steps * self.options.accumulate * process_count()

    def __getitem__(self, part: int) -> dict[str, Any]:
        batches = [queue.batch(part) for queue in self.queues]
        rows = np.concatenate([batch.texts + queue.first for batch, queue in zip(batches, self.queues, strict=True)])
        at_once = self.options.at_once or len(rows)
        pieces = np.split(rows, range(at_once, len(rows), at_once))
        return {"batches": batches, "features": [self.learner.features(piece) for piece in pieces]}
