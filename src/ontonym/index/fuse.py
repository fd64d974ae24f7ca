"""Fusion: from the evidence on all candidates to one calibrated confidence each.

A small network scores every candidate, and "none of them" has a score of its own; the softmax over all these is the
confidence. A candidate is never scored lower than one that it dominates: that no feature of `SIDES` speaks more for. So
the confidences of a query add up to at most 1, concepts that share a name share the confidence, and a query that means
nothing in the terminologies gets little. The weights are learned from the names themselves (``learning/ranking.py``),
never from annotated text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ontonym.arrays import Doubles, Floats, Ints
from ontonym.artifact import ArtifactWriter
from ontonym.encoder.places import RANKING, ranking_file
from ontonym.errors import ArtifactError
from ontonym.index.amend import amended
from ontonym.index.evidence import FEATURES, SIDES, SIGNAL_COLUMNS, Evidence
from ontonym.manifest import Manifest

_SIDED = [FEATURES.index(name) for name in SIDES]
_SIGNS = np.array(list(SIDES.values()), dtype=np.float32)
_SIMILARITIES = sorted(SIGNAL_COLUMNS.values())
_ONE_WORD = FEATURES.index("one_word")

_LOOKED_AT = 24
"""Among how many of the best candidates domination is looked for: the time grows with their number."""

_EQUAL = 1e-6
"""Features that differ by no more are equal."""

_STEP = 1e-4
"""What similarities add to a score that a candidate has from one that it dominates, so that the nearer is first."""

PREFERRED = 8.0
"""How much likelier a name means the concept whose preferred term it is than another of its terminology that has it as
a synonym (docs/decisions.md, "A name that two concepts share").
"""


@dataclass(frozen=True, slots=True)
class Fusion:
    """A network of one hidden layer over standardized features.

    Shapes: ``mean`` and ``scale`` ``(features,)``, ``hidden`` ``(features, h)``, ``hidden_bias`` ``(h,)``, ``output``
    ``(h,)``; ``none`` is the score of "none of them". ``single``, shape ``(features,)``, is the share of each feature's
    weights that counts for a query of one word; None is all of them.
    """

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    output: Floats
    none: float
    single: Floats | None = None

    def scores(self, features: Floats) -> Floats:
        """Unbounded scores, higher is better, shape ``(n,)`` for features of shape ``(n, features)``."""
        found: Floats = self._scored(features)
        return found

    def exact_scores(self, features: Floats) -> Doubles:
        """The scores in double precision, for sums of them; shapes as in `scores`."""
        found: Doubles = self._scored(features.astype(np.float64))
        return found

    def _scored(self, features: Any) -> Any:
        standard = (features - self.mean) / self.scale
        if self.single is not None and len(features) and features[0, _ONE_WORD]:  # the same in all rows of a query
            standard *= self.single
        return np.tanh(standard @ self.hidden + self.hidden_bias) @ self.output

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
            **({} if self.single is None else {"single": self.single.astype(np.float64).round(5).tolist()}),
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any], features: Sequence[str] = FEATURES) -> Fusion:
        """Reads the values of `to_dict`; raises ArtifactError if they are for other features."""
        if values.get("features") != list(features):
            raise ArtifactError("the fusion weights were made for other features; reinstall ontonym")
        arrays = ("mean", "scale", "hidden", "hidden_bias", "output")
        single = np.asarray(values["single"], dtype=np.float32) if "single" in values else None
        read = {name: np.asarray(values[name], dtype=np.float32) for name in arrays}
        return cls(**read, none=float(values["none"]), single=single)


def undominated(scores: Doubles, features: Floats) -> Doubles:
    """Scores under which no candidate is below one that it dominates, as far as that one is among the best.

    A candidate dominates another one where every feature of `SIDES` speaks at least as much for it. It then gets at
    least the other's score, and a little more the nearer it is. Shape ``(n,)`` for features ``(n, features)``.
    """
    table = (features.take(_SIDED, axis=1) * _SIGNS).T.copy()  # by feature: half the time of by candidate
    best = np.argsort(-scores, kind="stable")[:_LOOKED_AT]
    dominates = (table[:, :, None] >= table[:, None, best] - _EQUAL).all(axis=0)
    raised = np.where(dominates, scores[best], -np.inf).max(axis=1, initial=-np.inf)
    nearness = _STEP * features[:, _SIMILARITIES].sum(axis=1)
    lifted: Doubles = np.where(raised > scores, raised + nearness, scores)
    return lifted


def preferred_first(scores: Doubles, evidence: Evidence, terminologies: Ints) -> Doubles:
    """The scores, shape ``(n,)``, where namesakes of one terminology share anew what they have together.

    Namesakes are concepts with a name equal to the query. One that has it as its preferred term, or as a term that was
    added, counts `PREFERRED` times as much as one that has it as a synonym. ``terminologies`` are numbers by candidate.
    """
    (named,) = np.nonzero(evidence.column("spelled"))
    leads = (evidence.column("spelled_preferred")[named] > 0) | (evidence.given[named] > 0)
    if not leads.any() or leads.all():
        return scores
    found = scores.copy()
    for terminology in set(terminologies[named].tolist()):  # `np.unique` would import masked arrays
        own = terminologies[named] == terminology
        before, more = scores[named[own]], np.log(PREFERRED) * leads[own]
        found[named[own]] = before + more + np.logaddexp.reduce(before) - np.logaddexp.reduce(before + more)
    return found


@cache
def default_fusion() -> Fusion:
    """The fusion weights that come with the package, learned over the static encoder."""
    return Fusion.from_dict(orjson.loads(files("ontonym.index").joinpath("fusion.json").read_bytes()))


def fusion_for(index: Path, encoder: Path | str) -> Fusion:
    """The weights of an index: those learned for it, else those learned for its encoder, else those of the package.

    Raises ArtifactError if the file of the weights is damaged.
    """
    own = index / RANKING
    file = own if own.is_file() else ranking_file(encoder)
    if file is None:
        return default_fusion()
    try:
        return Fusion.from_dict(orjson.loads(file.read_bytes()))
    except (orjson.JSONDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArtifactError(f"{file}: damaged: {error}; learn it again with `learn_ranking()`") from None


def write_fusion(path: Path | str, fusion: Fusion | None, facts: Mapping[str, Any] | None = None) -> None:
    """Writes learned weights and ``facts`` about them into the index at ``path``; with None it has none of its own.

    Raises ArtifactError if there is no index, LockedError while another process writes it.
    """
    with amended(Path(path), RANKING.__eq__) as writer:
        writer.content.pop("ranking", None)
        if fusion is not None:
            values = {**fusion.to_dict(), "learned": dict(facts or {})}
            (writer.folder / RANKING).write_bytes(orjson.dumps(values, option=orjson.OPT_INDENT_2) + b"\n")
            writer.content["ranking"] = dict(facts or {})


def carry_fusion(writer: ArtifactWriter, path: Path, old: Manifest) -> None:
    """Carries the weights of the index at ``path`` over into its replacement, if that has the same encoder."""
    if RANKING in old.files and old.content["identity"]["encoder"] == writer.content["identity"]["encoder"]:
        writer.keep(path, {RANKING: old.files[RANKING]})
        writer.content["ranking"] = old.content["ranking"]
