"""Fusion: from the evidence on all candidates to one calibrated confidence each.

A small network scores every candidate, and "none of them" has a score of its own; the softmax over all these is the
confidence. So the confidences of a query add up to at most 1, concepts that share a name share the confidence, and a
query that means nothing in the terminologies gets little. The weights are learned from the names themselves
(``learning/ranking.py``), never from annotated text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from ontonym.arrays import Floats
from ontonym.errors import ArtifactError
from ontonym.index.evidence import FEATURES


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

    def confidences(self, features: Floats) -> npt.NDArray[np.float64]:
        """The confidence in [0, 1] that each candidate is right; their sum is at most 1."""
        scores = np.append(self.scores(features), self.none).astype(np.float64)
        raised = np.exp(scores - scores.max())
        confidences: npt.NDArray[np.float64] = (raised / raised.sum())[:-1]
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


@cache
def default_fusion() -> Fusion:
    """The fusion weights that come with the package."""
    return Fusion.from_dict(orjson.loads(files("ontonym.index").joinpath("fusion.json").read_bytes()))
