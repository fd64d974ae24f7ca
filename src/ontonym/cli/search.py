"""``ontonym search``: the concepts behind words."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from ontonym.cli.options import filter_options, json_option, place_options, signal_option, strategy_option
from ontonym.cli.reranking import opened_reranking, rerank_options
from ontonym.cli.shapes import search_shape, to_json
from ontonym.cli.show import console, hits_table
from ontonym.errors import FormatError, InputError
from ontonym.index import Index, open_index
from ontonym.tasks import Explanation, Nil, SearchOptions, explain_hits, search_many, why_nil
from ontonym.tasks.telling import told_nil
from ontonym.types import Hit

DEFAULTS = SearchOptions()

EXAMPLES = """\b
Examples:
  ontonym search hp.index "heart skipping beats"
  ontonym search hp.index "wide set eyes" -k 3 --explain
  ontonym search both.index "drooping" --within HP:0000478 --json
  cut -f2 complaints.tsv | ontonym search hp.index - --json
"""


@click.command("search", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("words", nargs=-1, required=True, metavar="WORDS")
@click.option("-k", "k", type=int, default=DEFAULTS.k, show_default=True, help="How many concepts to show.")
@strategy_option
@signal_option
@filter_options
@rerank_options
@click.option("--explain", is_flag=True, help="Say of each hit why: the words, each signal's share, "
              "the runner-up.")  # fmt: skip
@place_options
@json_option
def command(
    *,
    index: str,
    words: tuple[str, ...],
    k: int,
    strategy: str,
    signal: str,
    within: tuple[str, ...],
    tag: tuple[str, ...],
    only: tuple[str, ...],
    rerank: str | None,
    rerank_depth: int | None,
    rerank_weight: float | None,
    rerank_below: float | None,
    explain: bool,
    terminology: tuple[str, ...],
    encoder: str | None,
    as_json: bool,
) -> None:
    """Find the concepts behind words, best first.

    WORDS - reads one query a line from standard input.
    """
    options = SearchOptions(k=k, strategy=strategy, signal=signal, within=within, tags=tag, terminologies=only)
    if explain and rerank:
        raise InputError("--explain says why the search ranks as it does, not a reranker: leave out --rerank")
    second = opened_reranking(rerank, rerank_depth, rerank_weight, rerank_below)
    several = words == ("-",)
    with open_index(index, terminologies=terminology or None, encoder=encoder) as opened:
        for query in typed_lines() if several else (" ".join(words),):
            explanations = explain_hits(opened, query, options) if explain else []
            hits = [one.hit for one in explanations] if explain else search_many(opened, [query], options, second)[0]
            nil = why_nil(opened, query, options=options) if explain and not hits else None
            if as_json:
                click.echo(to_json(search_shape(query, hits, explanations, nil)))
            else:
                show_hits(opened, query, hits, titled=several, explanations=explanations, nil=nil)


def typed_lines() -> Iterator[str]:
    """The lines of standard input that are not blank."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise FormatError("standard input", "not UTF-8", line=number, hint="Convert it with iconv") from None
        if text:
            yield text


def show_hits(
    index: Index,
    query: str,
    hits: list[Hit],
    *,
    titled: bool,
    explanations: Sequence[Explanation] = (),
    nil: Nil | None = None,
) -> None:
    """Prints the hits of one query, under the query where there are several; with why, or why there is none."""
    out = console()
    if titled:
        out.print(query, style="bold cyan")
    if hits:
        count = len(index.terminologies)
        out.print(hits_table(hits, width=out.width, terminologies=count, explanations=explanations))
    else:
        out.print("; ".join(["nothing found", *(told_nil(nil) if nil else [])]), style="dim")
    if titled:
        out.print()
