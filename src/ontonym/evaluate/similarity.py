"""Similarity sets evaluated: what every method makes of graded pairs, and of similar and dissimilar ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontonym.arrays import Doubles, Mask
from ontonym.benchmark.sets import SimilaritySet
from ontonym.errors import InputError, MissingExtraError
from ontonym.evaluate.alike import Alike
from ontonym.evaluate.graded import GradedSet
from ontonym.evaluate.results import Cell, Line, Marked, Plot, Table
from ontonym.evaluate.separation import (
    ALPHA,
    Standing,
    part,
    right_answers,
    spearman,
    standings_of_answers,
    standings_of_correlations,
)
from ontonym.evaluate.significance import BootstrapOptions, Interval

BCA = BootstrapOptions(unit="mention", method="BCa")
"""Schulz, section 5.1: bias-corrected and accelerated intervals, over pairs."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one measure of one method gives on one set.

    ``value``: Spearman's correlation for graded pairs, else the accuracy at the best threshold. ``auc`` and
    ``threshold`` are of the latter only. ``standing`` tells how many of the other methods it is significantly better
    and worse than, where it is the measure that methods are compared by.
    """

    value: Interval
    auc: Interval | None = None
    threshold: float | None = None
    standing: Standing | None = None

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        shape: dict[str, Any] = {"value": self.value.to_dict()}
        if self.auc is not None:
            shape |= {"auc": self.auc.to_dict(), "threshold": self.threshold}
        if self.standing is not None:
            shape |= {"better_than": self.standing.better, "worse_than": self.standing.worse}
        return shape


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One set: which of its ``pairs`` every method could represent (``n``), and the figures by method and measure."""

    name: str
    graded: bool
    n: int
    pairs: int
    figures: Mapping[str, Mapping[str, Figures]]

    def headline(self, method: str) -> Figures:
        """The figures of the measure that a method is compared by: its first."""
        return next(iter(self.figures[method].values()))

    def to_dict(self) -> dict[str, Any]:
        """The set's figures as JSON values."""
        return {
            "set": self.name,
            "measure": "spearman" if self.graded else "accuracy",
            "n": self.n,
            "pairs": self.pairs,
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
    """The figures of some methods on one set, all over the pairs that every one of them can represent.

    Of several measures of a method the first is the one that methods are compared by.

    Graded: Spearman's correlation with its bootstrap interval, methods compared by intervals of differences. Similar
    and dissimilar: the area under the ROC curve (DeLong's interval), and the accuracy at the threshold that is best on
    these pairs (the exact binomial interval), methods compared by McNemar's test. All comparisons at 0.05 with
    Bonferroni's correction (Schulz, section 5).

    Raises InputError where no pair is left, or only pairs of one kind.
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
    return Evaluated(pairs.name, isinstance(pairs, GradedSet), len(rows), len(pairs), found)


def _first(measures: Alike) -> Doubles:
    return next(iter(measures.values()))


def _graded(
    grades: Doubles, methods: Mapping[str, Alike], bootstrap: BootstrapOptions
) -> dict[str, dict[str, Figures]]:
    standings = standings_of_correlations(
        grades, {method: _first(measures) for method, measures in methods.items()}, bootstrap
    )
    return {
        method: {
            name: Figures(spearman(grades, values, bootstrap), standing=None if place else standings[method])
            for place, (name, values) in enumerate(measures.items())
        }
        for method, measures in methods.items()
    }


def _parted(similar: Mask, methods: Mapping[str, Alike]) -> dict[str, dict[str, Figures]]:
    partings = {
        method: {name: part(similar, values) for name, values in measures.items()}
        for method, measures in methods.items()
    }
    right = {
        method: {name: right_answers(similar, values, partings[method][name]) for name, values in measures.items()}
        for method, measures in methods.items()
    }
    standings = standings_of_answers({method: next(iter(answers.values())) for method, answers in right.items()})
    return {
        method: {
            name: Figures(
                _share(right[method][name]),
                area_interval(similar, values, partings[method][name].auc),
                partings[method][name].threshold,
                None if place else standings[method],
            )
            for place, (name, values) in enumerate(measures.items())
        }
        for method, measures in methods.items()
    }


def _share(right: Mask) -> Interval:
    """The share of right answers with the exact binomial interval (Clopper and Pearson 1934)."""
    try:
        from scipy.stats import binomtest
    except ImportError as error:
        raise MissingExtraError("scipy", "eval", "an interval") from error
    count = int(np.count_nonzero(right))
    interval = binomtest(count, len(right)).proportion_ci(0.95, method="exact")
    return Interval(count / len(right), float(interval.low), float(interval.high))


def area_interval(similar: Mask, similarities: Doubles, area: float) -> Interval:
    """The area under the ROC curve with the 95% interval of DeLong et al. (1988), cut to [0, 1]."""
    try:
        from scipy.stats import norm, rankdata
    except ImportError as error:
        raise MissingExtraError("scipy", "eval", "an interval of the area under the ROC curve") from error
    above, below = similarities[similar], similarities[~similar]
    ranks = rankdata(np.concatenate([above, below]))
    of_above = (ranks[: len(above)] - rankdata(above)) / len(below)
    of_below = 1 - (ranks[len(above) :] - rankdata(below)) / len(above)
    spread = sum(float(part.var(ddof=1)) / len(part) for part in (of_above, of_below) if len(part) > 1)
    reach = float(norm.ppf(0.975)) * spread**0.5
    return Interval(area, max(area - reach, 0.0), min(area + reach, 1.0))


# Tables and plots ---------------------------------------------------------------------------------------------------

_CHANCE = 0.5
_STANDING = (
    f"raised: how many of the other methods one is significantly better than, behind a minus worse than, at {ALPHA} "
    "with Bonferroni's correction; only pairs whose terms all methods can represent count"
)


def tables_of(found: Sequence[Evaluated], bootstrap: BootstrapOptions) -> tuple[tuple[Table, ...], tuple[Plot, ...]]:
    """Correlations on graded sets, accuracies and areas under the ROC curve on sets of similar and other pairs."""
    tables: list[Table] = []
    plots: list[Plot] = []
    graded = [one for one in found if one.graded]
    if graded:
        notes = (bootstrap.caption("pair"), f"{_STANDING}; compared by intervals of differences")
        tables.append(_table("spearman", "Spearman's correlation with people's grades", graded, _value, notes))
        plots.append(_plot("spearman", "Correlation with people's grades", "Spearman's correlation", graded, None))
    parted = [one for one in found if not one.graded]
    if parted:
        notes = (
            "accuracy at the threshold that is best on these pairs [exact binomial 95% interval]; 0.5 is chance",
            f"{_STANDING}; compared by McNemar's test",
        )
        tables.append(_table("accuracy", "Accuracy on similar and dissimilar names", parted, _value, notes))
        plots.append(_plot("accuracy", "Similar names told from others", "accuracy (share of pairs)", parted, _CHANCE))
        area = "area under the ROC curve [DeLong's 95% interval]; 0.5 is chance"
        tables.append(_table("auc", "Area under the ROC curve", parted, lambda figures: figures.auc, (area,)))
    return tuple(tables), tuple(plots)


def _value(figures: Figures) -> Cell:
    mark = str(figures.standing) if figures.standing else ""
    return Marked(figures.value, mark) if mark else figures.value


def _table(
    key: str, title: str, found: Sequence[Evaluated], cell: Callable[[Figures], Cell], notes: tuple[str, ...]
) -> Table:
    """A row for each method and measure, a column for each set, the numbers of pairs on top."""
    several = any(len(measures) > 1 for one in found for measures in one.figures.values())
    sizes = (f"{one.n:,}" if one.n == one.pairs else f"{one.n:,}/{one.pairs:,}" for one in found)
    rows: list[tuple[Cell, ...]] = [("pairs", *([""] if several else []), *sizes)]
    for method, measures in found[0].figures.items():
        for measure in measures:
            cells = (cell(one.figures[method][measure]) for one in found)
            rows.append((method, *([measure] if several else []), *cells))
    columns = ("method", *(["measure"] if several else []), *(one.name for one in found))
    return Table(key, title, columns, tuple(rows), notes, best="high")


def _plot(key: str, title: str, y: str, found: Sequence[Evaluated], chance: float | None) -> Plot:
    """Every method's figure on every set, by the measure that methods are compared by."""
    places = tuple(f"{one.name} ({one.n:,})" for one in found)
    lines = tuple(Line(method, tuple(one.headline(method).value for one in found)) for method in found[0].figures)
    return Plot(key, title, "set", y, places, lines, ordered=False, chance=chance)
