"""Trains a static encoder from the names of terminologies alone (extra ``train``: torch).

The loss is the in-batch softmax of Kong section 3 (negative log likelihood of the positive among all names of the
batch), in both directions, where linked concepts and equal spellings are masked so that no positive is ever a negative.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.encoder.protocol import Vectors
from ontonym.encoder.static import Bags, StaticEncoder, StaticShape, bags
from ontonym.errors import InputError, MissingExtraError
from ontonym.pairs.synonyms import NamePool

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How a static encoder is trained; all of it lands in the encoder's manifest.

    The defaults adapt a trained encoder to a terminology; `FROM_SCRATCH` is for a start from nothing. ``temperature``
    divides the cosines in the loss. ``neighbours`` is how many nearest concepts are drawn into a batch beside each
    drawn concept, as hard negatives, once a third of the steps is done (0: none). ``threads`` is part of the recipe:
    the sums of floats depend on it.
    """

    steps: int = 500
    batch: int = 1024
    rate: float = 1e-3
    temperature: float = 0.08
    neighbours: int = 3
    seed: int = 0
    threads: int = 1


FROM_SCRATCH = TrainOptions(steps=2500, rate=3e-3)
"""How an encoder is trained that goes on from no other."""


@dataclass(frozen=True, slots=True)
class TrainStep:
    """What the trainer tells while it works: ``loss`` is the mean since the last report."""

    step: int
    steps: int
    loss: float
    seconds: float


def train_static(
    pool: NamePool,
    shape: StaticShape,
    options: TrainOptions,
    *,
    base: StaticEncoder | None = None,
    report: Callable[[TrainStep], None] | None = None,
) -> Vectors:
    """Float weights of shape ``(rows, dim)``, from scratch or onward from ``base``; equal input gives equal weights.

    Raises InputError where the terminologies have no two names to pair, MissingExtraError without torch.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "train", "training an encoder") from error
    if len(pool.drawable) < 2:
        raise InputError("there is nothing to train on: fewer than two concepts have two names or a linked concept")
    torch.manual_seed(options.seed)
    before = torch.get_num_threads()
    torch.set_num_threads(options.threads)
    try:
        return _Trainer(torch, pool, shape, options, base).run(report)
    finally:
        torch.set_num_threads(before)


class _Trainer:
    def __init__(
        self, torch: Any, pool: NamePool, shape: StaticShape, options: TrainOptions, base: StaticEncoder | None
    ) -> None:
        self.torch, self.pool, self.shape, self.options = torch, pool, shape, options
        self.rng = np.random.default_rng(options.seed)
        self.bags = bags(pool.names, shape)
        if base is None:
            start = self.rng.standard_normal((shape.rows, shape.dim), dtype=np.float32) * shape.dim**-0.5
        else:
            start = base.table.astype(np.float32) * base.scales[:, None]
        self.table = torch.nn.Parameter(torch.from_numpy(start))
        self.optimizer = torch.optim.Adam([self.table], lr=options.rate, fused=True)
        self.nearest: Rows | None = None

    def run(self, report: Callable[[TrainStep], None] | None) -> Vectors:
        options = self.options
        began, loss, last = time.monotonic(), 0.0, 0
        refresh = max(1, options.steps // 6)
        for step in range(options.steps):
            if options.neighbours and step >= options.steps // 3 and step % refresh == 0:
                self.nearest = self._nearest_concepts()
            for group in self.optimizer.param_groups:
                group["lr"] = options.rate * (1 - step / options.steps)
            loss += self._step()
            if report and (step + 1 == options.steps or (step + 1) % 20 == 0):
                report(TrainStep(step + 1, options.steps, loss / (step + 1 - last), time.monotonic() - began))
                loss, last = 0.0, step + 1
        weights: Vectors = self.table.detach().numpy()
        return weights

    def _step(self) -> float:
        torch = self.torch
        anchors, positives = self.pool.draw_pairs(self.rng, self._draw())
        left, right = self._vectors(anchors), self._vectors(positives)
        similarities = left @ right.T / self.options.temperature
        groups, spellings = self.pool.groups, self.pool.spellings
        concepts = self.pool.concepts
        same = groups[concepts[anchors]][:, None] == groups[concepts[positives]][None]
        same |= spellings[anchors][:, None] == spellings[positives][None]
        np.fill_diagonal(same, False)
        similarities = similarities.masked_fill(torch.from_numpy(same), -1e4)
        truth = torch.arange(len(anchors))
        cross_entropy = torch.nn.functional.cross_entropy
        loss = (cross_entropy(similarities, truth) + cross_entropy(similarities.T, truth)) / 2
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())

    def _draw(self) -> Rows:
        if self.nearest is None:
            return self.pool.draw_concepts(self.rng, self.options.batch)
        width = self.nearest.shape[1]
        seeds = np.searchsorted(self.pool.drawable, self.pool.draw_concepts(self.rng, self.options.batch // width + 1))
        crowd = np.unique(self.nearest[seeds])
        drawn: Rows = self.pool.drawable[self.rng.permutation(crowd[crowd >= 0])[: self.options.batch]]
        return drawn

    def _vectors(self, names: Rows) -> Any:
        torch = self.torch
        rows, weights, starts = take(self.bags, names)
        summed = torch.nn.functional.embedding_bag(
            torch.from_numpy(rows),
            self.table,
            torch.from_numpy(starts),
            mode="sum",
            per_sample_weights=torch.from_numpy(weights),
        )
        return torch.nn.functional.normalize(summed)

    def _nearest_concepts(self) -> Rows:
        """For each drawable concept, by its first name, the places of the nearest drawable concepts, itself first."""
        import faiss

        firsts = self.pool.bounds[self.pool.drawable]
        with self.torch.no_grad():
            chunks = [self._vectors(firsts[start : start + 8192]).numpy() for start in range(0, len(firsts), 8192)]
        vectors = np.concatenate(chunks)
        faiss.omp_set_num_threads(self.options.threads)
        index = faiss.IndexFlatIP(self.shape.dim)
        if len(vectors) > 20_000:
            index = faiss.IndexIVFFlat(index, self.shape.dim, 256, faiss.METRIC_INNER_PRODUCT)
            index.cp.seed = self.options.seed + 1
            index.train(vectors[:: max(1, len(vectors) // 20_000)])
            index.nprobe = 8
        index.add(vectors)
        nearest: Rows = index.search(vectors, self.options.neighbours + 1)[1]
        return nearest


def take(source: Bags, names: Rows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The rows and weights of some names' bags and where each begins, for ``embedding_bag``."""
    lengths = source.starts[names + 1] - source.starts[names]
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64)
    places = np.repeat(source.starts[names] - starts, lengths) + np.arange(lengths.sum())
    return source.rows[places].astype(np.int64), source.weights[places], starts


def described(options: TrainOptions, pool: NamePool) -> dict[str, object]:
    """What the manifest of a trained encoder tells of its training."""
    return {
        "training": asdict(options),
        "pairs": {
            "recipe": "synonyms",
            "names": len(pool.names),
            "concepts": int(len(pool.bounds) - 1),
            "drawable": len(pool.drawable),
            "linked": pool.options.linked,
            "scopes": list(pool.options.scopes),
            "languages": list(pool.options.languages),
            "excluded": len(pool.options.exclude),
        },
    }
