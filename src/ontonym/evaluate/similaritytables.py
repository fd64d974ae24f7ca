"""Figures on similarity sets as tables and plots: one method a row for reports, one set a row for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ontonym.evaluate.agreement import ALPHA, MethodStanding
from ontonym.evaluate.results import Cell, Line, Marked, Plot, Table
from ontonym.evaluate.significance import BootstrapOptions, Interval, few_units
from ontonym.evaluate.similarity import Evaluated, Figures
from ontonym.evaluate.tables import format_table

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
        few = few_units(min(one.n for one in graded), "pair")
        notes = (bootstrap.caption("pair"), f"{_STANDING}; compared by intervals of differences", *few)
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


def text_of(found: Sequence[Evaluated], bootstrap: BootstrapOptions) -> str:
    """The figures for a terminal, with what they are: those of graded sets, then those of the others."""
    kinds = ([one for one in found if one.graded], [one for one in found if not one.graded])
    return "".join(f"{_text_table(some)}\n{_caption(some, bootstrap)}\n" for some in kinds if some)


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
        + "".join(f"\n{note}" for note in few_units(min(one.n for one in found), "pair") if found[0].graded)
    )
