"""Figures as plain text: one run, several runs side by side, and how sure their differences are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ontonym.errors import InputError
from ontonym.evaluate.comparison import Comparison, compare_runs, told_p
from ontonym.evaluate.measures import Protocol, per_mention
from ontonym.evaluate.normalization import NormalizationReport
from ontonym.evaluate.results import Line, Plot, Results, Rows, Run, Table
from ontonym.evaluate.tables import format_table, told

_SHORT = {
    "names": "names",
    "ambiguity": "ambiguous",
    "composite": "composites",
    "nil": "NIL",
    "missing": "missing gold",
    "data": "data",
    "split": "split",
    "terminology": "terminology",
    "types": "types",
    "depth": "depth",
}
"""Column heads for the parts of a protocol in which runs differ."""


def format_report(report: NormalizationReport, title: str = "") -> str:
    """One report as text: caption with protocol and counts, then the figures overall and by mention type."""
    head = ["mentions", "n", *report.measures]
    rows = [["all", f"{report.n:,}", *(told(i) for i in report.measures.values())]]
    if len(report.by_type) > 1:
        rows += [
            [kind, f"{n:,}", *(told(i) for i in measures.values())] for kind, (n, measures) in report.by_type.items()
        ]
    skipped = ", ".join(f"{count:,} {rule}" for rule, count in report.skipped.items()) or "none"
    caption = [
        *([title] if title else []),
        report.protocol.caption(),
        f"{report.mentions_read:,} mentions read = {report.n:,} evaluated + {sum(report.skipped.values()):,} skipped "
        f"({skipped})",
        report.bootstrap.caption(report.unit),
    ]
    return "\n".join([*caption, "", format_table(head, rows), *_nil_lines({"": report})])


def format_runs(reports: Mapping[str, NormalizationReport]) -> str:
    """Several runs side by side, one row each; what their protocols share is the caption, what differs is a column.

    Raises InputError where runs with ontology names only meet runs with added terms, or measures differ.
    """
    require_comparable(reports)
    runs = list(reports.values())
    differing = [f.name for f in fields(Protocol) if len({getattr(run.protocol, f.name) for run in runs}) > 1]
    head = ["run", *(_SHORT[name] for name in differing), "n", *runs[0].measures]
    rows = [
        [
            name,
            *(_value(getattr(run.protocol, part)) for part in differing),
            f"{run.n:,}",
            *(told(i) for i in run.measures.values()),
        ]
        for name, run in reports.items()
    ]
    shared = ", ".join(
        f"{_SHORT[f.name]}: {_value(getattr(runs[0].protocol, f.name))}"
        for f in fields(Protocol)
        if f.name not in differing
    )
    intervals = "; ".join(dict.fromkeys(run.bootstrap.caption(run.unit) for run in runs))
    return "\n".join([shared, intervals, "", format_table(head, rows), *_nil_lines(reports)])


def format_by_type(reports: Mapping[str, NormalizationReport], measure: str) -> str:
    """One measure of several runs by mention type: a row for each type, a column for each run."""
    require_comparable(reports)
    runs = list(reports.values())
    head = [measure, "n", *reports]
    rows = [
        [kind, f"{n:,}", *(told(i) for i in (run.by_type[kind][1][measure] for run in runs))]
        for kind, (n, _) in runs[0].by_type.items()
    ]
    return format_table(head, rows)


def run_of(name: str, report: NormalizationReport) -> Run:
    """A report as a run that others can be compared with, mention by mention."""
    values = {measure: per_mention(measure, report.ranks) for measure in report.measures}
    return Run(name, report.keys, values, report.documents, report.unit, "mention", report.protocol.names)


def compare(reports: Mapping[str, NormalizationReport]) -> list[Comparison]:
    """Every run against the first one, paired mention by mention, with interval and p (two-sided) by measure.

    Raises InputError for fewer than two runs, runs that are not comparable, and runs over different mentions.
    """
    require_comparable(reports)
    first, *others = (run_of(name, report) for name, report in reports.items())
    if not others:
        raise InputError("one run cannot be compared. Give at least two")
    bootstrap = next(iter(reports.values())).bootstrap
    return [compare_runs(first, run, bootstrap) for run in others]


def format_comparisons(comparisons: Sequence[Comparison]) -> str:
    """Differences as text: ``+0.021 [+0.008, +0.034] p=0.002`` by run and measure, in the measure's own units."""
    if not comparisons:
        return ""
    head = ["difference", *comparisons[0].differences]
    rows = [
        [
            f"{comparison.run} - {comparison.against}",
            *(f"{told(d.difference, signed=True)} {told_p(d.p)}" for d in comparison.differences.values()),
        ]
        for comparison in comparisons
    ]
    return format_table(head, rows)


def normalization_results(
    reports: Mapping[str, NormalizationReport], title: str, notes: Sequence[str], command: str
) -> Results:
    """One or several runs as tables and plots: figures, the first measure by mention type, and decisions of NIL.

    Raises InputError as `format_runs` does.
    """
    require_comparable(reports)
    first = next(iter(reports.values()))
    measure = next(iter(first.measures))
    rows: Rows = tuple((name, run.n, *run.measures.values()) for name, run in reports.items())
    tables = [Table("figures", "Figures", ("run", "n", *first.measures), rows, best="high")]
    lines = (Line(name, tuple(run.measures.values())) for name, run in reports.items())
    unit = "share of mentions"
    plots = [Plot("figures", "All measures", "measure", unit, tuple(first.measures), tuple(lines), ordered=False)]
    kinds = [kind for kind in first.by_type if all(kind in run.by_type for run in reports.values())]
    if len(kinds) > 1:
        by_type: Rows = tuple(
            (kind, first.by_type[kind][0], *(run.by_type[kind][1][measure] for run in reports.values()))
            for kind in kinds
        )
        titled = f"{measure} by mention type"
        tables.append(Table("types", titled, ("type", "n", *reports), by_type, best="high", methods="columns"))
        places = tuple(f"{kind} ({first.by_type[kind][0]:,})" for kind in kinds)
        parted = (Line(name, tuple(run.by_type[kind][1][measure] for kind in kinds)) for name, run in reports.items())
        plots.append(Plot("types", titled, "type", f"{measure} ({unit})", places, tuple(parted), ordered=False))
    decided = {name: run.nil for name, run in reports.items() if run.nil is not None}
    if decided:
        nils: Rows = tuple(
            (name, nil.gold, nil.answered, nil.both, nil.precision, nil.recall, nil.f1) for name, nil in decided.items()
        )
        columns = ("run", "in the gold", "answered", "both", "precision", "recall", "F1")
        tables.append(Table("nil", "No concept (NIL)", columns, nils, best="high"))
    captions = dict.fromkeys(run.protocol.caption() for run in reports.values())
    intervals = dict.fromkeys(run.bootstrap.caption(run.unit) for run in reports.values())
    runs = tuple(run_of(name, report) for name, report in reports.items())
    return Results(title, (*captions, *intervals, *notes), tuple(tables), tuple(plots), runs, command)


def require_comparable(reports: Mapping[str, NormalizationReport]) -> None:
    """Raises InputError where the runs' figures must not stand in one column."""
    if not reports:
        raise InputError("no run to show. Give at least one")
    by_names: dict[str, list[str]] = {}
    for name, run in reports.items():
        by_names.setdefault(run.protocol.names, []).append(name)
    if len(by_names) > 1:
        groups = "; ".join(f"{names}: {', '.join(runs)}" for names, runs in by_names.items())
        raise InputError(
            f"runs that search the ontology's names only and runs that also search added terms are never put in "
            f"one table ({groups}). Show each group by itself"
        )
    if len({tuple(run.measures) for run in reports.values()}) > 1:
        raise InputError("the runs have different measures. Evaluate them with the same ones")


def _nil_lines(reports: Mapping[str, NormalizationReport]) -> list[str]:
    """A table of the no-concept decisions of the runs that count them, with an empty line before it."""
    decided = {name: report.nil for name, report in reports.items() if report.nil is not None}
    if not decided:
        return []
    head = ["no concept (NIL)", "in the gold", "answered", "both", "precision", "recall", "F1"]
    rows = [
        [
            name,
            *(f"{number:,}" for number in (nil.gold, nil.answered, nil.both)),
            *("–" if i is None else told(i) for i in (nil.precision, nil.recall, nil.f1)),
        ]
        for name, nil in decided.items()
    ]
    return ["", format_table(head, rows)]


def _value(value: Any) -> str:
    return (", ".join(value) or "all") if isinstance(value, tuple) else str(value)
