"""``ontonym train``: terminologies to an encoder, by a recipe that needs no annotation."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from ontonym.artifact import read_manifest
from ontonym.cli.options import dataclass_options, json_option, wanted_languages
from ontonym.cli.progress import Bar
from ontonym.cli.train_checks import check_base, check_beside, check_export, check_numbers, check_place, check_work
from ontonym.cli.train_show import show_estimate, show_trained
from ontonym.encoder import open_encoder
from ontonym.encoder.static import StaticShape
from ontonym.encoder.transformer import POOLINGS
from ontonym.errors import InputError
from ontonym.evaluate.texts import annotated_texts, excluded_names
from ontonym.learning.encoders.bases import NONE, SMALL, Base
from ontonym.learning.encoders.curves import training_page
from ontonym.learning.encoders.datasets import Dataset, ExampleDataset, RecipeDataset
from ontonym.learning.encoders.export import Form, export_forms
from ontonym.learning.encoders.losses import LOSSES, LossOptions, find_loss
from ontonym.learning.encoders.options import (
    ADAPT,
    FROM_SCRATCH,
    OURS,
    PRESETS,
    RERANKER,
    TrainOptions,
    TrainStep,
    find_preset,
    is_first_process,
)
from ontonym.learning.encoders.train import estimate, train_encoder
from ontonym.learning.recipes import RECIPES, PoolOptions, RecipeOptions, find_recipe, name_pool, open_examples
from ontonym.learning.recipes.split import parse_shares
from ontonym.learning.unseen import names_digest, unseen_digest
from ontonym.store import open_terminology
from ontonym.text.strings import Strings

if TYPE_CHECKING:
    from ontonym.learning.encoders.trainable import Trainable

Options = TypeVar("Options")

TRAIN_HELP = MappingProxyType(
    {
        "steps": f"Steps of the optimizer; 0: by --epochs. (Static encoders: {ADAPT.steps}, from scratch "
        f"{FROM_SCRATCH.steps}.)",
        "epochs": "Times that all examples are seen.",
        "batch": f"Examples in a step. (Static encoders: {ADAPT.batch}.)",
        "accumulate": "Parts of a step whose gradients are added up, each with its own negatives.",
        "at_once": "Texts held in memory for the gradient; fewer take more time for the same result (0: all).",
        "rate": f"Highest learning rate. (Static encoders: {ADAPT.rate:g}, from scratch {FROM_SCRATCH.rate:g}.)",
        "warmup": "Share of the steps in which the rate rises.",
        "decay": "Weight decay.",
        "clip": "Highest norm of a gradient (0: any).",
        "neighbours": "Nearest concepts drawn into a batch beside each one, as hard negatives (0: none). (Static "
        f"encoders: {ADAPT.neighbours}.)",
        "begin": "Share of the steps after which these hard negatives begin.",
        "tokens": "Tokens after which a text is cut.",
        "dropout": "Dropout of a transformer (-1: its own).",
        "precision": "float32, bf16 or fp16 (mixed precision; for processors and devices that are made for it).",
        "seed": "Seed of every random draw.",
        "threads": "Threads; part of the recipe, since sums of floats depend on it (0: all). (Static encoders: 1.)",
        "every": "Steps between two checkpoints, and between two looks at dev (0: a tenth of all).",
        "patience": "Looks at dev without a better figure after which training stops, with the best (0: never).",
        "dev_queries": "Names asked on dev, at most.",
        "dev_names": "Names searched on dev, at most.",
    }
)
"""Help of every field of ``TrainOptions``."""

LOSS_HELP = MappingProxyType(
    {
        "temperature": "What similarities are divided by in the softmax. (Static encoders: 0.08.)",
        "margin": "Margin of the triplet loss.",
        "similarity": "cosine, dot or euclidean; by default the loss's own.",
        "mining": "hard or semi-hard, for batch-hard.",
        "alpha": "Weight of positives in multi-similarity.",
        "beta": "Weight of negatives in multi-similarity.",
        "epsilon": "Margin of the mining in multi-similarity.",
    }
)
"""Help of the fields of ``LossOptions`` that are options by their own name."""

RECIPE_HELP = MappingProxyType(
    {
        "linked": "For drawn: the share of pairs across two concepts that terminologies link.",
        "favour": "For drawn: how much more often concepts with many names are drawn (0: all alike, 1: in proportion).",
        "ratio": "For batches: annotated texts for each text of the terminologies.",
    }
)
"""Help of the fields of ``RecipeOptions`` that are options here; `ontonym pairs` has all."""

SHAPE_HELP = MappingProxyType(
    {
        "dim": "Length of a vector (with --base none).",
        "word_rows": "Hashed rows for words (with --base none).",
        "ngram_rows": "Hashed rows for character n-grams (with --base none).",
    }
)
"""Help of the fields of ``StaticShape`` that are options."""

RAHIMI = ("--depth", "64", "--signal", "lexical", "--loss", "passage-pair")
"""Rahimi's settings, sections 3.1 and 3.2, as options of `ontonym train-reranker`; the paper leaves the others open."""

OF_ANNOTATED = ("batches", "annotated")
"""The recipes that learn from annotated texts."""

EXAMPLES = """\b
Examples:
  ontonym train medic.terminology -o medic.encoder
  ontonym train hp.terminology doid.terminology --base none --steps 6000 -o mine.encoder
  ontonym train hp.terminology --base ./MiniLM --dry-run -o hp.encoder
  ontonym train snomed.terminology --preset ngo --base ./BioBERT -o triplet-bert.encoder
  ontonym train hp.terminology --base small -o small.encoder --export onnx
  ontonym train hp.terminology doid.terminology --base none --beside ./MiniLM -o both.encoder
"""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What the command line asks for, once the preset has filled in the rest."""

    base: Base
    recipe: str
    options: TrainOptions
    loss: LossOptions
    shares: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Training:
    """What is trained, and on what; ``ahead`` are the seconds (of a dry run) that come before the first step."""

    trainable: Trainable
    datasets: tuple[Dataset, ...]
    weights: tuple[float, ...]
    described: dict[str, Any]
    ahead: float


@click.command("train", epilog=EXAMPLES)
@click.argument("source", nargs=-1, required=True, metavar="TERMINOLOGY…|PAIRS|INDEX")
@click.option("-o", "--output", required=True, metavar="DIR", help="The encoder to write.")
@click.option("--preset", metavar="NAME", help="; ".join(f"{name}: {one.summary}" for name, one in PRESETS.items())
              + "; rahimi: section 3.2, a reranker over an index. Other options change what it says.")  # fmt: skip
@click.option("--recipe", metavar="NAME", help="What is learned from: " + "; ".join(
    f"{name}: {one.summary}" for name, one in RECIPES.items()) + ". [default: drawn]")  # fmt: skip
@click.option("--base", default="default", show_default=True, metavar="ENCODER", help="The encoder to go on from: "
              "default (the one that comes with ontonym), none (a static one from scratch), small (a small transformer "
              "from scratch), or the folder of an encoder or of a BERT-like model.")  # fmt: skip
@click.option("--beside", metavar="ENCODER", help="An encoder that stays as it is, joined with the trained one, which "
              "then learns what it lacks: the folder of an encoder or of a BERT-like model, or default.")  # fmt: skip
@click.option("--share", default=Base().share, show_default=True, metavar="NUMBER", help="With --beside: what the "
              "trained encoder has of a similarity, from 0 to 1.")  # fmt: skip
@click.option("--pooling", type=click.Choice(POOLINGS), default="own", show_default=True, help="How the tokens of a "
              "transformer become one vector.")  # fmt: skip
@click.option("--loss", metavar="NAME", help="; ".join(f"{name}: {one.summary}" for name, one in LOSSES.items())
              + ". [default: softmax]")  # fmt: skip
@click.option("--matryoshka", multiple=True, type=int, metavar="DIM", help="Also train vectors that are cut to this "
              "length. May be repeated.")  # fmt: skip
@click.option("--annotated", multiple=True, metavar="FILE", help="Texts with ids of concepts, a tab between, or "
              "gold corpora: for the recipes batches and annotated.")  # fmt: skip
@click.option("--auxiliary", metavar="NAME", help="A second recipe, whose loss is added (Kong section 6.3).")
@click.option("--auxiliary-weight", default=1.0, show_default=True, metavar="NUMBER", help="What its loss is "
              "multiplied by.")  # fmt: skip
@click.option("--exclude", multiple=True, metavar="FILE", help="Names that must not be seen in training: one a line, "
              "or the mentions of a gold corpus. May be repeated.")  # fmt: skip
@click.option("--language", multiple=True, default=PoolOptions().languages, show_default=True, metavar="TAG",
              help="Names in this language. May be repeated; all: every language.")  # fmt: skip
@click.option("--split", metavar="A/B/C", help="Shares of the concepts to learn from, to judge by on the way, and to "
              "leave alone. [default: 98/2/0]")  # fmt: skip
@dataclass_options(TrainOptions, TRAIN_HELP)
@dataclass_options(LossOptions, LOSS_HELP)
@dataclass_options(RecipeOptions, RECIPE_HELP)
@dataclass_options(StaticShape, SHAPE_HELP)
@click.option("--work", metavar="DIR", help="Where checkpoints are kept. [default: beside the output]")
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint of the same training.")
@click.option("--export", type=click.Choice(["onnx"]), help="Also write the ONNX form, float32 and int8, and say how "
              "well they agree.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Say what time and memory it would take, and stop.")
@json_option
def command(*, source: tuple[str, ...], output: str, as_json: bool, **chosen: Any) -> None:
    """Train an encoder from the names of terminologies alone (needs ontonym[train]).

    TERMINOLOGY are folders made by `ontonym import`, or one PAIRS folder made by `ontonym pairs`. No annotation is
    needed. A page with the curves, the settings and what it was trained on is written beside the encoder.
    """
    if chosen["preset"] == RERANKER:
        _train_reranker(source, output, chosen, as_json)
        return
    check_base(chosen["base"])
    check_beside(chosen["beside"], chosen["share"], "share" in _given())
    plan = _plan(chosen)
    if chosen["export"]:
        check_export(plan.base)
    with ExitStack() as stack:
        training = _training(source, plan, chosen, stack)
        if chosen["dry_run"]:
            with Bar("trying a few steps"):
                found = estimate(
                    training.trainable, training.datasets, plan.options, plan.loss, weights=training.weights
                )
            show_estimate(replace(found, seconds=found.seconds + training.ahead), as_json)
            return
        if is_first_process():
            check_place(Path(output))
        _train(training, plan, Path(output), chosen, as_json)


def _train_reranker(source: Sequence[str], output: str, chosen: Mapping[str, Any], as_json: bool) -> None:
    """Rahimi's system is a reranker over an index: what `ontonym train-reranker` makes, as the paper has it."""
    from ontonym.cli import train_reranker

    unfit = _given() - {"source", "output", "preset", "base", "exclude", "resume", "as_json"}
    if unfit or len(source) != 1:
        raise InputError(
            "--preset rahimi trains a reranker over one index: `ontonym train INDEX --preset rahimi --base FOLDER "
            "-o my.reranker`; `ontonym train-reranker` has options of its own"
        )
    words = [source[0], "-o", output, "--base", chosen["base"], *RAHIMI]
    words += [word for file in chosen["exclude"] for word in ("--exclude", file)]
    words += ["--resume"] * chosen["resume"] + ["--json"] * as_json
    train_reranker.command.main(words, standalone_mode=False)


def _given() -> set[str]:
    context = click.get_current_context()
    return {name for name in context.params if context.get_parameter_source(name) != ParameterSource.DEFAULT}


def _taken(options: Options, chosen: Mapping[str, Any], offered: Iterable[str]) -> Options:
    """The options with those offered that were given on the command line in place of their own."""
    return replace(options, **{name: chosen[name] for name in _given() & set(offered)})  # type: ignore[type-var]


def _plan(chosen: Mapping[str, Any]) -> TrainingPlan:
    shape = _taken(StaticShape(), chosen, SHAPE_HELP)
    base = Base(chosen["base"], shape, chosen["pooling"], chosen["beside"] or "", chosen["share"])
    preset = find_preset(chosen["preset"]) if chosen["preset"] else OURS[base.beginning]
    loss = preset.loss
    if chosen["loss"] and chosen["loss"] != loss.name:
        loss = replace(loss, name=find_loss(chosen["loss"]).name, similarity="")
    options, made = _taken(preset.options, chosen, TRAIN_HELP), _taken(RecipeOptions(), chosen, RECIPE_HELP)
    check_numbers((options, made, base.shape), auxiliary_weight=chosen["auxiliary_weight"])
    return TrainingPlan(
        base=base,
        recipe=chosen["recipe"] or preset.recipe,
        options=options,
        loss=replace(_taken(loss, chosen, LOSS_HELP), dims=chosen["matryoshka"] or loss.dims),
        shares=parse_shares(chosen["split"]) if chosen["split"] else preset.shares,
    )


def _training(source: Sequence[str], plan: TrainingPlan, chosen: Mapping[str, Any], stack: ExitStack) -> Training:
    """Opens what is learned from and makes the trainable."""
    excluded = excluded_names(chosen["exclude"])
    datasets, more = _lessons(source, plan, chosen, excluded, stack)
    options = plan.options
    texts = Strings.joined([dataset.texts.texts for dataset in datasets])
    with Bar("preparing") as bar:
        ahead = None if chosen["dry_run"] else partial(bar.stage, "encoding names")
        trainable = plan.base.trainable(texts, seed=options.seed, dropout=options.dropout, ahead=ahead)
        seconds = plan.base.seconds_ahead(texts) if chosen["dry_run"] else 0.0
    described = {
        "training": asdict(options),
        "loss": asdict(plan.loss),
        "preset": chosen["preset"] or "",
        "pairs": datasets[0].described(),
        **(
            {"auxiliary": {"weight": chosen["auxiliary_weight"], **datasets[1].described()}}
            if len(datasets) > 1
            else {}
        ),
        "base": plan.base.name if plan.base.name in (NONE, SMALL) else open_encoder(plan.base.name).fingerprint,
        "unseen": _unseen(plan.base, excluded),
        **_beside(plan.base),
        **more,
    }
    return Training(trainable, tuple(datasets), (1.0, chosen["auxiliary_weight"])[: len(datasets)], described, seconds)


def _lessons(
    source: Sequence[str], plan: TrainingPlan, chosen: Mapping[str, Any], excluded: frozenset[str], stack: ExitStack
) -> tuple[list[Dataset], dict[str, Any]]:
    if len(source) == 1 and read_manifest(source[0]).kind == "pairs":
        unfit = {"recipe", "split", "language", "exclude", "annotated", "auxiliary", *RECIPE_HELP} & _given()
        if unfit:
            raise InputError(
                f"--{min(unfit)} was decided when {source[0]} was made; leave it out, or give terminologies"
            )
        examples = open_examples(source[0])
        return [ExampleDataset(examples)], {"terminologies": examples.described.get("terminologies", [])}
    recipes = [find_recipe(name) for name in (plan.recipe, chosen["auxiliary"]) if name]
    if chosen["annotated"] and not any(recipe.name in OF_ANNOTATED for recipe in recipes):
        names = " and ".join(recipe.name for recipe in recipes)
        raise InputError(f"--annotated is for the recipes {' and '.join(OF_ANNOTATED)}, not for {names}")
    annotated, left_out = annotated_texts(chosen["annotated"])
    options = PoolOptions(
        languages=wanted_languages(chosen["language"]),
        exclude=excluded,
        shares=plan.shares,
        seed=plan.options.seed,
    )
    terminologies = [stack.enter_context(open_terminology(folder)) for folder in source]
    with Bar("reading names"):
        pool = name_pool(terminologies, options, annotated=annotated)
        made = _taken(RecipeOptions(seed=plan.options.seed), chosen, RECIPE_HELP)
        datasets: list[Dataset] = [RecipeDataset(pool, recipe, made) for recipe in recipes]
    sources = [
        {
            "name": terminology.name,
            "version": terminology.version,
            "licence": str(terminology.metadata.get("licence", "")),
            "fingerprint": terminology.fingerprint,
        }
        for terminology in terminologies
    ]
    return datasets, {"terminologies": sources, "annotated_left_out": left_out}


def _train(training: Training, plan: TrainingPlan, output: Path, chosen: Mapping[str, Any], as_json: bool) -> None:
    work = Path(chosen["work"] or f"{output}.training")
    told = {**training.described, "shape": asdict(plan.base.shape), "pooling": plan.base.pooling}
    check_work(work, told, training.datasets, resume=chosen["resume"], write=is_first_process())
    with Bar("training") as bar:

        def report(step: TrainStep) -> None:
            dev = "" if step.dev is None else f", dev {step.dev:.3f}"
            bar.stage("training", step.step, step.steps, f"loss {step.loss:.3f}{dev}, {step.texts:,.0f} texts/s")

        trained = train_encoder(
            training.trainable,
            training.datasets,
            plan.options,
            plan.loss,
            work=work,
            resume=chosen["resume"],
            weights=training.weights,
            report=report,
        )
    if not is_first_process():
        return
    figures = {"steps": trained.steps, "dev_accuracy": trained.dev, "kept_step": trained.kept_step}
    training.trainable.save(output, {**training.described, "trained": figures})
    shutil.rmtree(work, ignore_errors=True)
    forms = _exported(output, training, plan) if chosen["export"] else ()
    page = Path(f"{output}.html")
    page.write_text(training_page(read_manifest(output, "encoder"), trained, told_command()), encoding="utf-8")
    show_trained(output, page, trained, forms, as_json)


def told_command() -> str:
    """The command that was typed, for the page that tells of a training."""
    return " ".join(["ontonym", *map(shlex.quote, sys.argv[1:])])


def _exported(output: Path, training: Training, plan: TrainingPlan) -> tuple[Form, ...]:
    with Bar("exporting"):
        return export_forms(output, training.datasets[0], plan.options)


def _beside(base: Base) -> dict[str, Any]:
    """What the manifest tells of the encoder that the trained one is joined with."""
    return {"beside": open_encoder(base.beside).fingerprint, "share": base.share} if base.beside else {}


def _unseen(base: Base, names: frozenset[str]) -> str:
    """The digest of the names that neither this training nor those before it saw, or an empty string."""
    if not names:
        return ""
    digest = names_digest(names)
    before = [name for name in (base.name, base.beside) if name not in ("", NONE, SMALL)]
    return digest if all(unseen_digest(name) == digest for name in before) else ""
