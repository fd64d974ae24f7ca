"""The second stage: a reranker reads the foremost hits of a search with the query, and orders them anew.

Hits that have the very name asked for, or are sure already, are left as they are: reading adds nothing to a name that
is the same, and it is what costs. The confidences of the hits that were read
are shared out among them again; that of "none of them" stays what search made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ontonym.encoder.mixing import mixed
from ontonym.encoder.protocol import Reranker
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.tasks.search import Experiment, SearchOptions, calibrated, found_hits
from ontonym.types import Hit

SIGNAL = "rerank"
"""The name of the reranker's score among the signals of a hit."""

DEPTH = 10
BELOW = 0.9
"""How many hits are read, and how sure the best hit must be for none to be read, unless said otherwise."""

_EQUAL = ("exact", "normalized")


@dataclass(frozen=True, slots=True)
class Reranking:
    """How hits are ordered anew.

    ``depth`` hits of each query are read by ``reranker``. ``weight``, from 0, is what its scores weigh beside the
    confidences of search (`ontonym.encoder.mixing.mixed`); None: as the reranker has learned. Queries whose best hit
    has a name equal to the query, or a confidence of ``below`` or more, in [0, 1], keep their hits as they are; with
    ``below`` 1 every query is read.
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
        """Whether these hits, the best first, are read: there are two or more, and the best leaves a doubt."""
        if len(hits) < 2:
            return False
        return self.below == 1 or (hits[0].confidence < self.below and hits[0].reason.rule not in _EQUAL)


def rerank(index: Index, text: str, hits: Sequence[Hit], how: Reranking) -> list[Hit]:
    """The hits of one query in their new order; see `rerank_many`."""
    (found,) = rerank_many(index, [(text, hits)], how)
    return found


def rerank_many(index: Index, asked: Sequence[tuple[str, Sequence[Hit]]], how: Reranking) -> list[list[Hit]]:
    """The hits of each query in their new order, all that is to be read going through the reranker together.

    ``asked`` are texts, each with its hits from ``index``, the best first. A hit that was read has a confidence of its
    own again and the score among its signals as ``rerank``; the read hits of a query have together what they had
    before, at most 1. Hits are ordered by confidence, equal ones as they were.
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
    """The hits of each text as `search` has them, or in the order of a second stage.

    As many are searched for as are read or wanted; ``k`` and ``least`` of the options hold for what comes out.
    """
    queries = index.signals.queries(texts)
    if how is None:
        return [found_hits(index, query, options) for query in queries]
    wide = Experiment.of(options, k=max(options.k, how.depth), least=0.0, calibrated=False)
    asked = [(query.typed, found_hits(index, query, wide)) for query in queries]
    found = [calibrated(index, hits, options) for hits in rerank_many(index, asked, how)]
    return [[hit for hit in hits[: options.k] if hit.confidence >= options.least] for hits in found]


def _aliases(index: Index, hit: Hit) -> tuple[str, ...]:
    """The names of a hit's concept; a hit without any has the name it was found by."""
    return index.aliases(index.number_in(hit.terminology, hit.id)) or (hit.matched,)


def _ordered(hits: Sequence[Hit], scores: npt.NDArray[np.float64], how: Reranking) -> list[Hit]:
    count = len(scores)
    before = np.array([hit.confidence for hit in hits[:count]])
    weight = how.reranker.weight if how.weight is None else how.weight
    after = mixed(before, scores, weight).round(6)
    read = [
        replace(hit, confidence=float(sure), signals={**hit.signals, SIGNAL: round(float(score), 4)})
        for hit, sure, score in zip(hits, after, scores, strict=False)
    ]
    return sorted([*read, *hits[count:]], key=lambda hit: -hit.confidence)
