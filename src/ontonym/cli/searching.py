"""The options of the verbs that search: how to search, normalize and rerank, and where an index's parts are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.encoder import open_reranker
from ontonym.errors import InputError
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.open import IndexPlace
from ontonym.tasks import SIGNALS, NormalizeOptions, Reranking, SearchOptions
from ontonym.tasks.rerank import BELOW, DEPTH


def _heading_and_tag(text: str) -> tuple[str, str]:
    """``HEADING=TAG`` as a pair."""
    heading, _, tag = (part.strip() for part in text.partition("="))
    if not heading or not tag:
        raise InputError(f"--section {text!r} is not HEADING=TAG, such as 'Allergies=substance'")
    return heading, tag


SEARCH = OptionGroup(
    SearchOptions(),
    k=Opt("How many concepts to show.", "-k"),
    strategy=Opt(
        "Which names are searched: names (those of the terminology), added (those that `ontonym add-terms` added), or "
        "all. With -mean, as in all-mean, a concept is the mean of its names. added-then-all looks at the added ones "
        "first, and at all where none of them is near enough; added-then-names and so on likewise. tuned: what "
        "`ontonym evaluate strategies` kept.",
        metavar="NAME",
    ),
    signal=Opt(
        f"What ranks: {', '.join(SIGNALS)}. With one signal, the confidence is that signal's similarity, not a "
        "probability.",
        metavar="NAME",
    ),
    within=Opt("Only this concept and those below it. May be repeated.", metavar="ID"),
    tags=Opt("Only concepts with this tag. May be repeated.", "--tag", "TAG"),
    terminologies=Opt("Only this terminology of the index. May be repeated.", "--only", "NAME"),
    verbatim=Opt("Search for exactly what is typed: no spelling is corrected, no abbreviation written out."),
)
"""How to search: `SearchOptions`."""

NORMALIZE = OptionGroup(
    NormalizeOptions(),
    threshold=Opt(
        "The confidence below which no concept is given (NIL); the nearest candidates are listed all the same. By "
        f"default {LIKELIER_RIGHT:g}: no answer that is likelier wrong than right. 0 turns it off, as it is with one "
        "--signal, whose similarity is not a probability.",
        type=click.FloatRange(0, 1),
    ),
    precision=Opt(
        "In place of --threshold: choose the lowest threshold at which this share of the answers is right, as "
        "`ontonym calibrate` estimated.",
        metavar="P",
        type=click.FloatRange(0, 1, min_open=True),
    ),
    abbreviations=Opt(
        "Look up mentions as they are written, without expanding the abbreviations that their document defines.",
        "--as-written",
        off=True,
    ),
    document=Opt("Rank by the mention alone, without the words of its document.", "--no-document", off=True),
    composites=Opt("Look up composite mentions as a whole, never part by part.", "--whole", off=True),
    expected=Opt(
        "Prefer concepts with this tag (a semantic type) among near ones. May be repeated.", "--expect", "TAG"
    ),
    sections=Opt(
        "Prefer concepts with this tag for mentions under this heading of their document. May be repeated.",
        "--section",
        "HEADING=TAG",
        _heading_and_tag,
    ),
)
"""How to normalize: `NormalizeOptions`, but for how to search and rerank."""


@dataclass(frozen=True, slots=True)
class RerankingOptions:
    """The folder of a ``reranker``, and the other fields of `Reranking`, None for their defaults."""

    reranker: str | None = None
    depth: int | None = None
    weight: float | None = None
    below: float | None = None


RERANKING = OptionGroup(
    RerankingOptions(),
    reranker=Opt(
        "Rerank the best candidates with this reranker (made by `ontonym train-reranker`), or with an exported form of "
        "it: DIR/onnx/model_int8.onnx.",
        "--rerank",
        "DIR",
    ),
    depth=Opt(f"How many candidates the reranker reads.  [default: {DEPTH}]", "--rerank-depth", "N", int),
    weight=Opt(
        "The reranker's weight beside the confidences of the search, from 0; by default as learned.",
        "--rerank-weight",
        "W",
        float,
    ),
    below=Opt(
        "Do not rerank where the best candidate has at least this confidence, or the very name asked for; 1 reranks "
        f"every query.  [default: {BELOW:g}]",
        "--rerank-below",
        "C",
        float,
    ),
)
"""Which reranker orders candidates anew, and how: `RerankingOptions`, for `opened_reranking`."""

PLACE = OptionGroup(
    IndexPlace(Path()),
    terminologies=Opt(
        "Where the index's terminology is now, if it was moved; once for each, in order.", "--terminology-at", "DIR"
    ),
    encoder=Opt("Where the index's encoder is now, if it was moved.", metavar="DIR"),
    lexicon=Opt(
        "Abbreviations of your own: a TSV file with the columns written and meaning (share may follow). Their meanings "
        "take the place of those that come with ontonym.",
        metavar="FILE",
    ),
)
"""Where the parts of an index are, if they were moved: `IndexPlace`, for ``place.at(index).open()``."""


def opened_reranking(options: RerankingOptions) -> Reranking | None:
    """The second stage that the options ask for, or None; InputError where they say how to rerank, but not by what."""
    if options.reranker is None and options != RerankingOptions():
        raise InputError("--rerank-depth, --rerank-weight and --rerank-below say how to rerank: give --rerank DIR too")
    if options.reranker is None:
        return None
    depth = DEPTH if options.depth is None else options.depth
    below = BELOW if options.below is None else options.below
    return Reranking(open_reranker(options.reranker), depth, options.weight, below)
