"""``ontonym pairs``: terminologies to training examples, by a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from typing import get_args

import click

from ontonym.api.learning import pairs as make_pairs
from ontonym.cli.options import Opt, OptionGroup, examples, refuse_without, summarized, wanted_languages, wanted_scopes
from ontonym.cli.progress import Bar
from ontonym.learning.mining import MiningOptions
from ontonym.learning.recipes import RECIPES, PoolOptions, RecipeOptions
from ontonym.learning.recipes.split import SplitBy
from ontonym.serve.artifacts import pairs_rows
from ontonym.serve.show import Summary
from ontonym.serve.training import pairs_summary
from ontonym.types import SCOPES, Scope

RECIPE = OptionGroup(
    RecipeOptions(),
    relations=Opt("For graph and comb: connect concepts by this relation (is-a, or as the release names it). May be "
                  "repeated; by default all.", "--relation", "NAME"),
    associations=Opt("For historical: what leads from a retired concept to an active one: replaced_by, consider, or in "
                     "RF2 \"SAME AS\" and the like. May be repeated.", "--association", "NAME"),
    predicates=Opt("For mappings: take mappings with this predicate. May be repeated.", "--predicate", "NAME"),
    seed=Opt("Seed of the split and of every random draw."),
    linked=Opt("For drawn: share of the draws whose positive is a name of a linked concept."),
    favour=Opt("For drawn: exponent by which concepts with many names are drawn more often (0: all alike)."),
    ratio=Opt("For batches: annotated texts to one text of the terminologies, by repeating them."),
)  # fmt: skip

MINING = OptionGroup(
    MiningOptions(),
    nearest=Opt("With --hard-negatives: the negative is drawn among so many nearest names that are fit."),
    skip=Opt("With --hard-negatives: pass over so many nearest names first."),
    wrong=Opt("With --hard-negatives: only where such a name is nearer than the right one.", "--only-wrong"),
    ceiling=Opt("With --hard-negatives: take no name of a higher cosine, which may mean the same after all."),
)

LANGUAGE = Opt("Names in this language. May be repeated; all: every language.", "--language", "TAG")
SPLIT_BY = Opt(
    "What --shares splits: concepts, so that no name of dev is seen in training, but examples across two splits are "
    "lost (their number is shown), or examples, as Ngo and Kong do.  [default: concept; the paper's with --preset]",
    type=click.Choice(get_args(SplitBy)),
)


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """What examples are made of, as it is typed: shares of splits, languages, scopes, and files of names and texts."""

    shares: str = "90/5/5"
    split_by: SplitBy | None = None
    languages: tuple[str, ...] = PoolOptions().languages
    scopes: tuple[Scope, ...] = PoolOptions().scopes
    exclude: tuple[str, ...] = ()
    annotated: tuple[str, ...] = ()


CHOICE = OptionGroup(
    ExampleChoice(),
    shares=Opt("Shares of the concepts in train, dev and test; linked concepts stay together.", metavar="A/B/C"),
    split_by=SPLIT_BY,
    languages=LANGUAGE,
    scopes=Opt(f"Synonyms of this scope ({', '.join(SCOPES)}). May be repeated.", "--scope", "NAME"),
    exclude=Opt("Names that no example may have, in any spelling: one a line, or the mentions of a gold corpus. May be "
                "repeated.", metavar="FILE"),
    annotated=Opt("For batches and annotated: texts and the ids of their concepts, a tab between, or the mentions of a "
                  "gold corpus. May be repeated.", metavar="FILE"),
)  # fmt: skip


@click.command("pairs", epilog=examples(
    "pairs hp.terminology --recipe triplets -o hp.pairs",
    "pairs snomed.terminology --recipe graph --relation is-a --shares 80/20/0 -o graph.pairs",
    "pairs medic.terminology --recipe batches --annotated train.PubTator --exclude dev.PubTator -o medic.pairs",
    "pairs hp.terminology --recipe translations --language all -o hp.pairs --tsv hp.tsv",
    "pairs hp.terminology --recipe synonyms --hard-negatives hp.index -o hard.pairs",
    "train hp.pairs -o hp.encoder",
))  # fmt: skip
@click.argument("terminology", nargs=-1, required=True, metavar="TERMINOLOGY…")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder of examples to write.")
@click.option("--recipe", required=True, metavar="NAME", help="; ".join(
    f"{name}: {one.summary}" for name, one in RECIPES.items()) + ".")  # fmt: skip
@CHOICE.as_("choice")
@RECIPE.as_("options")
@click.option("--hard-negatives", metavar="INDEX", help="Give every pair a negative: a name near in this index of the "
              "same terminologies, but no synonym, ancestor or mapping.")  # fmt: skip
@MINING.as_("mining")
@click.option("--tsv", metavar="FILE", help="Also write the examples as readable TSV; .gz compresses.")
@summarized
def command(
    *, terminology: tuple[str, ...], output: str, recipe: str, choice: ExampleChoice, options: RecipeOptions,
    mining: MiningOptions, hard_negatives: str | None, tsv: str | None,
) -> Summary:  # fmt: skip
    """Make training examples from terminologies alone: what belongs together, and what does not.

    The examples of each split are made of the names of its own concepts, and no name of a dev or test concept, in any
    spelling, is in train. Recipes that draw anew each epoch give one epoch here; `ontonym train` draws the others.
    """
    if hard_negatives is None:
        refuse_without("--hard-negatives", *(f"mining__{field}" for field in MINING.opts))
    with Bar("making examples") as bar:
        made = make_pairs(
            [*terminology], output, recipe=recipe, shares=choice.shares, split_by=choice.split_by or "concept",
            languages=wanted_languages(choice.languages), scopes=wanted_scopes(choice.scopes),
            exclude=[*choice.exclude], annotated=[*choice.annotated], hard_negatives=hard_negatives,
            mining=None if hard_negatives is None else mining, tsv=tsv, options=options, progress=bar.stage,
        )  # fmt: skip
    manifest, examples = made.manifest, made.examples
    summary = pairs_summary(output, manifest, examples, pairs_rows(manifest.content), bar.seconds, tsv=tsv)
    return summary.then(f"ontonym train {quote(output)} -o my.encoder")
