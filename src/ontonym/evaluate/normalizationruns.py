"""Runs of a normalizer: their figures as text, tables, plots and JSON, what they cost, and how sure differences are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from types import MappingProxyType
from typing import Any

from ontonym.errors import InputError
from ontonym.evaluate.comparison import (
    ONE_SAMPLE,
    Comparison,
    compare_pairs,
    compare_runs,
    compare_with_figure,
    comparison_table,
    p_text,
)
from ontonym.evaluate.measures import Protocol, per_mention
from ontonym.evaluate.normalization import NormalizationReport
from ontonym.evaluate.results import Line, Plot, Results, Run, Table, TableRows
from ontonym.evaluate.tables import cell_text, format_table
from ontonym.text.counting import count

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
    head = ["mentions", "n", *_heads(report)]
    rows = [["all", f"{report.n:,}", *_cells(report)]]
    if len(report.by_type) > 1:
        rows += [[kind, f"{n:,}", *_cells(report, kind)] for kind, (n, _) in report.by_type.items()]
    skipped = ", ".join(f"{count:,} {rule}" for rule, count in report.skipped.items()) or "none"
    caption = [
        *([title] if title else []),
        report.protocol.caption(),
        f"{count(report.mentions_read, 'mention')} read = {report.n:,} evaluated + "
        f"{sum(report.skipped.values()):,} skipped ({skipped})",
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
    head = ["run", *(_SHORT[name] for name in differing), "n", *_heads(runs[0])]
    rows = [
        [name, *(_value(getattr(run.protocol, part)) for part in differing), f"{run.n:,}", *_cells(run)]
        for name, run in reports.items()
    ]
    shared = ", ".join(
        f"{_SHORT[f.name]}: {_value(getattr(runs[0].protocol, f.name))}"
        for f in fields(Protocol)
        if f.name not in differing
    )
    intervals = "; ".join(dict.fromkeys(run.bootstrap.caption(run.unit) for run in runs))
    return "\n".join([shared, intervals, "", format_table(head, rows), *_nil_lines(reports)])


def _heads(report: NormalizationReport) -> list[str]:
    """The names of a report's figures: under the lenient rule for ambiguous names beside under its own, the strict."""
    first, *others = report.measures
    return [first, *(["lenient"] if _has_both(report) else []), *others]


def _cells(report: NormalizationReport, kind: str = "") -> list[str]:
    """The figures of all mentions or of one type, as `_heads` names them."""
    first, *others = (report.by_type[kind][1] if kind else report.measures).values()
    return [cell_text(one) for one in (first, *([report.lenient[kind]] if _has_both(report) else []), *others)]


def _has_both(report: NormalizationReport) -> bool:
    return bool(report.lenient) and next(iter(report.measures)) == "accuracy@1"


def format_by_type(reports: Mapping[str, NormalizationReport], measure: str) -> str:
    """One measure of several runs by mention type: a row for each type, a column for each run."""
    require_comparable(reports)
    runs = list(reports.values())
    head = [measure, "n", *reports]
    rows = [
        [kind, f"{n:,}", *(cell_text(i) for i in (run.by_type[kind][1][measure] for run in runs))]
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
            *(f"{cell_text(d.difference, signed=True)} {p_text(d.p)}" for d in comparison.differences.values()),
        ]
        for comparison in comparisons
    ]
    return format_table(head, rows)


def normalization_results(reports: Mapping[str, NormalizationReport], title: str, notes: Sequence[str]) -> Results:
    """One or several runs as tables and plots: figures, the first measure by mention type, and decisions of NIL.

    Raises InputError as `format_runs` does.
    """
    require_comparable(reports)
    first = next(iter(reports.values()))
    measure = next(iter(first.measures))
    rows: TableRows = tuple((name, run.n, *run.measures.values()) for name, run in reports.items())
    tables = [Table("figures", "Figures", ("run", "n", *first.measures), rows, best="high")]
    lines = (Line(name, tuple(run.measures.values())) for name, run in reports.items())
    unit = "share of mentions"
    plots = [Plot("figures", "All measures", "measure", unit, tuple(first.measures), tuple(lines), ordered=False)]
    kinds = [kind for kind in first.by_type if all(kind in run.by_type for run in reports.values())]
    if len(kinds) > 1:
        by_type: TableRows = tuple(
            (kind, first.by_type[kind][0], *(run.by_type[kind][1][measure] for run in reports.values()))
            for kind in kinds
        )
        titled = f"{measure} by {'overlap degree' if kinds[0].startswith('overlap ') else 'mention type'}"
        tables.append(Table("types", titled, ("type", "n", *reports), by_type, best="high", methods="columns"))
        places = tuple(f"{kind} ({first.by_type[kind][0]:,})" for kind in kinds)
        parted = (Line(name, tuple(run.by_type[kind][1][measure] for kind in kinds)) for name, run in reports.items())
        plots.append(Plot("types", titled, "type", f"{measure} ({unit})", places, tuple(parted), ordered=False))
    tables += [table for table in [_nil_table(reports)] if table]
    captions = dict.fromkeys(run.protocol.caption() for run in reports.values())
    intervals = dict.fromkeys(run.bootstrap.caption(run.unit) for run in reports.values())
    runs = tuple(run_of(name, report) for name, report in reports.items())
    return Results(title, (*captions, *intervals, *notes), tuple(tables), tuple(plots), runs)


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
    table = _nil_table(reports)
    if table is None:
        return []
    head = ["no concept (NIL)", *table.columns[1:]]
    return ["", format_table(head, [["–" if cell is None else cell_text(cell) for cell in row] for row in table.rows])]


def _nil_table(reports: Mapping[str, NormalizationReport]) -> Table | None:
    rows: TableRows = tuple(
        (name, nil.gold, nil.answered, nil.both, nil.precision, nil.recall, nil.f1)
        for name, nil in ((name, run.nil) for name, run in reports.items())
        if nil is not None
    )
    columns = ("run", "in the gold", "answered", "both", "precision", "recall", "F1")
    return Table("nil", "No concept (NIL)", columns, rows, best="high") if rows else None


def _value(value: Any) -> str:
    return (", ".join(value) or "all") if isinstance(value, tuple) else str(value)


# Several runs, with what they cost ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took: ``seconds`` on the clock and ``processor`` seconds, of all threads.

    Of ``mentions``, ``read`` had candidates that a reranker read.
    """

    mentions: int
    read: int
    seconds: float
    processor: float

    @property
    def per_second(self) -> float:
        """Mentions a second, on the clock."""
        return self.mentions / max(self.seconds, 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "mentions": self.mentions,
            "read": self.read,
            "seconds": round(self.seconds, 3),
            "processor_seconds": round(self.processor, 3),
            "mentions_per_second": round(self.per_second, 2),
        }

    def describe(self, name: str) -> str:
        """The cost of a run in words."""
        each = 1000 * self.processor / max(self.mentions, 1)
        read = f", {self.read / max(self.mentions, 1):.1%} of the mentions read" if self.read else ""
        return f"cost of {name}: {self.per_second:,.1f} mentions/s, {each:,.1f} ms of a processor for each{read}"


@dataclass(frozen=True, slots=True)
class NormalizationRuns:
    """Runs over the same mentions, by name, with a ``title``; ``notes`` say what their figures must be read with.

    ``gains`` are the differences that second stages make, ``costs`` what each run took, where there are such stages.
    ``warning`` says why figures may be too high, empty where there is no reason to think so. ``comparisons`` are those
    of `compared`: of runs with each other, and as ``published`` of runs with a published figure.
    """

    reports: Mapping[str, NormalizationReport]
    title: str
    notes: tuple[str, ...] = ()
    gains: tuple[Comparison, ...] = ()
    costs: Mapping[str, Cost] = field(default_factory=lambda: MappingProxyType({}))
    warning: str = ""
    comparisons: tuple[Comparison, ...] = ()
    published: tuple[Comparison, ...] = ()

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"

    def compared(self, pairs: Sequence[tuple[str, str]], figure: float | None = None) -> NormalizationRuns:
        """The same with comparisons: of each pair the first run less the second, and of every run with a ``figure``.

        The figure is a published one of the first measure, in [0, 1]. Raises as `compare_pairs` and
        `compare_with_figure` do.
        """
        runs = [run_of(name, report) for name, report in self.reports.items()]
        published = [] if figure is None else [compare_with_figure(run, self.measure, figure) for run in runs]
        return replace(
            self, comparisons=tuple(compare_pairs(pairs, runs, self.first.bootstrap)), published=tuple(published)
        )

    @property
    def first(self) -> NormalizationReport:
        """The report of the first run."""
        return next(iter(self.reports.values()))

    @property
    def measure(self) -> str:
        """The first measure."""
        return next(iter(self.first.measures))

    @property
    def text(self) -> str:
        """One report in full, or several side by side, with the gains and comparisons."""
        shown = format_report(self.first) if len(self.reports) == 1 else format_runs(self.reports)
        tables = [format_comparisons(some) for some in (self.gains, self.comparisons, self.published) if some]
        verdicts = "\n".join(one.verdict(self.measure) for one in (*self.comparisons, *self.published))
        return "\n\n".join([shown, *tables, *([verdicts] if verdicts else [])])

    @property
    def results(self) -> Results:
        """Tables, plots and runs; see `normalization_results`."""
        found = normalization_results(self.reports, self.title, self.notes)
        tables = list(found.tables)
        if self.comparisons:
            tables.append(comparison_table(self.comparisons, self.first.bootstrap))
        if self.published:
            against = comparison_table(self.published, ONE_SAMPLE)
            tables.append(replace(against, key="published", title="Against a published figure"))
        return replace(found, tables=tuple(tables))

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, or several by name; gains, costs and comparisons where there are any."""
        shapes = {name: report.to_dict() for name, report in self.reports.items()}
        shape: dict[str, Any] = next(iter(shapes.values())) if len(shapes) == 1 else {"runs": shapes}
        if self.costs:
            shape["gains"] = [one.to_dict() for one in self.gains]
            shape["costs"] = {name: cost.to_dict() for name, cost in self.costs.items()}
        if self.comparisons or self.published:
            shape["comparisons"] = [one.to_dict() for one in (*self.comparisons, *self.published)]
        return shape
