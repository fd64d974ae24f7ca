"""The parts of a training in their order, with the hard negatives of each (extra ``train``; torch and faiss)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.arrays import Ints32, Rows
from ontonym.encoder.protocol import Vectors
from ontonym.files.output import written_file
from ontonym.learning.encoders.batches import Batcher, TrainingBatch
from ontonym.learning.encoders.datasets import Dataset, planned_steps
from ontonym.learning.encoders.options import TrainOptions, parts_of, process_count
from ontonym.learning.encoders.trainable import encode_rows
from ontonym.ragged import boundaries

_MANY = 20_000
"""The number of concepts above which the scan is approximate."""


def nearest_concepts(encode: Callable[[Rows], Vectors], dataset: Dataset, count: int, seed: int) -> Ints32:
    """For each concept the ``count`` nearest others with another meaning and no name in common, -1 for none.

    Shape ``(concepts, count)``. The vector of a concept is that of its first text among those of the examples.
    """
    import faiss

    texts = dataset.texts
    size = int(texts.concepts.max(initial=-1)) + 1
    used = np.unique(dataset.table(0))
    concepts, places = np.unique(texts.concepts[used], return_index=True)
    vectors = encode(used[places].astype(np.int64))
    faiss.omp_set_num_threads(1)
    scan = faiss.IndexFlatIP(vectors.shape[1])
    if len(vectors) > _MANY:
        scan = faiss.IndexIVFFlat(scan, vectors.shape[1], 256, faiss.METRIC_INNER_PRODUCT)
        scan.cp.seed = seed + 1
        scan.train(vectors[:: max(1, len(vectors) // _MANY)])
        scan.nprobe = 8
    scan.add(vectors)
    found = scan.search(vectors, 3 * count + 1)[1]
    meanings = np.full(size, -1, dtype=np.int64)
    meanings[concepts] = texts.meanings[used[places]]
    near = np.where(found >= 0, concepts[found], -1)
    theirs, ours = meanings[near], meanings[concepts][:, None]
    equivalents = texts.namesakes
    namesakes = equivalents.sources() << 32 | equivalents.indices
    other = (near >= 0) & (theirs != ours) & ~np.isin(ours << 32 | theirs, namesakes)
    order = np.argsort(~other, axis=1, kind="stable")[:, :count]
    kept = np.where(np.take_along_axis(other, order, 1), np.take_along_axis(near, order, 1), -1)
    nearest = np.full((size, count), -1, dtype=np.int32)
    nearest[concepts] = kept
    return nearest


class Queue:
    """The examples of one dataset in batches, by the number of the part: epoch after epoch, each in a drawn order.

    ``steps`` is the length of the training: hard negatives are searched for six times in it, as the encoder changes.
    ``first`` is where the dataset's texts begin among those that the trainable has prepared.
    """

    def __init__(
        self, trainable: Any, dataset: Dataset, options: TrainOptions, work: Path, *, steps: int, first: int
    ) -> None:
        self.trainable, self.dataset, self.options, self.work, self.first = trainable, dataset, options, work, first
        self.size = max(options.batch // options.accumulate, 1)
        self.per_epoch = parts_of(len(dataset.table(0)), options)
        parts = steps * options.accumulate * process_count()
        self._epochs_between_searches = max(1, round(parts / 6 / self.per_epoch))
        self._first_searched_part = math.ceil(options.begin * parts)
        self._epoch, self._begins = -1, 0
        self._table: Ints32 = np.zeros((0, 2), dtype=np.int32)
        self._batches: list[Rows] = []

    def batch(self, part: int) -> TrainingBatch:
        """The batch of this part of a step."""
        if part < self._begins:
            self._epoch, self._begins, self._batches = -1, 0, []
        while part >= self._begins + len(self._batches):
            self._enter(self._epoch + 1, part)
        return TrainingBatch.of(self.dataset.texts, self._table[self._batches[part - self._begins]])

    def _enter(self, epoch: int, part: int) -> None:
        """Makes the batches of the next epoch, or only counts them if ``part`` is in a later one."""
        begins = self._begins + len(self._batches)
        table = self.dataset.table(epoch)
        self._epoch, self._begins, self._table = epoch, begins, table
        count = parts_of(len(table), self.options)
        if part >= begins + count:
            self._batches = [np.zeros(0, dtype=np.int64)] * count
            return
        rng = np.random.default_rng((self.options.seed, epoch, self.first))
        batcher = Batcher(self.size, self._nearest(epoch, begins))
        self._batches = list(batcher.batches(rng, table, self.dataset.texts.concepts))

    def _nearest(self, epoch: int, begins: int) -> Ints32 | None:
        """The nearest concepts by the encoder at the last search, which are stored beside the checkpoints."""
        if not self.options.neighbours or begins < self._first_searched_part:
            return None
        file = self.work / f"nearest-{self.first}-{epoch // self._epochs_between_searches}.npy"
        if not file.exists():
            found = nearest_concepts(
                lambda rows: encode_rows(self.trainable, rows + self.first),
                self.dataset,
                self.options.neighbours,
                self.options.seed,
            )
            with written_file(file) as stream:
                np.save(stream, found, allow_pickle=False)
        nearest: Ints32 = np.load(file, allow_pickle=False)
        return nearest


class Schedule:
    """The parts of a training by number: each step has ``accumulate`` parts.

    Where there are several datasets, a part has a batch of each, and every text of them is encoded once.
    """

    def __init__(self, trainable: Any, datasets: Sequence[Dataset], options: TrainOptions, work: Path) -> None:
        self.trainable, self.options = trainable, options
        self.dataset = datasets[0]
        self.steps = planned_steps(self.dataset, options)
        firsts = boundaries(np.array([len(dataset.texts) for dataset in datasets]))[:-1].tolist()
        self.queues = [
            Queue(trainable, dataset, options, work, steps=self.steps, first=first)
            for dataset, first in zip(datasets, firsts, strict=True)
        ]

    def __len__(self) -> int:
        return self.steps * self.options.accumulate * process_count()

    def __getitem__(self, part: int) -> dict[str, Any]:
        batches = [queue.batch(part) for queue in self.queues]
        rows = np.concatenate([batch.texts + queue.first for batch, queue in zip(batches, self.queues, strict=True)])
        at_once = self.options.at_once or len(rows)
        pieces = np.split(rows, range(at_once, len(rows), at_once))
        return {"batches": batches, "features": [self.trainable.features(piece) for piece in pieces]}
