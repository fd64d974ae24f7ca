"""Evaluates methods on similarity sets: graded pairs, and similar and dissimilar pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.arrays import Doubles, Mask
from ontonym.benchmark.sets import SimilaritySet, open_sets
from ontonym.errors import InputError, MissingExtraError
from ontonym.evaluate.alike import Alike, labelled, method_of
from ontonym.evaluate.graded import GradedSet, read_graded
from ontonym.evaluate.results import Cell, Evaluation, Line, Marked, Plot, Results, Table
from ontonym.evaluate.separation import (
    ALPHA,
    MethodStanding,
    part,
    right_answers,
    spearman,
    standings_of_answers,
    standings_of_correlations,
)
from ontonym.evaluate.significance import BootstrapOptions, Interval
from ontonym.evaluate.tables import format_table
from ontonym.evaluate.texts import excluded_names
from ontonym.manifest import MANIFEST
from ontonym.text.normalization import normalize
from ontonym.types import Progress

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

    ``multi_word`` is the share of its terms that have several words, in [0, 1] (Schulz, table 1).
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
    terms = {term for side in (pairs.first, pairs.second) for term in side}
    several = sum(len(term.split()) > 1 for term in terms) / len(terms)
    return Evaluated(pairs.name, isinstance(pairs, GradedSet), len(rows), len(pairs), several, found)


def _first(measures: Alike) -> Doubles:
    return next(iter(measures.values()))


def _graded(
    grades: Doubles, methods: Mapping[str, Alike], bootstrap: BootstrapOptions
) -> dict[str, dict[str, Figures]]:
    standings = standings_of_correlations(
        grades, {method: _first(measures) for method, measures in methods.items()}, bootstrap
    )
    among = {
        method: standings_of_correlations(grades, measures, bootstrap) if len(measures) > 1 else {}
        for method, measures in methods.items()
    }
    return {
        method: {
            name: Figures(
                spearman(grades, values, bootstrap),
                standing=None if place else standings[method],
                among=among[method].get(name),
            )
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
    among = {method: standings_of_answers(answers) if len(answers) > 1 else {} for method, answers in right.items()}
    return {
        method: {
            name: Figures(
                _share(right[method][name]),
                area_interval(similar, values, partings[method][name].auc),
                partings[method][name].threshold,
                None if place else standings[method],
                among[method].get(name),
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
    """The area under the ROC curve with the 95% interval of DeLong et al. (1988), limited to [0, 1]."""
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
    """Correlations on graded sets, accuracies and areas under the ROC curve on sets of similar and dissimilar pairs."""
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
    for key, some, what in (("graded", graded, "Spearman's correlation"), ("parted", parted, "accuracy")):
        if some and _has_several(some):
            title = f"The measures of each method beside each other: {what}"
            note = "raised: how many of the other measures of the method one is better than, behind a minus worse than"
            tables.append(_table(f"measures-{key}", title, some, _among, (note,)))
    return tuple(tables), tuple(plots)


def _value(figures: Figures) -> Cell:
    return _marked(figures.value, figures.standing)


def _among(figures: Figures) -> Cell:
    return _marked(figures.value, figures.among)


def _marked(value: Interval, standing: MethodStanding | None) -> Cell:
    mark = str(standing) if standing else ""
    return Marked(value, mark) if mark else value


def _has_several(found: Sequence[Evaluated]) -> bool:
    """Whether some method is asked by several measures."""
    return any(len(measures) > 1 for one in found for measures in one.figures.values())


def _table(
    key: str, title: str, found: Sequence[Evaluated], cell: Callable[[Figures], Cell], notes: tuple[str, ...]
) -> Table:
    """A row for each method and measure, a column for each set, the numbers of pairs on top."""
    several = _has_several(found)
    sizes = (f"{one.n:,}" if one.n == one.pairs else f"{one.n:,}/{one.pairs:,}" for one in found)
    blank = [""] if several else []
    rows: list[tuple[Cell, ...]] = [("pairs", *blank, *sizes)]
    rows.append(("terms of several words", *blank, *(f"{one.multi_word:.0%}" for one in found)))
    for method, measures in found[0].figures.items():
        for measure in measures:
            cells = (cell(one.figures[method][measure]) for one in found)
            rows.append((method, *([measure] if several else []), *cells))
    columns = ("method", *(["measure"] if several else []), *(one.name for one in found))
    return Table(key, title, columns, tuple(rows), notes, best="high")


def _plot(key: str, title: str, y: str, found: Sequence[Evaluated], chance: float | None) -> Plot:
    """Every method's figure on every set, by the measure for comparisons."""
    places = tuple(f"{one.name} ({one.n:,})" for one in found)
    lines = tuple(Line(method, tuple(one.headline(method).value for one in found)) for method in found[0].figures)
    return Plot(key, title, "set", y, places, lines, ordered=False, chance=chance)


# Files and folders --------------------------------------------------------------------------------------------------

PairSet = GradedSet | SimilaritySet


@dataclass(frozen=True, slots=True)
class SimilarityOptions:
    """The ``methods`` to compare: encoders, files of word vectors, or names of `SPELLINGS`.

    ``sets``: only sets of a folder whose name has one of these words. ``measure`` is the one for comparisons; empty: a
    method's first; ``every_measure`` adds the others. ``any_word``: word vectors represent a term if they have one of
    its words; else every word must have a vector (Schulz, section 5). ``names`` is a file of the only names that count.
    At most ``most`` pairs of a set of similar and dissimilar names are drawn by ``seed`` (0: all).
    """

    methods: tuple[str, ...] = ("default", "edit")
    sets: tuple[str, ...] = ()
    measure: str = ""
    every_measure: bool = False
    any_word: bool = False
    names: str | None = None
    most: int = 0
    seed: int = 0
    resamples: int = BCA.resamples


def evaluate_pair_sets(
    places: Sequence[Path | str],
    options: SimilarityOptions = SimilarityOptions(),
    *,
    progress: Progress = lambda stage, done, total: None,
) -> Evaluation:
    """The figures of all methods on folders of similarity sets and files of graded pairs; see `evaluate_similarity`.

    Raises InputError if the options leave no set at a place, or no pair in a set.
    """
    only = {normalize(name) for name in excluded_names([options.names])} if options.names else None
    sets = [_drawn(_restricted(pairs, only), options) for place in places for pairs in _read(Path(place), options.sets)]
    bootstrap = replace(BCA, resamples=options.resamples)
    methods = {
        label: method_of(name, options.measure, every=options.every_measure, any_word=options.any_word)
        for label, name in labelled(options.methods).items()
    }
    found: list[Evaluated] = []
    for number, pairs in enumerate(sets):
        progress(pairs.name, number, len(sets))
        similarities = {name: ask(pairs.first, pairs.second) for name, ask in methods.items()}
        found.append(evaluate_similarity(pairs, similarities, bootstrap))
    about = [f"only similar pairs whose names are both in {options.names}"] if options.names else []
    about += [f"at most {options.most:,} pairs of a set, drawn (seed {options.seed})"] if options.most else []
    title = f"Telling similar names in {', '.join(Path(place).name for place in places)}"
    return Evaluation(
        Results(title, tuple(about), *tables_of(found, bootstrap)),
        {"sets": [one.to_dict() for one in found], "bootstrap": bootstrap.caption("pair")},
        bootstrap,
        "".join(
            f"{_text_table(some)}\n{_caption(some, bootstrap)}\n"
            for some in ([one for one in found if one.graded], [one for one in found if not one.graded])
            if some
        ),
    )


def _read(path: Path, wanted: Sequence[str]) -> Iterator[PairSet]:
    if not path.is_dir():
        yield read_graded(path)
        return
    if not (path / MANIFEST).is_file() and (files := sorted(path.glob("*.txt")) + sorted(path.glob("*.csv"))):
        raise InputError(f"{path}: no folder of sets; for graded pairs give its files: {path / files[0].name} …")
    some = [pairs for pairs in open_sets(path) if not wanted or any(words in pairs.name for words in wanted)]
    if not some:
        raise InputError(f"{path}: no set whose name has {' or '.join(wanted)}")
    yield from some


def _restricted(pairs: PairSet, only: set[str] | None) -> PairSet:
    """The pairs with both names among ``only``, with the dissimilar pairs that belong to them."""
    if only is None:
        return pairs
    some = pairs.restricted(only)
    if not len(some):
        raise InputError(f"{pairs.name}: no pair whose names are both in the file of names")
    return some


def _drawn(pairs: PairSet, options: SimilarityOptions) -> PairSet:
    return pairs.drawn(options.most, options.seed) if options.most and isinstance(pairs, SimilaritySet) else pairs


def _text_table(found: Sequence[Evaluated]) -> str:
    """A row for each set and measure, a column for each method."""
    methods = list(found[0].figures)
    several = _has_several(found)
    head = [*(("set", "measure") if several else ("set",)), "pairs", "of several words", *methods]
    rows = []
    for one in found:
        pairs = f"{one.n:,}" if one.n == one.pairs else f"{one.n:,} of {one.pairs:,}"
        named = list(dict.fromkeys(name for measures in one.figures.values() for name in measures))
        for name in named if several else [""]:
            cells = [_cell(one.figures[method].get(name) if several else one.headline(method)) for method in methods]
            rows.append([one.name, *([name] if several else []), pairs, f"{one.multi_word:.0%}", *cells])
    return format_table(head, rows)


def _cell(figures: Figures | None) -> str:
    if figures is None:
        return ""
    value = figures.value
    area = "" if figures.auc is None else f", {figures.auc.value:.3f}"
    standing = f" ({figures.standing})" if figures.standing else ""
    standing += f" {{{figures.among}}}" if figures.among else ""
    return f"{value.value:.3f} [{value.low:.3f}, {value.high:.3f}]{area}{standing}"


def _caption(found: Sequence[Evaluated], bootstrap: BootstrapOptions) -> str:
    if found[0].graded:
        figure = f"Spearman's correlation; {bootstrap.caption('pair')}"
        test = "intervals of differences"
    else:
        figure = "accuracy at the threshold that is best on these pairs [exact binomial 95% interval], area under the "
        figure += "ROC curve"
        test = "McNemar's test"
    return (
        f"{figure}\n(better than n/-worse than m) of the other methods: {test} at {ALPHA} with Bonferroni's "
        "correction; only pairs whose terms all methods can represent"
        + ("; {…}: the same among the measures of one method" if _has_several(found) else "")
    )
