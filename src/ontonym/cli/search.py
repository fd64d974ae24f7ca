"""``ontonym search``: the concepts behind words."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from ontonym.cli.options import examples, json_option
from ontonym.cli.searching import PLACE, RERANKING, SEARCH, RerankingOptions, opened_reranking
from ontonym.cli.terminal import echo
from ontonym.errors import FormatError, InputError
from ontonym.index import Index
from ontonym.index.open import IndexPlace
from ontonym.serve.hitlists import hits_table
from ontonym.serve.shapes import comparison_shape, search_shape
from ontonym.serve.show import console, to_json
from ontonym.tasks import (
    Explanation,
    HitComparison,
    Nil,
    SearchOptions,
    compare_hits,
    explain_hits,
    search_many,
    why_nil,
)
from ontonym.tasks.explain.texts import described_comparison, described_nil, language_advice
from ontonym.types import Hit


@click.command("search", epilog=examples(
    'search hp.index "heart skipping beats"',
    'search hp.index "wide set eyes" -k 3 --explain',
    'search hp.index "low platelets" --compare HP:0001873 HP:0005537',
    'search both.index "drooping" --within HP:0000478 --json',
    'search icd10cm.index --json -- "-ve pregnancy test"',
    "cut -f2 complaints.tsv | ontonym search hp.index - --json",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("words", nargs=-1, required=True, metavar="WORDS")
@SEARCH.as_("options")
@RERANKING.as_("second")
@click.option(
    "--explain",
    is_flag=True,
    help="Explain each hit: what was read into the query, the words, each signal's share, and "
    "what decided against the runner-up.",
)
@click.option(
    "--compare",
    nargs=2,
    metavar="ID ID",
    help="Explain only these two concepts, found or not, and what decides between them.",
)
@PLACE.as_("place")
@json_option
def command(
    *,
    index: str,
    words: tuple[str, ...],
    options: SearchOptions,
    second: RerankingOptions,
    explain: bool,
    compare: tuple[str, str] | None,
    place: IndexPlace,
    as_json: bool,
) -> None:
    """Find the concepts behind words, best first.

    Each has a confidence: the probability, from 0 to 1, that it is what the words mean. WORDS may be the id of a
    concept too; - reads one query a line from standard input. Words that begin with - stand last, after --.
    """
    if explain and compare:
        raise InputError("--compare explains both concepts: leave out --explain")
    if (explain or compare) and second.reranker:
        option = "--compare" if compare else "--explain"
        raise InputError(f"{option} explains the order of the search, not of a reranker: leave out --rerank")
    reranking = opened_reranking(second)
    if not any(map(str.strip, words)):
        raise InputError("the query is empty: give the words to search for")
    several = words == ("-",)
    with place.at(index).open() as opened:
        for query in _typed_lines() if several else (" ".join(words),):
            now = opened.refreshed()  # who types line after line may add terms meanwhile
            if compare:
                _show_comparison(compare_hits(now, query, *compare, options), opened, titled=several, as_json=as_json)
                continue
            explanations = explain_hits(now, query, options) if explain else []
            hits = [one.hit for one in explanations] if explain else search_many(now, [query], options, reranking)[0]
            nil = why_nil(now, query, options=options) if explain and not hits else None
            if as_json:
                echo(to_json(search_shape(query, hits, explanations, nil, index=opened)))
            else:
                _show_hits(opened, query, hits, titled=several, explanations=explanations, nil=nil)


def _show_comparison(comparison: HitComparison, index: Index, *, titled: bool, as_json: bool) -> None:
    """Prints two concepts compared for a query, under the query where there are several."""
    if as_json:
        echo(to_json(comparison_shape(comparison, index=index)))
        return
    out = console()
    if titled:
        out.print(comparison.text, style="bold cyan")
    for line in described_comparison(comparison):
        out.print(line, soft_wrap=True)
    if titled:
        out.print()


def _typed_lines() -> Iterator[str]:
    """The lines of standard input that are not blank."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise FormatError("standard input", "not UTF-8", line=number, hint="Convert it with iconv") from None
        if text:
            yield text


def _show_hits(
    index: Index,
    query: str,
    hits: list[Hit],
    *,
    titled: bool,
    explanations: Sequence[Explanation],
    nil: Nil | None,
) -> None:
    """Prints the hits of one query, under the query where there are several; with why, or why there is none."""
    out = console()
    if titled:
        out.print(query, style="bold cyan")
    if hits:
        count = len(index.terminologies)
        out.print(hits_table(hits, width=out.width, terminologies=count, explanations=explanations, index=index))
    else:
        out.print("; ".join(["nothing found", *(described_nil(nil) if nil else [])]), style="dim")
    if advice := language_advice(index, query, hits):
        out.print(advice, style="dim", soft_wrap=True, markup=False)
    if titled:
        out.print()
