"""Compares runs: by how much one is better than another, with which certainty, and by which test."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ontonym.arrays import Ints
from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.results import Cell, Run, Table
from ontonym.evaluate.significance import (
    BootstrapOptions,
    PairedDifference,
    clusters,
    paired_difference,
    paired_t_test,
)
from ontonym.evaluate.tables import cell_text

ALPHA = 0.05

ONE_SAMPLE = BootstrapOptions(resamples=10_000)
"""Xu, footnote 8: one sample of 10,000 bootstrapped results of one system against a published figure."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run against another, by measure, over the same questions: ``run`` minus ``against``.

    ``t_tests`` are the p of Student's paired t-test by measure (Ngo), beside the paired bootstrap's in ``differences``.
    ``grouped``: the bootstrap drew units that have several questions, which the t-test takes for independent.
    """

    run: str
    against: str
    n: int
    unit: str
    differences: Mapping[str, PairedDifference]
    t_tests: Mapping[str, float]
    grouped: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The differences as JSON values."""
        differences = {name: {**one.difference.to_dict(), "p": one.p} for name, one in self.differences.items()}
        return {"run": self.run, "against": self.against, "differences": differences}

    def verdict(self, measure: str) -> str:
        """A sentence on the difference in a measure."""
        one = self.differences[measure]
        by_how_much = f"{measure} {cell_text(one.difference, signed=True)}, {p_text(one.p)}"
        if one.p >= ALPHA:
            return f"{self.run} and {self.against} are not told apart: {by_how_much}"
        return f"{self.run} is {'better' if one.difference.value > 0 else 'worse'} than {self.against}: {by_how_much}"


def compare_runs(first: Run, second: Run, bootstrap: BootstrapOptions | None = None) -> Comparison:
    """Compares the second run with the first, question by question, by every measure that both have.

    Raises InputError for runs over different questions, of different kinds of names, or without a common measure.
    """
    if first.names != second.names:
        raise InputError(
            f"{second.name} searched {second.names}, {first.name} {first.names}: figures from the ontology's names "
            "only and from added terms are never compared"
        )
    if first.keys != second.keys:
        raise InputError(
            f"{second.name} and {first.name} evaluated different {first.item}s ({len(second.keys):,} and "
            f"{len(first.keys):,}). Evaluate both on the same data with the same rules for types, NIL, composites and "
            "missing concepts"
        )
    shared = [measure for measure in first.values if measure in second.values]
    if not shared:
        raise InputError(
            f"{second.name} ({', '.join(second.values)}) and {first.name} ({', '.join(first.values)}) have no measure "
            "in common"
        )
    options, rows = _drawn(first, bootstrap)
    return Comparison(
        second.name,
        first.name,
        len(first.keys),
        first.unit,
        {
            measure: paired_difference(first.values[measure], second.values[measure], rows, options)
            for measure in shared
        },
        {measure: paired_t_test(first.values[measure], second.values[measure]) for measure in shared},
        rows is not None,
    )


def compare_with_figure(run: Run, measure: str, figure: float) -> Comparison:
    """Compares a run with a published figure of the same measure: Xu's one-sample bootstrap test (`ONE_SAMPLE`).

    The figure is treated as exact: how it would vary with other questions is unknown. Raises InputError for a figure
    that is not in [0, 1], UnknownNameError for a measure that the run does not have.
    """
    if not 0 <= figure <= 1:
        raise InputError(f"{figure} is no figure of {measure}, which is a share between 0 and 1 (85.5% is 0.855)")
    if measure not in run.values:
        raise UnknownNameError("measure", measure, run.values)
    values = run.values[measure]
    options, rows = _drawn(run, ONE_SAMPLE)
    published = np.full(len(values), figure)
    return Comparison(
        run.name,
        f"{figure:g}",
        len(values),
        run.unit,
        {measure: paired_difference(published, values, rows, options)},
        {measure: paired_t_test(published, values)},
        rows is not None,
    )


def _drawn(run: Run, bootstrap: BootstrapOptions | None) -> tuple[BootstrapOptions, Ints | None]:
    options = bootstrap or BootstrapOptions()
    if not run.groups:
        options = replace(options, unit="mention")
    return options, clusters(run.groups, options)


def compare_pairs(
    pairs: Sequence[tuple[str, str]], runs: Sequence[Run], bootstrap: BootstrapOptions | None = None
) -> list[Comparison]:
    """Compares the first run of each pair of names with the second; raises UnknownNameError for an unknown name.

    A file with one run stands for it: ``ours`` for ``ours:fused``.
    """
    by_name = {run.name: run for run in runs}
    named = [tuple(_named(name, by_name) for name in pair) for pair in pairs]
    return [compare_runs(by_name[against], by_name[run], bootstrap) for run, against in named]


def check_names(pairs: Sequence[tuple[str, str]], runs: Collection[str]) -> None:
    """Raises UnknownNameError, before anything is measured, for a name in the pairs that no run has."""
    for name in (name for pair in pairs for name in pair):
        _named(name, runs)


def _named(name: str, runs: Collection[str]) -> str:
    """The name of the run that is called so, or of the only one of the file that is."""
    of_file = [run for run in runs if run.startswith(f"{name}:")]
    if name not in runs and len(of_file) != 1:
        raise UnknownNameError("run", name, runs)
    return name if name in runs else of_file[0]


def comparison_table(comparisons: Sequence[Comparison], bootstrap: BootstrapOptions | None = None) -> Table:
    """Which run is better, by how much and how certainly: a row for each comparison and measure."""
    options = bootstrap or BootstrapOptions()
    rows: list[tuple[Cell, ...]] = [
        (
            f"{one.run} - {one.against}", measure, one.n, difference.difference, p_text(difference.p),
            p_text(one.t_tests[measure]), _better(one, measure),
        )
        for one in comparisons
        for measure, difference in one.differences.items()
    ]  # fmt: skip
    units = " or ".join(dict.fromkeys(one.unit for one in comparisons))
    alike = (
        f", which takes the questions of a {units} for independent" if any(one.grouped for one in comparisons) else ""
    )
    notes = [
        f"difference: the first run less the second, over the same questions; {options.caption(units)}",
        f"p: two-sided, paired bootstrap; t-test: Student's, paired{alike}; better: where the bootstrap's p is below "
        f"{ALPHA}",
    ]
    if len(rows) > 1:
        notes.append(
            f"each p is of one comparison, not corrected for the {len(rows)} made here: choose one measure beforehand, "
            f"or ask for p below {ALPHA / len(rows):.2g} (Bonferroni)"
        )
    columns = ("runs", "measure", "n", "difference", "p", "t-test", "better")
    return Table("comparisons", "Which is better", columns, tuple(rows), tuple(notes), signed=True)


def _better(one: Comparison, measure: str) -> str:
    difference = one.differences[measure]
    if difference.p >= ALPHA:
        return "not told apart"
    return one.run if difference.difference.value > 0 else one.against


def p_text(p: float) -> str:
    """A p value as it is printed."""
    return "p<0.001" if p < 0.001 else f"p={p:.3f}"
