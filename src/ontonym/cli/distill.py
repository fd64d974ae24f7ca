"""``ontonym distill``: an encoder of any kind to a static one that needs numpy only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.options import Opt, OptionGroup, examples, summarized, wanted_languages
from ontonym.cli.pairs import LANGUAGE
from ontonym.cli.progress import Bar
from ontonym.encoder import open_encoder
from ontonym.encoder.static import StaticShape
from ontonym.evaluate.texts import excluded_names
from ontonym.learning.encoders.distill import DistillOptions, DistillStep, distill_names
from ontonym.learning.recipes import PoolOptions
from ontonym.serve.show import Summary
from ontonym.serve.training import distilled_summary
from ontonym.store import open_terminologies

NAMES = OptionGroup(PoolOptions(), languages=LANGUAGE)

DISTILL = OptionGroup(
    DistillOptions(),
    epochs=Opt("How many times all names are seen."),
    batch=Opt("Names in a step."),
    rate=Opt("Learning rate at the first step; it falls linearly to 0."),
    held_out=Opt("Share of the names that the agreement is measured on."),
    seed=Opt("Seed of every random draw."),
    threads=Opt("Threads; part of the recipe, since sums of floats depend on it."),
)

SHAPE = OptionGroup(
    StaticShape(),
    dim=Opt("Length of a vector."),
    word_rows=Opt("Hashed rows for words."),
    ngram_rows=Opt("Hashed rows for character n-grams."),
)


@click.command("distill", epilog=examples(
    "distill my.encoder hp.terminology -o hp-static.encoder",
    "distill ./MiniLM hp.terminology doid.terminology --dim 384 -o static.encoder",
))  # fmt: skip
@click.argument("teacher", metavar="ENCODER")
@click.argument("terminology", nargs=-1, required=True, metavar="TERMINOLOGY…")
@click.option("-o", "--output", required=True, metavar="DIR", help="The static encoder to write.")
@NAMES.as_("names")
@click.option("--exclude", multiple=True, metavar="FILE", help="Names that it must not be fitted to: one a line, or "
              "the mentions of a gold corpus. May be repeated.")  # fmt: skip
@DISTILL.as_("options")
@SHAPE.as_("shape")
@summarized
def command(
    *, teacher: str, terminology: tuple[str, ...], output: str, names: PoolOptions, exclude: tuple[str, ...],
    options: DistillOptions, shape: StaticShape,
) -> Summary:  # fmt: skip
    """Fit a static encoder to another encoder's vectors of a terminology's names (needs ontonym[train]).

    It answers with numpy alone, hundreds of times as fast as a transformer, and nearly as the teacher does for names
    like those it was fitted to; what is printed says how nearly.
    """
    wanted = replace(names, languages=wanted_languages(names.languages), exclude=excluded_names(exclude))
    with Bar("distilling") as bar, open_terminologies(terminology) as opened:

        def report(step: DistillStep) -> None:
            bar.stage("distilling", step.epoch, step.epochs, f"loss {step.loss:.3f}")

        done = distill_names(open_encoder(teacher), opened, Path(output), wanted, shape, options, report=report)
    return distilled_summary(output, done, bar.seconds)
