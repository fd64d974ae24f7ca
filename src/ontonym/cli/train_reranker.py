"""``ontonym train-reranker``: an index and a BERT-like model to a reranker, without annotation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from ontonym.cli.options import Opt, OptionGroup, examples, exclude_from_training, resume_training, summarized
from ontonym.cli.progress import Bar
from ontonym.cli.searching import PLACE
from ontonym.evaluate.texts import excluded_names
from ontonym.index.open import IndexPlace
from ontonym.learning.recipes.split import parse_shares
from ontonym.learning.rerankers.candidates import ORDERS, CandidateOptions
from ontonym.learning.rerankers.losses import RANKING_LOSSES
from ontonym.learning.rerankers.options import PRECISIONS, RerankOptions, RerankStep
from ontonym.learning.rerankers.runs import train_index_reranker
from ontonym.serve.show import Summary
from ontonym.serve.training import reranker_summary

GROUPS = OptionGroup(
    CandidateOptions(),
    ancestors=Opt("Take concepts above the right one as wrong answers too."),
    depth=Opt("Candidates of a query to learn from (Rahimi: 64)."),
    judged=Opt("Candidates of a query of dev and test."),
    signal=Opt(
        f"What brings and orders the candidates: {', '.join(ORDERS)} (Rahimi took BM25; lexical is brought by it).",
        metavar="NAME",
    ),
    groups=Opt("Queries to learn from."),
    dev=Opt("Queries to choose the best weights by (0: the last weights are taken)."),
    test=Opt("Queries to judge by, once, at the end."),
    hidden=Opt("Names of a concept that are hidden and asked with together."),
)

TRAIN_RERANKER = OptionGroup(
    RerankOptions(),
    loss=Opt("; ".join(f"{name}: {one.summary}" for name, one in RANKING_LOSSES.items()) + ".", metavar="NAME"),
    negatives=Opt("Wrong candidates read each time, from all at first, from the foremost at last (0: all; Rahimi)."),
    epochs=Opt("How many times all queries are seen."),
    batch=Opt("Queries, each with all its candidates, in a step of the optimizer."),
    accumulate=Opt("Parts of a step whose gradients are added up; more parts need less memory."),
    rate=Opt("Highest learning rate."),
    warmup=Opt("Share of the steps in which the rate rises."),
    decay=Opt("Weight decay."),
    clip=Opt("Highest norm of a gradient (0: any)."),
    tokens=Opt("Tokens that are read of a query and a candidate together."),
    at_once=Opt("Tokens that go through the model together."),
    every=Opt("Steps between two evaluations on dev, each with a checkpoint (0: an epoch)."),
    patience=Opt("Evaluations on dev without a better figure after which training stops, with the best (0: never)."),
    seed=Opt("Seed of every random draw."),
    threads=Opt("Threads; part of the recipe, since sums of floats depend on it (0: as torch has it)."),
    device=Opt("Where to compute: cpu, or cuda where there is a GPU.", metavar="NAME"),
    precision=Opt(
        f"{' or '.join(PRECISIONS)} (mixed; for processors and devices that are made for it).", "--dtype", "NAME"
    ),
)


@click.command("train-reranker", epilog=examples(
    "train-reranker hp.index --base ./MiniLM -o hp.reranker",
    "train-reranker hp.index --base ./MiniLM --loss listwise --test 500 -o hp.reranker --resume",
    "train-reranker umls.index --base ./mBERT --signal lexical --negatives 0 --device cuda -o umls.reranker",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.option("-o", "--output", required=True, metavar="DIR", help="The reranker to write.")
@click.option("--base", required=True, metavar="MODEL", help="The folder of a BERT-like model, its name on the hub "
              "(hub:owner/model), or the folder of a cross-encoder to go on from.")  # fmt: skip
@click.option("--shares", "split", default="90/5/5", show_default=True, metavar="A/B/C", help="Shares of the concepts "
              "to learn from, to choose by and to judge by; linked concepts stay together.")  # fmt: skip
@exclude_from_training
@GROUPS.as_("groups")
@TRAIN_RERANKER.as_("options")
@click.option("--export", type=click.Choice(["onnx"]), help="Also write the ONNX form, float32 and int8, which reranks "
              "without torch, and say how well it agrees (needs ontonym[train,onnx]).")  # fmt: skip
@resume_training
@PLACE.as_("place")
@summarized
def command(
    *, index: str, split: str, groups: CandidateOptions, options: RerankOptions, place: IndexPlace, **chosen: Any
) -> Summary:
    """Train a reranker: a cross-encoder that finds the right one of an index's candidates (needs ontonym[train]).

    A name of each concept is hidden, and asked; the reranker learns to order the candidates that search brings. It is
    slower and more accurate than an encoder. Names hidden for dev and test are never seen in training.
    """
    return train(place.at(index), replace(groups, shares=parse_shares(split), seed=options.seed), options, **chosen)


def train(
    place: IndexPlace, groups: CandidateOptions, options: RerankOptions, *, output: str, base: str,
    exclude: tuple[str, ...], resume: bool, export: str | None = None,
) -> Summary:  # fmt: skip
    """Trains a reranker on an index."""
    names = excluded_names(exclude)
    with place.open() as index, Bar("asking") as bar:
        made = train_index_reranker(
            index, base, output, groups, options, exclude=names, resume=resume, export=bool(export),
            progress=bar.stage, report=reporter(bar),
        )  # fmt: skip
    return reranker_summary(output, made, bar.seconds)


def reporter(bar: Bar) -> Callable[[RerankStep], None]:
    """Shows the steps of a training on a bar."""

    def report(step: RerankStep) -> None:
        dev = "" if step.dev is None else f", recall@1 {step.dev:.3f} on dev"
        bar.stage("training", step.step, step.steps, f"loss {step.loss:.3f}{dev}, {step.pairs:,.0f} pairs/s")

    return report
