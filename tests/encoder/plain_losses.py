"""The losses once more, one pair at a time in plain Python, for the tests to compare with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.learning.encoders.batches import TrainingBatch

Vectors = npt.NDArray[np.float64]


def similarity(one: Sequence[float], other: Sequence[float], kind: str) -> float:
    product = math.fsum(x * y for x, y in zip(one, other, strict=True))
    if kind == "dot":
        return product
    if kind == "cosine":
        return product / (math.hypot(*one) * math.hypot(*other))
    return -math.dist(one, other)


def alike(batch: TrainingBatch, one: int, other: int) -> bool:
    """Whether a text must never be the other's negative."""
    return bool(
        batch.meanings[one] == batch.meanings[other] or batch.spellings[one] == batch.spellings[other]
    ) or paired(batch, one, other)


def paired(batch: TrainingBatch, one: int, other: int) -> bool:
    pairs = set(zip(batch.anchors.tolist(), batch.positives.tolist(), strict=True))
    return (one, other) in pairs or (other, one) in pairs


def positives_and_negatives(batch: TrainingBatch, text: int) -> tuple[list[int], list[int]]:
    positives, negatives = [], []
    for other in range(len(batch.texts)):
        if other == text:
            continue
        if batch.meanings[other] == batch.meanings[text] or paired(batch, text, other):
            positives.append(other)
        elif batch.spellings[other] != batch.spellings[text]:
            negatives.append(other)
    return positives, negatives


def triplet(vectors: Vectors, batch: TrainingBatch, kind: str = "euclidean", margin: float = 0.1) -> float:
    assert batch.negatives is not None
    losses = []
    for a, p, n in zip(batch.anchors, batch.positives, batch.negatives, strict=True):
        meanings, spellings = batch.meanings, batch.spellings
        if meanings[n] in (meanings[a], meanings[p]) or spellings[n] in (spellings[a], spellings[p]):
            continue
        near, far = (1 - similarity(vectors[a], vectors[x], kind) for x in (p, n))
        losses.append(max(near - far + margin, 0))
    return sum(losses) / len(losses)


def batch_hard(
    vectors: Vectors,
    batch: TrainingBatch,
    kind: str = "euclidean",
    margin: float | None = None,
    semi_hard: bool = False,
) -> float:
    losses = []
    for text in range(len(batch.texts)):
        positives, negatives = positives_and_negatives(batch, text)
        if not positives or not negatives:
            continue
        near = [similarity(vectors[text], vectors[other], kind) for other in positives]
        far = [similarity(vectors[text], vectors[other], kind) for other in negatives]
        pairs = [(min(near), max(far))]
        if semi_hard:
            pairs = [(p, max((n for n in far if n < p), default=min(far))) for p in near]
        for p, n in pairs:
            losses.append(math.log1p(math.exp(n - p)) if margin is None else max(n - p + margin, 0))
    return sum(losses) / len(losses)


def softmax(
    vectors: Vectors,
    batch: TrainingBatch,
    kind: str = "cosine",
    temperature: float = 0.05,
    both: bool = True,
    all_texts: bool = False,
) -> float:
    anchors, positives = batch.anchors.tolist(), batch.positives.tolist()
    negatives = [] if batch.negatives is None else batch.negatives.tolist()
    everything = list(range(len(batch.texts)))

    def one_way(queries: list[int], own: list[int], candidates: list[int]) -> float:
        losses = []
        for query, right in zip(queries, own, strict=True):
            others = [other for other in candidates if not alike(batch, query, other)]
            logits = [similarity(vectors[query], vectors[x], kind) / temperature for x in (right, *others)]
            losses.append(math.log(sum(math.exp(x - logits[0]) for x in logits)))
        return sum(losses) / len(losses)

    forward = one_way(anchors, positives, everything if all_texts else positives + negatives)
    if not both:
        return forward
    return (forward + one_way(positives, anchors, everything if all_texts else anchors)) / 2


def multi_similarity(
    vectors: Vectors,
    batch: TrainingBatch,
    kind: str = "cosine",
    alpha: float = 2.0,
    beta: float = 50.0,
    base: float = 0.5,
    epsilon: float = 0.1,
) -> float:
    losses = []
    for text in range(len(batch.texts)):
        positives, negatives = positives_and_negatives(batch, text)
        if not positives or not negatives:
            continue
        near = [similarity(vectors[text], vectors[other], kind) for other in positives]
        far = [similarity(vectors[text], vectors[other], kind) for other in negatives]
        low, high = min(near), max(far)
        mined_near = [s for s in near if s < high + epsilon]
        mined_far = [s for s in far if s > low - epsilon]
        pulled = math.log1p(sum(math.exp(-alpha * (s - base)) for s in mined_near)) / alpha
        pushed = math.log1p(sum(math.exp(beta * (s - base)) for s in mined_far)) / beta
        losses.append(pulled + pushed)
    return sum(losses) / len(losses)


PLAIN: dict[str, Callable[..., Any]] = {
    "triplet": triplet,
    "batch-hard": batch_hard,
    "softmax": softmax,
    "multi-similarity": multi_similarity,
}
