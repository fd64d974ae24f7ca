"""Texts that have no concept, as a class of their own beside the concepts: a user's own and annotated mentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ontonym.index.candidates import CandidateSearch
from ontonym.index.extra import ExtraNames
from ontonym.index.query import Query
from ontonym.index.scan import Representation, Scan
from ontonym.index.signals import Signals

_CLASS = 0  # the number under which the texts stand in their part


class NilMatch(NamedTuple):
    """How like the texts of NIL a query is: by one signal, ``similarity``, and how often the query itself was added."""

    similarity: float
    times: int


_NO_MATCH = NilMatch(-1.0, 0)


class NilTexts:
    """The searched texts of NIL of an index, compared with a query as the names of one concept are."""

    def __init__(self, texts: ExtraNames, signals: Signals) -> None:
        self.texts = texts
        own = Signals(signals.encoder, signals.ontology, texts, lexicon=signals.lexicon)
        self._candidates = CandidateSearch(own)

    def __len__(self) -> int:
        return len(self.texts)

    def matches(self, queries: Sequence[Query], signal: str, representation: Representation) -> list[NilMatch]:
        """How like the texts each query is, as it is: to the nearest (T) or to the mean of all (C).

        The similarity is that of one signal, in [-1, 1], the dense one if all are fused.
        """
        scan = Scan("D", representation, signal, k=1, also=(_CLASS,), verbatim=True)
        return [
            NilMatch(float(read.similarities[0]), int(read.evidence.given[0])) if len(read.similarities) else _NO_MATCH
            for read in self._candidates.interpretations(queries, scan)
        ]
