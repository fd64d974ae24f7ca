"""``ontonym evaluate report``: results of evaluations as a page, Markdown or LaTeX, and their runs compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.options import command_line, examples, refuse_without
from ontonym.cli.reports import RUNS, Shown, printed_after, resamples_option, say_written
from ontonym.evaluate.comparison import compare_pairs, comparison_table
from ontonym.evaluate.outputs import write_reports
from ontonym.evaluate.results import Results, gathered, labelled_files, read_results
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.serve.evaluations import results_lines
from ontonym.serve.show import Summary


@click.command("report", epilog=examples(
    "evaluate search a.index gold.tsv -o a.json",
    "evaluate search b.index gold.tsv -o b.json",
    "evaluate report a.json b.json --compare a:fused b:fused",
    "evaluate report a.json b.json -o report.html -o tables.tex",
))  # fmt: skip
@click.argument("results", nargs=-1, required=True, metavar="RESULTS…")
@resamples_option
@RUNS.as_("shown")
def command(*, results: tuple[str, ...], resamples: int, shown: Shown) -> None:
    """Show results again, as a page or for a paper, and compare their runs.

    RESULTS are files that other verbs of `ontonym evaluate` wrote with -o FILE.json. Where several have a run of the
    same name, FILE:RUN tells them apart, FILE without its ending; tables of one title have FILE before it.
    """
    if not shown.compared:
        refuse_without("--compare", "resamples")
    read = told_apart([(Path(path), read_results(path)) for path in results])
    bootstrap = BootstrapOptions(resamples=resamples)
    comparisons = compare_pairs(shown.compared, gathered(read), bootstrap)
    given = [one for _, one in read]
    if comparisons:
        given.append(Results("Comparison", (), (comparison_table(comparisons, bootstrap),), command=command_line()))
    files = [replace(one, runs=()).to_dict() for _, one in read]
    shape = {"results": files, "comparisons": [one.to_dict() for one in comparisons]}
    told = given if not shown.outputs else given[-1:] if comparisons else []
    lines = [line for one in told for line in results_lines(one, comparisons if one is given[-1] else ())]
    printed = shown.as_json or told
    with printed_after(Summary(shape, lines=lines), as_json=shown.as_json) if printed else nullcontext():
        write_reports(shown.outputs, given)
    say_written(shown.outputs)


def told_apart(read: Sequence[tuple[Path, Results]]) -> list[tuple[str, Results]]:
    """The results by the names of their files, as much of their paths as is needed, with no two tables of one title."""
    labels = {path: label for label, path in labelled_files(str(path) for path, _ in read).items()}
    titles = Counter(title for _, one in read for title in {table.title for table in one.tables})
    named: list[tuple[str, Results]] = []
    for path, one in read:
        name = labels[str(path)]
        tables = tuple(
            replace(table, title=f"{name}: {table.title}") if titles[table.title] > 1 else table for table in one.tables
        )
        named.append((name, replace(one, tables=tables)))
    return named
