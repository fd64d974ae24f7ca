"""Normalization: from mentions in text to one concept each, or to NIL where none is sure enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, tee

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.tasks.abbreviations import expand, find_abbreviations
from ontonym.tasks.rerank import Reranking, search_many
from ontonym.tasks.search import SearchOptions
from ontonym.types import Hit, Mention


@dataclass(frozen=True, slots=True)
class NormalizeOptions:
    """How to normalize.

    ``threshold`` is the least confidence, in [0, 1], of an answer: below it a mention is NIL. ``search`` says how
    candidates are found; its ``k`` is how many come with each answer. ``abbreviations`` that a mention's passage
    defines are written out before it is looked up. With ``reranking`` a second stage orders the candidates anew.
    """

    threshold: float = 0.0
    abbreviations: bool = True
    search: SearchOptions = field(default_factory=SearchOptions)
    reranking: Reranking | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise InputError(f"the threshold is {self.threshold}, but a confidence is between 0 and 1")


@dataclass(frozen=True, slots=True)
class Normalization:
    """The answer for one mention: ``id`` is None for NIL; ``candidates`` are the hits, best first.

    ``confidence`` is the best candidate's, in [0, 1], 0 where there is none.
    """

    mention: Mention
    id: str | None
    confidence: float
    candidates: tuple[Hit, ...]


def normalize(
    index: Index,
    mentions: Iterable[Mention],
    options: NormalizeOptions = NormalizeOptions(),
) -> Iterator[Normalization]:
    """One answer for each mention, in order, streamed; equal texts are looked up once.

    Give the mentions of a document one after another: its abbreviations are then looked for once. With a reranker,
    mentions are read ahead, so that their candidates are read together; without, none is.
    """
    for mention, candidates in _looked_up(index, _asked(mentions, options), options):
        confidence = candidates[0].confidence if candidates else 0.0
        sure = bool(candidates) and confidence >= options.threshold
        yield Normalization(mention, candidates[0].id if sure else None, confidence, candidates)


def normalize_groups(
    index: Index,
    groups: Iterable[Sequence[Mention]],
    options: NormalizeOptions = NormalizeOptions(),
) -> Iterator[list[Normalization]]:
    """The answers of each group of mentions, such as those of one document, as a list: streamed as `normalize` does."""
    groups, asked = tee(groups)
    answers = normalize(index, chain.from_iterable(asked), options)
    for group in groups:
        yield [next(answers) for _ in group]


def _asked(mentions: Iterable[Mention], options: NormalizeOptions) -> Iterator[tuple[Mention, str]]:
    """Each mention with the text that it is looked up by."""
    passage, defined = "", dict[str, str]()
    for mention in mentions:
        if options.abbreviations and mention.passage != passage:
            passage, defined = mention.passage, find_abbreviations(mention.passage)
        yield mention, expand(mention.text, defined) if defined else mention.text


def _looked_up(
    index: Index, asked: Iterator[tuple[Mention, str]], options: NormalizeOptions
) -> Iterator[tuple[Mention, tuple[Hit, ...]]]:
    """Each mention with its candidates, as many mentions at a time as are read ahead."""
    known: dict[str, tuple[Hit, ...]] = {}
    ahead = _AHEAD if options.reranking else 1
    while batch := list(islice(asked, ahead)):
        if len(known) >= _MOST_KNOWN:
            known.clear()
        new = [text for text in dict.fromkeys(text for _, text in batch) if text not in known]
        found = search_many(index, new, options.search, options.reranking)
        known.update(zip(new, map(tuple, found), strict=True))
        for mention, text in batch:
            yield mention, known[text]


_AHEAD = 64
_MOST_KNOWN = 10_000  # ten hits each are 9 kB: 90 MB
