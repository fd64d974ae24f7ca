"""``ontonym evaluate similarity``: how well encoders, word vectors and plain spelling tell similar names."""

from __future__ import annotations

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES, SHOWN, Shown, show
from ontonym.evaluate.alike import SPELLINGS
from ontonym.evaluate.similarity import SimilarityOptions, evaluate_pair_sets

EXAMPLES = """\b
Examples:
  ontonym evaluate similarity hp.sets --encoder default --encoder ./MiniLM --encoder edit -o report.html
  ontonym evaluate similarity UMNSRS-sim.csv MayoSRS.csv --encoder default --encoder bm25 --encoder char
  ontonym evaluate similarity hp.sets --set hard.levenshtein --encoder hp.encoder --names hidden.txt
  ontonym evaluate similarity hp.sets --encoder glove.txt --measure fJ --all-measures --json
  ontonym evaluate similarity mesh.sets --encoder ./SapBERT --most 20000
"""


OPTIONS = OptionGroup(
    SimilarityOptions(),
    methods=Opt(
        f"An encoder folder, a model, a file of word vectors, or spelling alone: {', '.join(SPELLINGS)}. May be "
        "repeated.",
        "--encoder",
        "NAME",
    ),
    sets=Opt("Only sets of a folder whose name has this, such as hard.levenshtein. May be repeated.", "--set", "WORDS"),
    measure=Opt(
        "Compare by this measure: cos, r, rho or tau; for word vectors avg_ or pair_ before it, fJ or mJ.  [default: "
        "cos, avg_cos]",
        metavar="NAME",
    ),
    every_measure=Opt("Show every measure of every encoder, not only the one they are compared by.", "--all-measures"),
    names=Opt(
        "Only similar pairs whose names are both in this file, one a line, such as those that training did not see; "
        "and the dissimilar pairs that go with them.",
        metavar="FILE",
    ),
    most=Opt(
        "Pairs of a set of similar and dissimilar names, drawn where there are more (0: all): for encoders that are "
        "slow.",
        metavar="N",
        type=click.IntRange(0),
    ),
    seed=Opt("Which pairs."),
    resamples=RESAMPLES,
)


@click.command("similarity", epilog=EXAMPLES)
@click.argument("sets", nargs=-1, required=True, metavar="SETS|FILE…")
@OPTIONS.as_("options")
@SHOWN.as_("shown")
def command(*, sets: tuple[str, ...], options: SimilarityOptions, shown: Shown) -> None:
    """Measure how well methods tell names that mean the same (needs ontonym[eval]).

    SETS is a folder made by `ontonym benchmark build`: accuracy at the best threshold and area under the ROC curve.
    FILE is a list of pairs that people graded (UMNSRS, MayoSRS, MiniMayoSRS, Hliaoutakis, Bio-SimLex, Bio-SimVerb,
    EHR-RelB layouts, or two terms and a number): Spearman's correlation. After each figure: how many of the other
    methods it is significantly better and, behind a minus, worse than. Only pairs that all methods can represent
    count.
    """
    with Bar("measuring") as bar:
        found = evaluate_pair_sets(sets, options, progress=bar.stage)
    show(found, shown, notes=False)
