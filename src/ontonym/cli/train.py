"""``ontonym train``: terminologies to an encoder, by a recipe that needs no annotation."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from ontonym.cli.options import (
    EXCLUDE,
    Opt,
    OptionGroup,
    command_line,
    examples,
    refuse_without,
    resume_training,
    summarized,
    typed_flags,
    wanted_languages,
)
from ontonym.cli.pairs import LANGUAGE, SPLIT_BY
from ontonym.cli.progress import Bar, resumable
from ontonym.encoder.static import StaticShape
from ontonym.encoder.transformer import POOLINGS, Pooling
from ontonym.errors import InputError
from ontonym.evaluate.texts import annotated_texts, excluded_names
from ontonym.learning.encoders.bases import Base
from ontonym.learning.encoders.gain import TOLERANCE
from ontonym.learning.encoders.losses import LOSSES, LossOptions
from ontonym.learning.encoders.options import (
    ADAPT,
    FROM_SCRATCH,
    PLAIN_PRESETS,
    PRESETS,
    RERANKER,
    TrainOptions,
    TrainStep,
    preset_name,
)
from ontonym.learning.encoders.plans import TrainingRequest
from ontonym.learning.encoders.runs import TrainingPlan, holds_examples, prepare_training, run_training
from ontonym.learning.recipes import RECIPES, PoolOptions, RecipeOptions
from ontonym.learning.recipes.split import SplitBy, parse_shares
from ontonym.serve.show import Summary
from ontonym.serve.training import encoder_summary, estimate_summary

TRAIN = OptionGroup(
    TrainOptions(),
    steps=Opt(f"Steps of the optimizer; 0: by --epochs. (Static encoders: {ADAPT.steps}, from scratch "
              f"{FROM_SCRATCH.steps}.)"),
    epochs=Opt("How many times all examples are seen."),
    batch=Opt(f"Examples in a step. (Static encoders: {ADAPT.batch}.)"),
    accumulate=Opt("Parts of a step whose gradients are added up, each with its own negatives."),
    at_once=Opt("Texts held in memory for the gradient; fewer take more time for the same result (0: all)."),
    rate=Opt(f"Highest learning rate. (Static encoders: {ADAPT.rate:g}, from scratch {FROM_SCRATCH.rate:g}.)"),
    warmup=Opt("Share of the steps in which the rate rises."),
    decay=Opt("Weight decay."),
    clip=Opt("Highest norm of a gradient (0: any)."),
    neighbours=Opt("Nearest concepts drawn into a batch beside each one, as hard negatives (0: none). (Static "
                   f"encoders: {ADAPT.neighbours}.)"),
    begin=Opt("Share of the steps after which these hard negatives begin."),
    tokens=Opt("Tokens after which a text is cut."),
    dropout=Opt("Dropout of a transformer (-1: its own)."),
    precision=Opt("float32, bf16 or fp16 (mixed precision; for processors and devices that are made for it).",
                  "--dtype", "NAME"),
    seed=Opt("Seed of every random draw."),
    threads=Opt("Threads; part of the recipe, since sums of floats depend on it (0: all). (Static encoders: 1.)"),
    every=Opt("Steps between two checkpoints, and between two evaluations on dev (0: a tenth of all)."),
    patience=Opt("Evaluations on dev without a better figure after which training stops, with the best (0: never)."),
    dev_queries=Opt("Names asked on dev, at most."),
    dev_names=Opt("Names searched on dev, at most."),
)  # fmt: skip

LOSS = OptionGroup(
    LossOptions(),
    temperature=Opt("What similarities are divided by in the softmax. (Static encoders: 0.08.)"),
    margin=Opt("Margin of the triplet loss."),
    similarity=Opt("cosine, dot or euclidean; by default the loss's own.", metavar="NAME"),
    mining=Opt("hard or semi-hard, for batch-hard.", metavar="NAME"),
    alpha=Opt("Weight of positives in multi-similarity."),
    beta=Opt("Weight of negatives in multi-similarity."),
    epsilon=Opt("Margin of the mining in multi-similarity."),
    dims=Opt("Also train vectors that are cut to this length. May be repeated.", "--matryoshka", "DIM", int),
)

RECIPE = OptionGroup(
    RecipeOptions(),
    linked=Opt("For drawn: the share of pairs across two concepts that terminologies link."),
    favour=Opt("For drawn: how much more often concepts with many names are drawn (0: all alike, 1: in proportion)."),
    ratio=Opt("For batches: annotated texts for each text of the terminologies."),
)

SHAPE = OptionGroup(
    StaticShape(),
    dim=Opt("Length of a vector (with --base none)."),
    word_rows=Opt("Hashed rows for words (with --base none)."),
    ngram_rows=Opt("Hashed rows for character n-grams (with --base none)."),
)


@dataclass(frozen=True, slots=True)
class TrainChoice:
    """What is learned, from what and on what base, as it is typed; what is empty or None the preset decides, or else
    the kind of the base.
    """

    preset: str = ""
    recipe: str = ""
    base: str = "default"
    beside: str | None = None
    share: float = Base().share
    pooling: Pooling = "own"
    loss: str = ""
    annotated: tuple[str, ...] = ()
    auxiliary: str = ""
    auxiliary_weight: float = 1.0
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = PoolOptions().languages
    shares: str = ""
    split_by: SplitBy | None = None


CHOICE = OptionGroup(
    TrainChoice(),
    preset=Opt("All settings as a paper has them: " + "; ".join(
        f"{plain} (or {name}): {PRESETS[name].summary}" for plain, name in PLAIN_PRESETS.items() if name in PRESETS
    ) + "; pages (or rahimi): a reranker of encyclopedia pages from SOURCE PAGES GOLD, with the options of `ontonym "
        "train-aligner` (Rahimi, section 3.2). Options that are given too change what it says.", metavar="NAME"),
    recipe=Opt("What is learned from: " + "; ".join(f"{name}: {one.summary}" for name, one in RECIPES.items())
               + ". [default: drawn]", metavar="NAME"),
    base=Opt("The encoder to go on from: default (the one that comes with ontonym), none (a static one from scratch), "
             "small (a small transformer from scratch), or the folder of an encoder or of a BERT-like model.",
             metavar="ENCODER"),
    beside=Opt("An encoder that stays as it is, joined with the trained one, which then learns what it lacks: the "
               "folder of an encoder or of a BERT-like model, or default.", metavar="ENCODER"),
    share=Opt("With --beside: what the trained encoder has of a similarity, from 0 to 1.", metavar="NUMBER"),
    pooling=Opt("How the tokens of a transformer become one vector.", type=click.Choice(POOLINGS)),
    loss=Opt("; ".join(f"{name}: {one.summary}" for name, one in LOSSES.items()) + ". [default: softmax]",
             metavar="NAME"),
    annotated=Opt("Texts with ids of concepts, a tab between, or gold corpora: for the recipes batches and annotated.",
                  metavar="FILE"),
    auxiliary=Opt("A second recipe, whose loss is added (Kong section 6.3).", metavar="NAME"),
    auxiliary_weight=Opt("What its loss is multiplied by.", metavar="NUMBER"),
    exclude=EXCLUDE,
    languages=LANGUAGE,
    shares=Opt("Shares of the concepts to learn from, to judge by on the way, and to leave alone. [default: 98/2/0]",
               metavar="A/B/C"),
    split_by=SPLIT_BY,
)  # fmt: skip

DECIDED = ("recipe", "shares", "split_by", "languages", "exclude", "annotated", "auxiliary")
"""What was decided when examples were made, of `TrainChoice`, beside the options of the recipe."""


class TrainCommand(click.Command):
    """The command; with ``--preset rahimi`` the rest of the line is for `ontonym train-aligner`."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """See click; the context of the other command, where its preset is asked for."""
        given = [value for flag, value in pairwise(args) if flag == "--preset"]
        given += [value for flag, _, value in (one.partition("=") for one in args) if flag == "--preset"]
        if RERANKER in map(preset_name, given):
            from ontonym.cli.overwriting import guard
            from ontonym.cli.train_aligner import command as aligner

            guard(aligner, "train-aligner")
            return aligner.make_context(info_name, args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command("train", epilog=examples(
    "train medic.terminology -o medic.encoder",
    "train hp.terminology doid.terminology --base none --steps 6000 -o mine.encoder",
    "train hp.terminology --base ./MiniLM --dry-run -o hp.encoder",
    "train snomed.terminology --preset triplets --base ./BioBERT -o triplet-bert.encoder",
    "train mesh.terminology wiki.pages mesh-wiki.gold --preset pages --base ./mBERT -o rahimi.reranker",
    "train hp.terminology --base small -o small.encoder --export onnx",
    "train hp.terminology doid.terminology --base none --beside ./MiniLM -o both.encoder",
), cls=TrainCommand)  # fmt: skip
@click.argument("source", nargs=-1, required=True, metavar="TERMINOLOGY…|PAIRS")
@click.option("-o", "--output", required=True, metavar="DIR", help="The encoder to write.")
@CHOICE.as_("choice")
@TRAIN.as_("options")
@LOSS.as_("losses")
@RECIPE.as_("making")
@SHAPE.as_("shape")
@click.option("--work", metavar="DIR", help="Where checkpoints are kept. [default: beside the output]")
@resume_training
@click.option("--export", type=click.Choice(["onnx"]), help="Also write the ONNX form, float32 and int8, and say how "
              "well they agree.")  # fmt: skip
@click.option("--tolerance", default=TOLERANCE, show_default=True, metavar="NUMBER", help="What a static encoder that "
              "goes on may lose on everyday phrases and clinical synonyms, in accuracy@1.")  # fmt: skip
@click.option("--allow-worse", is_flag=True, help="Write it even if it got worse, instead of ending with exit code 1.")
@click.option("--dry-run", is_flag=True, help="Say what time and memory it would take, and stop.")
@summarized
def command(
    *,
    source: tuple[str, ...],
    output: str,
    choice: TrainChoice,
    making: RecipeOptions,
    shape: StaticShape,
    work: str | None,
    resume: bool,
    export: str | None,
    dry_run: bool,
    tolerance: float,
    allow_worse: bool,
    **_: object,  # groups of which only what was typed counts
) -> Summary | None:
    """Train an encoder from the names of terminologies alone (needs ontonym[train]).

    TERMINOLOGY are folders made by `ontonym import`, or one PAIRS folder made by `ontonym pairs`. No annotation is
    needed. A page with the curves, the settings and what it was trained on is written beside the encoder. A static
    encoder that goes on is compared with what it was, on names that it did not learn from; if it got worse it is not
    written, and the exit code is 1.
    """
    if not 0 <= tolerance <= 1:
        raise InputError(f"`tolerance=` must be between 0 and 1, not {tolerance:g}")
    plan = _plan(source, choice, making, shape, export=export is not None)
    kept = Path(work or f"{Path(output)}.training")
    with ExitStack() as stack, Bar("reading names") as bar:
        if not dry_run:
            stack.enter_context(resumable(kept, "the last checkpoint", "checkpoint-*"))
        training = prepare_training(source, plan, stack, dry_run=dry_run, progress=bar.stage)
        if dry_run:
            bar.stage("trying a few steps", 0, None)
            return estimate_summary(training.estimated())

        def report(step: TrainStep) -> None:
            dev = "" if step.dev is None else f", dev {step.dev:.3f}"
            bar.stage("training", step.step, step.steps, f"loss {step.loss:.3f}{dev}, {step.texts:,.0f} texts/s")

        done = run_training(
            training, Path(output), work=kept, resume=resume, export=export is not None, tolerance=tolerance,
            allow_worse=allow_worse, command=command_line(), report=report,
        )  # fmt: skip
    if done is None:
        return None
    return encoder_summary(output, done).then(_index_hint(source, output))


def _index_hint(source: tuple[str, ...], output: str) -> str:
    """The command that uses the encoder, where it is known for which terminologies."""
    if holds_examples(source):
        return ""
    return f"ontonym index {' '.join(map(shlex.quote, source))} --encoder {shlex.quote(output)} -o my.index"


def _plan(
    source: tuple[str, ...], choice: TrainChoice, making: RecipeOptions, shape: StaticShape, *, export: bool
) -> TrainingPlan:
    """What is asked for, once the preset has filled in the rest."""
    if not choice.auxiliary:
        refuse_without("--auxiliary", "choice__auxiliary_weight")
    decided = (*(f"choice__{field}" for field in DECIDED), *(f"making__{field}" for field in RECIPE.opts))
    if holds_examples(source) and (unfit := typed_flags(*decided)):
        raise InputError(f"{min(unfit)} was decided when {source[0]} was made; leave it out, or give terminologies")
    annotated, left_out = annotated_texts(choice.annotated)
    typed = CHOICE.given("choice")
    plan = TrainingRequest(
        **{name: typed[name] for name in ("base", "share", "pooling") if name in typed},
        beside=choice.beside, shape=shape, export=export, preset=choice.preset, recipe=choice.recipe,
        loss=choice.loss, training=TRAIN.given("options"), losses=LOSS.given("losses"), making=making,
        shares=parse_shares(choice.shares) if choice.shares else None, split_by=choice.split_by,
        languages=wanted_languages(choice.languages), exclude=excluded_names(choice.exclude),
        annotated=annotated, left_out=left_out, auxiliary=choice.auxiliary, auxiliary_weight=choice.auxiliary_weight,
    ).plan()  # fmt: skip
    if not plan.options.neighbours:
        refuse_without("--neighbours", "options__begin")
    if plan.base.beginning != "transformer":
        refuse_without("a transformer as --base", "options__dropout")
    if not plan.adapts:
        refuse_without("a static --base that goes on, without --beside", "tolerance", "allow_worse")
    return plan
