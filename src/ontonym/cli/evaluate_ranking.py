"""``ontonym evaluate ranking``: given candidates of concepts ranked, and how far up the right ones stand."""

from __future__ import annotations

from contextlib import ExitStack

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES, SHOWN, Shown, show
from ontonym.evaluate.ranking import RankingOptions, evaluate_ranking
from ontonym.index import open_index
from ontonym.store import open_terminology
from ontonym.tasks.match import AGGREGATES

EXAMPLES = """\b
Examples:
  ontonym evaluate ranking ncit.terminology doid.index test.cands.tsv
  ontonym evaluate ranking ncit.terminology doid.index test.cands.tsv --aggregate learned --aggregate max -o table.tex
"""


OPTIONS = OptionGroup(
    RankingOptions(),
    aggregates=Opt(f"What ranks: {', '.join(AGGREGATES)}. May be repeated.", "--aggregate", "NAME"),
    structure=Opt("learned: look at what is above and below both concepts.", "--structure/--no-structure"),
    xrefs=Opt("learned: look at cross-references.", "--xrefs/--no-xrefs"),
    jobs=Opt(
        "Processes that share the work; each opens the index, whose files are in memory once.",
        metavar="N",
        type=click.IntRange(1),
    ),
    resamples=RESAMPLES,
)


@click.command("ranking", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("index", metavar="TARGET.index")
@click.argument("candidates", metavar="CANDIDATES")
@OPTIONS.as_("options")
@click.option("--via", multiple=True, metavar="TERMINOLOGY", help="A terminology whose names for source concepts are "
              "asked for too. May be repeated.")  # fmt: skip
@SHOWN.as_("shown")
def command(
    *, source: str, index: str, candidates: str, options: RankingOptions, via: tuple[str, ...], shown: Shown
) -> None:
    """Measure MRR and Hits@K among given candidates (needs ontonym[eval]).

    The protocol of OAEI's Bio-ML track: CANDIDATES is a TSV with SrcEntity, TgtEntity and TgtCandidates. Ties count
    against the right one; what cannot be scored stands last.
    """
    with ExitStack() as stack, Bar("scoring") as bar:
        opened, searched = stack.enter_context(open_terminology(source)), stack.enter_context(open_index(index))
        mediators = [stack.enter_context(open_terminology(place)) for place in via]
        found = evaluate_ranking(opened, searched, candidates, options, via=mediators, progress=bar.stage)
    show(found, shown)
