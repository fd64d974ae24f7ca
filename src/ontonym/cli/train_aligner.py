"""``ontonym train-aligner``: concepts and their encyclopedia pages to a reranker of pages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from ontonym.cli.options import json_option
from ontonym.cli.pages import CANDIDATES, first_stage
from ontonym.cli.progress import Bar
from ontonym.cli.train_reranker import TRAIN_RERANKER, described_comparison, reporter
from ontonym.encoder import open_encoder
from ontonym.errors import InputError
from ontonym.evaluate.paging import read_page_gold
from ontonym.index.pages import Pages, open_pages
from ontonym.learning.encoders.export import check_exporting
from ontonym.learning.recipes.split import Split
from ontonym.learning.rerankers.candidates import page_groups
from ontonym.learning.rerankers.export import export_reranker
from ontonym.learning.rerankers.groups import CandidateGroup
from ontonym.learning.rerankers.training import RerankOptions, train_reranker
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, count, facts, size
from ontonym.store import Terminology, open_terminology
from ontonym.tasks.align import AlignOptions
from ontonym.tasks.weighing import Weighing, default_weights

EXAMPLES = """\b
Examples:
  ontonym benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold
  ontonym train-aligner mesh.terminology wiki.pages mesh-wiki.gold --base ./mBERT -o wiki.reranker
  ontonym train-aligner mesh.terminology wiki.pages mesh-wiki.gold \
--base hub:google-bert/bert-base-multilingual-cased --order lexical --negatives 0 --device cuda -o wiki.reranker
  ontonym align hp.terminology wiki.pages --rerank wiki.reranker -o hp-wiki.sssom.tsv
"""


@click.command("train-aligner", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.argument("gold", metavar="GOLD")
@click.option("-o", "--output", required=True, metavar="DIR", help="The reranker to write.")
@click.option("--base", required=True, metavar="MODEL", help="The folder of a BERT-like model, better one of many "
              "languages, its name on the hub (hub:owner/model), or a cross-encoder to go on from.")  # fmt: skip
@click.option("--depth", type=click.IntRange(2), default=64, show_default=True, help="Candidates of a concept to learn "
              "from, the likeliest (Rahimi: 64).")  # fmt: skip
@click.option("--judged", type=click.IntRange(2), default=16, show_default=True, help="Candidates of a concept of dev.")
@click.option("--groups", type=click.IntRange(0), default=0, show_default=True, help="Concepts to learn from (0: all).")
@click.option("--dev", type=click.IntRange(0), default=300, show_default=True, help="Concepts of dev to choose the "
              "best weights by (0: all).")  # fmt: skip
@CANDIDATES.as_("candidates")
@TRAIN_RERANKER.but(*(field for field in TRAIN_RERANKER.opts if field != "seed")).as_("options")
@click.option("--export", type=click.Choice(["onnx"]), help="Also write the ONNX form, float32 and int8, which reranks "
              "without torch (needs ontonym[train,onnx]).")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint of the same training, if there is one.")
@json_option
def command(
    *, source: str, pages: str, gold: str, output: str, base: str, depth: int, judged: int, groups: int, dev: int,
    export: str | None, resume: bool, as_json: bool, candidates: AlignOptions, options: RerankOptions,
) -> None:  # fmt: skip
    """Train a reranker of encyclopedia pages from concepts whose page is known (needs ontonym[train]).

    GOLD is a folder made by `ontonym benchmark pages`: train is learned from, dev chooses, test is never read. The
    candidates are those that the first stage brings; all but the right page are wrong (Rahimi section 3.2).
    """
    began = time.monotonic()
    if export:
        check_exporting()
    with ExitStack() as stack, Bar("bringing candidates") as bar:
        opened, searched = stack.enter_context(open_terminology(source)), stack.enter_context(open_pages(pages))
        maker = _Maker(opened, searched, gold, first_stage(candidates, 1), bar)
        learned, wanted = maker.groups("train", groups, depth), maker.groups("dev", dev, judged)
        trained = train_reranker(
            learned, base, output, replace(options, seed=candidates.seed), dev=wanted,
            content={"alignment": maker.described}, resume=resume, report=reporter(bar),
        )  # fmt: skip
    if export:
        export_reranker(output)
    seconds = time.monotonic() - began
    if as_json:
        dev_figures = asdict(trained.dev) if trained.dev else None
        shape = {"path": output, "fingerprint": trained.manifest.fingerprint, "seconds": round(seconds, 1),
                 "steps": trained.steps, "best_step": trained.best_step, "stopped": trained.stopped,
                 "dev": dev_figures, "weight": trained.weight, **maker.described}  # fmt: skip
        click.echo(to_json(shape))
        return
    out = console()
    facts(
        [
            ("reranker", f"{output}  ({size(trained.manifest.bytes)})"),
            ("made", f"from {count(len(learned), 'concept')} in {trained.steps:,} steps, {seconds:.0f} s"),
            ("dev", described_comparison(trained.dev) if trained.dev else ""),
            ("weight", "" if trained.weight is None else f"{trained.weight:g} beside what is counted"),
            ("fingerprint", trained.manifest.fingerprint),
        ],
        out,
    )
    out.print(f"next: ontonym align {source} {pages} --rerank {Path(output)} -o FILE", style="dim", soft_wrap=True)


class _Maker:
    """Makes the groups of the splits of a gold folder."""

    def __init__(self, source: Terminology, pages: Pages, gold: str, options: AlignOptions, bar: Bar) -> None:
        self._source, self._pages, self._gold, self._bar = source, pages, gold, bar
        self._options = options
        self._weighing = Weighing(open_encoder(), default_weights())
        if not Path(gold).is_dir():
            raise InputError(f"{gold}: is no folder with train and dev; make one with `ontonym benchmark pages`")
        self.described: dict[str, Any] = {
            "source": source.fingerprint, "pages": pages.fingerprint, "options": asdict(self._options),
        }  # fmt: skip

    def groups(self, split: Split, most: int, depth: int) -> Sequence[CandidateGroup]:
        """The groups of a split, at most so many (0: all)."""
        read = read_page_gold(self._gold, split, self._source, self._pages, most=most, seed=self._options.seed)
        self._bar.stage(f"bringing candidates, {split}", 0, len(read.pairs))
        done = 0

        def advance(some: int) -> None:
            nonlocal done
            done += some
            self._bar.stage(f"bringing candidates, {split}", done, len(read.pairs))

        made = page_groups(
            self._source, self._pages, read.pairs, self._weighing, self._options, depth, training=split == "train",
            progress=advance,
        )  # fmt: skip
        self.described[split] = {
            "groups": len(made.groups),
            "page not brought": made.missed,
            "without name": made.nameless,
        }
        return made.groups
