"""``ontonym index --pages``: encyclopedia pages to a page index; and what verbs that align share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import click

from ontonym.cli.options import language_option, wanted_languages
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.encoder import open_encoder, open_reranker
from ontonym.errors import InputError
from ontonym.index.pagebuild import PageOptions, build_pages
from ontonym.store import open_terminology
from ontonym.store.mappings import statements
from ontonym.tasks.align import AlignOptions, SecondStage
from ontonym.tasks.weighing import Weighing, default_weights
from ontonym.types import Mapping

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULTS = AlignOptions()
STAGE = SecondStage()


def index_pages(
    terminologies: Sequence[str], output: str | None, languages: tuple[str, ...], text: int | None, *, as_json: bool
) -> None:
    """Builds a page index and tells of it."""
    first = Path(terminologies[0].rstrip("/"))
    path = Path(output) if output else Path(f"{first.name.removesuffix('.terminology')}.pages")
    options = PageOptions(wanted_languages(languages), PageOptions().text if text is None else text)
    began = time.monotonic()
    with ExitStack() as stack:
        opened = [stack.enter_context(open_terminology(folder)) for folder in terminologies]
        with Bar("reading pages") as bar:
            manifest = build_pages(opened, path, options=options, progress=bar.stage)
        listed = ", ".join(f"{one.name} {one.version}".strip() for one in opened)
    if as_json:
        shape = {"path": str(path), "fingerprint": manifest.fingerprint, "content": manifest.content}
        click.echo(to_json(shape))
        return
    held = manifest.content["statistics"]
    out = console()
    facts(
        [
            ("page index", f"{path}  ({size(manifest.bytes)})"),
            ("of", listed),
            ("made", f"{count(held['pages'], 'page')} in {time.monotonic() - began:.1f} s"),
            ("fields", ", ".join(f"{held[name]:,} {name}" for name in held if name != "pages")),
        ],
        out,
    )
    out.print(f"next: ontonym align hp.terminology {path} -o hp-wiki.sssom.tsv", style="dim", soft_wrap=True)


def candidate_options(command: Command) -> Command:
    """How candidates are brought: the command gets the fields of `AlignOptions`, but for how many are kept."""
    for option in (
        click.option("--seed", default=DEFAULTS.seed, show_default=True, help="Draws which of many names are read."),
        click.option("--aliases", type=click.IntRange(1), default=DEFAULTS.aliases, show_default=True,
                     help="Names that are read of each side: the preferred one, then others in a drawn order."),
        language_option,
        click.option("--candidates", type=click.IntRange(1), default=DEFAULTS.candidates, show_default=True,
                     help="Pages that the first stage brings each concept."),
        click.option("--order", default=DEFAULTS.order, show_default=True, metavar="NAME",
                     help="What brings them: lexical (BM25), char (character n-grams), both in turn, or all: pages "
                     "with the very name first."),
    ):  # fmt: skip
        command = option(command)
    return command


def stage_options(command: Command) -> Command:
    """How candidates are brought and ordered: `candidate_options`, and those of a reranker."""
    command = candidate_options(command)
    for option in (
        click.option("--rerank-weight", type=click.FloatRange(0), metavar="W", help="What the reranker weighs beside "
                     "what can be counted; by default as it has learned."),
        click.option("--rerank-depth", type=click.IntRange(1), default=STAGE.depth, show_default=True, metavar="N",
                     help="Candidates that the reranker reads."),
        click.option("--rerank", metavar="DIR", help="Let a reranker read the names of concept and page together "
                     "(`ontonym train-aligner`), or a form of it: DIR/onnx/model_int8.onnx."),
    ):  # fmt: skip
        command = option(command)
    return command


def chosen_options(chosen: dict[str, Any], k: int) -> AlignOptions:
    """The options of the first stage that `stage_options` gave a command."""
    return AlignOptions(
        order=chosen["order"], candidates=chosen["candidates"], k=k, languages=wanted_languages(chosen["language"]),
        aliases=chosen["aliases"], seed=chosen["seed"],
    )  # fmt: skip


def chosen_stage(chosen: dict[str, Any]) -> SecondStage:
    """The second stage that `stage_options` gave a command: weighing, and the reranker that is asked for."""
    if chosen["rerank"] is None and chosen["rerank_weight"] is not None:
        raise InputError("--rerank-weight says how to rerank: give --rerank DIR too")
    reranker = None if chosen["rerank"] is None else open_reranker(chosen["rerank"])
    weighing = Weighing(open_encoder(), default_weights())
    return SecondStage(weighing, reranker, chosen["rerank_depth"], chosen["rerank_weight"])


def statements_of(paths: Sequence[str], *, denied: bool = False) -> Iterator[Mapping]:
    """The mappings in files of any format that has some; those that are ``denied`` as if they held."""
    for path in paths:
        for said in statements(path):
            if said.denied == denied:
                yield Mapping(said.ends[0], said.predicate, said.ends[1], said.justification)
