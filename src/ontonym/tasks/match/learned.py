"""The learned score: the probability that two concepts are the same, from all features of the pair.

A logistic regression, so that the weight of each feature can be shown. The default weights come with the package; they
were learned from published mappings between disease terminologies (``benchmarks/matching.py`` lists them, and evaluates
the score on others).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from ontonym.arrays import Doubles, Ints
from ontonym.errors import ArtifactError, InputError, needing
from ontonym.index.evidence import FEATURES
from ontonym.tasks.match.candidates import BOTH_PREFERRED, SOURCE_PREFERRED, TARGET_PREFERRED, Candidates
from ontonym.tasks.match.references import XREF_FEATURES
from ontonym.tasks.match.structure import STRUCTURE_FEATURES

Columns = Mapping[str, Doubles]

EVIDENCE_FEATURES = (
    "dense", "dense_support", "dense_concept", "char", "words", "query_share", "name_share", "number_missing",
    "number_extra", "inexact", "abbreviation",
)  # fmt: skip
"""The features taken from the evidence of the name with the highest confidence (`ontonym.index.evidence.FEATURES`)."""

NAME_FEATURES = (
    *EVIDENCE_FEATURES,
    "confidence",  # log odds of the highest confidence
    "mean",  # log odds of the mean confidence over all names of the source
    "reciprocal_rank",  # mean over the source's names of 1 over the candidate's rank
    "found",  # share of the source's names that brought the candidate
    "equal",  # a name is equal
    "equal_share",  # share of the source's names that are equal to one of the candidate's
    "equal_source",  # the source's preferred term is equal to a name
    "equal_target",  # a name is equal to the candidate's preferred term
    "equal_both",  # the preferred terms are equal
    "behind_source",  # log odds of the highest confidence minus those of the source's best other candidate
    "behind_target",  # minus those of the best other source for the candidate
    "mean_behind_source",  # the same for the mean confidence
    "mean_behind_target",
    "rivals_source",  # ln(1 + other candidates of the source with an equal name)
    "rivals_target",  # ln(1 + other sources with a name equal to one of the candidate's)
    "equal_behind_source",  # degree of equality of names (0 to 5) minus that of the source's best other candidate
    "equal_behind_target",
)
STAGES: Mapping[str, tuple[str, ...]] = {
    "names": (*NAME_FEATURES, *XREF_FEATURES),
    "structure": (*NAME_FEATURES, *XREF_FEATURES, *STRUCTURE_FEATURES),
}
"""The features of each stage: first names and cross-references; then also the hierarchies, given the first stage's
pairs.
"""

_LEAST = 1e-4
_NEAR = 1e-3
_STRENGTH = 0.3
"""The inverse of the regularization of the weights that are learned."""


def name_features(found: Candidates, counts: tuple[int, int], places: Ints) -> dict[str, Doubles]:
    """`NAME_FEATURES` of all candidate pairs, on sides with ``counts`` concepts.

    ``places`` number the terminology of each target: those of several are no rivals for a source.
    """
    columns = {name: found.features[:, FEATURES.index(name)].astype(np.float64) for name in EVIDENCE_FEATURES}
    of = found.asked.astype(np.float64)
    equal = found.equal > 0
    kinds = [(found.equal_kinds & bit > 0).astype(np.float64) for bit in _BITS]
    share = found.equal / of
    quality = equal * (1 + share + sum(kinds))
    highest = found.highest.astype(np.float64)
    mean = found.mean.astype(np.float64)
    several = int(places.max(initial=0)) + 1
    sides = ((found.sources * several + places, counts[0] * several), (found.targets, counts[1]))
    near = highest + _NEAR * mean
    behind = [_odds(highest) - _odds(_best_other(near, *side)) for side in sides]
    mean_behind = [_odds(mean) - _odds(_best_other(mean, *side)) for side in sides]
    rivals = [np.log1p(np.bincount(rows, weights=equal, minlength=size)[rows] - equal) for rows, size in sides]
    equal_behind = [quality - _best_other(quality, *side) for side in sides]
    others = (
        _odds(highest), _odds(mean), found.reciprocal.astype(np.float64), found.found / of, equal.astype(np.float64),
        share, *kinds, *behind, *mean_behind, *rivals, *equal_behind,
    )  # fmt: skip
    return columns | dict(zip(NAME_FEATURES[len(EVIDENCE_FEATURES) :], others, strict=True))


_BITS = (SOURCE_PREFERRED, TARGET_PREFERRED, BOTH_PREFERRED)


def _odds(shares: Doubles) -> Doubles:
    kept = np.clip(shares, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(kept / (1 - kept)))


def _best_other(scores: Doubles, rows: Ints, size: int) -> Doubles:
    """The highest score among the other pairs of the same concept, at least 0."""
    best = np.zeros(size)
    np.maximum.at(best, rows, scores)
    at_best = scores >= best[rows]
    several = np.bincount(rows, weights=at_best, minlength=size) > 1
    second = np.zeros(size)
    np.maximum.at(second, rows[~at_best], scores[~at_best])
    return np.where(at_best & ~several[rows], second[rows], best[rows])


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic regression over standardized features: ``mean``, ``scale`` and ``weights`` are by feature."""

    features: tuple[str, ...]
    mean: Doubles
    scale: Doubles
    weights: Doubles
    bias: float

    def probabilities(self, columns: Columns) -> Doubles:
        """The probability in [0, 1] that each pair is the same concept."""
        table = np.column_stack([columns[name] for name in self.features])
        scores = (table - self.mean) / self.scale @ self.weights + self.bias
        return np.asarray(1 / (1 + np.exp(-np.clip(scores, -60, 60))))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: the weight of each feature."""
        numbers = zip(self.features, self.mean.tolist(), self.scale.tolist(), self.weights.tolist(), strict=True)
        return {
            "bias": round(self.bias, 5),
            "features": {name: [round(one, 5) for one in three] for name, *three in numbers},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], stage: str) -> Weights:
        """Reads the values of `to_dict`; raises ArtifactError if they are for other features."""
        if tuple(values["features"]) != STAGES[stage]:
            raise ArtifactError("the weights of matching were made for other features; reinstall ontonym")
        mean, scale, weights = np.asarray(list(values["features"].values()), dtype=np.float64).T
        return cls(STAGES[stage], mean, scale, weights, float(values["bias"]))


Learned = Mapping[str, Weights]
"""The weights of each of `STAGES`."""


@cache
def default_weights() -> Learned:
    """The weights that come with the package."""
    read = orjson.loads(files("ontonym.tasks.match").joinpath("weights.json").read_bytes())
    return {stage: Weights.from_dict(read[stage], stage) for stage in STAGES}


def learn_weights(samples: Sequence[tuple[Columns, npt.NDArray[np.bool_]]], stage: str) -> Weights:
    """Learns weights from samples of pairs, each with their features and whether they are the same (extra ``eval``).

    All samples have the same total weight, however many pairs they have. Raises InputError if the samples do not have
    pairs of both kinds.
    """
    with needing("scikit-learn", "eval", "learning to match"):
        from sklearn.linear_model import LogisticRegression
    features = STAGES[stage]
    table = np.concatenate([np.column_stack([columns[name] for name in features]) for columns, _ in samples])
    same = np.concatenate([given for _, given in samples])
    if same.all() or not same.any():
        raise InputError(
            "nothing to learn from: the mappings must say of some candidates that they are the same, and not of others"
        )
    sizes = [len(given) for _, given in samples]
    shares = np.repeat([len(same) / (len(sizes) * max(size, 1)) for size in sizes], sizes)
    mean, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale < 1e-6] = 1.0
    model = LogisticRegression(C=_STRENGTH, max_iter=2_000)
    model.fit((table - mean) / scale, same, sample_weight=shares)
    return Weights(features, mean, scale, model.coef_[0].astype(np.float64), float(model.intercept_[0]))
