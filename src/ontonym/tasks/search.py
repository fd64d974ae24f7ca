"""Search: from a person's words to concepts, each once, best first, with the reason.

Hits are ordered by confidence. Equal confidences are ordered by: a name equal to the query first, and among those the
preferred term first; then the concept with more names; then the order of the terminologies and of their concepts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.evidence import SIGNAL_COLUMNS, Evidence
from ontonym.text import changes, key, normalize
from ontonym.types import Hit, Reason

SIGNALS: Mapping[str, Collection[str]] = MappingProxyType(
    {"fused": tuple(SIGNAL_COLUMNS), **{name: (name,) for name in SIGNAL_COLUMNS}}
)
"""What can rank: all signals fused, or one alone; with the signals that bring its candidates."""

STRATEGIES: Mapping[str, str] = MappingProxyType({"O-T": "the terms of the ontology, each compared with the query"})
"""Xu's search strategies (section 3.2, table 1) by name: what is searched, and how a concept is represented."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search.

    ``k`` is the most hits wanted. ``signal`` is a name of `SIGNALS`; alone, a signal's similarity stands for the
    confidence, which is then not calibrated. ``within`` (ids: these and what is below them), ``tags`` and
    ``terminologies`` (names) filter inside the scan. ``least`` is the least confidence of a hit.
    """

    k: int = 10
    strategy: str = "O-T"
    signal: str = "fused"
    within: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    terminologies: tuple[str, ...] = ()
    least: float = 0.0

    def __post_init__(self) -> None:
        if self.signal not in SIGNALS:
            raise UnknownNameError("signal", self.signal, SIGNALS)
        if self.strategy not in STRATEGIES:
            raise UnknownNameError("strategy", self.strategy, STRATEGIES)
        if self.k < 1:
            raise InputError(f"k is {self.k}, but at least one hit must be asked for")


def search(index: Index, text: str, options: SearchOptions = SearchOptions()) -> list[Hit]:
    """The concepts that ``text`` may mean, best first, each once; empty where nothing resembles it."""
    allowed = index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)
    wanted = SIGNALS[options.signal]
    evidence = index.signals.evidence(text, signals=wanted, k=max(50, 2 * options.k), allowed=allowed)
    confidences = _confidences(index, evidence, options.signal)
    order = _ranked(evidence, confidences)[: options.k]
    namesakes = _namesakes(evidence, confidences)
    return [
        _hit(index, text, evidence, int(place), float(confidences[place]), namesakes)
        for place in order
        if confidences[place] >= options.least and confidences[place] > 0
    ]


def explain(index: Index, text: str, concept_id: str) -> Hit:
    """How one concept fares for ``text``, whether search finds it or not; UnknownIdError for an unknown id.

    Its confidence is the one it has in a search for ``text``, with the rivals such a search has.
    """
    concept = index.number(concept_id)
    evidence = index.signals.evidence(text, also=concept)
    (places,) = np.nonzero(evidence.concepts == concept)
    if not len(places):
        raise InputError(f"{concept_id} has no name in this index")
    confidences = _confidences(index, evidence, "fused")
    place = int(places[0])
    return _hit(index, text, evidence, place, float(confidences[place]), _namesakes(evidence, confidences))


def _confidences(index: Index, evidence: Evidence, signal: str) -> npt.NDArray[np.float64]:
    if not len(evidence.concepts):
        return np.empty(0)
    if signal == "fused":
        return index.fusion.confidences(evidence.features)
    similarities: npt.NDArray[np.float64] = evidence.features[:, SIGNAL_COLUMNS[signal]].astype(np.float64)
    return np.clip(similarities, 0, 1)


def _ranked(evidence: Evidence, confidences: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    spelled, preferred, size = (evidence.column(name) for name in ("spelled", "spelled_preferred", "size"))
    return np.lexsort((evidence.concepts, -size, -preferred, -spelled, -confidences.round(6)))


def _namesakes(evidence: Evidence, confidences: npt.NDArray[np.float64]) -> list[int]:
    """The places of candidates that the evidence cannot tell apart at the top: each has a name equal to the query."""
    spelled = np.flatnonzero(evidence.column("spelled"))
    return [int(place) for place in spelled[np.argsort(-confidences[spelled], kind="stable")]]


def _hit(index: Index, text: str, evidence: Evidence, place: int, confidence: float, namesakes: Collection[int]) -> Hit:
    terminology, row = index.locate(int(evidence.concepts[place]))
    features = evidence.features[place]
    spelled = bool(evidence.column("spelled")[place])
    name = int(evidence.best[place])
    shown = _nearest_spelling(index, text, name) if spelled else int(index.signals.names.terms[name])
    term = terminology.term(shown)
    others = [other for other in namesakes if other != place] if place in namesakes else []
    return Hit(
        id=terminology.id(row),
        preferred=terminology.preferred(row),
        matched=term.text,
        kind=term.kind,
        scope=term.scope,
        source=term.source,
        terminology=terminology.name,
        confidence=confidence,
        similarity=float(features[SIGNAL_COLUMNS["dense"]]),
        signals={name: round(max(0.0, float(features[column])), 4) for name, column in SIGNAL_COLUMNS.items()},
        reason=_reason(text, term.text, features, spelled=spelled),
        ambiguous=tuple(index.id(int(evidence.concepts[other])) for other in others),
        status=terminology.status(row),
    )


def _nearest_spelling(index: Index, text: str, name: int) -> int:
    """Of the terms that share a name row, the row of the one written most like the query."""
    names = index.signals.names
    terminology, row = index.locate(int(names.concepts[name]))
    texts = terminology.term_texts()
    first = int(names.terms[name])
    form = normalize(texts[first])
    alike = [term for term in terminology.terms_of(row) if term >= first and normalize(texts[term]) == form]
    wanted = key(text)
    return min(alike, key=lambda term: (texts[term] != text, key(texts[term]) != wanted, term))


def _reason(text: str, matched: str, features: npt.NDArray[np.float32], *, spelled: bool) -> Reason:
    if text == matched:
        return Reason("exact", "the same text")
    if spelled:
        steps = changes(text, matched) or ("word order",)
        return Reason("normalized", f"the same but for {_listed(steps)}", steps)
    strengths = {name: float(features[column]) for name, column in SIGNAL_COLUMNS.items()}
    if strengths["lexical"] >= 0.7:
        return Reason("words", f"shares its telling words ({strengths['lexical']:.0%} by rarity)")
    if strengths["char"] >= 0.6 and strengths["char"] >= strengths["dense"]:
        return Reason("spelling", f"spelled alike ({strengths['char']:.0%} of letter groups)")
    return Reason("meaning", f"close in meaning (cosine {strengths['dense']:.2f})")


def _listed(steps: tuple[str, ...]) -> str:
    return steps[0] if len(steps) == 1 else f"{', '.join(steps[:-1])} and {steps[-1]}"
