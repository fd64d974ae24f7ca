"""Fusion: from the evidence on all candidates to one calibrated confidence each.

A small network scores every candidate, and "none of them" has a score of its own; the softmax over all these is the
confidence. A candidate is never scored lower than one that it dominates: that no feature of `SIDES` speaks more for. So
the confidences of a query add up to at most 1, concepts that share a name share the confidence, and a query that means
nothing in the terminologies gets little. The weights are learned from the names themselves (``learning/ranking.py``),
never from annotated text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import orjson

from ontonym.arrays import Doubles, Floats
from ontonym.errors import ArtifactError
from ontonym.index.evidence import FEATURES, SIDES

_SIDED = [FEATURES.index(name) for name in SIDES]
_SIGNS = np.array(list(SIDES.values()), dtype=np.float32)
_NEARNESS = [FEATURES.index(name) for name in ("dense", "char", "words")]
_LOOKED_AT = 24
_EQUAL = 1e-6
_STEP = 1e-4


@dataclass(frozen=True, slots=True)
class Fusion:
    """A network of one hidden layer over standardized features.

    Shapes: ``mean`` and ``scale`` ``(features,)``, ``hidden`` ``(features, h)``, ``hidden_bias`` ``(h,)``, ``output``
    ``(h,)``; ``none`` is the score of "none of them".
    """

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    output: Floats
    none: float

    def scores(self, features: Floats) -> Floats:
        """Unbounded scores, higher is better, shape ``(n,)`` for features of shape ``(n, features)``."""
        inner = (features - self.mean) / self.scale @ self.hidden + self.hidden_bias
        return np.tanh(inner) @ self.output

    def confidences(self, features: Floats) -> Doubles:
        """The confidence in [0, 1] that each candidate is right; together at most 1."""
        return self.confidences_of(self.scores(features).astype(np.float64))

    def confidences_of(self, scores: Doubles) -> Doubles:
        """The confidences of candidates with these scores."""
        every = np.append(scores, self.none)
        raised = np.exp(every - every.max())
        confidences: Doubles = (raised / raised.sum())[:-1]
        return confidences

    def to_dict(self, features: Sequence[str] = FEATURES) -> dict[str, Any]:
        """Plain JSON values; ``features`` are the names of the columns that it was trained on."""
        arrays = ("mean", "scale", "hidden", "hidden_bias", "output")
        return {
            "features": list(features),
            "none": round(self.none, 5),
            **{name: np.round(getattr(self, name).astype(np.float64), 5).tolist() for name in arrays},
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any], features: Sequence[str] = FEATURES) -> Fusion:
        """Reads the values of `to_dict`; raises ArtifactError if they are for other features."""
        if values.get("features") != list(features):
            raise ArtifactError("the fusion weights were made for other features; reinstall ontonym")
        arrays = ("mean", "scale", "hidden", "hidden_bias", "output")
        return cls(**{name: np.asarray(values[name], dtype=np.float32) for name in arrays}, none=float(values["none"]))


def undominated(scores: Doubles, features: Floats) -> Doubles:
    """Scores under which no candidate is below one that it dominates, as far as that one is among the best.

    A candidate dominates another one where every feature of `SIDES` speaks at least as much for it. It then gets at
    least the other's score, and a little more the nearer it is. Shape ``(n,)`` for features ``(n, features)``.
    """
    table = features[:, _SIDED] * _SIGNS
    best = np.argsort(-scores, kind="stable")[:_LOOKED_AT]
    dominates = (table[:, None, :] >= table[None, best, :] - _EQUAL).all(axis=2)
    raised = np.where(dominates, scores[best], -np.inf).max(axis=1, initial=-np.inf)
    nearness = _STEP * features[:, _NEARNESS].sum(axis=1)
    lifted: Doubles = np.where(raised > scores, raised + nearness, scores)
    return lifted


@cache
def default_fusion() -> Fusion:
    """The fusion weights that come with the package."""
    return Fusion.from_dict(orjson.loads(files("ontonym.index").joinpath("fusion.json").read_bytes()))
