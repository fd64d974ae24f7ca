"""The losses against those of the same name in sentence-transformers, on inputs where no meaning is shared wrongly."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from ontonym.learning.encoders.batches import TrainingBatch
from ontonym.learning.encoders.losses import LossOptions, make_loss

pytestmark = [pytest.mark.oracle, pytest.mark.training]
torch = pytest.importorskip("torch")
pytest.importorskip("sentence_transformers")

PAIRS, DIM = 9, 16


@pytest.fixture(scope="module")
def losses() -> Any:
    from sentence_transformers.sentence_transformer import losses

    return losses


@pytest.fixture
def columns() -> list[Any]:
    torch.manual_seed(11)
    anchors = torch.randn(PAIRS, DIM, dtype=torch.float64)
    return [anchors, anchors + 1.8 * torch.randn_like(anchors), anchors + 1.8 * torch.randn_like(anchors)]


@pytest.fixture
def grouped() -> tuple[Any, Any, TrainingBatch]:
    """Vectors and labels of 20 texts, three or more of a meaning, and their batch: every text has a positive."""
    torch.manual_seed(12)
    labels = torch.arange(20) % 6
    centres = torch.randn(6, DIM, dtype=torch.float64)
    vectors = centres[labels] + torch.randn(20, DIM, dtype=torch.float64)
    pairs = np.array([[text, text + 6] for text in range(14)])
    return vectors, labels, batch_of(pairs, labels.numpy())


def batch_of(table: Any, meanings: Any) -> TrainingBatch:
    texts = np.arange(len(meanings), dtype=np.int64)
    negatives = table[:, 2] if table.shape[1] == 3 else None
    numbers = np.asarray(meanings).astype(np.int32)
    return TrainingBatch(texts, table[:, 0], table[:, 1], negatives, numbers, texts.astype(np.int32))


def distinct(count: int) -> TrainingBatch:
    """Examples without a shared text: anchors first, then positives, then negatives of meanings of their own."""
    table = np.arange(PAIRS * count).reshape(count, PAIRS).T
    meanings = [*range(PAIRS), *range(PAIRS), *range(PAIRS, 2 * PAIRS)][: PAIRS * count]
    return batch_of(table, meanings)


def agree(options: LossOptions, vectors: Any, batch: TrainingBatch, oracle: Any) -> None:
    """Equal loss and equal gradients."""
    ours, theirs = vectors.clone().requires_grad_(), vectors.clone().requires_grad_()
    found, expected = make_loss(options)(ours, batch), oracle(theirs)
    assert float(expected.detach()) > 0.01
    assert float(found.detach()) == pytest.approx(float(expected.detach()), abs=1e-5, rel=1e-5)
    found.backward()
    expected.backward()
    torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("similarity", "metric", "margin"), [("", "EUCLIDEAN", 0.1), ("cosine", "COSINE", 0.5)])
def test_triplet(losses: Any, columns: list[Any], similarity: Any, metric: str, margin: float) -> None:
    theirs = losses.TripletLoss(None, getattr(losses.TripletDistanceMetric, metric), margin)
    agree(
        LossOptions("triplet", similarity=similarity, margin=margin),
        torch.cat(columns),
        distinct(3),
        lambda vectors: theirs.compute_loss_from_embeddings(list(vectors.chunk(3)), torch.empty(0)),
    )


@pytest.mark.parametrize("similarity", ["euclidean", "cosine"])
@pytest.mark.parametrize(
    ("name", "options", "arguments"),
    [
        ("BatchHardSoftMarginTripletLoss", {}, {}),
        ("BatchHardTripletLoss", {"hinge": True, "margin": 1.5}, {"margin": 1.5}),
        ("BatchSemiHardTripletLoss", {"mining": "semi-hard", "hinge": True, "margin": 0.8}, {"margin": 0.8}),
    ],
)
def test_batch_hard(
    losses: Any, grouped: tuple[Any, Any, TrainingBatch], similarity: Any, name: str, options: Any, arguments: Any
) -> None:
    vectors, labels, batch = grouped
    metric = getattr(losses.BatchHardTripletLossDistanceFunction, f"{similarity}_distance")
    theirs = getattr(losses, name)(None, distance_metric=metric, **arguments)
    agree(
        LossOptions("batch-hard", similarity=similarity, **options),
        vectors,
        batch,
        lambda leaf: theirs.compute_loss_from_embeddings([leaf], labels),
    )


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    ("options", "directions", "mode"),
    [
        ({"both": False}, ("query_to_doc",), "joint"),
        ({}, ("query_to_doc", "doc_to_query"), "per_direction"),
        ({"both": False, "all_texts": True}, ("query_to_doc", "query_to_query"), "joint"),
    ],
)
@pytest.mark.parametrize(("similarity", "temperature"), [("cosine", 0.05), ("dot", 1.0)])
def test_multiple_negatives(
    losses: Any, columns: list[Any], count: int, options: Any, directions: Any, mode: str, similarity: Any,
    temperature: float,
) -> None:  # fmt: skip
    from sentence_transformers.util import cos_sim, dot_score

    theirs = losses.MultipleNegativesRankingLoss(
        None,
        scale=1 / temperature,
        similarity_fct={"cosine": cos_sim, "dot": dot_score}[similarity],
        directions=directions,
        partition_mode=mode,
    )
    agree(
        LossOptions(similarity=similarity, temperature=temperature, **options),
        torch.cat(columns[:count]),
        distinct(count),
        lambda vectors: theirs.compute_loss_from_embeddings(list(vectors.chunk(count)), torch.empty(0)),
    )


def test_multiple_negatives_symmetric(losses: Any, columns: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sentence-transformers has renamed it
        theirs = losses.MultipleNegativesSymmetricRankingLoss(None)
    agree(
        LossOptions(),
        torch.cat(columns[:2]),
        distinct(2),
        lambda vectors: theirs.compute_loss_from_embeddings(list(vectors.chunk(2)), torch.empty(0)),
    )


class Given(torch.nn.Module):  # type: ignore[misc]
    """A model that gives the vectors it is asked about."""

    def forward(self, features: dict[str, Any]) -> dict[str, Any]:
        return {"sentence_embedding": features["vectors"]}

    def get_embedding_dimension(self) -> int:
        return DIM


def test_matryoshka(losses: Any, columns: list[Any]) -> None:
    model, dims = Given(), [DIM, 8, 3]
    ranking = losses.MultipleNegativesRankingLoss(model)
    theirs = losses.MatryoshkaLoss(model, ranking, dims, [1 / len(dims)] * len(dims))
    agree(
        LossOptions(both=False, dims=tuple(dims)),
        torch.cat(columns),
        distinct(3),
        lambda vectors: theirs([{"vectors": part} for part in vectors.chunk(3)], torch.empty(0)),
    )


@pytest.mark.parametrize(("alpha", "beta", "base", "epsilon"), [(2, 50, 0.5, 0.1), (1, 60, 0.5, 0.1), (2, 40, 1, 0.02)])
def test_multi_similarity(
    grouped: tuple[Any, Any, TrainingBatch], alpha: float, beta: float, base: float, epsilon: float
) -> None:
    """Against pytorch-metric-learning, summed: its own mean leaves out the texts without a mined pair."""
    pytest.importorskip("pytorch_metric_learning")
    from pytorch_metric_learning import losses, miners, reducers

    vectors, labels, batch = grouped
    miner = miners.MultiSimilarityMiner(epsilon)
    theirs = losses.MultiSimilarityLoss(alpha, beta, base, reducer=reducers.SumReducer())
    agree(
        LossOptions("multi-similarity", alpha=alpha, beta=beta, base=base, epsilon=epsilon),
        vectors,
        batch,
        lambda leaf: theirs(leaf, labels, miner(leaf, labels)) / len(labels),
    )
