"""How far confidences can be trusted: asking an index what is known, the error of its confidences, and their tables.

Expected calibration error (ECE): in bins of the confidence, the distance between mean confidence and share of right
answers, weighted by the queries in the bin (Naeini et al. 2015). Lower is better; 0 is perfect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles
from ontonym.errors import InputError, MissingExtraError
from ontonym.evaluate.corpora import GoldDocument, has_type
from ontonym.evaluate.measures import Resolve
from ontonym.evaluate.normalization import Answer, answer_mentions, known_parts
from ontonym.evaluate.significance import BootstrapOptions, Interval, mean_interval
from ontonym.index import Index
from ontonym.index.calibration import WAYS, Calibration, ThresholdFigures, way_of
from ontonym.learning.calibration import FitOptions, Outcomes, calibrated, fit_curves
from ontonym.learning.questions import Question, QuestionOptions, draw_questions
from ontonym.tasks import NormalizeOptions, normalize, search
from ontonym.tasks.search import Experiment
from ontonym.types import Advance, Hit, Mention

FOLDS = 10
THRESHOLDS = tuple(round(step / 100, 2) for step in range(101))
"""The thresholds whose standing is kept in an index."""

SHOWN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Those that are shown to people."""

_TABLE_RESAMPLES = 999
_CHANCE_DRAWS = 200


_Row = tuple[float, bool, int, str, str, bool]


@dataclass(frozen=True, slots=True)
class Bin:
    """The queries whose confidence lies between ``low`` and ``high``: their number, mean confidence and share right."""

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
    """How far confidences can be trusted.

    ``ece`` is over bins of equal width, ``ece_mass`` over bins of equally many queries; ``brier`` is the mean squared
    error. ``chance`` is the ECE (equal width) that perfectly calibrated confidences would show on as many distinct
    queries, by chance alone.
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


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A calibration that was learned, with its figures on queries that it was not learned from (``after``)."""

    calibration: Calibration
    outcomes: Outcomes
    probabilities: Doubles
    before: Reliability
    after: Reliability
    bootstrap: BootstrapOptions
    unit: str

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        counts = np.bincount(self.outcomes.ways, minlength=len(WAYS)).tolist()
        return {
            **dict(self.calibration.facts),
            "ways": dict(zip(WAYS, counts, strict=True)),
            "folds": FOLDS,
            "interval": {"unit": self.unit, "resamples": self.bootstrap.resamples, "seed": self.bootstrap.seed},
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "thresholds": [standing_shape(row) for row in self.calibration.table if row.threshold in SHOWN],
        }


def standing_shape(row: ThresholdFigures) -> dict[str, Any]:
    """A row of the table of thresholds as JSON values."""
    shape: dict[str, Any] = {"threshold": row.threshold, "n": row.number, "answered": row.answered}
    for name, three in (("precision", row.precision), ("recall", row.recall)):
        shape[name] = None if three is None else dict(zip(("value", "low", "high"), three, strict=True))
    return shape


# Asking ----------------------------------------------------------------------------------------------------------


def annotated_outcomes(
    index: Index,
    documents: Iterable[GoldDocument],
    options: NormalizeOptions | None = None,
    *,
    types: Sequence[str] = (),
    progress: Advance | None = None,
) -> Outcomes:
    """What the index, uncalibrated, answers to annotated mentions; right is any concept of any part of the gold.

    Mentions with no concept, or with one that the terminologies lack, are asked too: no hit of theirs is right.
    Raises InputError where there is no mention, or where the terminologies have none of their concepts.
    """
    given = options or NormalizeOptions()
    raw = replace(given, search=Experiment.of(given.search, calibrated=False), threshold=0.0, precision=None)

    def ask(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit]]:
        return (answer.candidates for answer in normalize(index, mentions, raw))

    return answered_outcomes(answer_mentions(documents, ask, types=types, progress=progress), index.resolve, types)


def answered_outcomes(answers: Iterable[Answer], resolve: Resolve, types: Sequence[str] = ()) -> Outcomes:
    """The outcomes of uncalibrated answers to gold mentions, of some types or all; see `annotated_outcomes`."""
    rows: list[_Row] = []
    for answer in answers:
        gold = answer.gold
        if not types or has_type(gold.mention.type, types):
            right = frozenset().union(*known_parts(gold, resolve))
            rows.append(_row(answer.hits, right, gold.mention.document, gold.mention.text))
    if not rows:
        raise InputError("the gold has no mention to calibrate on" + (f" of type {', '.join(types)}" if types else ""))
    found = _columns(rows)
    if not found.findable.any():
        raise InputError(
            f"the terminologies of this index have no concept of the gold's {len(rows):,} mentions: is it annotated "
            "with another terminology, or do its ids need another `prefix=`?"
        )
    return found


def named_outcomes(
    index: Index,
    options: QuestionOptions | None = None,
    *,
    progress: Advance | None = None,
) -> Outcomes:
    """What the index, uncalibrated, answers to the questions it asks itself (`draw_questions`)."""
    rows: list[_Row] = []
    for question in draw_questions(index, options or QuestionOptions()):
        rows.append(_asked(index, question))
        if progress is not None:
            progress(1)
    if not rows:
        raise InputError("no question can be made of the names of this index")
    return _columns(rows)


def _asked(index: Index, question: Question) -> _Row:
    hits = search(index, question.text, Experiment(k=3, strategy="O-T", calibrated=False, hidden=question.hidden))
    right = frozenset(index.id(concept) for concept in question.right)
    group = str(question.concept) if question.concept >= 0 else question.text
    return _row(hits, right, group, question.text)


def _row(hits: Sequence[Hit], right: frozenset[str], group: str, text: str) -> _Row:
    if not hits:
        return 0.0, False, WAYS.index("near"), group, text, bool(right)
    first = hits[0]
    return first.confidence, first.id in right, WAYS.index(way_of(first)), group, text, bool(right)


def _columns(rows: Sequence[_Row]) -> Outcomes:
    confidences, right, ways, groups, texts, findable = zip(*rows, strict=True)
    return Outcomes(
        np.asarray(confidences, dtype=np.float64),
        np.asarray(right, dtype=np.float64),
        np.asarray(ways, dtype=np.int64),
        np.unique(np.asarray(groups, dtype=object), return_inverse=True)[1].astype(np.int64),
        np.unique(np.asarray(texts, dtype=object), return_inverse=True)[1].astype(np.int64),
        np.asarray(findable, dtype=np.bool_),
    )


# Learning --------------------------------------------------------------------------------------------------------


def learn_calibration(
    outcomes: Outcomes,
    facts: dict[str, Any],
    *,
    unit: str,
    bins: int = 10,
    fit: FitOptions | None = None,
    bootstrap: BootstrapOptions | None = None,
) -> Calibrated:
    """The calibration learned from all outcomes, and its figures cross-fitted: each group (document, concept) judged by
    curves that were learned from the others. ``facts`` say what it is learned from and go into the index.

    Raises InputError for too few outcomes, or where all are right or all wrong.
    """
    fit, bootstrap = fit or FitOptions(), bootstrap or BootstrapOptions()
    curves = fit_curves(outcomes, fit)
    probabilities = cross_fitted(outcomes, fit)
    before = reliability(outcomes.confidences, outcomes, bins, bootstrap)
    after = reliability(probabilities, outcomes, bins, bootstrap)
    told = {
        **facts,
        "n": len(outcomes),
        "accuracy": round(float(outcomes.right.mean()), 6),
        "bins": bins,
        "ece_before": round(before.ece.value, 6),
        "ece": round(after.ece.value, 6),
    }
    table = precision_table(probabilities, outcomes, bootstrap)
    return Calibrated(Calibration(curves, table, told), outcomes, probabilities, before, after, bootstrap, unit)


def cross_fitted(outcomes: Outcomes, fit: FitOptions) -> Doubles:
    """The probability of each outcome by curves learned from the other folds; a group is never in two folds."""
    groups = np.unique(outcomes.groups)
    folds = np.empty(int(groups.max()) + 1, dtype=np.int64)
    count = min(FOLDS, len(groups))
    if count < 2:
        raise InputError(
            "one document is too little to calibrate on: its figures would be of what they were learned from"
        )
    folds[groups] = np.random.default_rng(0).permutation(len(groups)) % count
    mine = folds[outcomes.groups]
    found = np.empty(len(outcomes))
    for fold in range(count):
        left_out = mine == fold
        found[left_out] = calibrated(fit_curves(outcomes.chosen(~left_out), fit), outcomes.chosen(left_out))
    return found


# Measuring -------------------------------------------------------------------------------------------------------


def reliability(confidences: Doubles, outcomes: Outcomes, bins: int, bootstrap: BootstrapOptions) -> Reliability:
    """The figures of confidences, in [0, 1], against what was right; intervals are drawn over groups."""
    if bins < 2:
        raise InputError(f"{bins} bins are too few: at least 2 are needed")
    width, mass = equal_width(confidences, bins), equal_mass(confidences, bins)
    errors = (confidences - outcomes.right) ** 2
    return Reliability(
        _ece_interval(confidences, outcomes, width, bootstrap),
        _ece_interval(confidences, outcomes, mass, bootstrap),
        mean_interval(errors, _rows(outcomes), bootstrap),
        _by_chance(confidences, outcomes.texts, width, bootstrap.seed),
        _shown_bins(confidences, outcomes.right, width, bins),
    )


def ece(confidences: Doubles, right: Doubles, places: npt.NDArray[np.int64]) -> float:
    """The expected calibration error over bins; ``places`` has the bin of each query."""
    return float(np.abs(np.bincount(places, weights=confidences - right)).sum() / len(right))


def equal_width(confidences: Doubles, bins: int) -> npt.NDArray[np.int64]:
    """The bin of each confidence, bins of equal width over [0, 1]."""
    return np.minimum((confidences * bins).astype(np.int64), bins - 1)


def equal_mass(confidences: Doubles, bins: int) -> npt.NDArray[np.int64]:
    """The bin of each confidence, bins of equally many queries; equal confidences share a bin."""
    edges = np.quantile(confidences, np.linspace(0, 1, bins + 1)[1:-1])
    return np.searchsorted(edges, confidences, side="right").astype(np.int64)


def precision_table(
    probabilities: Doubles, outcomes: Outcomes, bootstrap: BootstrapOptions
) -> tuple[ThresholdFigures, ...]:
    """The standing of each of `THRESHOLDS`."""
    options = replace(bootstrap, resamples=min(bootstrap.resamples, _TABLE_RESAMPLES))
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


def _three(
    values: Doubles, groups: npt.NDArray[np.int64], options: BootstrapOptions
) -> tuple[float, float, float] | None:
    if not len(values):
        return None
    rows = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    found = mean_interval(values, rows, options)
    return round(found.value, 6), round(found.low, 6), round(found.high, 6)


def _rows(outcomes: Outcomes) -> npt.NDArray[np.int64]:
    return np.unique(outcomes.groups, return_inverse=True)[1].astype(np.int64)


def _ece_interval(
    confidences: Doubles, outcomes: Outcomes, places: npt.NDArray[np.int64], options: BootstrapOptions
) -> Interval:
    """The ECE with its percentile interval over groups; resampling adds to an ECE, so that both ends lie high."""
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("scipy", "eval", "a bootstrap interval") from error
    rows = _rows(outcomes)
    count = int(rows.max()) + 1
    gaps = np.zeros((count, int(places.max()) + 1))
    np.add.at(gaps, (rows, places), confidences - outcomes.right)
    sizes = np.bincount(rows, minlength=count).astype(np.float64)

    def error_of(drawn: npt.NDArray[np.int64], axis: int = -1) -> Any:
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


def _by_chance(confidences: Doubles, texts: npt.NDArray[np.int64], places: npt.NDArray[np.int64], seed: int) -> float:
    """The mean ECE where each distinct query is right with just the probability that its confidence says."""
    rng = np.random.default_rng(seed)
    draws = rng.random((_CHANCE_DRAWS, int(texts.max()) + 1))[:, texts] < confidences
    return float(np.mean([ece(confidences, drawn.astype(np.float64), places) for drawn in draws]))


def _shown_bins(confidences: Doubles, right: Doubles, places: npt.NDArray[np.int64], bins: int) -> tuple[Bin, ...]:
    shown = []
    for number in range(bins):
        mine = places == number
        if mine.any():
            mean, share = float(confidences[mine].mean()), float(right[mine].mean())
            shown.append(Bin(number / bins, (number + 1) / bins, int(mine.sum()), mean, share))
    return tuple(shown)
