"""Groups: a query and the candidates among which a reranker has to find the right one; and how well it ranks them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from ontonym.encoder.mixing import ScoredGroup, best_weight, mixed
from ontonym.encoder.protocol import AliasPair, Scores

Aliases = tuple[str, ...]
"""Names of one concept, the preferred first."""


@dataclass(frozen=True, slots=True)
class CandidateGroup:
    """A query, its candidates, and which of them is right (Rahimi section 3.2).

    ``query`` are the aliases of the query, ``candidates`` those of each candidate in the order of search. ``positive``
    is the position of the right candidate, -1 where search did not find it; all other candidates are negatives.
    ``confidences`` are those of search, one for each candidate; empty where they are not known.
    """

    query: Aliases
    candidates: tuple[Aliases, ...]
    positive: int
    confidences: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.query or not all(self.candidates):
            raise ValueError("a query and every candidate of a group need an alias")
        if not -1 <= self.positive < len(self.candidates):
            raise ValueError(f"the positive is at {self.positive} of {len(self.candidates)} candidates")
        if self.confidences and len(self.confidences) != len(self.candidates):
            raise ValueError(f"{len(self.confidences)} confidences for {len(self.candidates)} candidates")

    @property
    def teaches(self) -> bool:
        """Whether it has a right candidate and a wrong one, so that there is something to learn."""
        return self.positive >= 0 and len(self.candidates) > 1


def groups_digest(groups: Iterable[CandidateGroup]) -> str:
    """A SHA-256 over what a reranker reads of the groups, in their order."""
    digest = hashlib.sha256()
    for group in groups:
        digest.update(orjson.dumps([group.query, group.candidates, group.positive]))
    return digest.hexdigest()


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
        """The figures that decide which of two rerankers is better, the most important first."""
        return [self.recall_1, self.mrr]


@dataclass(frozen=True, slots=True)
class Compared:
    """The figures of the same groups in the order of search, of the reranker, and of both combined.

    ``mixed`` is None where the confidences of search are not known, or no weight was learned.
    """

    search: RerankFigures
    reranked: RerankFigures
    mixed: RerankFigures | None = None


def rerank_figures(groups: Sequence[CandidateGroup], scores: Sequence[npt.NDArray[Any]] | None = None) -> RerankFigures:
    """The figures of groups ordered by ``scores`` (one array a group, ties as in search), or for None as they are."""
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


def pairs_of(groups: Sequence[CandidateGroup]) -> list[AliasPair]:
    """The query of each group with each of its candidates, in order."""
    return [(group.query, candidate) for group in groups for candidate in group.candidates]


def by_group(groups: Sequence[CandidateGroup], scores: Scores) -> list[Scores]:
    """The scores of `pairs_of` again, one array a group."""
    edges = np.cumsum([len(group.candidates) for group in groups])
    return np.split(scores, edges)[: len(groups)]


def weight_of(groups: Sequence[CandidateGroup], scores: Sequence[Scores]) -> float | None:
    """The weight with which both together do best on groups; None where the confidences of search are not known."""
    return best_weight(
        [
            ScoredGroup(np.asarray(group.confidences), found, group.positive)
            for group, found in zip(groups, scores, strict=True)
            if group.confidences
        ]
    )


def compared(groups: Sequence[CandidateGroup], scores: Sequence[Scores], weight: float | None) -> Compared | None:
    """The figures before and after, None where there is no group."""
    if not groups:
        return None
    before, after = rerank_figures(groups), rerank_figures(groups, scores)
    if weight is None or not all(group.confidences for group in groups if group.candidates):
        return Compared(before, after)
    both = [mixed(np.asarray(group.confidences), found, weight) for group, found in zip(groups, scores, strict=True)]
    return Compared(before, after, rerank_figures(groups, both))
