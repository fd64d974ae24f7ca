"""``ontonym pairs``: terminologies to training examples, by a recipe."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from ontonym.artifact import Manifest
from ontonym.cli.options import Opt, OptionGroup, at_least, json_option, wanted_languages, wanted_scopes
from ontonym.cli.progress import Bar
from ontonym.errors import InputError
from ontonym.evaluate.texts import annotated_texts, excluded_names
from ontonym.files.output import written_file
from ontonym.index import open_index
from ontonym.learning.mining import MiningOptions, mine
from ontonym.learning.recipes import (
    RECIPES,
    Examples,
    PoolOptions,
    RecipeOptions,
    find_recipe,
    make_examples,
    name_pool,
)
from ontonym.learning.recipes.examples import save_examples
from ontonym.learning.recipes.split import SPLITS, parse_shares
from ontonym.serve.shapes import to_json, tsv_line
from ontonym.serve.show import console, count, facts, size
from ontonym.store import open_terminology
from ontonym.text.strings import Strings
from ontonym.types import SCOPES

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
    ceiling=Opt("With --hard-negatives: take no name of a higher cosine, which may mean the same after all."),
)

COLUMNS = ("split", "anchor", "positive", "negative", "anchor_id", "positive_id", "negative_id")
"""The columns of examples as TSV; those of negatives are there where the recipe gives negatives."""

_BLOCK = 1 << 15

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
@RECIPE.as_("options")
@click.option("--hard-negatives", metavar="INDEX", help="Give every pair a negative: a name near in this index of the "
              "same terminologies, but no synonym, ancestor or mapping.")  # fmt: skip
@MINING.as_("mining")
@click.option("--tsv", metavar="FILE", help="Also write the examples as readable TSV; .gz compresses.")
@json_option
def command(
    *, terminology: tuple[str, ...], output: str, recipe: str, options: RecipeOptions, mining: MiningOptions,
    hard_negatives: str | None, tsv: str | None, as_json: bool, **chosen: Any,
) -> None:  # fmt: skip
    """Make training examples from terminologies alone: what belongs together, and what does not.

    The examples of each split are made of the names of its own concepts, and no name of a dev or test concept, in any
    spelling, is in train. Recipes that draw anew each epoch give one epoch here; `ontonym train` draws the others.
    """
    began = time.monotonic()
    found = find_recipe(recipe)
    _check(options)
    pool_options = PoolOptions(
        languages=wanted_languages(chosen["language"]),
        scopes=wanted_scopes(chosen["scope"]),
        exclude=excluded_names(chosen["exclude"]),
        shares=parse_shares(chosen["split"]),
        seed=options.seed,
    )
    annotated, left_out = annotated_texts(chosen["annotated"])
    with ExitStack() as stack, Bar("making examples") as bar:
        bar.stage("reading names", 0, None)
        opened = [stack.enter_context(open_terminology(folder)) for folder in terminology]
        pool = name_pool(opened, pool_options, annotated)
        bar.stage("making examples", 0, None)
        examples = make_examples(pool, found, options)
        if left_out:
            examples.described["annotated"] = {**examples.described.get("annotated", {}), "left_out": left_out}
        if hard_negatives:
            with open_index(hard_negatives) as index:
                examples = mine(
                    index,
                    examples,
                    replace(mining, seed=options.seed),
                    usable=pool.usable_texts(len(examples.texts)),
                    progress=lambda done, total: bar.stage("looking for negatives", done, total),
                )
        bar.stage("writing", 0, None)
        manifest = save_examples(Path(output), examples)
        if tsv:
            write_tsv(tsv, examples, Strings.joined([part.ids().strings() for part in opened]))
    if as_json:
        shape = {"path": output, "fingerprint": manifest.fingerprint, "seconds": round(time.monotonic() - began, 1)}
        click.echo(to_json({**shape, "content": manifest.content}))
        return
    _show(Path(output), manifest, examples, tsv, time.monotonic() - began)


def _check(options: RecipeOptions) -> None:
    for name in ("linked", "favour", "ratio"):
        at_least(name, getattr(options, name), 0)
    if options.linked > 1:
        raise InputError(f"--linked must be at most 1, not {options.linked:g}")


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


def write_tsv(path: str, examples: Examples, ids: Strings) -> int:
    """Writes the examples as readable TSV and gives their number; ``ids`` are those of the concepts.

    Raises InputError where the file cannot be written.
    """
    columns = max(examples.table(split).shape[1] for split in SPLITS)
    texts, concepts = examples.texts.texts, examples.texts.concepts
    header = [name for name in COLUMNS if columns == 3 or "negative" not in name]
    count = 0
    with written_file(path) as stream:
        stream.write((tsv_line(header) + "\n").encode())
        for split in SPLITS:
            table = examples.table(split)
            count += len(table)
            for start in range(0, len(table), _BLOCK):
                block = table[start : start + _BLOCK].astype(np.int64)
                cells = [texts.take(column).tolist() for column in block.T]
                cells += [ids.take(concepts[column].astype(np.int64)).tolist() for column in block.T]
                lines = [tsv_line((split, *row)) for row in zip(*cells, strict=True)]
                stream.write(("\n".join(lines) + "\n").encode())
    return count
