"""The second stage: a reranker reads the first hits of a search together with the query and reorders them.

Queries whose best hit has exactly the name, or a high confidence, keep their hits: the reranker adds nothing to an
equal name, and it is what costs time. The confidences of the hits that were read are redistributed among them; that of
"none of them" is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontonym.encoder.mixing import mixed
from ontonym.encoder.protocol import Reranker
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.tasks.hits import AnyHit, made, with_confidence
from ontonym.tasks.search import Experiment, SearchOptions, found_hits_of, pending_hits_of, settled
from ontonym.types import Hit

SIGNAL = "rerank"
"""The name of the reranker's score among the signals of a hit."""

DEPTH = 10
BELOW = 0.9
"""The default number of hits to read, and the default confidence of the best hit from which none is read."""

_EQUAL = ("exact", "normalized")


@dataclass(frozen=True, slots=True)
class Reranking:
    """How hits are reordered.

    ``reranker`` reads ``depth`` hits of each query. ``weight``, from 0, is the weight of its scores relative to the
    confidences of search (`ontonym.encoder.mixing.mixed`); None: as the reranker has learned. A query whose best hit
    has a name equal to the query, or a confidence of ``below`` or more, in [0, 1], keeps its hits; with ``below`` 1
    every query is read.
    """

    reranker: Reranker
    depth: int = DEPTH
    weight: float | None = None
    below: float = BELOW

    def __post_init__(self) -> None:
        if self.depth < 2:
            raise InputError(f"the depth of reranking is {self.depth}, but fewer than 2 hits have no order")
        if self.weight is not None and not 0 <= self.weight < float("inf"):
            raise InputError(f"the reranker's weight is {self.weight}, but a weight is a number from 0")
        if not 0 <= self.below <= 1:
            raise InputError(f"reranking below a confidence of {self.below}: a confidence is between 0 and 1")

    def reads(self, hits: Sequence[Hit]) -> bool:
        """Whether the reranker reads these hits, best first: there are two or more, and the best is not certain."""
        if len(hits) < 2:
            return False
        return self.below == 1 or (hits[0].confidence < self.below and hits[0].reason.rule not in _EQUAL)


def rerank(index: Index, text: str, hits: Sequence[Hit], how: Reranking) -> list[Hit]:
    """The hits of one query in their new order; see `rerank_many`."""
    (found,) = rerank_many(index, [(text, hits)], how)
    return found


def rerank_many(index: Index, asked: Sequence[tuple[str, Sequence[Hit]]], how: Reranking) -> list[list[Hit]]:
    """The hits of each query in their new order; the reranker reads those of all queries together.

    ``asked`` are texts, each with its hits from ``index``, best first. A hit that was read gets a new confidence, and
    its score as ``rerank`` among its signals; the sum over the hits that were read is unchanged, at most 1. Hits are
    ordered by confidence, equal ones as before.
    """
    read = [place for place, (_, hits) in enumerate(asked) if how.reads(hits)]
    pairs = [
        ((text,), _aliases(index, hit)) for text, hits in (asked[place] for place in read) for hit in hits[: how.depth]
    ]
    scores = how.reranker.score(pairs)
    found = [list(hits) for _, hits in asked]
    start = 0
    for place in read:
        hits = found[place]
        end = start + min(how.depth, len(hits))
        found[place] = _ordered(hits, scores[start:end], how)
        start = end
    return found


def search_many(
    index: Index, texts: Sequence[str], options: SearchOptions, how: Reranking | None = None
) -> list[list[Hit]]:
    """The hits of each text as in `search`, or in the order of a second stage.

    The search brings as many hits as are read or wanted; ``k`` and ``least`` of the options apply to the result.
    """
    return [[*map(made, hits)] for hits in pending_many(index, texts, options, how)]


def pending_many(
    index: Index, texts: Sequence[str], options: SearchOptions, how: Reranking | None = None
) -> Sequence[Sequence[AnyHit]]:
    """The hits of each text as in `search_many`, to be made when they are wanted."""
    queries = index.signals.queries(texts)
    if how is None:
        return pending_hits_of(index, queries, options)
    wide = Experiment.unsettled(options, max(options.k, how.depth))
    asked = [(query.typed, hits) for query, hits in zip(queries, found_hits_of(index, queries, wide), strict=True)]
    found = [settled(index, hits, options) for hits in rerank_many(index, asked, how)]
    return [[hit for hit in hits[: options.k] if hit.confidence >= options.least] for hits in found]


def _aliases(index: Index, hit: Hit) -> tuple[str, ...]:
    """The names of a hit's concept; for a concept without names, the name by which it was found."""
    return index.aliases(index.number_in(hit.terminology, hit.id)) or (hit.matched,)


def _ordered(hits: Sequence[Hit], scores: npt.NDArray[np.float64], how: Reranking) -> list[Hit]:
    count = len(scores)
    before = np.array([hit.confidence for hit in hits[:count]])
    weight = how.reranker.weight if how.weight is None else how.weight
    after = mixed(before, scores, weight).round(6)
    read = [
        with_confidence(hit, float(sure), {**hit.signals, SIGNAL: round(float(score), 4)})
        for hit, sure, score in zip(hits, after, scores, strict=False)
    ]
    return sorted([*read, *hits[count:]], key=lambda hit: -hit.confidence)
