"""What verbs of ``ontonym evaluate`` share: how evaluations are printed, compared and written to files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import click

from ontonym.cli.evaluate import command_line, command_note
from ontonym.cli.options import Opt, OptionGroup
from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.comparison import (
    ONE_SAMPLE,
    Comparison,
    chosen_pairs,
    compare_runs,
    compare_with_figure,
    comparison_table,
)
from ontonym.evaluate.page import report_page
from ontonym.evaluate.plots import draw
from ontonym.evaluate.report import NormalizationRuns, format_comparisons
from ontonym.evaluate.results import Evaluation, Results, Run, to_bytes
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.tables import latex, markdown, text_table
from ontonym.files.output import written_file
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console

ENDINGS = MappingProxyType(
    {
        ".html": "a page with plots",
        ".md": "Markdown",
        ".tex": "LaTeX tables",
        ".svg": "each plot as NAME.PLOT.svg",
        ".json": "what `ontonym evaluate report` reads",
    }
)

RESAMPLES = Opt("Resamples of the bootstrap.", type=click.IntRange(1))
resamples_option = click.option(
    "--resamples", type=RESAMPLES.type, default=BootstrapOptions().resamples, show_default=True, help=RESAMPLES.help
)


@dataclass(frozen=True, slots=True)
class Shown:
    """How an evaluation is given: which runs are ``compared``, with what published figure, to what files, as JSON."""

    compared: tuple[tuple[str, str], ...] = ()
    against: float | None = None
    outputs: tuple[str, ...] = ()
    as_json: bool = False

    def __post_init__(self) -> None:
        for output in self.outputs:
            if Path(output).suffix.lower() not in ENDINGS:
                raise InputError(f"{output}: unknown ending. Endings known: {' '.join(ENDINGS)}")

    def check_runs(self, runs: Collection[str]) -> None:
        """Raises UnknownNameError, before anything is measured, for a run of ``--compare`` that there is none of."""
        for name in (name for pair in self.compared for name in pair):
            if name not in runs:
                raise UnknownNameError("run", name, runs)


COMPARED = OptionGroup(
    Shown(),
    compared=Opt(
        "Say which of two runs is better, by how much, with what p and interval: question by question. May be "
        "repeated.",
        "--compare",
        "A B",
        (str, str),
    ),
    against=Opt(
        "Test every run's first measure against a published figure: a one-sample bootstrap of 10,000 runs (Xu).",
        metavar="FIGURE",
        type=click.FloatRange(0, 1),
    ),
    outputs=Opt(
        f"Write a report, by its ending: {', '.join(f'{ending} {what}' for ending, what in ENDINGS.items())}. May be "
        "repeated.",
        "-o --output",
        "FILE",
    ),
    as_json=Opt("Print JSON.", "--json"),
)
"""How runs are compared, with each other and with a published figure, and given."""

RUNS = COMPARED.but("compared", "outputs", "as_json")
SHOWN = COMPARED.but("outputs", "as_json")


def show(evaluation: Evaluation, shown: Shown, *, notes: bool = True) -> None:
    """Prints and writes an evaluation, with the comparisons asked for; ``notes`` stand in the JSON too."""
    results = replace(evaluation.results, command=command_line())
    comparisons = compared_runs(results.runs, shown.compared, evaluation.bootstrap)
    if comparisons:
        results = replace(results, tables=(*results.tables, comparison_table(comparisons, evaluation.bootstrap)))
    if shown.as_json:
        shape = {**evaluation.shape, **({"notes": [*results.about, command_note()]} if notes else {})}
        if shown.compared:
            shape["comparisons"] = [one.to_dict() for one in comparisons]
        click.echo(to_json(shape))
    elif evaluation.text:
        out = console()
        out.print(evaluation.text, soft_wrap=True)
        out.print("\n".join((*results.about, command_note())), style="dim", soft_wrap=True)
    else:
        print_results(results, comparisons)
    write_outputs(shown.outputs, [results])


def show_runs(runs: NormalizationRuns, shown: Shown) -> None:
    """Prints and writes one report of a normalizer in full, or several side by side."""
    results = replace(runs.results, command=command_line())
    bootstrap, measure = runs.first.bootstrap, next(iter(runs.first.measures))
    compared = compared_runs(results.runs, shown.compared, bootstrap)
    published = (
        [] if shown.against is None else [compare_with_figure(run, measure, shown.against) for run in results.runs]
    )
    if shown.as_json:
        shape = runs.to_dict()
        if compared or published:
            shape["comparisons"] = [one.to_dict() for one in (*compared, *published)]
        click.echo(to_json({**shape, "notes": [*runs.notes, command_note()]}))
    else:
        parts = [runs.text, *(format_comparisons(some) for some in (compared, published) if some)]
        if compared or published:
            parts.append("\n".join(one.verdict(measure) for one in (*compared, *published)))
        click.echo("\n\n".join([*parts, "\n".join((*runs.notes, command_note()))]))
    tables = list(results.tables)
    if compared:
        tables.append(comparison_table(compared, bootstrap))
    if published:
        against = comparison_table(published, ONE_SAMPLE)
        tables.append(replace(against, key="published", title="Against a published figure"))
    write_outputs(shown.outputs, [replace(results, tables=tuple(tables))])


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
