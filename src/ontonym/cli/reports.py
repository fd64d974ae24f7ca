"""What verbs of ``ontonym evaluate`` share: how evaluations are printed, compared and written to files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click

from ontonym.cli.options import Opt, OptionGroup, command_line, print_summary
from ontonym.cli.terminal import echo
from ontonym.evaluate.comparison import check_names, compare_pairs, comparison_table
from ontonym.evaluate.normalizationruns import NormalizationRuns
from ontonym.evaluate.outputs import check_endings, write_reports
from ontonym.evaluate.results import Evaluation
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.serve.evaluations import results_lines
from ontonym.serve.show import ShownLine, Summary

SIGNALS = Opt("fused, lexical, char, dense, or all. May be repeated.", "--signal", "NAME")
TYPES = Opt("Only mentions of this type. May be repeated.", "--type", "TYPE")
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
        check_endings(self.outputs)

    def check_runs(self, runs: Collection[str]) -> None:
        """Raises UnknownNameError, before anything is measured, for a run of ``--compare`` that there is none of."""
        check_names(self.compared, runs)


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
        "Write a report, by its ending: .html a page with plots, .md Markdown, .tex LaTeX tables, .svg each plot as "
        "NAME.PLOT.svg, .json what `ontonym evaluate report` reads. May be repeated.",
        "-o --output",
        "FILE",
    ),
    as_json=Opt("Print JSON.", "--json"),
)
"""How runs are compared, with each other and with a published figure, and given."""

RUNS = COMPARED.but("compared", "outputs", "as_json")
SHOWN = COMPARED.but("outputs", "as_json")


def command_note() -> str:
    """The command that runs, as a note below figures."""
    return f"command: {command_line()}"


@contextmanager
def printed_after(summary: Summary, *, as_json: bool) -> Iterator[None]:
    """Prints a summary when its files are written, be it that one cannot be: neither loses the other.

    Printing ends the command where nobody reads any more (``| head``).
    """
    try:
        yield
    finally:
        print_summary(summary, as_json=as_json)


def show(evaluation: Evaluation, shown: Shown, *, write: Callable[[], None] = lambda: None) -> None:
    """Writes and prints an evaluation, with the comparisons asked for; ``write`` writes files of its own."""
    bootstrap = evaluation.bootstrap
    results = replace(evaluation.results, command=command_line())
    comparisons = compare_pairs(shown.compared, results.runs, bootstrap)
    if comparisons:
        results = replace(results, tables=(*results.tables, comparison_table(comparisons, bootstrap)))
    about = [*results.about, command_note()]
    shape = {
        **evaluation.shape,
        "notes": about,
        **({"comparisons": [one.to_dict() for one in comparisons]} if comparisons else {}),
    }
    lines: list[ShownLine] = [evaluation.text, ("\n".join(about), "dim")]
    if not evaluation.text:
        lines = results_lines(results, comparisons)
    with printed_after(Summary(shape, lines=lines), as_json=shown.as_json):
        write_reports(shown.outputs, [results])
        write()
    say_written(shown.outputs)


def show_runs(
    runs: NormalizationRuns, shown: Shown, *, write: Callable[[], None] = lambda: None, beside: Sequence[str] = ()
) -> None:
    """Writes and prints one report of a normalizer in full, or several side by side; ``write`` as in `show`.

    ``beside`` are tables that are printed alone, above the notes.
    """
    runs = runs.compared(shown.compared, shown.against)
    notes = [*runs.notes, command_note()]
    summary = Summary({**runs.to_dict(), "notes": notes}, lines=[f"{runs.text}\n", *beside, "\n".join(notes)])
    with printed_after(summary, as_json=shown.as_json):
        write_reports(shown.outputs, [replace(runs.results, command=command_line())])
        write()
    say_written(shown.outputs)


def say_written(outputs: Collection[str]) -> None:
    """Tells on standard error which reports are there now."""
    for path in outputs:
        stem, ending = path[: -len(Path(path).suffix)], Path(path).suffix
        echo(f"wrote {path if ending.lower() != '.svg' else f'{stem}.*{ending}, one file for each plot'}", err=True)
