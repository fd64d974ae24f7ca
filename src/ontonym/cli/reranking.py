"""The options of a second stage that several verbs share, and the reranker they open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ontonym.encoder import open_reranker
from ontonym.errors import InputError
from ontonym.tasks.rerank import BELOW, DEPTH, Reranking

Command = TypeVar("Command", bound=Callable[..., Any])


def rerank_options(command: Command) -> Command:
    """``--rerank`` and how: the command gets ``rerank``, ``rerank_depth``, ``rerank_weight`` and ``rerank_below``."""
    for option in (
        click.option("--rerank-below", type=float, metavar="C", help="Read no candidate where the best is this sure "
                     f"already, or has the very name asked for; 1 reads all.  [default: {BELOW:g}]"),
        click.option("--rerank-weight", type=float, metavar="W", help="What the reranker weighs beside the search's "
                     "confidences, from 0; by default as it has learned."),
        click.option("--rerank-depth", type=int, metavar="N", help="Candidates that the reranker reads.  "
                     f"[default: {DEPTH}]"),
        click.option("--rerank", metavar="DIR", help="Order the foremost candidates anew by a reranker (`ontonym "
                     "train-reranker`), or by a form of it: DIR/onnx/model_int8.onnx."),
    ):  # fmt: skip
        command = option(command)
    return command


def opened_reranking(
    rerank: str | None, depth: int | None, weight: float | None, below: float | None
) -> Reranking | None:
    """The second stage that the options ask for, or None; InputError where they say how, but not by what."""
    if rerank is None:
        if not depth is weight is below is None:
            raise InputError(
                "--rerank-depth, --rerank-weight and --rerank-below say how to rerank: give --rerank DIR too"
            )
        return None
    return Reranking(
        open_reranker(rerank),
        DEPTH if depth is None else depth,
        weight,
        BELOW if below is None else below,
    )
