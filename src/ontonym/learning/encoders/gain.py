"""What a training changed: accuracy@1 before and after it, on held-out names and on names of the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Mask, Rows
from ontonym.encoder.protocol import Encoder
from ontonym.index.everyday import everyday_names
from ontonym.learning.encoders.datasets import Dataset, dev_questions, dev_right
from ontonym.learning.encoders.options import TrainOptions
from ontonym.text.normalization import normalize

TOLERANCE = 0.02
"""The loss of accuracy@1 that is tolerated on general names, which are not of the terminology."""

_ASKED = 2000
_RESAMPLES = 2000
_SEED = 29


@dataclass(frozen=True, slots=True)
class Gain:
    """The accuracy@1 of two encoders on the same ``questions``, in [0, 1], higher is better.

    ``low`` and ``high`` bound ``after - before``: a 95% interval, percentile bootstrap over concepts.
    """

    name: str
    questions: int
    before: float
    after: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """What was gained; below 0 where it was lost."""
        return self.after - self.before

    def __str__(self) -> str:
        change = f"{self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"
        return f"{self.before:.3f} before, {self.after:.3f} after: {change}, {self.questions:,} asked"


@dataclass(frozen=True, slots=True)
class AdaptationGains:
    """An adapted encoder beside the one it was adapted from.

    ``own`` are names of concepts of the terminology that were not learned from, None where there are none; ``general``
    are names that come with the package.
    """

    own: Gain | None
    general: tuple[Gain, ...]

    @property
    def gains(self) -> tuple[Gain, ...]:
        """All gains, that of the terminology first."""
        return (*((self.own,) if self.own else ()), *self.general)

    def worse(self, tolerance: float) -> tuple[Gain, ...]:
        """What got worse: names of the terminology by more than chance, general names by more than the tolerance."""
        lost = [self.own] if self.own and self.own.high < 0 else []
        return (*lost, *(gain for gain in self.general if gain.difference < -tolerance))


def compare_encoders(before: Encoder, after: Encoder, dataset: Dataset, options: TrainOptions) -> AdaptationGains:
    """The gains of ``after`` over ``before`` on the queries of dev, on everyday phrases and on clinical synonyms."""
    queries, names = dev_questions(dataset, options)
    own = None
    if len(queries):
        texts = dataset.texts
        said, known = texts.texts.take(queries).tolist(), texts.texts.take(names).tolist()
        right = [
            dev_right(queries, names, encoder.encode(said), encoder.encode_names(known), texts)
            for encoder in (before, after)
        ]
        own = _gain("held-out synonyms", (right[0], right[1]), texts.concepts[queries])
    targets = [clinical[0] for clinical, _ in everyday_names()]
    known_vectors = [encoder.encode_names(targets) for encoder in (before, after)]
    general = []
    for asked in _general_questions():
        right = [
            (encoder.encode(asked.texts) @ known.T).argmax(axis=1) == asked.rows
            for encoder, known in zip((before, after), known_vectors, strict=True)
        ]
        general.append(_gain(asked.name, (right[0], right[1]), asked.rows))
    return AdaptationGains(own, tuple(general))


class _Questions(NamedTuple):
    """A set of questions, with the row of each one's right answer in the list of everyday names."""

    name: str
    rows: Rows
    texts: Sequence[str]


def _general_questions() -> list[_Questions]:
    everyday: list[tuple[int, str]] = []
    clinical: list[tuple[int, str]] = []
    for row, (names, said) in enumerate(everyday_names()):
        everyday += [(row, text) for text in said]
        clinical += [(row, text) for text in names[1:] if normalize(text) != normalize(names[0])]
    found = []
    for name, asked in (("everyday phrases", everyday), ("clinical synonyms", clinical)):
        drawn = np.sort(np.random.default_rng(_SEED).permutation(len(asked))[:_ASKED])
        chosen = [asked[number] for number in drawn.tolist()]
        rows = np.array([row for row, _ in chosen], dtype=np.int64)
        found.append(_Questions(name, rows, [text for _, text in chosen]))
    return found


def _gain(name: str, right: tuple[Mask, Mask], concepts: npt.NDArray[np.integer]) -> Gain:
    """The gain with its interval; concepts are drawn with replacement, each with all its questions.

    ``right`` says of each question whether it was answered before, and after.
    """
    before, after = right
    _, units = np.unique(concepts, return_inverse=True)
    sizes = np.bincount(units).astype(np.float64)
    gained = np.bincount(units, after.astype(np.float64) - before)
    rng = np.random.default_rng(_SEED)
    drawn = rng.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes)), size=_RESAMPLES)
    low, high = np.percentile(drawn @ gained / np.maximum(drawn @ sizes, 1), [2.5, 97.5])
    return Gain(name, len(before), float(before.mean()), float(after.mean()), float(low), float(high))
