"""Fits the curves of a calibration to outcomes (extra ``eval``: scikit-learn); applying them needs none of this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.errors import InputError, needing
from ontonym.index.calibration import WAYS, Curve
from ontonym.text.counting import count

LEAST_OUTCOMES = 50
"""The fewest outcomes that a curve can be fitted to."""

_GRID = np.linspace(0, 1, 21)
_EDGE = 1e-3  # raw confidences nearer to 0 or 1 are treated as this


@dataclass(frozen=True, slots=True)
class Outcomes:
    """First hits and whether they were right: columns with one row for each query.

    ``confidences`` are raw, in [0, 1], 0 where nothing was found; ``right`` is 0 or 1; ``ways`` are numbers of `WAYS`;
    ``groups`` number what queries belong to (documents, concepts); ``texts`` number equal queries; ``findable`` says
    whether the index has a right concept at all.
    """

    confidences: Doubles
    right: Doubles
    ways: Ints
    groups: Ints
    texts: Ints
    findable: Mask

    def __len__(self) -> int:
        return len(self.confidences)

    def chosen(self, rows: Mask) -> Outcomes:
        """Some of the rows."""
        return Outcomes(*(getattr(self, name)[rows] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How curves are fitted.

    One curve of three parameters (beta calibration, Kull et al. 2017) is fitted to all outcomes. Each way then has an
    isotonic curve of its own, for which the common one counts as much as ``prior`` outcomes spread over [0, 1].
    """

    prior: float = 200.0


def fit_curves(outcomes: Outcomes, options: FitOptions = FitOptions()) -> dict[str, Curve]:
    """The curve of each of `WAYS`; all are non-decreasing.

    Raises InputError for too few outcomes or where all are right or all wrong, MissingExtraError without scikit-learn.
    """
    with needing("scikit-learn", "eval", "calibrating"):
        from sklearn.isotonic import IsotonicRegression
    if len(outcomes) < LEAST_OUTCOMES:
        raise InputError(
            f"only {count(len(outcomes), 'query', 'queries')} to calibrate on; at least {LEAST_OUTCOMES} are needed"
        )
    if outcomes.right.min() == outcomes.right.max():
        every = "right" if outcomes.right.max() else "wrong"
        raise InputError(f"the first hit of every query is {every}: there is nothing to calibrate on")
    common = _beta(outcomes.confidences, outcomes.right)
    curves = {}
    for number, way in enumerate(WAYS):
        rows = outcomes.ways == number
        isotonic = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(
            np.concatenate([outcomes.confidences[rows], _GRID]),
            np.concatenate([outcomes.right[rows], common]),
            np.concatenate([np.ones(int(rows.sum())), np.full(len(_GRID), options.prior / len(_GRID))]),
        )
        curves[way] = _curve(isotonic.X_thresholds_, isotonic.y_thresholds_)
    return curves


def calibrated(curves: Mapping[str, Curve], outcomes: Outcomes) -> Doubles:
    """The calibrated probability of each outcome."""
    found = np.empty(len(outcomes))
    for number, way in enumerate(WAYS):
        rows = outcomes.ways == number
        found[rows] = curves[way].at(outcomes.confidences[rows])
    return found


def _beta(confidences: Doubles, right: Doubles) -> Doubles:
    """The common curve at the points of the grid; a parameter that would make it decrease is left out."""
    from sklearn.linear_model import LogisticRegression

    columns = [0, 1]
    while columns:
        model = LogisticRegression(C=1e4, max_iter=1000).fit(_logs(confidences)[:, columns], right)
        falling = [column for column, weight in zip(columns, model.coef_[0], strict=True) if weight < 0]
        if not falling:
            found: Doubles = model.predict_proba(_logs(_GRID)[:, columns])[:, 1]
            return found
        columns = [column for column in columns if column not in falling]
    return np.full(len(_GRID), float(right.mean()))


def _logs(confidences: Doubles) -> Doubles:
    inside = np.clip(confidences, _EDGE, 1 - _EDGE)
    return np.column_stack([np.log(inside), -np.log1p(-inside)])


def _curve(places: Any, values: Any) -> Curve:
    """A curve through these points, rounded to the precision of a confidence, and non-decreasing."""
    raw: Sequence[float] = np.round(np.asarray(places, dtype=np.float64), 6).tolist()
    level = np.maximum.accumulate(np.clip(np.round(np.asarray(values, dtype=np.float64), 6), 0, 1)).tolist()
    knots = dict(zip(raw, level, strict=True))  # of equal places the last, which is the highest
    return Curve(tuple(knots), tuple(knots.values()))
