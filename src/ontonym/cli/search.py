"""``ontonym search``: the concepts behind words."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from ontonym.cli.options import filter_options, json_option, place_options, signal_option, strategy_option
from ontonym.cli.reranking import opened_reranking, rerank_options
from ontonym.cli.shapes import search_shape, to_json
from ontonym.cli.show import console, hits_table
from ontonym.errors import FormatError
from ontonym.index import Index, open_index
from ontonym.tasks import SearchOptions, search_many
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
@click.option("--explain", is_flag=True, help="Show each signal's part.")
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
    second = opened_reranking(rerank, rerank_depth, rerank_weight, rerank_below)
    several = words == ("-",)
    with open_index(index, terminologies=terminology or None, encoder=encoder) as opened:
        for query in typed_lines() if several else (" ".join(words),):
            (hits,) = search_many(opened, [query], options, second)
            if as_json:
                click.echo(to_json(search_shape(query, hits)))
            else:
                show_hits(opened, query, hits, titled=several, explain=explain)


def typed_lines() -> Iterator[str]:
    """The lines of standard input that are not blank."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise FormatError("standard input", "not UTF-8", line=number, mend="Convert it with iconv") from None
        if text:
            yield text


def show_hits(index: Index, query: str, hits: list[Hit], *, titled: bool, explain: bool) -> None:
    """Prints the hits of one query, under the query where there are several."""
    out = console()
    if titled:
        out.print(query, style="bold cyan")
    if hits:
        out.print(hits_table(hits, width=out.width, terminologies=len(index.terminologies), explain=explain))
    else:
        out.print("nothing found", style="dim")
    if titled:
        out.print()
