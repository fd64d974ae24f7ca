"""``ontonym train-aligner``: concepts and their encyclopedia pages to a reranker of pages."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote

import click

from ontonym.cli.aligning import CANDIDATES, first_stage
from ontonym.cli.options import Opt, OptionGroup, examples, resume_training, summarized
from ontonym.cli.progress import Bar
from ontonym.cli.train_reranker import TRAIN_RERANKER, reporter
from ontonym.evaluate.alignment import read_page_splits
from ontonym.index.pages import open_pages
from ontonym.learning.encoders.options import preset_name
from ontonym.learning.recipes.split import Split
from ontonym.learning.rerankers.options import RerankOptions
from ontonym.learning.rerankers.pages import ALIGNER_PRESETS, PageGroupOptions, train_page_reranker
from ontonym.serve.show import Summary
from ontonym.serve.training import aligner_summary
from ontonym.store import open_terminology
from ontonym.tasks.align import AlignOptions

SIZES = OptionGroup(
    PageGroupOptions(),
    depth=Opt("Candidates of a concept to learn from, the likeliest (Rahimi: 64).", type=click.IntRange(2)),
    judged=Opt("Candidates of a concept of dev.", type=click.IntRange(2)),
    groups=Opt("Concepts to learn from (0: all).", type=click.IntRange(0)),
    dev=Opt("Concepts of dev to choose the best weights by (0: all).", type=click.IntRange(0)),
)

LEARNING = TRAIN_RERANKER.but(*(field for field in TRAIN_RERANKER.opts if field != "seed"))


@click.command("train-aligner", epilog=examples(
    "benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold",
    "train-aligner mesh.terminology wiki.pages mesh-wiki.gold --base ./mBERT -o wiki.reranker",
    "train-aligner mesh.terminology wiki.pages mesh-wiki.gold --preset pages "
    "--base hub:google-bert/bert-base-multilingual-cased --device cuda -o wiki.reranker",
    "align hp.terminology wiki.pages --rerank wiki.reranker -o hp-wiki.sssom.tsv",
))  # fmt: skip
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.argument("gold", metavar="GOLD")
@click.option("-o", "--output", required=True, metavar="DIR", help="The reranker to write.")
@click.option("--base", required=True, metavar="MODEL", help="The folder of a BERT-like model, better one of many "
              "languages, its name on the hub (hub:owner/model), or a cross-encoder to go on from.")  # fmt: skip
@click.option("--preset", type=click.Choice(["pages", *ALIGNER_PRESETS]), help="pages (or rahimi): as in sections "
              "3.1 and 3.2 of Rahimi, 64 candidates by BM25, all of them read. Options that are given too change what "
              "it says.")  # fmt: skip
@SIZES.as_("sizes")
@CANDIDATES.as_("candidates")
@LEARNING.as_("options")
@click.option("--export", type=click.Choice(["onnx"]), help="Also write the ONNX form, float32 and int8, which reranks "
              "without torch (needs ontonym[train,onnx]).")  # fmt: skip
@resume_training
@summarized
def command(
    *, source: str, pages: str, gold: str, output: str, base: str, export: str | None, resume: bool,
    preset: str | None, sizes: PageGroupOptions, candidates: AlignOptions, options: RerankOptions,
) -> Summary:  # fmt: skip
    """Train a reranker of encyclopedia pages from concepts whose page is known (needs ontonym[train]).

    GOLD is a folder made by `ontonym benchmark pages`: train is learned from, dev chooses, test is never read. The
    candidates are those that the first stage brings; all but the right page are wrong (Rahimi section 3.2).
    """
    if preset:
        chosen = ALIGNER_PRESETS[preset_name(preset)]
        sizes = replace(chosen.sizes, **SIZES.given("sizes"))
        candidates = replace(chosen.candidates, **CANDIDATES.given("candidates"))
        options = replace(chosen.options, **LEARNING.given("options"))
    with open_terminology(source) as opened, open_pages(pages) as searched, Bar("bringing candidates") as bar:
        wanted: dict[Split, int] = {"train": sizes.groups, "dev": sizes.dev}
        made = train_page_reranker(
            opened, searched, read_page_splits(gold, wanted, opened, searched, seed=candidates.seed), base, output,
            sizes, first_stage(candidates, 1), options, resume=resume, export=bool(export), progress=bar.stage,
            report=reporter(bar),
        )  # fmt: skip
    summary = aligner_summary(output, made, bar.seconds)
    return summary.then(f"ontonym align {quote(source)} {quote(pages)} --rerank {quote(output)} -o aligned.sssom.tsv")
