"""``ontonym evaluate similarity`` and ``categories``: what methods make of pairs of names, and of whole categories."""

from __future__ import annotations

import click

from ontonym.cli.options import Opt, OptionGroup, examples
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES, SHOWN, Shown, show
from ontonym.errors import InputError
from ontonym.evaluate.categories import CategoryOptions, evaluate_categories
from ontonym.evaluate.pairsets import SimilarityOptions, evaluate_pair_sets
from ontonym.evaluate.pairsimilarity import MEASURES_BY_NAME, SPELLINGS
from ontonym.store import open_terminology

ANY_WORD = Opt(
    "Word vectors represent a term if they have any of its words; without it, they must have every one (Schulz 5)."
)

SIMILARITY_OPTIONS = OptionGroup(
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
    any_word=ANY_WORD,
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


@click.command("similarity", epilog=examples(
    "evaluate similarity hp.sets --encoder default --encoder ./MiniLM --encoder edit -o report.html",
    "evaluate similarity UMNSRS-sim.csv MayoSRS.csv --encoder default --encoder bm25 --encoder char",
    "evaluate similarity hp.sets --set hard.levenshtein --encoder hp.encoder --names hidden.txt",
    "evaluate similarity hp.sets --encoder glove.txt --measure fJ --all-measures --json",
    "evaluate similarity mesh.sets --encoder ./SapBERT --most 20000",
))  # fmt: skip
@click.argument("sets", nargs=-1, required=True, metavar="SETS|FILE…")
@SIMILARITY_OPTIONS.as_("options")
@SHOWN.as_("shown")
def similarity(*, sets: tuple[str, ...], options: SimilarityOptions, shown: Shown) -> None:
    """Measure how well methods tell names that mean the same (needs ontonym[eval]).

    SETS is a folder made by `ontonym benchmark build`: accuracy at the best threshold and area under the ROC curve.
    FILE is a list of pairs that people graded (UMNSRS, MayoSRS, MiniMayoSRS, Hliaoutakis, Bio-SimLex, Bio-SimVerb,
    EHR-RelB layouts, or two terms and a number): Spearman's correlation. After each figure: how many of the other
    methods it is significantly better and, behind a minus, worse than. Only pairs that all methods can represent
    count.
    """
    with Bar("measuring") as bar:
        found = evaluate_pair_sets(sets, options, progress=bar.stage)
    show(found, shown)


CATEGORIES_OPTIONS = OptionGroup(
    CategoryOptions(),
    encoders=Opt("An encoder folder, a model, or a file of word vectors. May be repeated.", "--encoder", "NAME"),
    measures=Opt(
        f"{', '.join(MEASURES_BY_NAME)}; for word vectors avg_ or pair_ before it, fJ or mJ. May be repeated.",
        "--measure",
        "NAME",
    ),
    every_measure=SIMILARITY_OPTIONS.opts["every_measure"],
    every_name=Opt("Take all names of the concepts, not only the preferred ones."),
    any_word=ANY_WORD,
    most=Opt("Names of a category, drawn where there are more (0: all).", type=click.IntRange(0)),
    seed=Opt("Which ones."),
)


@click.command("categories", epilog=examples(
    "evaluate categories hp.terminology --near HP:0000707 --near HP:0001626 --far HP:0000005",
    "evaluate categories snomed.terminology --near SCTID:103693007 --near SCTID:277132007 --far SCTID:410607006 \\\n"
    "      --encoder default --encoder ./SapBERT --measure cos --measure rho --most 10000",
))  # fmt: skip
@click.argument("terminology", metavar="TERMINOLOGY")
@click.option("--near", multiple=True, metavar="ID", help="The top concepts of two near categories: give it twice.")
@click.option("--far", required=True, metavar="ID", help="The top concept of a category that is far from both.")
@CATEGORIES_OPTIONS.as_("options")
@SHOWN.as_("shown")
def categories(*, terminology: str, near: tuple[str, ...], far: str, options: CategoryOptions, shown: Shown) -> None:
    """Measure how often a name of a category is at least as similar to one of a far category as to one of a near one.

    This is Schulz's relative overlap O over all triples of names: 0 is perfect, 0.5 is chance.
    """
    if len(near) != 2:
        times = "once" if len(near) == 1 else f"{len(near)} times"
        raise InputError(f"two near categories are compared with a far one: give --near twice, not {times}")
    with open_terminology(terminology) as opened, Bar("comparing categories") as bar:
        found = evaluate_categories(opened, (near[0], near[1]), far, options, progress=bar.stage)
    show(found, shown)
