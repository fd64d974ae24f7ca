"""``ontonym evaluate alignment``: how far up the page of a concept stands, by each stage of an alignment."""

from __future__ import annotations

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.pages import CANDIDATES, STAGE, StageFlags, first_stage
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES, RUNS, Shown, show
from ontonym.evaluate.paging import AlignmentEvaluationOptions, evaluate_alignment, stage_names
from ontonym.index.pages import open_pages
from ontonym.learning.recipes.split import SPLITS
from ontonym.store import open_terminology
from ontonym.tasks.align import AlignOptions

EXAMPLES = """\b
Examples:
  ontonym benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold
  ontonym evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold
  ontonym evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold --split dev --rerank wiki.reranker
  ontonym evaluate alignment hp.terminology wiki.pages curated.sssom.tsv --language ja --compare weighed char
"""


OPTIONS = OptionGroup(
    AlignmentEvaluationOptions(),
    split=Opt("The split of a gold folder to judge by.", type=click.Choice(SPLITS)),
    sample=Opt("Judge by N concepts, drawn by their ids.", metavar="N", type=click.IntRange(1)),
    cutoffs=Opt("Recall among the first K. May be repeated.", "--k", "K", click.IntRange(1)),
    resamples=RESAMPLES,
)


@click.command("alignment", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.argument("gold", metavar="GOLD")
@OPTIONS.as_("options")
@STAGE.as_("flags")
@CANDIDATES.as_("candidates")
@RUNS.as_("shown")
def command(
    *,
    source: str,
    pages: str,
    gold: str,
    options: AlignmentEvaluationOptions,
    shown: Shown,
    flags: StageFlags,
    candidates: AlignOptions,
) -> None:
    """Measure recall@k and normalized recall@k of an alignment with encyclopedia pages (needs ontonym[eval]).

    GOLD is a folder made by `ontonym benchmark pages`, or a mapping file (SSSOM) between the terminology and pages.
    Every first stage is measured (lexical, char, both, all), then the second: weighed, and with --rerank the reranker
    alone and both together.
    """
    aligning, second = first_stage(candidates, max(options.cutoffs)), flags.opened()
    shown.check_runs(stage_names(second))
    with open_terminology(source) as opened, open_pages(pages) as searched, Bar("aligning") as bar:
        found = evaluate_alignment(
            opened, searched, gold, options, aligning=aligning, second=second, progress=bar.stage
        )
    show(found, shown)
