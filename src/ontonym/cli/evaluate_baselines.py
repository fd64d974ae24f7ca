"""``ontonym evaluate baselines``: search methods compared by a plan, every run kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.evaluate import command_line
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RUNS, Shown, resamples_option, show
from ontonym.evaluate.baselines import run_plan
from ontonym.evaluate.plan import read_plan
from ontonym.evaluate.results import Evaluation
from ontonym.evaluate.retrieval import BY_QUESTION

EXAMPLES = """\b
Examples:
  ontonym evaluate baselines plan.toml --runs work -o report.html -o tables.tex
\b
A plan:
  terminology = "doid.terminology"
  [[gold]]
  name = "hpo2doid"
  path = "hp-doid.gold"
  concepts = true
  [[method]]
  name = "BM25"
  kind = "bm25-documents"
  [[method]]
  name = "BERT-CLS"
  kind = "encoder"
  encoder = "BioBERT"
  pooling = "cls"
  [[method]]
  name = "ours"
  kind = "index"
  index = "doid.index"
"""


@click.command("baselines", epilog=EXAMPLES)
@click.argument("plan", metavar="PLAN.toml")
@click.option("--runs", metavar="DIR", help="Where runs (TREC files) and vectors are kept; by default PLAN.runs.")
@resamples_option
@RUNS.as_("shown")
def command(*, plan: str, runs: str | None, resamples: int, shown: Shown) -> None:
    """Compare search methods on the same questions: Ngo's tables 1 to 4 and figure 3 (needs ontonym[eval]).

    A plan says which terminology is searched, for which questions, and by which methods: BM25 over names or over
    concept documents, TF-IDF of characters, word vectors, any model by mean, CLS or max, and indexes of ours. Every run
    is kept: a further method or gold only searches what is new, and an interrupted comparison goes on.
    """
    read = read_plan(plan)
    shown.check_runs(read.runs)
    folder = Path(runs) if runs else Path(plan).with_suffix(".runs")
    bootstrap = replace(BY_QUESTION, resamples=resamples)
    with Bar("searching") as bar:
        results, kept = run_plan(read, folder, bootstrap=bootstrap, progress=bar.stage)
    shape = {**replace(results, runs=(), command=command_line()).to_dict(), "kept": kept}
    show(Evaluation(results, shape, bootstrap), shown, notes=False)
    if not shown.as_json:
        click.echo(f"runs in {folder}; {kept:,} were there before", err=True)
