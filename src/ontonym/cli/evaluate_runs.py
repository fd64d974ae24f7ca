"""``ontonym evaluate runs``: runs of any search engine against gold, all as TREC files."""

from __future__ import annotations

import click

from ontonym.cli.evaluate_search import CUTOFFS
from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.reports import RESAMPLES, RUNS, Shown, show
from ontonym.evaluate.measures import MEASURES
from ontonym.evaluate.trec import RunOptions, evaluate_runs, run_names

EXAMPLES = """\b
Examples:
  ontonym evaluate runs qrels.txt mine.run theirs.run --compare mine theirs
  ontonym evaluate runs qrels.txt *.run --measure ndcg --measure AP@100 -o report.html
  ontonym evaluate runs qrels.txt bm25.run reranked.run --candidates bm25 --measure recall --k 1 --k 4 --k 64
"""


OPTIONS = OptionGroup(
    RunOptions(),
    measures=Opt(
        f"{', '.join(MEASURES)}, or a measure of ir_measures by its name, such as AP@100 or P(rel=3)@5. May be "
        "repeated.",
        "--measure",
        "NAME",
    ),
    cutoffs=CUTOFFS,
    relevant=Opt(
        "The least relevance of a right answer, for hits, mrr and recall; by default the highest in QRELS.",
        metavar="N",
        type=click.IntRange(1),
    ),
    candidates=Opt(
        "Also measure over the questions for which this run found a right answer at all (normalized recall).",
        metavar="RUN",
    ),
    resamples=RESAMPLES,
)


@click.command("runs", epilog=EXAMPLES)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@OPTIONS.as_("options")
@RUNS.as_("shown")
def command(*, qrels: str, runs: tuple[str, ...], options: RunOptions, shown: Shown) -> None:
    """Measure runs of any search engine against gold (needs ontonym[eval]).

    QRELS has the relevance of each right answer, RUN the answers of an engine, in the formats of TREC. A run is called
    by its file, without the ending. Every question of QRELS counts: one that a run does not answer is wrong. Answers
    are ranked as trec_eval does: by score, equal ones by id, the last first.
    """
    files = run_names(runs)
    shown.check_runs(files)
    show(evaluate_runs(qrels, files, options), shown)
