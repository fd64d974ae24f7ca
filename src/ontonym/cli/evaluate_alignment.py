"""``ontonym evaluate alignment``: how far up the page of a concept stands, by each stage of an alignment."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from ontonym.cli.evaluate import command_line, command_note
from ontonym.cli.options import json_option
from ontonym.cli.pages import chosen_options, chosen_stage, stage_options
from ontonym.cli.progress import Bar
from ontonym.cli.reports import check_outputs, check_runs, compare_option, give_results, output_option, resamples_option
from ontonym.cli.show import count
from ontonym.evaluate.measures import RIGHT
from ontonym.evaluate.paging import BOTH, CUTOFFS, READ, WEIGHED, rahimi_table, read_page_gold, stages_of
from ontonym.evaluate.results import Results, Run
from ontonym.evaluate.retrieval import BY_QUESTION, SearchQuestion, curve_plot, report_retrieval
from ontonym.index.pages import ORDERS, open_pages
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.store import open_terminology

EXAMPLES = """\b
Examples:
  ontonym benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold
  ontonym evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold
  ontonym evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold --split dev --rerank wiki.reranker
  ontonym evaluate alignment hp.terminology wiki.pages curated.sssom.tsv --language ja --compare weighed char
"""


@click.command("alignment", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.argument("gold", metavar="GOLD")
@click.option("--split", default="test", show_default=True, type=click.Choice(SPLITS), help="The split of a gold "
              "folder to judge by.")  # fmt: skip
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Judge by N concepts, drawn by their ids.")
@click.option("--k", "cutoffs", type=click.IntRange(1), multiple=True, default=CUTOFFS, show_default=True, metavar="K",
              help="Recall among the first K. May be repeated.")  # fmt: skip
@stage_options
@compare_option
@resamples_option
@output_option
@json_option
def command(
    *, source: str, pages: str, gold: str, split: str, sample: int | None, cutoffs: tuple[int, ...],
    compared: tuple[tuple[str, str], ...], resamples: int, outputs: tuple[str, ...], as_json: bool, **chosen: Any,
) -> None:  # fmt: skip
    """Measure recall@k and normalized recall@k of an alignment with encyclopedia pages (needs ontonym[eval]).

    GOLD is a folder made by `ontonym benchmark pages`, or a mapping file (SSSOM) between the terminology and pages.
    Every first stage is measured (lexical, char, both, all), then the second: weighed, and with --rerank the reranker
    alone and both together.
    """
    check_outputs(outputs)
    ks = sorted(set(cutoffs))
    options = chosen_options(chosen, max(ks))
    check_runs(compared, (*ORDERS, WEIGHED, *((READ, BOTH) if chosen["rerank"] else ())))
    bootstrap = replace(BY_QUESTION, resamples=resamples)
    with ExitStack() as stack, Bar("aligning") as bar:
        opened = stack.enter_context(open_terminology(source))
        searched = stack.enter_context(open_pages(pages))
        read = read_page_gold(gold, cast(Split, split), opened, searched, most=sample or 0)
        second = chosen_stage(chosen)
        stages = stages_of(opened, searched, read, options, second, bar.stage)
        ids = [(opened.id(row), searched.id(page)) for row, page in read.pairs]
        told = f"{opened.name} {opened.version}".strip() + f" to {searched.releases} ({count(len(searched), 'page')})"
    questions = [SearchQuestion(concept, (), frozenset((page,))) for concept, page in ids]
    gains = [{page: RIGHT} for _, page in ids]
    reports = {
        name: report_retrieval(
            questions, rankings, gains, bootstrap, ks, ("recall",),
            stages.candidates if name in (WEIGHED, READ, BOTH) else None,
        )
        for name, rankings in stages.rankings.items()
    }  # fmt: skip
    unknown = f", {read.unknown:,} pairs of ids not there left out" if read.unknown else ""
    languages = ", ".join(options.languages) or "all"
    reading = f", the reranker reads {second.depth}" if second.reranker else ""
    about = (
        f"{told}: {count(len(ids), 'concept')} of {Path(gold).name}{f', {split}' * Path(gold).is_dir()}{unknown}",
        f"{options.candidates} candidates by {options.order}, names in languages: {languages}{reading}",
        bootstrap.caption("concept"),
    )
    runs = tuple(
        Run(name, tuple(concept for concept, _ in ids), report.values, item="concept", unit="concept")
        for name, report in reports.items()
    )
    title = f"Aligning {opened_title(source)} with pages"
    results = Results(title, about, (rahimi_table(reports, options.order),), (curve_plot(reports),), runs,
                      command_line())  # fmt: skip
    shape = {"runs": {name: report.to_dict() for name, report in reports.items()}, "notes": [*about, command_note()]}
    give_results(results, compared, bootstrap, outputs, shape if as_json else None)


def opened_title(source: str) -> str:
    """What a terminology is called in a title: its folder."""
    return Path(source.rstrip("/")).name.removesuffix(".terminology")
