"""How well a reranker ranks groups: the figures of training, before and after, and how the two go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.encoder.mixing import Judged, best_weight, mixed
from ontonym.encoder.protocol import Pair, Scores
from ontonym.learning.rerankers.groups import Group


@dataclass(frozen=True, slots=True)
class RerankFigures:
    """How well the right candidates of ``n`` groups are ranked; all in [0, 1], higher is better.

    ``recall_1`` and ``recall_10`` count a group whose right candidate search did not bring as a miss; ``normalised_1``
    leaves those out (Rahimi section 3.4). ``mrr`` is the mean reciprocal rank.
    """

    n: int
    recall_1: float
    recall_10: float
    normalised_1: float
    mrr: float

    @property
    def order(self) -> list[float]:
        """What one is better by than another, the weightiest first."""
        return [self.recall_1, self.mrr]


@dataclass(frozen=True, slots=True)
class Compared:
    """The figures of the same groups ordered as search has them, by the reranker, and by both.

    ``mixed`` is None where it is not known how sure search was, or no weight was learned.
    """

    search: RerankFigures
    reranked: RerankFigures
    mixed: RerankFigures | None = None


def rerank_figures(groups: Sequence[Group], scores: Sequence[npt.NDArray[Any]] | None = None) -> RerankFigures:
    """The figures of groups ordered by ``scores``, one array a group, ties as search had them; as they are for None."""
    ranks = np.full(len(groups), np.inf)
    for number, group in enumerate(groups):
        if group.positive >= 0:
            order = np.arange(len(group.candidates)) if scores is None else np.argsort(-scores[number], kind="stable")
            ranks[number] = 1 + int(np.flatnonzero(order == group.positive)[0])
    first, found = int((ranks == 1).sum()), int(np.isfinite(ranks).sum())
    n = max(len(groups), 1)
    return RerankFigures(
        n=len(groups),
        recall_1=first / n,
        recall_10=float((ranks <= 10).sum()) / n,
        normalised_1=first / max(found, 1),
        mrr=float((1 / ranks).sum()) / n,
    )


def pairs_of(groups: Sequence[Group]) -> list[Pair]:
    """The query of each group with each of its candidates, in order."""
    return [(group.query, candidate) for group in groups for candidate in group.candidates]


def by_group(groups: Sequence[Group], scores: Scores) -> list[Scores]:
    """The scores of `pairs_of` again, one array a group."""
    edges = np.cumsum([len(group.candidates) for group in groups])
    return np.split(scores, edges)[: len(groups)]


def weight_of(groups: Sequence[Group], scores: Sequence[Scores]) -> float | None:
    """The weight under which both together do best on groups; None where they do not say how sure search was."""
    return best_weight(
        [
            Judged(np.asarray(group.confidences), found, group.positive)
            for group, found in zip(groups, scores, strict=True)
            if group.confidences
        ]
    )


def compared(groups: Sequence[Group], scores: Sequence[Scores], weight: float | None) -> Compared | None:
    """The figures before and after, None where there is no group."""
    if not groups:
        return None
    before, after = rerank_figures(groups), rerank_figures(groups, scores)
    if weight is None or not all(group.confidences for group in groups if group.candidates):
        return Compared(before, after)
    both = [mixed(np.asarray(group.confidences), found, weight) for group, found in zip(groups, scores, strict=True)]
    return Compared(before, after, rerank_figures(groups, both))
