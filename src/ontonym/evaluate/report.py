"""Figures as plain text: one run, several runs side by side, and how sure their differences are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ontonym.errors import InputError
from ontonym.evaluate.measures import Protocol, per_mention
from ontonym.evaluate.normalization import NormalizationReport
from ontonym.evaluate.significance import PairedDifference, clusters, paired_difference

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


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run against the first one, by measure, over the same mentions (this run minus the first)."""

    run: str
    against: str
    differences: Mapping[str, PairedDifference]


def format_report(report: NormalizationReport, title: str = "") -> str:
    """One report as text: caption with protocol and counts, then the figures overall and by mention type."""
    head = ["mentions", "n", *report.measures]
    rows = [["all", f"{report.n:,}", *(_figure(i.value, i.low, i.high) for i in report.measures.values())]]
    if len(report.by_type) > 1:
        rows += [
            [kind, f"{n:,}", *(_figure(i.value, i.low, i.high) for i in measures.values())]
            for kind, (n, measures) in report.by_type.items()
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
            *(_figure(i.value, i.low, i.high) for i in run.measures.values()),
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
        [kind, f"{n:,}", *(_figure(i.value, i.low, i.high) for i in (run.by_type[kind][1][measure] for run in runs))]
        for kind, (n, _) in runs[0].by_type.items()
    ]
    return format_table(head, rows)


def compare(reports: Mapping[str, NormalizationReport]) -> list[Comparison]:
    """Every run against the first one, paired mention by mention, with interval and p (two-sided) by measure.

    Raises InputError for fewer than two runs, runs that are not comparable, and runs over different mentions.
    """
    require_comparable(reports)
    (against, first), *others = reports.items()
    if not others:
        raise InputError("one run cannot be compared. Give at least two")
    rows = clusters(first.documents, first.bootstrap)
    compared = []
    for name, run in others:
        if run.keys != first.keys:
            raise InputError(
                f"{name} and {against} evaluated different mentions ({run.n:,} and {first.n:,}). Evaluate both on the "
                "same data with the same rules for types, NIL, composites and missing concepts"
            )
        differences = {
            measure: paired_difference(
                per_mention(measure, first.ranks), per_mention(measure, run.ranks), rows, first.bootstrap
            )
            for measure in first.measures
        }
        compared.append(Comparison(name, against, differences))
    return compared


def format_comparisons(comparisons: Sequence[Comparison]) -> str:
    """Differences as text: ``+0.021 [+0.008, +0.034] p=0.002`` by run and measure, in the measure's own units."""
    if not comparisons:
        return ""
    head = ["difference", *comparisons[0].differences]
    rows = [
        [
            f"{comparison.run} - {comparison.against}",
            *(
                f"{d.difference.value:+.3f} [{d.difference.low:+.3f}, {d.difference.high:+.3f}] {_p(d.p)}"
                for d in comparison.differences.values()
            ),
        ]
        for comparison in comparisons
    ]
    return format_table(head, rows)


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


def _figure(value: float, low: float, high: float) -> str:
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _nil_lines(reports: Mapping[str, NormalizationReport]) -> list[str]:
    """A table of the no-concept decisions of the runs that count them, with an empty line before it."""
    told = {name: report.nil for name, report in reports.items() if report.nil is not None}
    if not told:
        return []
    head = ["no concept (NIL)", "in the gold", "answered", "both", "precision", "recall", "F1"]
    rows = [
        [
            name,
            *(f"{number:,}" for number in (nil.gold, nil.answered, nil.both)),
            *("–" if i is None else _figure(i.value, i.low, i.high) for i in (nil.precision, nil.recall, nil.f1)),
        ]
        for name, nil in told.items()
    ]
    return ["", format_table(head, rows)]


def _p(p: float) -> str:
    return "p<0.001" if p < 0.001 else f"p={p:.3f}"


def _value(value: Any) -> str:
    return (", ".join(value) or "all") if isinstance(value, tuple) else str(value)


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain text: the first column to the left, the others to the right under their heads."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [head, *rows]
    ]
    return "\n".join([lines[0], "-" * sum([*widths, 2 * (len(widths) - 1)]), *lines[1:]])
