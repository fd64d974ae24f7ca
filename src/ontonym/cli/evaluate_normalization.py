"""``ontonym evaluate normalization``: an index against gold corpora."""

from __future__ import annotations

from dataclasses import replace

import click

from ontonym.cli.gold import GOLD
from ontonym.cli.options import NORMALIZE, RERANKING, SEARCH, Opt, OptionGroup, RerankingOptions, opened_reranking
from ontonym.cli.progress import Bar
from ontonym.cli.reports import COMPARED, RESAMPLES, Shown, show_runs
from ontonym.cli.show import count
from ontonym.evaluate.corpora import CorpusChoice, open_corpora
from ontonym.evaluate.indexes import CorpusEvaluationOptions, evaluate_index, lookup_in
from ontonym.index import open_index
from ontonym.tasks import NormalizeOptions, SearchOptions

EXAMPLES = """\b
Examples:
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt --signal all --ambiguity both
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt --rerank medic.reranker --rerank-depth 5
  ontonym evaluate normalization mesh.index CDR_DevelopmentSet.PubTator.txt --type Chemical --mistakes wrong.tsv
"""

SIGNALS = Opt("fused, lexical, char, dense, or all. May be repeated.", "--signal", "NAME")
TYPES = Opt("Only mentions of this type. May be repeated.", "--type", "TYPE")

OPTIONS = OptionGroup(
    CorpusEvaluationOptions(),
    signals=SIGNALS,
    types=TYPES,
    composite=Opt(
        "Mentions of several concepts: any (one right part is enough), all (split, every part must be right), found "
        "(the same, split as normalized), skip.",
        metavar="RULE",
    ),
    ambiguity=Opt(
        "Names that several concepts share: strict (the very concept), lenient (one that has the matched name too), "
        "both.",
        metavar="RULE",
    ),
    nil=Opt("Mentions with no concept: out (not counted), in (right when nothing is answered).", metavar="RULE"),
    threshold=Opt(
        "The confidence below which nothing is answered; by default 0 with --nil out, "
        f"{NormalizeOptions().threshold:g} with --nil in.",
        metavar="T",
        type=click.FloatRange(0, 1),
    ),
    missing=Opt(
        "Gold concepts that the terminology lacks: wrong, skip, nil (like mentions with no concept; needs --nil in).",
        metavar="RULE",
    ),
    depth=Opt("Answers looked at for each mention."),
    resamples=RESAMPLES,
)


@click.command("normalization", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS…")
@OPTIONS.as_("options")
@SEARCH.but("strategy").as_("search")
@NORMALIZE.but("precision", "abbreviations", "document", "composites").as_("normalizing")
@RERANKING.as_("reranking")
@GOLD.as_("choice")
@click.option("--mistakes", metavar="FILE", help="Write every wrong answer of the first run, with the gold concept's "
              "rank, as TSV.")  # fmt: skip
@COMPARED.as_("shown")
def command(
    *,
    index: str,
    corpus: tuple[str, ...],
    options: CorpusEvaluationOptions,
    search: SearchOptions,
    normalizing: NormalizeOptions,
    reranking: RerankingOptions,
    choice: CorpusChoice,
    mistakes: str | None,
    shown: Shown,
) -> None:
    """Normalize the mentions of gold corpora with an index, and measure accuracy@1, @5, @10 and MRR.

    With --rerank every signal runs without and with the second stage, and what that gains and costs is printed.
    """
    corpora = open_corpora(corpus, choice)
    second = opened_reranking(reranking)
    shown.check_runs(options.run_names(reranked=second is not None))
    with open_index(index) as opened, Bar("normalizing") as bar:
        runs = evaluate_index(
            opened,
            corpora,
            replace(options, split=choice.split),
            normalizing=replace(normalizing, search=search),
            second=second,
            progress=bar.stage,
        )
        show_runs(runs, shown)
        if mistakes:
            written = runs.first.write_mistakes(mistakes, lookup_in(opened))
            click.echo(f"{count(written, 'mistake')} written to {mistakes}", err=True)
