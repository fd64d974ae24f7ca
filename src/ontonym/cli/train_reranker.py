"""``ontonym train-reranker``: an index and a BERT-like model to a reranker, without annotation."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from ontonym.artifact import read_manifest
from ontonym.cli.options import dataclass_options, json_option, place_options
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.evaluate.texts import excluded_names
from ontonym.index import Index, open_index
from ontonym.learning.encoders.export import check_exporting
from ontonym.learning.recipes.split import parse_shares
from ontonym.learning.rerankers.candidates import ORDERS, CandidateGroups, CandidateOptions, make_groups
from ontonym.learning.rerankers.export import RerankForm, compare_forms, export_reranker
from ontonym.learning.rerankers.groups import Compared
from ontonym.learning.rerankers.losses import RANKING_LOSSES
from ontonym.learning.rerankers.training import (
    PRECISIONS,
    RerankOptions,
    RerankStep,
    TrainedReranker,
    train_reranker,
)

GROUP_HELP = MappingProxyType(
    {
        "depth": "Candidates of a query to learn from (Rahimi: 64).",
        "judged": "Candidates of a query of dev and test.",
        "signal": f"What brings and orders the candidates: {', '.join(ORDERS)} (Rahimi: lexical, which is BM25).",
        "groups": "Queries to learn from.",
        "dev": "Queries to choose the best weights by (0: the last weights are taken).",
        "test": "Queries to judge by, once, at the end.",
        "hidden": "Names of a concept that are hidden and asked with together.",
    }
)
"""Help of the fields of ``CandidateOptions`` that are plain numbers or names."""

TRAIN_HELP = MappingProxyType(
    {
        "loss": "; ".join(f"{name}: {one.summary}" for name, one in RANKING_LOSSES.items()) + ".",
        "negatives": "Wrong candidates read each time, from all at first, from the foremost at last (0: all; Rahimi).",
        "epochs": "Times that all queries are seen.",
        "batch": "Queries, each with all its candidates, in a step of the optimizer.",
        "accumulate": "Parts of a step whose gradients are added up; more parts need less memory.",
        "rate": "Highest learning rate.",
        "warmup": "Share of the steps in which the rate rises.",
        "decay": "Weight decay.",
        "clip": "Highest norm of a gradient (0: any).",
        "tokens": "Tokens that are read of a query and a candidate together.",
        "at_once": "Tokens that go through the model together.",
        "every": "Steps between two looks at dev, each with a checkpoint (0: an epoch).",
        "patience": "Looks at dev without a better figure after which training stops, with the best (0: never).",
        "seed": "Seed of every random draw.",
        "threads": "Threads; part of the recipe, since sums of floats depend on it (0: as torch has it).",
        "device": "Where to compute: cpu, or cuda where there is a GPU.",
        "precision": f"{' or '.join(PRECISIONS)} (mixed; for processors and devices that are made for it).",
    }
)
"""Help of every field of ``RerankOptions``."""

EXAMPLES = """\b
Examples:
  ontonym train-reranker hp.index --base ./MiniLM -o hp.reranker
  ontonym train-reranker hp.index --base ./MiniLM --loss listwise --test 500 -o hp.reranker --resume
  ontonym train-reranker umls.index --base ./mBERT --signal lexical --negatives 0 --device cuda -o umls.reranker
"""


@click.command("train-reranker", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.option("-o", "--output", required=True, metavar="DIR", help="The reranker to write.")
@click.option("--base", required=True, metavar="MODEL", help="The folder of a BERT-like model, its name on the hub "
              "(hub:owner/model), or the folder of a cross-encoder to go on from.")  # fmt: skip
@click.option("--split", default="90/5/5", show_default=True, metavar="A/B/C", help="Shares of the concepts to learn "
              "from, to choose by and to judge by; linked concepts stay together.")  # fmt: skip
@click.option("--exclude", multiple=True, metavar="FILE", help="Names that must not be seen in training: one a line, "
              "or the mentions of a gold corpus. May be repeated.")  # fmt: skip
@click.option("--ancestors", is_flag=True, help="Take concepts above the right one as wrong answers too.")
@dataclass_options(CandidateOptions, GROUP_HELP)
@dataclass_options(RerankOptions, TRAIN_HELP)
@click.option("--export", type=click.Choice(["onnx"]), help="Also write the ONNX form, float32 and int8, which reranks "
              "without torch, and say how well it agrees (needs ontonym[train,onnx]).")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint of the same training, if there is one.")
@place_options
@json_option
def command(
    *,
    index: str,
    output: str,
    base: str,
    export: str | None,
    resume: bool,
    encoder: str | None,
    terminology: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Train a reranker: a cross-encoder that tells the right one of an index's candidates (needs ontonym[train]).

    A name of each concept is hidden, and asked; the candidates that search brings are what the reranker learns to
    order. It is slower and sharper than an encoder. Names hidden for dev and test are never seen in training.
    """
    began = time.monotonic()
    if export:
        check_exporting()
    options = RerankOptions(**{name: chosen[name] for name in TRAIN_HELP})
    wanted = CandidateOptions(
        **{name: chosen[name] for name in GROUP_HELP},
        ancestors=chosen["ancestors"],
        shares=parse_shares(chosen["split"]),
        seed=options.seed,
    )
    excluded = excluded_names(chosen["exclude"])
    with open_index(index, terminologies=terminology or None, encoder=encoder) as opened, Bar("asking") as bar:
        grouped = make_groups(
            opened, wanted, exclude=excluded, progress=lambda done, total: bar.stage("asking", done, total)
        )
        sources = _sources(opened)

        def report(step: RerankStep) -> None:
            dev = "" if step.dev is None else f", recall@1 {step.dev:.3f} on dev"
            bar.stage("training", step.step, step.steps, f"loss {step.loss:.3f}{dev}, {step.pairs:,.0f} pairs/s")

        trained = train_reranker(
            grouped.of("train"),
            base,
            output,
            options,
            dev=grouped.of("dev"),
            test=grouped.of("test"),
            content={"candidates": grouped.described, **sources},
            resume=resume,
            report=report,
        )
    forms: tuple[RerankForm, ...] = ()
    if export:
        export_reranker(output)
        forms = compare_forms(output, grouped.of("dev") or grouped.of("train")[:_ASKED])
    _show(Path(output), trained, grouped, forms, time.monotonic() - began, as_json)


_ASKED = 100
"""Groups that forms are compared on where there is no dev split."""


def _sources(index: Index) -> dict[str, Any]:
    return {
        "index": index.manifest.fingerprint,
        "terminologies": [
            {
                "name": terminology.name,
                "version": terminology.version,
                "licence": str(terminology.metadata.get("licence", "")),
                "fingerprint": terminology.fingerprint,
            }
            for terminology in index.terminologies
        ],
    }


def _show(
    output: Path,
    trained: TrainedReranker,
    grouped: CandidateGroups,
    forms: Sequence[RerankForm],
    seconds: float,
    as_json: bool,
) -> None:
    manifest = read_manifest(output, "reranker")
    compared: Mapping[str, Compared | None] = {"dev": trained.dev, "test": trained.test}
    if as_json:
        click.echo(
            to_json(
                {
                    "path": str(output),
                    "fingerprint": manifest.fingerprint,
                    "seconds": round(seconds, 1),
                    "steps": trained.steps,
                    "best_step": trained.best_step,
                    "stopped": trained.stopped,
                    **{name: asdict(figures) if figures else None for name, figures in compared.items()},
                    "weight": trained.weight,
                    "onnx": [asdict(form) for form in forms],
                    "content": manifest.content,
                }
            )
        )
        return
    told = "" if trained.stopped == "done" else f", {trained.stopped}"
    lines = [
        ("reranker", f"{output}  ({size(manifest.bytes)})"),
        ("made", f"from {count(len(grouped.of('train')), 'query', 'queries')} in {trained.steps:,} steps, "
                 f"{seconds:.0f} s{told}"),
        *((name, told_comparison(figures)) for name, figures in compared.items() if figures),
        ("weight", "" if trained.weight is None else f"{trained.weight:g} beside search"),
        *((form.name, told_form(form)) for form in forms),
        ("fingerprint", manifest.fingerprint),
    ]  # fmt: skip
    facts(lines, console())


def told_comparison(figures: Compared) -> str:
    """Recall before and after in words."""
    before, after = figures.search, figures.reranked
    both = f", {figures.mixed.recall_1:.3f} by both" if figures.mixed else ""
    return (
        f"recall@1 {before.recall_1:.3f} as search orders, {after.recall_1:.3f} reranked{both}; recall@10 "
        f"{before.recall_10:.3f}, {after.recall_10:.3f}; of {count(before.n, 'query', 'queries')}"
    )


def told_form(form: RerankForm) -> str:
    """How a form of a reranker agrees with torch, and how fast it is, in words."""
    told = f"recall@1 {form.figures.recall_1:.3f}, {form.pairs:,.0f} pairs/s"
    if form.name == "torch":
        return told
    apart = f"{form.strays:.4f} ({form.farthest:.4f} at most) from torch's scores"
    return f"{told}, {apart}, the same one first in {form.same:.1%}"
