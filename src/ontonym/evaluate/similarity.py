"""The figures of methods on one similarity set: graded pairs, or similar and dissimilar pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Mask
from ontonym.benchmark.sets import SimilaritySet
from ontonym.errors import InputError, needing
from ontonym.evaluate.agreement import (
    MethodStanding,
    part,
    right_answers,
    spearman,
    standings_of_answers,
    standings_of_correlations,
)
from ontonym.evaluate.graded import GradedSet
from ontonym.evaluate.pairsimilarity import Alike
from ontonym.evaluate.significance import BootstrapOptions, Interval

BCA = BootstrapOptions(unit="mention", method="BCa")
"""Schulz, section 5.1: bias-corrected and accelerated intervals, over pairs."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one measure of one method on one set.

    ``value``: Spearman's correlation for graded pairs, else the accuracy at the best threshold. ``auc`` and
    ``threshold`` are for the latter only. ``standing`` is how many of the other methods it is significantly better and
    worse than, if it is the measure by which methods are compared; ``among`` how many of its own method's measures, if
    there are several (Schulz, sections 5.1 and 5.2).
    """

    value: Interval
    auc: Interval | None = None
    threshold: float | None = None
    standing: MethodStanding | None = None
    among: MethodStanding | None = None

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        shape: dict[str, Any] = {"value": self.value.to_dict()}
        if self.auc is not None:
            shape |= {"auc": self.auc.to_dict(), "threshold": self.threshold}
        if self.standing is not None:
            shape |= {"better_than": self.standing.better, "worse_than": self.standing.worse}
        if self.among is not None:
            shape["among_measures"] = {"better_than": self.among.better, "worse_than": self.among.worse}
        return shape


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One set: how many of its ``pairs`` every method can represent (``n``), and the figures by method and measure.

    ``multi_word`` is the share of the terms of its pairs that have several words, in [0, 1], each as often as it is in
    a pair: so counted it is that of Schulz's table 1.
    """

    name: str
    graded: bool
    n: int
    pairs: int
    multi_word: float
    figures: Mapping[str, Mapping[str, Figures]]

    def headline(self, method: str) -> Figures:
        """The figures of the measure by which a method is compared: its first."""
        return next(iter(self.figures[method].values()))

    def to_dict(self) -> dict[str, Any]:
        """The set's figures as JSON values."""
        return {
            "set": self.name,
            "measure": "spearman" if self.graded else "accuracy",
            "n": self.n,
            "pairs": self.pairs,
            "multi_word": round(self.multi_word, 4),
            "methods": {
                method: {measure: figures.to_dict() for measure, figures in measures.items()}
                for method, measures in self.figures.items()
            },
        }


def evaluate_similarity(
    pairs: GradedSet | SimilaritySet,
    similarities: Mapping[str, Alike],
    bootstrap: BootstrapOptions = BCA,
) -> Evaluated:
    """The figures of methods on one set, all over the pairs that every method can represent.

    Of several measures of a method the first is the one for comparisons. Graded: Spearman's correlation with its
    bootstrap interval, methods compared by intervals of differences. Similar and dissimilar: the area under the ROC
    curve (DeLong's interval), and the accuracy at the best threshold on these pairs (the exact binomial interval),
    methods compared by McNemar's test. All comparisons are at 0.05 with Bonferroni's correction (Schulz, section 5).

    Raises InputError if no pair is left, or only pairs of one kind.
    """
    known = np.ones(len(pairs), dtype=np.bool_)
    for measures in similarities.values():
        known &= ~np.isnan(_first(measures))
    rows = np.flatnonzero(known)
    if not len(rows):
        raise InputError(f"{pairs.name}: no pair whose terms all of {', '.join(similarities)} can represent")
    kept = {
        method: {name: np.nan_to_num(values[rows], nan=-1.0) for name, values in measures.items()}
        for method, measures in similarities.items()
    }
    if isinstance(pairs, GradedSet):
        found = _graded(pairs.scores[rows], kept, bootstrap)
    else:
        found = _parted(pairs.similar[rows], kept)
    terms = (*pairs.first, *pairs.second)
    several = sum(len(term.split()) > 1 for term in terms) / len(terms)
    return Evaluated(pairs.name, isinstance(pairs, GradedSet), len(rows), len(pairs), several, found)


def _first(measures: Alike) -> Doubles:
    """The values of a method's first measure, by which methods are compared."""
    return next(iter(measures.values()))


def _graded(
    grades: Doubles, methods: Mapping[str, Alike], bootstrap: BootstrapOptions
) -> dict[str, dict[str, Figures]]:
    """The figures of a set with grades: correlations."""
    return _with_standings(
        methods,
        lambda compared: standings_of_correlations(grades, compared, bootstrap),
        lambda method, measure: Figures(spearman(grades, methods[method][measure], bootstrap)),
    )


def _parted(similar: Mask, methods: Mapping[str, Alike]) -> dict[str, dict[str, Figures]]:
    """The figures of a set of similar and dissimilar pairs: accuracy and area under the curve."""
    partings = {
        method: {name: part(similar, values) for name, values in measures.items()}
        for method, measures in methods.items()
    }
    right = {
        method: {name: right_answers(similar, values, partings[method][name]) for name, values in measures.items()}
        for method, measures in methods.items()
    }

    def figures(method: str, measure: str) -> Figures:
        parting = partings[method][measure]
        area = area_interval(similar, methods[method][measure], parting.auc)
        return Figures(_share(right[method][measure]), area, parting.threshold)

    return _with_standings(right, standings_of_answers, figures)


def _with_standings(
    methods: Mapping[str, Mapping[str, npt.NDArray[Any]]],
    standings_of: Callable[[Mapping[str, npt.NDArray[Any]]], Mapping[str, MethodStanding]],
    figures: Callable[[str, str], Figures],
) -> dict[str, dict[str, Figures]]:
    """The figures of every method and measure: methods stand by their first measure, and measures among their own.

    ``methods`` has by method and measure what ``standings_of`` compares.
    """
    standings = standings_of({method: next(iter(measures.values())) for method, measures in methods.items()})
    among = {method: standings_of(measures) if len(measures) > 1 else {} for method, measures in methods.items()}
    return {
        method: {
            measure: replace(
                figures(method, measure),
                standing=None if place else standings[method],
                among=among[method].get(measure),
            )
            for place, measure in enumerate(measures)
        }
        for method, measures in methods.items()
    }


def _share(right: Mask) -> Interval:
    """The share of right answers with the exact binomial interval (Clopper and Pearson 1934)."""
    with needing("scipy", "eval", "an interval"):
        from scipy.stats import binomtest
    count = int(np.count_nonzero(right))
    interval = binomtest(count, len(right)).proportion_ci(0.95, method="exact")
    return Interval(count / len(right), float(interval.low), float(interval.high))


def area_interval(similar: Mask, similarities: Doubles, area: float) -> Interval:
    """The area under the ROC curve with the 95% interval of DeLong et al. (1988), limited to [0, 1]."""
    with needing("scipy", "eval", "an interval of the area under the ROC curve"):
        from scipy.stats import norm, rankdata
    above, below = similarities[similar], similarities[~similar]
    ranks = rankdata(np.concatenate([above, below]))
    of_above = (ranks[: len(above)] - rankdata(above)) / len(below)
    of_below = 1 - (ranks[len(above) :] - rankdata(below)) / len(above)
    spread = sum(float(part.var(ddof=1)) / len(part) for part in (of_above, of_below) if len(part) > 1)
    reach = float(norm.ppf(0.975)) * spread**0.5
    return Interval(area, max(area - reach, 0.0), min(area + reach, 1.0))
