"""Acceptance: how likely a stretch of text that no name spells is a mention of the concept that it resembles most.

Two logistic models, in ``acceptance.json``: the first sees the words of the stretch and what stands around it, and
decides what is searched for; the second also sees what the search found. They are learned without annotation, from
names put out of sight in the definitions of terminologies (``learning/acceptance.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import orjson

from ontonym.arrays import Doubles
from ontonym.errors import ArtifactError, InputError

SHAPE = (
    "kind",  # log-odds that the words name what the terminology is of (`ontonym.text.kinds`)
    "kind_low",  # the same, 0 at most
    "of_phrase",  # share of its words that the nearest name has (`ontonym.index.partialforms`)
    "of_name",  # share of that name's words that it has
    "words",  # number of its telling words
    "single",  # it is one word
    "of",  # it has "of", "in" or "on"
    "modifier",  # it begins with a modifier, such as a degree
    "last",  # log-odds that its head is the last word of a name
    "before",  # a word of the same phrase stands before it
    "after",  # a word of the same phrase stands after it
    "capitals",  # it is written in capitals
    "digits",  # it has a digit
    "normal",  # it says that something is normal
    "common",  # it begins with a common word
    "hyphen",  # a hyphen joins it to another word
)
"""What the first model sees, in the order of the weights."""

FOUND = (
    "confidence",  # log-odds of the confidence in the first concept
    "margin",  # how much that is above the second
    "dense",  # the features of the ranking of the same name
    "dense_concept",
    "char",
    "words_shared",
    "query_share",
    "name_share",
    "number_missing",
    "number_extra",
    "contradicted",
    "qualifier_missing",
    "qualifier_extra",
    "inexact",
    "abbreviation",
    "short_query",
    "kind_gap",  # by how much the name is more of the terminology's kind than the words are, 0 at least
    "rarity_shared",  # summed rarity of the words in common
    "rarity_missing",  # of the name's words that are not in the text
    "rarity_extra",  # of the words that the name does not have
)
"""What the second model sees besides."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model over standardized features; ``mean``, ``scale`` and ``weights`` are of shape ``(features,)``."""

    mean: Doubles
    scale: Doubles
    weights: Doubles
    constant: float

    def probabilities(self, features: Doubles) -> Doubles:
        """The probabilities in [0, 1], shape ``(n,)``, for features of shape ``(n, features)``."""
        scores = (features - self.mean) / self.scale @ self.weights + self.constant
        found: Doubles = 1 / (1 + np.exp(-np.clip(scores, -50, 50)))
        return found

    def to_dict(self, features: Sequence[str]) -> dict[str, Any]:
        """Plain JSON values: by feature its mean, scale and weight."""
        columns = (array.round(5).tolist() for array in (self.mean, self.scale, self.weights))
        return {"constant": round(self.constant, 5), **dict(zip(features, zip(*columns, strict=True), strict=True))}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], features: Sequence[str]) -> Logistic:
        """Reads the values of `to_dict`; raises ArtifactError if they are of other features."""
        if set(values) != {"constant", *features}:
            raise ArtifactError("the weights of acceptance were made for other features; learn them again")
        mean, scale, weights = np.array([values[name] for name in features], dtype=np.float64).T
        return cls(mean, scale, weights, float(values["constant"]))


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What is reached where a stretch is accepted from the probability ``accept`` on; all in [0, 1]."""

    accept: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Both models, and the probabilities from which on a stretch is searched for and accepted.

    ``measured`` has for some such probabilities, ascending, what is reached with each on texts that the models did not
    see: of the stretches accepted the share that is right (precision), and of the mentions that no name spells the
    share that is found (recall). Empty where it was not measured.
    """

    shape: Logistic
    found: Logistic
    searched: float
    accepted: float
    measured: tuple[OperatingPoint, ...] = ()

    def accepting(self, probability: float) -> Acceptance:
        """The same with another probability from which on a stretch is accepted."""
        return replace(self, accepted=probability, searched=min(self.searched, probability))

    def with_precision(self, precision: float) -> Acceptance:
        """The same with the lowest probability from which on this share of the accepted is right.

        Raises InputError, with the highest that is reached, if none has it or nothing was measured.
        """
        self._check_measured()
        reached = [one for one in self.measured if one.precision >= precision]
        if not reached:
            best = max(self.measured, key=lambda one: one.precision)
            raise InputError(
                f"of likely mentions at most {best.precision:.2f} are right, with `accept={best.accept:g}`, which then "
                f"finds {best.recall:.2f} of them: ask for less, or leave them out with `find=phrases`"
            )
        return self.accepting(reached[0].accept)

    def with_recall(self, recall: float) -> Acceptance:
        """The same with the highest probability with which this share of the mentions that no name spells is found.

        Raises InputError, with the highest that is reached, if none has it or nothing was measured.
        """
        self._check_measured()
        reached = [one for one in self.measured if one.recall >= recall]
        if not reached:
            best = self.measured[0]
            raise InputError(
                f"of the mentions that no name spells at most {best.recall:.2f} are found, with "
                f"`accept={best.accept:g}`, of which {best.precision:.2f} are right: ask for less"
            )
        return self.accepting(reached[-1].accept)

    def _check_measured(self) -> None:
        if not self.measured:
            raise InputError("this acceptance was never measured: learn it again, or use `accept=`")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "searched": self.searched,
            "accepted": self.accepted,
            "measured": [[one.accept, one.precision, one.recall] for one in self.measured],
            "shape": self.shape.to_dict(SHAPE),
            "found": self.found.to_dict((*SHAPE, *FOUND)),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Acceptance:
        """Reads the values of `to_dict`; raises ArtifactError if they are of other features."""
        return cls(
            Logistic.from_dict(values["shape"], SHAPE),
            Logistic.from_dict(values["found"], (*SHAPE, *FOUND)),
            float(values["searched"]),
            float(values["accepted"]),
            tuple(OperatingPoint(*map(float, one)) for one in values.get("measured", ())),
        )


@cache
def default_acceptance() -> Acceptance:
    """The acceptance that comes with the package."""
    file = files("ontonym.tasks.annotation").joinpath("acceptance.json")
    return Acceptance.from_dict(orjson.loads(file.read_bytes()))
