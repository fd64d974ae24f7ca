"""The options of the commands that align concepts with encyclopedia pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

import click

from ontonym.cli.options import LANGUAGES, Opt, OptionGroup, wanted_languages
from ontonym.encoder import open_encoder, open_reranker
from ontonym.errors import InputError
from ontonym.tasks.align import AlignOptions, SecondStage, Weighing, default_weights


@dataclass(frozen=True, slots=True)
class StageFlags:
    """What is typed about a second stage: the folder of a reranker, how many it reads, and its weight."""

    rerank: str | None = None
    depth: int = SecondStage().depth
    weight: float | None = None

    def opened(self) -> SecondStage:
        """The second stage: weighing, and the reranker that is asked for."""
        if self.rerank is None and (self.weight is not None or self.depth != SecondStage().depth):
            raise InputError("--rerank-depth and --rerank-weight say how to rerank: give --rerank DIR too")
        reranker = None if self.rerank is None else open_reranker(self.rerank)
        return SecondStage(Weighing(open_encoder(), default_weights()), reranker, self.depth, self.weight)


CANDIDATES = OptionGroup(
    AlignOptions(),
    order=Opt("What brings them: lexical (BM25), char (character n-grams), both in turn, or all: pages with the very "
              "name first.", metavar="NAME"),
    candidates=Opt("Pages that the first stage brings each concept.", "--shortlist", type=click.IntRange(1)),
    languages=LANGUAGES,
    aliases=Opt("Names that are read of each side: the preferred one, then others in a drawn order.",
                type=click.IntRange(1)),
    seed=Opt("Draws which of many names are read."),
)  # fmt: skip
"""How candidates are brought: `AlignOptions`, but for how many are kept; see `first_stage`."""

STAGE = OptionGroup(
    StageFlags(),
    rerank=Opt("Let a reranker read the names of concept and page together (`ontonym train-aligner`), or a form of it: "
               "DIR/onnx/model_int8.onnx.", metavar="DIR"),
    depth=Opt("Candidates that the reranker reads.", "--rerank-depth", "N", click.IntRange(1)),
    weight=Opt("What the reranker weighs beside what can be counted; by default as it has learned.",
               "--rerank-weight", "W", click.FloatRange(0)),
)  # fmt: skip
"""What orders the candidates: `StageFlags`."""


def first_stage(options: AlignOptions, k: int) -> AlignOptions:
    """The options of `CANDIDATES` with ``k`` candidates kept; the language ``all`` means every one."""
    return replace(options, k=k, languages=wanted_languages(options.languages))
