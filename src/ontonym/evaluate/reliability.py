"""The reliability of confidences: their calibration error on known answers, and the results of thresholds.

Expected calibration error (ECE): in bins of the confidence, the distance between mean confidence and share of right
answers, weighted by the queries in the bin (Naeini et al. 2015). Lower is better; 0 is perfect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ontonym.arrays import Doubles, Ints
from ontonym.errors import InputError, needing
from ontonym.evaluate.significance import BootstrapOptions, Interval, mean_interval
from ontonym.evaluate.tables import cell_text
from ontonym.index.calibration import ThresholdFigures
from ontonym.learning.calibration import Outcomes

THRESHOLDS = tuple(round(step / 100, 2) for step in range(101))
"""The thresholds whose results are kept in an index."""

SHOWN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""The thresholds that are shown to people."""

TABLE_RESAMPLES = 999
"""The most resamples of the bootstrap for each threshold."""

_CHANCE_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Bin:
    """The queries with a confidence between ``low`` and ``high``: their number, mean confidence and share right."""

    low: float
    high: float
    n: int
    confidence: float
    right: float

    def to_dict(self) -> dict[str, float]:
        """The bin as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Reliability:
    """Figures of the reliability of confidences.

    ``ece`` is over bins of equal width, ``ece_mass`` over bins of equally many queries; ``brier`` is the mean squared
    error. ``chance`` is the ECE (equal width) that perfectly calibrated confidences would have by chance on as many
    distinct queries.
    """

    ece: Interval
    ece_mass: Interval
    brier: Interval
    chance: float
    bins: tuple[Bin, ...]

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return {
            "ece": self.ece.to_dict(),
            "ece_equal_mass": self.ece_mass.to_dict(),
            "brier": self.brier.to_dict(),
            "ece_by_chance": self.chance,
            "bins": [one.to_dict() for one in self.bins],
        }


def threshold_shape(row: ThresholdFigures) -> dict[str, Any]:
    """A row of the table of thresholds as JSON values."""
    shape: dict[str, Any] = {"threshold": row.threshold, "n": row.number, "answered": row.answered}
    for name, three in (("precision", row.precision), ("recall", row.recall)):
        shape[name] = None if three is None else dict(zip(("value", "low", "high"), three, strict=True))
    return shape


def threshold_cells(row: ThresholdFigures) -> list[str]:
    """A row of the table of thresholds as cells of text."""
    shares = ["–" if three is None else cell_text(Interval(*three)) for three in (row.precision, row.recall)]
    return [f"{row.threshold:.2f}", f"{row.number:,}", f"{row.answered:.3f}", *shares]


# Measuring -------------------------------------------------------------------------------------------------------


def reliability(confidences: Doubles, outcomes: Outcomes, bins: int, bootstrap: BootstrapOptions) -> Reliability:
    """The figures of confidences, in [0, 1], given the outcomes; intervals are drawn over groups."""
    if bins < 2:
        raise InputError(f"{bins} bins are too few: at least 2 are needed")
    width, mass = equal_width(confidences, bins), equal_mass(confidences, bins)
    errors = (confidences - outcomes.right) ** 2
    return Reliability(
        _ece_interval(confidences, outcomes, width, bootstrap),
        _ece_interval(confidences, outcomes, mass, bootstrap),
        mean_interval(errors, _numbered(outcomes.groups), bootstrap),
        _by_chance(confidences, outcomes.texts, width, bootstrap.seed),
        _shown_bins(confidences, outcomes.right, width, bins),
    )


def ece(confidences: Doubles, right: Doubles, places: Ints) -> float:
    """The expected calibration error over bins; ``places`` has the bin of each query."""
    return float(np.abs(np.bincount(places, weights=confidences - right)).sum() / len(right))


def equal_width(confidences: Doubles, bins: int) -> Ints:
    """The bin of each confidence, bins of equal width over [0, 1]."""
    return np.minimum((confidences * bins).astype(np.int64), bins - 1)


def equal_mass(confidences: Doubles, bins: int) -> Ints:
    """The bin of each confidence, bins of equally many queries; equal confidences share a bin."""
    edges = np.quantile(confidences, np.linspace(0, 1, bins + 1)[1:-1])
    return np.searchsorted(edges, confidences, side="right").astype(np.int64)


def precision_table(
    probabilities: Doubles, outcomes: Outcomes, bootstrap: BootstrapOptions
) -> tuple[ThresholdFigures, ...]:
    """The results of each of `THRESHOLDS`."""
    options = replace(bootstrap, resamples=min(bootstrap.resamples, TABLE_RESAMPLES))
    table = []
    for threshold in THRESHOLDS:
        sure = probabilities >= threshold
        found = (outcomes.right * sure)[outcomes.findable]
        table.append(
            ThresholdFigures(
                threshold,
                int(sure.sum()),
                round(float(sure.mean()), 6),
                _three(outcomes.right[sure], outcomes.groups[sure], options),
                _three(found, outcomes.groups[outcomes.findable], options),
            )
        )
    return tuple(table)


def _three(values: Doubles, groups: Ints, options: BootstrapOptions) -> tuple[float, float, float] | None:
    if not len(values):
        return None
    found = mean_interval(values, _numbered(groups), options)
    return round(found.value, 6), round(found.low, 6), round(found.high, 6)


def _numbered(groups: Ints) -> Ints:
    """The groups numbered from 0 without gaps."""
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _ece_interval(confidences: Doubles, outcomes: Outcomes, places: Ints, options: BootstrapOptions) -> Interval:
    """The ECE with its percentile interval over groups; resampling raises an ECE, so both ends are biased upwards."""
    with needing("scipy", "eval", "a bootstrap interval"):
        from scipy import stats
    rows = _numbered(outcomes.groups)
    count = int(rows.max()) + 1
    gaps = np.zeros((count, int(places.max()) + 1))
    np.add.at(gaps, (rows, places), confidences - outcomes.right)
    sizes = np.bincount(rows, minlength=count).astype(np.float64)

    def error_of(drawn: Ints, axis: int = -1) -> Any:
        return np.abs(gaps[drawn].sum(axis=-2)).sum(axis=-1) / sizes[drawn].sum(axis=-1)

    value = ece(confidences, outcomes.right, places)
    if count < 2:
        return Interval(value, 0.0, 1.0)
    result = stats.bootstrap(
        (np.arange(count),),
        error_of,
        vectorized=True,
        n_resamples=options.resamples,
        batch=max(1, 4_000_000 // gaps.size),
        confidence_level=options.confidence,
        method="percentile",
        rng=np.random.default_rng(options.seed),
    ).confidence_interval
    return Interval(value, min(value, float(result.low)), max(value, float(result.high)))


def _by_chance(confidences: Doubles, texts: Ints, places: Ints, seed: int) -> float:
    """The mean ECE if each distinct query were right with exactly the probability of its confidence."""
    rng = np.random.default_rng(seed)
    count = int(texts.max()) + 1
    errors = []
    for _ in range(_CHANCE_DRAWS):
        right = rng.random(count)[texts] < confidences
        errors.append(ece(confidences, right.astype(np.float64), places))
    return float(np.mean(errors))


def _shown_bins(confidences: Doubles, right: Doubles, places: Ints, bins: int) -> tuple[Bin, ...]:
    shown = []
    for number in range(bins):
        mine = places == number
        if mine.any():
            mean, share = float(confidences[mine].mean()), float(right[mine].mean())
            shown.append(Bin(number / bins, (number + 1) / bins, int(mine.sum()), mean, share))
    return tuple(shown)
