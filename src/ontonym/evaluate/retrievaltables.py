"""Figures of search as tables and plots: one run a row, or one kind of question a row and one run a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ontonym.evaluate.comparison import ALPHA
from ontonym.evaluate.results import Cell, Line, Marked, Plot, Run, Table, TableRows
from ontonym.evaluate.retrieval import (
    ZERO_SHOT,
    QuestionGroup,
    RetrievalFigures,
    RetrievalReport,
    SearchQuestion,
    concepts_asked,
    drawn_unit,
)
from ontonym.evaluate.significance import paired_t_test

ALIKE = "ns"
"""Marks a figure that does not differ significantly from that of the run it is tested against."""

_LEAST_PLACES = 2


def runs_of(reports: Mapping[str, RetrievalReport], questions: Sequence[SearchQuestion]) -> tuple[Run, ...]:
    """The figures of every run by question, for comparisons."""
    keys, asked, unit = tuple(question.id for question in questions), concepts_asked(questions), drawn_unit(questions)
    return tuple(Run(name, keys, report.values, asked, unit) for name, report in reports.items())


def figures_table(reports: Mapping[str, RetrievalReport]) -> Table:
    """A row for each run, a column for each measure; `ALIKE` marks figures that Student's paired t-test cannot separate
    (Ngo) from those of the first run.
    """
    base = next(iter(reports))
    measures = list(reports[base].measures)
    rows: list[tuple[Cell, ...]] = []
    for name, report in reports.items():
        cells = (tested(report, reports[base], measure, is_base=name == base) for measure in measures)
        rows.append((name, report.n, *cells))
    notes: tuple[str, ...] = ()
    if len(reports) > 1:
        notes = (f"{ALIKE}: not told apart from {base} (paired t-test, p at least {ALPHA}); unmarked others are",)
    return Table("figures", "Figures", ("run", "n", *measures), tuple(rows), notes, best="high")


def tested(report: RetrievalFigures, base: RetrievalFigures, measure: str, *, is_base: bool) -> Cell:
    """A figure, with `ALIKE` if the paired t-test does not separate it from the base's."""
    figure = report.measures[measure]
    alike = not is_base and paired_t_test(base.values[measure], report.values[measure]) >= ALPHA
    return Marked(figure, ALIKE) if alike else figure


def curve_plot(reports: Mapping[str, RetrievalReport]) -> Plot:
    """Recall at 1, 2, 4… of every run (Rahimi, figure 1)."""
    places = list(next(iter(reports.values())).curve)
    lines = tuple(Line(name, tuple(report.curve[k] for k in places)) for name, report in reports.items())
    return Plot("curve", "Recall at K", "K: answers looked at", "recall@K (share)", tuple(map(str, places)), lines)


def overlap_table(reports: Mapping[str, RetrievalReport], measure: str) -> Table:
    """A measure by overlap degree: a row for each interval, a column for each run (Ngo, figure 3)."""
    notes = (
        "overlap degree: share of a question's words, stop words aside, that some name of a right concept has (Ngo)",
    )
    groups = {name: report.by_overlap for name, report in reports.items()}
    return _grouped_table("overlap", f"{measure} by overlap degree", "overlap degree", measure, groups, notes)


def zero_shot_table(reports: Mapping[str, RetrievalReport], measure: str) -> Table:
    """A measure by how new questions are relative to training (Kong, section 2)."""
    groups = {
        name: {kind: report.by_newness[kind] for kind in ZERO_SHOT if kind in report.by_newness}
        for name, report in reports.items()
    }
    notes = (
        "mention seen: the text was in training; zero-shot on mentions only: only the concept was; on mentions and "
        "concepts: neither (Kong)",
    )
    return _grouped_table("zero-shot", f"{measure}, zero-shot", "zero-shot on", measure, groups, notes)


def _grouped_table(
    key: str,
    title: str,
    head: str,
    measure: str,
    groups: Mapping[str, Mapping[str, QuestionGroup]],
    notes: tuple[str, ...],
) -> Table:
    kinds = next(iter(groups.values()))
    rows: TableRows = tuple(
        (kind.removeprefix("overlap "), n, *(some[kind][1][measure] for some in groups.values()))
        for kind, (n, _) in kinds.items()
    )
    return Table(key, title, (head, "n", *groups), rows, notes, best="high", methods="columns")


def overlap_plot(reports: Mapping[str, RetrievalReport], measure: str) -> Plot | None:
    """Ngo's figure 3; None if all questions are of one interval."""
    kinds = list(next(iter(reports.values())).by_overlap)
    if len(kinds) < _LEAST_PLACES:
        return None
    places = tuple(kind.removeprefix("overlap ") for kind in kinds)
    lines = tuple(
        Line(name, tuple(report.by_overlap[kind][1][measure] for kind in kinds)) for name, report in reports.items()
    )
    about = "overlap degree: share of the question's words"
    return Plot("overlap", f"{measure} by overlap degree", about, f"{measure} (share of questions)", places, lines)


def normalized_table(reports: Mapping[str, RetrievalReport], first_stage: str) -> Table:
    """Measures over the questions for which the first stage brought a right concept (Rahimi, table 2)."""
    normalized = {name: report for name, report in reports.items() if report.reachable is not None}
    measures = list(next((report.normalized for report in normalized.values() if report.normalized), {}))
    rows: TableRows = tuple(
        (name, report.reachable, *(report.normalized.get(measure) for measure in measures))
        for name, report in normalized.items()
    )
    columns = ("run", "n", *(f"n. {measure}" for measure in measures))
    notes = (f"n.: normalized, over the questions for which {first_stage} brought a right concept (Rahimi)",)
    return Table("normalized", "Normalized by the first stage", columns, rows, notes, best="high")


def tables_of(
    reports: Mapping[str, RetrievalReport], measure: str, *, first_stage: str = ""
) -> tuple[tuple[Table, ...], tuple[Plot, ...]]:
    """All tables and plots of runs over the same questions; ``measure`` is the one shown by kind of question."""
    first = next(iter(reports.values()))
    tables = [figures_table(reports)]
    plots = [curve_plot(reports)] if len(first.curve) >= _LEAST_PLACES else []
    if first.by_overlap:
        tables.append(overlap_table(reports, measure))
        plots += [plot for plot in [overlap_plot(reports, measure)] if plot]
    if first.by_newness:
        tables.append(zero_shot_table(reports, measure))
    if any(report.normalized for report in reports.values()):
        tables.append(normalized_table(reports, first_stage))
    return tuple(tables), tuple(plots)
