"""``ontonym pairs``: terminologies to training examples, by a recipe."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
import numpy as np

from ontonym.artifact import Manifest
from ontonym.cli.options import at_least, dataclass_options, json_option, wanted_languages, wanted_scopes
from ontonym.cli.pair_texts import write_tsv
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.errors import InputError
from ontonym.evaluate.texts import annotated_texts, excluded_names
from ontonym.index import open_index
from ontonym.learning.mining import MiningOptions, mine
from ontonym.learning.recipes import (
    RECIPES,
    Examples,
    Pool,
    PoolOptions,
    RecipeOptions,
    find_recipe,
    make_examples,
    name_pool,
)
from ontonym.learning.recipes.examples import save_examples
from ontonym.learning.recipes.split import SPLITS, parse_shares
from ontonym.store import open_terminology
from ontonym.text.strings import Strings
from ontonym.types import SCOPES

RECIPE_HELP = MappingProxyType(
    {
        "seed": "Seed of the split and of every random draw.",
        "linked": "For drawn: share of the draws whose positive is a name of a linked concept.",
        "favour": "For drawn: exponent by which concepts with many names are drawn more often (0: all alike).",
        "ratio": "For batches: annotated texts to one text of the terminologies, by repeating them.",
    }
)
"""Help of the fields of ``RecipeOptions`` that are plain numbers."""

MINING_HELP = MappingProxyType(
    {
        "nearest": "With --hard-negatives: the negative is drawn among so many nearest names that are fit.",
        "skip": "With --hard-negatives: pass over so many nearest names first.",
        "ceiling": "With --hard-negatives: take no name of a higher cosine, which may mean the same after all.",
    }
)
"""Help of the fields of ``MiningOptions`` that are options of their own."""

EXAMPLES = """\b
Examples:
  ontonym pairs hp.terminology --recipe triplets -o hp.pairs
  ontonym pairs snomed.terminology --recipe graph --relation is-a --split 80/20/0 -o graph.pairs
  ontonym pairs medic.terminology --recipe batches --annotated train.PubTator --exclude dev.PubTator -o medic.pairs
  ontonym pairs hp.terminology --recipe translations --language all -o hp.pairs --tsv hp.tsv
  ontonym pairs hp.terminology --recipe synonyms --hard-negatives hp.index -o hard.pairs
  ontonym train hp.pairs -o hp.encoder
"""


@click.command("pairs", epilog=EXAMPLES)
@click.argument("terminology", nargs=-1, required=True, metavar="TERMINOLOGY…")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder of examples to write.")
@click.option("--recipe", required=True, metavar="NAME", help="; ".join(
    f"{name}: {one.summary}" for name, one in RECIPES.items()) + ".")  # fmt: skip
@click.option("--split", default="90/5/5", show_default=True, metavar="A/B/C", help="Shares of the concepts in train, "
              "dev and test; linked concepts stay together.")  # fmt: skip
@click.option("--language", multiple=True, default=PoolOptions().languages, show_default=True, metavar="TAG",
              help="Names in this language. May be repeated; all: every language.")  # fmt: skip
@click.option("--scope", multiple=True, default=PoolOptions().scopes, show_default=True, metavar="NAME",
              help=f"Synonyms of this scope ({', '.join(SCOPES)}). May be repeated.")  # fmt: skip
@click.option("--exclude", multiple=True, metavar="FILE", help="Names that no example may have, in any spelling: one a "
              "line, or the mentions of a gold corpus. May be repeated.")  # fmt: skip
@click.option("--annotated", multiple=True, metavar="FILE", help="For batches and annotated: texts and the ids of "
              "their concepts, a tab between, or the mentions of a gold corpus. May be repeated.")  # fmt: skip
@click.option("--relation", multiple=True, metavar="NAME", help="For graph and comb: connect concepts by this relation "
              "(is-a, or as the release names it). May be repeated; by default all.")  # fmt: skip
@click.option("--association", multiple=True, default=RecipeOptions().associations, show_default=True, metavar="NAME",
              help="For historical: what leads from a retired concept to an active one: replaced_by, consider, or in "
              "RF2 \"SAME AS\" and the like. May be repeated.")  # fmt: skip
@click.option("--predicate", multiple=True, default=RecipeOptions().predicates, show_default=True, metavar="NAME",
              help="For mappings: take mappings with this predicate. May be repeated.")  # fmt: skip
@dataclass_options(RecipeOptions, RECIPE_HELP)
@click.option("--hard-negatives", metavar="INDEX", help="Give every pair a negative: a name near in this index of the "
              "same terminologies, but no synonym, ancestor or mapping.")  # fmt: skip
@dataclass_options(MiningOptions, MINING_HELP)
@click.option("--tsv", metavar="FILE", help="Also write the examples as readable TSV; .gz compresses.")
@json_option
def command(
    *, terminology: tuple[str, ...], output: str, recipe: str, tsv: str | None, as_json: bool, **chosen: Any
) -> None:
    """Make training examples from terminologies alone: what belongs together, and what does not.

    The examples of each split are made of the names of its own concepts, and no name of a dev or test concept, in any
    spelling, is in train. Recipes that draw anew each epoch give one epoch here; `ontonym train` draws the others.
    """
    began = time.monotonic()
    found = find_recipe(recipe)
    options = _recipe_options(chosen)
    pool_options = _pool_options(chosen)
    annotated, left_out = annotated_texts(chosen["annotated"])
    with ExitStack() as stack, Bar("making examples") as bar:
        bar.stage("reading names", 0, None)
        opened = [stack.enter_context(open_terminology(folder)) for folder in terminology]
        pool = name_pool(opened, pool_options, annotated)
        bar.stage("making examples", 0, None)
        examples = make_examples(pool, found, options)
        if left_out:
            examples.described["annotated"] = {**examples.described.get("annotated", {}), "left_out": left_out}
        if chosen["hard_negatives"]:
            examples = _with_negatives(chosen, pool, examples, bar)
        bar.stage("writing", 0, None)
        manifest = save_examples(Path(output), examples)
        if tsv:
            write_tsv(tsv, examples, Strings.joined([part.ids().strings() for part in opened]))
    if as_json:
        told = {"path": output, "fingerprint": manifest.fingerprint, "seconds": round(time.monotonic() - began, 1)}
        click.echo(to_json({**told, "content": manifest.content}))
        return
    _show(Path(output), manifest, examples, tsv, time.monotonic() - began)


def _with_negatives(chosen: dict[str, Any], pool: Pool, examples: Examples, bar: Bar) -> Examples:
    """The examples with hard negatives, which may be any name that the split may use."""
    options = MiningOptions(**{name: chosen[name] for name in MINING_HELP}, seed=chosen["seed"])
    more = np.zeros(len(examples.texts) - len(pool.texts), dtype=np.bool_)
    usable = {split: np.concatenate([pool.names_of(split), more]) for split in SPLITS}
    with open_index(chosen["hard_negatives"]) as index:
        return mine(
            index,
            examples,
            options,
            usable=usable,
            progress=lambda done, total: bar.stage("looking for negatives", done, total),
        )


def _recipe_options(chosen: dict[str, Any]) -> RecipeOptions:
    for name in ("linked", "favour", "ratio"):
        at_least(name, chosen[name], 0)
    if chosen["linked"] > 1:
        raise InputError(f"--linked must be at most 1, not {chosen['linked']:g}")
    return RecipeOptions(
        relations=chosen["relation"],
        associations=chosen["association"],
        predicates=chosen["predicate"],
        **{field.name: chosen[field.name] for field in fields(RecipeOptions) if field.name in RECIPE_HELP},
    )


def _pool_options(chosen: dict[str, Any]) -> PoolOptions:
    return PoolOptions(
        languages=wanted_languages(chosen["language"]),
        scopes=wanted_scopes(chosen["scope"]),
        exclude=excluded_names(chosen["exclude"]),
        shares=parse_shares(chosen["split"]),
        seed=chosen["seed"],
    )


def _show(output: Path, manifest: Manifest, examples: Examples, tsv: str | None, seconds: float) -> None:
    from ontonym.cli.info import pairs_rows

    out = console()
    facts(
        [
            ("pairs", f"{output}  ({size(manifest.bytes)})"),
            *pairs_rows(manifest.content),
            ("written", f"{tsv}" if tsv else ""),
            ("made", f"{count(sum(examples.counts().values()), 'example')} in {seconds:.1f} s"),
        ],
        out,
    )
    out.print(f"next: ontonym train {output} -o my.encoder", style="dim", soft_wrap=True)
