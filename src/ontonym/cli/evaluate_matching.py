"""``ontonym evaluate matching``, ``ranking`` and ``alignment``: concepts found in another terminology or in pages."""

from __future__ import annotations

from pathlib import Path

import click

from ontonym.cli.aligning import CANDIDATES, STAGE, StageFlags, first_stage
from ontonym.cli.options import JOBS, Opt, OptionGroup, examples, refuse_without
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES, RUNS, SHOWN, Shown, show
from ontonym.evaluate.alignment import AlignmentEvaluationOptions, evaluate_alignment, stage_names
from ontonym.evaluate.matching import MatchingOptions, evaluate_mapping_files
from ontonym.evaluate.ranking import RankingOptions, evaluate_ranking
from ontonym.index import open_index
from ontonym.index.pages import open_pages
from ontonym.learning.recipes.split import SPLITS
from ontonym.store import open_terminologies, open_terminology
from ontonym.tasks.align import AlignOptions
from ontonym.tasks.match import AGGREGATES

MATCHING_OPTIONS = OptionGroup(
    MatchingOptions(),
    negatives=Opt(
        "Pairs that are curated to be wrong: how many of them were found is reported separately. May be repeated.",
        "--wrong",
        "FILE",
    ),
    ignored=Opt(
        "Pairs that count neither way, such as those given to learn from. May be repeated.", "--ignore", "FILE"
    ),
    partial=Opt("The reference does not cover every concept: judge only pairs whose source or target it has."),
    resolve=Opt(
        "Take ids for the concepts that they mean today in this terminology: alternative ids, and retired ones by what "
        "replaced them. May be repeated.",
        metavar="TERMINOLOGY",
    ),
    resamples=RESAMPLES,
)


@click.command("matching", epilog=examples(
    "evaluate matching hp-doid.sssom.tsv reference.sssom.tsv",
    "evaluate matching anatomy.rdf reference.rdf -o report.html",
    "evaluate matching old.sssom.tsv curated.sssom.tsv --resolve hp.terminology --resolve doid.terminology",
    "evaluate matching found.sssom.tsv test.tsv --ignore train.tsv",
    "evaluate matching mine.sssom.tsv theirs.sssom.tsv curated.sssom.tsv --partial",
))  # fmt: skip
@click.argument("found", nargs=-1, required=True, metavar="FOUND… REFERENCE")
@MATCHING_OPTIONS.as_("options")
@SHOWN.as_("shown")
def matching(*, found: tuple[str, ...], options: MatchingOptions, shown: Shown) -> None:
    """Measure precision, recall and F1 of mappings (needs ontonym[eval]).

    FOUND and REFERENCE, the last file, are SSSOM or OAEI's alignments as RDF. Pairs that say the same count, whichever
    way round; what the reference marks with ? is left out, as in OAEI.
    """
    if len(found) < 2:
        raise click.UsageError("give the mappings to judge, and last the reference")
    *paths, reference = found
    show(evaluate_mapping_files(paths, reference, options), shown)


RANKING_OPTIONS = OptionGroup(
    RankingOptions(),
    aggregates=Opt(f"What ranks: {', '.join(AGGREGATES)}. May be repeated.", "--aggregate", "NAME"),
    structure=Opt("learned: look at what is above and below both concepts.", "--structure/--no-structure"),
    xrefs=Opt("learned: look at cross-references.", "--xrefs/--no-xrefs"),
    jobs=JOBS,
    resamples=RESAMPLES,
)


@click.command("ranking", epilog=examples(
    "evaluate ranking ncit.terminology doid.index test.cands.tsv",
    "evaluate ranking ncit.terminology doid.index test.cands.tsv --aggregate learned --aggregate max -o table.tex",
))  # fmt: skip
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("index", metavar="TARGET.index")
@click.argument("candidates", metavar="CANDIDATES")
@RANKING_OPTIONS.as_("options")
@click.option("--via", multiple=True, metavar="TERMINOLOGY", help="A terminology whose names for source concepts are "
              "asked for too. May be repeated.")  # fmt: skip
@SHOWN.as_("shown")
def ranking(
    *, source: str, index: str, candidates: str, options: RankingOptions, via: tuple[str, ...], shown: Shown
) -> None:
    """Measure MRR and Hits@K among given candidates (needs ontonym[eval]).

    The protocol of OAEI's Bio-ML track: CANDIDATES is a TSV with SrcEntity, TgtEntity and TgtCandidates. Ties count
    against the right one; what cannot be scored stands last.
    """
    if "learned" not in options.aggregates:
        refuse_without("--aggregate learned", "options__structure", "options__xrefs")
    with (
        open_terminology(source) as opened,
        open_index(index) as searched,
        open_terminologies(via) as mediators,
        Bar("scoring") as bar,
    ):
        found = evaluate_ranking(opened, searched, candidates, options, via=mediators, progress=bar.stage)
    show(found, shown)


ALIGNMENT_OPTIONS = OptionGroup(
    AlignmentEvaluationOptions(),
    split=Opt("The split of a gold folder to judge by.", type=click.Choice(SPLITS)),
    sample=Opt("Judge by N concepts, drawn by their ids.", metavar="N", type=click.IntRange(1)),
    cutoffs=Opt("Recall among the first K. May be repeated.", "--cutoff", "K", click.IntRange(1)),
    resamples=RESAMPLES,
)


@click.command("alignment", epilog=examples(
    "benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold",
    "evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold",
    "evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold --split dev --rerank wiki.reranker",
    "evaluate alignment hp.terminology wiki.pages curated.sssom.tsv --language ja --compare weighed char",
))  # fmt: skip
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.argument("gold", metavar="GOLD")
@ALIGNMENT_OPTIONS.as_("options")
@STAGE.as_("flags")
@CANDIDATES.as_("candidates")
@RUNS.as_("shown")
def alignment(
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
    if not Path(gold).is_dir():
        refuse_without("a folder as GOLD", "options__split")
    aligning, second = first_stage(candidates, max(options.cutoffs)), flags.opened()
    shown.check_runs(stage_names(second))
    with open_terminology(source) as opened, open_pages(pages) as searched, Bar("aligning") as bar:
        found = evaluate_alignment(
            opened, searched, gold, options, aligning=aligning, second=second, progress=bar.stage
        )
    show(found, shown)
