"""The losses a reranker can be trained with (extra ``train``: torch): one positive among the candidates of a query.

Logits are the raw outputs of a cross-encoder, shape ``(candidates,)`` or ``(queries, candidates)``, higher is better;
``-inf`` marks a place without a candidate, so that queries with fewer candidates can share a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ontonym.arrays import Tensor
from ontonym.errors import UnknownNameError

RankingLoss = Callable[[Tensor, Tensor], Tensor]


def passage_pair(logits: Tensor, positive: Tensor | int) -> Tensor:
    """Rahimi 3.2: ``-log f(q, d+) - Σ log(1 - f(q, d-))`` with ``f = sigmoid(logit)``, the mean over the queries.

    ``positive`` is the place of the matching candidate, a number or shape ``(queries,)``. Each pair is judged alone, so
    that ``f`` is a probability that a threshold can cut, and "none of them" an answer.
    """
    import torch

    rows, places = _rows(logits, positive)
    log_sigmoid = torch.nn.functional.logsigmoid
    chosen = rows.gather(1, places)
    others = rows.scatter(1, places, -torch.inf)
    absent = others.isneginf()
    wrong = log_sigmoid(-others.masked_fill(absent, 0)).masked_fill(absent, 0)
    return -(log_sigmoid(chosen[:, 0]) + wrong.sum(1)).mean()


def listwise(logits: Tensor, positive: Tensor | int) -> Tensor:
    """The negative log likelihood of the positive in the softmax over its candidates, the mean over the queries.

    ``positive`` as in ``passage_pair``. To prefer where only the order of one query's candidates matters: its logits
    may all be shifted at no cost, so they cannot be compared with another query's, nor with a threshold.
    """
    import torch

    rows, places = _rows(logits, positive)
    return torch.nn.functional.cross_entropy(rows, places[:, 0])


@dataclass(frozen=True, slots=True)
class RankingKind:
    """A ranking loss of the table; ``summary`` says in a line what it does and after whom."""

    name: str
    compute: RankingLoss
    summary: str


RANKING_LOSSES: Mapping[str, RankingKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            RankingKind("passage-pair", passage_pair, "each candidate a match or not (Rahimi 3.2)"),
            RankingKind("listwise", listwise, "the match among all candidates (softmax)"),
        )
    }
)
"""Every ranking loss by its name, the one place where they are listed."""


def find_ranking_loss(name: str) -> RankingLoss:
    """The ranking loss of this name; UnknownNameError lists the valid ones."""
    if name not in RANKING_LOSSES:
        raise UnknownNameError("ranking loss", name, RANKING_LOSSES)
    return RANKING_LOSSES[name].compute


def _rows(logits: Tensor, positive: Tensor | int) -> tuple[Tensor, Tensor]:
    """Logits of shape ``(queries, candidates)`` in at least single precision, places of shape ``(queries, 1)``."""
    import torch

    rows = logits[None] if logits.ndim == 1 else logits
    rows = rows if rows.dtype == torch.float64 else rows.float()
    places = torch.as_tensor(positive, device=rows.device).reshape(-1, 1).long()
    if len(places) != len(rows):
        raise ValueError(f"{len(places)} places of positives for {len(rows)} queries")
    return rows, places
