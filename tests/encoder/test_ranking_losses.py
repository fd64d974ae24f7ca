"""The reranker's losses against plain computations, padding and extreme logits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from ontonym.errors import UnknownNameError
from ontonym.learning.rerankers.losses import RANKING_LOSSES, find_ranking_loss, listwise, passage_pair

pytestmark = pytest.mark.training

torch = pytest.importorskip("torch")


def plain_passage_pair(logits: list[float], positive: int) -> float:
    chances = [1 / (1 + math.exp(-logit)) for logit in logits]
    wrong = sum(math.log(1 - chance) for place, chance in enumerate(chances) if place != positive)
    return -math.log(chances[positive]) - wrong


def plain_listwise(logits: list[float], positive: int) -> float:
    return -math.log(math.exp(logits[positive]) / sum(map(math.exp, logits)))


BOTH = [(passage_pair, plain_passage_pair), (listwise, plain_listwise)]
Ranking = Callable[..., Any]


@pytest.mark.parametrize(("loss", "plain"), BOTH)
def test_a_ranking_loss_equals_the_plain_computation(loss: Ranking, plain: Callable[..., float]) -> None:
    torch.manual_seed(5)
    logits = torch.randn(4, 7, dtype=torch.float64) * 3
    positives = [0, 6, 2, 2]
    each = [plain(row, place) for row, place in zip(logits.tolist(), positives, strict=True)]
    assert float(loss(logits, torch.tensor(positives))) == pytest.approx(sum(each) / 4, rel=1e-12)
    assert float(loss(logits[1], 6)) == pytest.approx(each[1], rel=1e-12)
    assert float(loss(logits.float(), torch.tensor(positives))) == pytest.approx(sum(each) / 4, rel=1e-5)


@pytest.mark.parametrize(("loss", "plain"), BOTH)
def test_a_place_without_a_candidate_counts_nothing(loss: Ranking, plain: Callable[..., float]) -> None:
    logits = torch.tensor([[1.0, -2.0, 0.5], [0.3, 2.0, -math.inf]], dtype=torch.float64, requires_grad=True)
    found = loss(logits, torch.tensor([2, 0]))
    expected = (plain([1.0, -2.0, 0.5], 2) + plain([0.3, 2.0], 0)) / 2
    assert float(found.detach()) == pytest.approx(expected)
    found.backward()
    assert logits.grad.isfinite().all()
    assert float(logits.grad[1, 2]) == 0


@pytest.mark.parametrize("loss", [passage_pair, listwise])
def test_extreme_logits_stay_finite(loss: Ranking) -> None:
    logits = torch.tensor([[-500.0, 800.0, 3.0]], requires_grad=True)
    found = loss(logits, 0)
    found.backward()
    assert float(found.detach()) == pytest.approx({passage_pair: 500 + 800 + 3.0486, listwise: 1300.0}[loss], rel=1e-6)
    assert logits.grad.isfinite().all()
    assert float(logits.grad[0, 1]) == pytest.approx(1)


def test_half_precision_is_computed_in_single() -> None:
    logits = torch.tensor([1.5, -2.0, 0.25])
    for kind in RANKING_LOSSES.values():
        assert torch.equal(kind.compute(logits.to(torch.bfloat16), 1), kind.compute(logits, 1))


def test_places_must_fit_the_queries() -> None:
    with pytest.raises(ValueError, match="1 places of positives for 2 queries"):
        listwise(torch.zeros(2, 3), 0)


def test_an_unknown_ranking_loss_lists_the_valid_ones() -> None:
    assert find_ranking_loss("passage-pair") is passage_pair
    with pytest.raises(UnknownNameError, match=r"unknown ranking loss 'list'.*Valid: listwise, passage-pair"):
        find_ranking_loss("list")
