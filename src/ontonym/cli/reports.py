"""What verbs of ``ontonym evaluate`` share: reports written to files, tables printed, runs compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from ontonym.cli.evaluate_rerank import gain_shape
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console
from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.comparison import Comparison, chosen_pairs, compare_runs, comparison_table
from ontonym.evaluate.page import report_page
from ontonym.evaluate.plots import draw
from ontonym.evaluate.results import Results, Run, to_bytes
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.tables import latex, markdown, text_table
from ontonym.files.output import written_file

ENDINGS = MappingProxyType(
    {
        ".html": "a page with plots",
        ".md": "Markdown",
        ".tex": "LaTeX tables",
        ".svg": "each plot as NAME.PLOT.svg",
        ".json": "what `ontonym evaluate report` reads",
    }
)

output_option = click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help=f"Write a report, by its ending: {', '.join(f'{ending} {what}' for ending, what in ENDINGS.items())}. May be "
    "repeated.",
)  # fmt: skip
compare_option = click.option(
    "--compare", "compared", nargs=2, multiple=True, metavar="A B", help="Say which of two runs is better, by how "
    "much, with what p and interval: question by question. May be repeated.",
)  # fmt: skip

resamples_option = click.option(
    "--resamples", type=click.IntRange(1), default=BootstrapOptions().resamples, show_default=True,
    help="Resamples of the bootstrap.",
)  # fmt: skip


def check_outputs(outputs: Sequence[str]) -> None:
    """Raises InputError for a file whose ending tells nothing, before anything is measured."""
    for output in outputs:
        if Path(output).suffix.lower() not in ENDINGS:
            raise InputError(f"{output}: the ending does not tell what to write. Endings known: {' '.join(ENDINGS)}")


def check_runs(compared: Sequence[tuple[str, str]], runs: Collection[str], candidates: str | None = None) -> None:
    """Raises UnknownNameError for a run of ``--compare`` or ``--candidates`` that there is none of."""
    for name in (*(name for pair in compared for name in pair), *([candidates] if candidates else [])):
        if name not in runs:
            raise UnknownNameError("run", name, runs)


def write_outputs(outputs: Sequence[str], results: Sequence[Results]) -> None:
    """Writes the reports. A results file has one evaluation."""
    for output in outputs:
        ending = Path(output).suffix.lower()
        if ending == ".svg":
            _write_plots(Path(output), results)
            continue
        if ending == ".json" and len(results) != 1:
            raise InputError(f"{output}: a results file has one evaluation, not {len(results)}")
        content = _WRITERS[ending](results)
        with written_file(output) as stream:
            stream.write(content)


_WRITERS: MappingProxyType[str, Callable[[Sequence[Results]], bytes]] = MappingProxyType(
    {
        ".html": lambda results: report_page(results).encode(),
        ".md": lambda results: markdown(results).encode(),
        ".tex": lambda results: latex(results).encode(),
        ".json": lambda results: to_bytes(results[0]),
    }
)


def _write_plots(output: Path, results: Sequence[Results]) -> None:
    plots = [plot for one in results for plot in one.plots]
    if not plots:
        raise InputError(f"{output}: there is nothing to plot")
    taken: set[str] = set()
    for plot in plots:
        name = f"{output.stem}.{plot.key}.svg"
        for number in range(2, len(plots) + 2):
            if name in taken:
                name = f"{output.stem}.{plot.key}-{number}.svg"
        taken.add(name)
        with written_file(output.with_name(name)) as stream:
            stream.write(draw(plot).encode())


def give_results(
    results: Results,
    compared: Sequence[tuple[str, str]],
    bootstrap: BootstrapOptions,
    outputs: Sequence[str],
    shape: Mapping[str, Any] | None,
) -> None:
    """Compares runs as asked, prints and writes the results: as JSON where a ``shape`` of them is given."""
    comparisons = compared_runs(results.runs, compared, bootstrap)
    if comparisons:
        results = replace(results, tables=(*results.tables, comparison_table(comparisons, bootstrap)))
    if shape is None:
        print_results(results, comparisons)
    else:
        said = {"comparisons": [gain_shape(one) for one in comparisons]} if compared else {}
        click.echo(to_json({**shape, **said}))
    write_outputs(outputs, [results])


def compared_runs(
    runs: Sequence[Run], compared: Sequence[tuple[str, str]], bootstrap: BootstrapOptions
) -> list[Comparison]:
    """The comparisons that ``--compare A B`` asks for: A less B."""
    return [compare_runs(against, run, bootstrap) for run, against in chosen_pairs(compared, runs)]


def print_results(results: Results, comparisons: Sequence[Comparison] = ()) -> None:
    """Prints tables with their notes, what the results are about, and what comparisons say of the first measure."""
    out = console()
    for table in results.tables:
        out.print(table.title, style="bold", soft_wrap=True)
        out.print(text_table(table), soft_wrap=True)
        for note in table.notes:
            out.print(note, style="dim", soft_wrap=True)
        out.print()
    for comparison in comparisons:
        out.print(comparison.verdict(next(iter(comparison.differences))), soft_wrap=True)
    if comparisons:
        out.print()
    out.print("\n".join((*results.about, f"command: {results.command}")), style="dim", soft_wrap=True)
