"""``ontonym evaluate report``: results of evaluations as a page, Markdown or LaTeX, and their runs compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.evaluate import command_line
from ontonym.cli.reports import RUNS, Shown, compared_runs, print_results, resamples_option, write_outputs
from ontonym.evaluate.comparison import comparison_table
from ontonym.evaluate.results import Results, gathered, read_results
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.serve.shapes import to_json

EXAMPLES = """\b
Examples:
  ontonym evaluate search a.index gold.tsv -o a.json
  ontonym evaluate search b.index gold.tsv -o b.json
  ontonym evaluate report a.json b.json --compare a:fused b:fused
  ontonym evaluate report a.json b.json -o report.html -o tables.tex
"""


@click.command("report", epilog=EXAMPLES)
@click.argument("results", nargs=-1, required=True, metavar="RESULTS…")
@resamples_option
@RUNS.as_("shown")
def command(*, results: tuple[str, ...], resamples: int, shown: Shown) -> None:
    """Show results again, as a page or for a paper, and compare their runs.

    RESULTS are files that other verbs of `ontonym evaluate` wrote with -o FILE.json. Where several have a run of the
    same name, FILE:RUN tells them apart, FILE without its ending.
    """
    read = [(Path(path).stem, read_results(path)) for path in results]
    bootstrap = BootstrapOptions(resamples=resamples)
    comparisons = compared_runs(gathered(read), shown.compared, bootstrap)
    given = [one for _, one in read]
    if comparisons:
        table = comparison_table(comparisons, bootstrap)
        given.append(Results("Comparison", (), (table,), command=command_line()))
    if shown.as_json:
        files = [replace(one, runs=()).to_dict() for _, one in read]
        click.echo(to_json({"results": files, "comparisons": [one.to_dict() for one in comparisons]}))
    elif not shown.outputs:
        for one in given:
            print_results(one, comparisons if one is given[-1] else ())
    write_outputs(shown.outputs, given)
