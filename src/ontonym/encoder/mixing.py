"""Combines the confidences of search with the scores of a reranker for the same candidates; numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontonym.arrays import Doubles

WEIGHT = 0.5
"""The default weight of a reranker that has not learned one."""

_WEIGHTS = np.linspace(0, 2, 41)
_LEAST = 1e-6  # confidences are rounded to this
_LEAST_SCORE = 1e-15
"""Scores stay so far from 0 and 1, where their odds would not be finite."""


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """The candidates of one query: their confidences, their scores, and the position of the right one.

    Shapes ``(candidates,)``, confidences and scores in [0, 1]; ``positive`` is -1 if the right one is missing.
    """

    confidences: Doubles
    scores: Doubles
    positive: int


def sigmoid(logits: Doubles) -> Doubles:
    """Logits as scores strictly between 0 and 1, same shape."""
    scores: Doubles = np.clip(1 / (1 + np.exp(-logits)), _LEAST_SCORE, 1 - _LEAST_SCORE)
    return scores


def learned_weight(content: Mapping[str, Any]) -> float:
    """The weight in a reranker's manifest content, or `WEIGHT` if none was learned."""
    weight = content.get("weight")
    return WEIGHT if weight is None else float(weight)


def mixed(confidences: Doubles, scores: Doubles, weight: float) -> Doubles:
    """The confidences of one query's candidates, combined with a reranker's scores, shape ``(candidates,)``.

    A candidate's share is proportional to its confidence times the odds of its score raised to ``weight`` (0: as in
    search). The sum over the candidates is unchanged, at most 1, and so is the share of "none of them".
    """
    scores = np.clip(scores, _LEAST_SCORE, 1 - _LEAST_SCORE)
    worth = np.log(np.maximum(confidences, _LEAST)) + weight * (np.log(scores) - np.log1p(-scores))
    raised = np.exp(worth - worth.max(initial=-np.inf))
    shared: Doubles = raised / raised.sum() * min(float(confidences.sum()), 1.0)
    return shared


def best_weight(judged: Sequence[ScoredGroup]) -> float | None:
    """The weight in [0, 2] that maximizes the likelihood of the right candidates; None if no query has one."""
    known = [one for one in judged if one.positive >= 0 and len(one.scores) > 1]
    if not known:
        return None
    likely = [
        sum(float(np.log(max(mixed(one.confidences, one.scores, weight)[one.positive], _LEAST))) for one in known)
        for weight in _WEIGHTS.tolist()
    ]
    return round(float(_WEIGHTS[int(np.argmax(likely))]), 2)
