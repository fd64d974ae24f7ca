"""``ontonym evaluate``: what can be measured, and what its verbs share."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import click

from ontonym.cli.evaluate_rerank import Cost, gain_shape
from ontonym.cli.lazy import LazyGroup
from ontonym.cli.reports import compared_runs, write_outputs
from ontonym.cli.shapes import to_json
from ontonym.errors import UnknownNameError
from ontonym.evaluate import NormalizationReport, format_comparisons, format_report, format_runs
from ontonym.evaluate.comparison import ONE_SAMPLE, Comparison, compare_with_figure, comparison_table
from ontonym.evaluate.normalization import Found, Normalize
from ontonym.evaluate.report import normalization_results, run_of
from ontonym.index import Index
from ontonym.tasks import SIGNALS, Normalization, NormalizeOptions, normalize
from ontonym.types import Hit, Mention

EVALUATIONS = MappingProxyType(
    {
        "normalization": ("ontonym.cli.evaluate_normalization", "Normalize the mentions of gold corpora."),
        "search": ("ontonym.cli.evaluate_search", "Search for texts whose concepts are known."),
        "strategies": ("ontonym.cli.evaluate_strategies", "Try every search strategy, and keep the best."),
        "heldout": ("ontonym.cli.evaluate_heldout", "Hide synonyms of a terminology and search for them."),
        "similarity": ("ontonym.cli.evaluate_similarity", "Tell names that mean the same from others."),
        "categories": ("ontonym.cli.evaluate_categories", "Tell near categories from far ones."),
        "matching": ("ontonym.cli.evaluate_matching", "Judge mappings by a reference alignment."),
        "ranking": ("ontonym.cli.evaluate_ranking", "Rank given candidates of concepts (Bio-ML)."),
        "alignment": ("ontonym.cli.evaluate_alignment", "Align concepts whose encyclopedia page is known."),
        "baselines": ("ontonym.cli.evaluate_baselines", "Compare search methods by a plan, every run kept."),
        "runs": ("ontonym.cli.evaluate_runs", "Measure runs of any search engine, as TREC files."),
        "report": ("ontonym.cli.evaluate_report", "Show results as a page or for a paper, and compare runs."),
    }
)
"""What ``ontonym evaluate`` measures."""

EXAMPLES = """\b
Examples:
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt
  ontonym evaluate heldout hp.obo
"""


@click.group("evaluate", cls=LazyGroup, table=EVALUATIONS, epilog=EXAMPLES)
def command() -> None:
    """Measure against gold data; every figure comes with its protocol and a 95% interval."""


def chosen_signals(signals: Sequence[str]) -> tuple[str, ...]:
    """The signals to run, each once; ``all`` means every one."""
    valid = ("all", *SIGNALS)
    for name in signals:
        if name not in valid:
            raise UnknownNameError("signal", name, valid)
    return tuple(SIGNALS) if "all" in signals else tuple(dict.fromkeys(signals))


def normalizer(index: Index, options: NormalizeOptions) -> Normalize:
    """What evaluation asks: every mention's candidates, best first, and its parts'; none where no concept fits."""

    def ask(mentions: Sequence[Mention]) -> Iterable[Found]:
        for answer in normalize(index, mentions, options):
            yield Found(_fitting(answer), [_fitting(part) for part in answer.parts])

    return ask


def _fitting(answer: Normalization) -> Sequence[Hit]:
    return answer.candidates if answer.id is not None else ()


def command_line() -> str:
    """The command that gives the same figures again, in one line."""
    return shlex.join(click.get_current_context().find_root().obj)


def command_note() -> str:
    """The same as a note below figures."""
    return f"command: {command_line()}"


def encoder_note(index: Index) -> str:
    """Which encoder figures were measured with."""
    return f"encoder: {index.encoder.fingerprint}"


against_option = click.option(
    "--against", type=click.FloatRange(0, 1), metavar="FIGURE", help="Test every run's first measure against a "
    "published figure: a one-sample bootstrap of 10,000 runs (Xu).",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of reports beside their figures.

    ``compared`` are pairs of runs, ``against`` is a published figure of the first measure; ``outputs`` are files.
    """

    as_json: bool
    outputs: Sequence[str] = ()
    compared: Sequence[tuple[str, str]] = ()
    against: float | None = None


def give_reports(
    reports: Mapping[str, NormalizationReport],
    asked: Asked,
    *,
    title: str,
    gained: Sequence[Comparison] = (),
    costs: Mapping[str, Cost] = MappingProxyType({}),
    notes: Sequence[str],
) -> None:
    """Prints and writes one report in full, or several side by side; ``notes`` say what to read figures with.

    ``gained`` and ``costs`` are of runs with a second stage.
    """
    runs = [run_of(name, report) for name, report in reports.items()]
    first = next(iter(reports.values()))
    comparisons = compared_runs(runs, asked.compared, first.bootstrap)
    published = [] if asked.against is None else [
        compare_with_figure(run, next(iter(first.measures)), asked.against) for run in runs
    ]  # fmt: skip
    if asked.as_json:
        shapes = {name: report.to_dict() for name, report in reports.items()}
        shape: dict[str, Any] = next(iter(shapes.values())) if len(shapes) == 1 else {"runs": shapes}
        if costs:
            shape["gains"] = [gain_shape(one) for one in gained]
            shape["costs"] = {name: cost.to_dict() for name, cost in costs.items()}
        if comparisons or published:
            shape["comparisons"] = [gain_shape(one) for one in (*comparisons, *published)]
        click.echo(to_json({**shape, "notes": [*notes, command_note()]}))
    else:
        click.echo(format_report(first) if len(reports) == 1 else format_runs(reports))
        for some in (comparisons, published, gained):
            if some:
                click.echo("\n" + format_comparisons(some))
        if verdicts := [one.verdict(next(iter(one.differences))) for one in (*comparisons, *published)]:
            click.echo("\n" + "\n".join(verdicts))
        click.echo("\n" + "\n".join((*notes, command_note())))
    if asked.outputs:
        results = normalization_results(reports, title, notes, command_line())
        tables = list(results.tables)
        if comparisons:
            tables.append(comparison_table(comparisons, first.bootstrap))
        if published:
            against = comparison_table(published, ONE_SAMPLE)
            tables.append(replace(against, key="published", title="Against a published figure"))
        write_outputs(asked.outputs, [replace(results, tables=tuple(tables))])
