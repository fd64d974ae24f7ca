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
from ontonym.index.evidence import SIGNAL_COLUMNS, Evidence, Mask
from ontonym.text import changes, key, normalize, tokens
from ontonym.types import Hit, Reason

SIGNALS: Mapping[str, Collection[str]] = MappingProxyType(
    {"fused": tuple(SIGNAL_COLUMNS), **{name: (name,) for name in SIGNAL_COLUMNS}}
)
"""What can rank: all signals fused, or one alone; with the signals that bring its candidates."""

_CANDIDATES = 50
_LEAST_MENDED = 0.1  # a guess at the words that then guesses at the concept explains nothing
_TRUST_IN_MENDING = 0.8

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
    read = _read(index, text, options, allowed)
    evidence, confidences = read.evidence, read.confidences
    order = _ranked(evidence, confidences)[: options.k]
    kept = [place for place in order if confidences[place] >= options.least and confidences[place] > 0]
    return [_hit(index, text, read, int(place)) for place in kept]


def explain(index: Index, text: str, concept_id: str) -> Hit:
    """How one concept fares for ``text``, whether search finds it or not; UnknownIdError for an unknown id.

    Its confidence is the one it has in a search for ``text``, with the rivals such a search has.
    """
    concept = index.number(concept_id)
    read = _read(index, text, SearchOptions(), allowed=None, also=concept)
    (places,) = np.nonzero(read.evidence.concepts == concept)
    if not len(places):
        raise InputError(f"{concept_id} has no name in this index")
    return _hit(index, text, read, int(places[0]))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A way to read the query: as it is, or with its misspelled words mended."""

    text: str
    evidence: Evidence
    confidences: npt.NDArray[np.float64]

    @property
    def surest(self) -> float:
        return float(self.confidences.max(initial=0.0))


def _read(index: Index, text: str, options: SearchOptions, allowed: Mask | None, also: int | None = None) -> _Reading:
    """The surer of the text as it is and the text mended; as it is where mending gains little."""
    text = _in_capitals(index, text)
    read = _read_as(index, text, options, allowed, also)
    mended = None if read.evidence.column("spelled").any() else index.speller.mended(text)
    if mended is None:
        return read
    other = _read_as(index, mended, options, allowed, also)
    return other if other.surest > max(_LEAST_MENDED, read.surest / _TRUST_IN_MENDING) else read


def _in_capitals(index: Index, text: str) -> str:
    """A word in capitals where only so it is a name: "ards" is ARDS, whose S is no plural."""
    spelled, capitals = index.signals.names.spelled, text.upper()
    if not text.islower() or len(text) > 6 or len(spelled(tokens(text))) or not len(spelled(tokens(capitals))):
        return text
    return capitals


def _read_as(index: Index, text: str, options: SearchOptions, allowed: Mask | None, also: int | None) -> _Reading:
    k = max(_CANDIDATES, 2 * options.k)
    evidence = index.signals.evidence(text, signals=SIGNALS[options.signal], k=k, allowed=allowed, also=also)
    return _Reading(text, evidence, _confidences(index, evidence, options.signal))


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


def _hit(index: Index, text: str, read: _Reading, place: int) -> Hit:
    evidence = read.evidence
    terminology, row = index.locate(int(evidence.concepts[place]))
    features = evidence.features[place]
    spelled = bool(evidence.column("spelled")[place])
    name = int(evidence.best[place])
    shown = _nearest_spelling(index, read.text, name) if spelled else int(index.signals.names.terms[name])
    term = terminology.term(shown)
    return Hit(
        id=terminology.id(row),
        preferred=terminology.preferred(row),
        matched=term.text,
        kind=term.kind,
        scope=term.scope,
        source=term.source,
        terminology=terminology.name,
        confidence=float(read.confidences[place]),
        similarity=float(np.clip(features[SIGNAL_COLUMNS["dense"]], -1, 1)),
        signals={name: round(float(np.clip(features[at], 0, 1)), 4) for name, at in SIGNAL_COLUMNS.items()},
        reason=_reason(text, read.text, term.text, features, spelled=spelled),
        ambiguous=tuple(index.id(int(evidence.concepts[other])) for other in _namesakes(read, place)),
        status=terminology.status(row),
    )


def _namesakes(read: _Reading, place: int) -> list[int]:
    """Where a candidate has a name equal to the query: the other candidates that have one too, surest first."""
    spelled = np.flatnonzero(read.evidence.column("spelled"))
    if place not in spelled:
        return []
    ranked = spelled[np.argsort(-read.confidences[spelled], kind="stable")]
    return [int(other) for other in ranked if other != place]


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


def _reason(text: str, read_as: str, matched: str, features: npt.NDArray[np.float32], *, spelled: bool) -> Reason:
    if text == matched:
        return Reason("exact", "the same text")
    mended = "" if read_as == text else f"read as “{read_as}”: "
    if spelled:
        steps = changes(read_as, matched) or ()
        detail = f"the same but for {_listed(steps)}" if steps else "the same text"
        return Reason("spelling" if mended else "normalized", mended + detail, steps)
    strengths = {name: float(features[column]) for name, column in SIGNAL_COLUMNS.items()}
    if strengths["lexical"] >= 0.7:
        return Reason("words", f"{mended}shares its telling words ({strengths['lexical']:.0%} by rarity)")
    if strengths["char"] >= 0.6 and strengths["char"] >= strengths["dense"]:
        return Reason("spelling", f"{mended}spelled alike ({strengths['char']:.0%} of letter groups)")
    return Reason("meaning", f"{mended}close in meaning (cosine {strengths['dense']:.2f})")


def _listed(steps: tuple[str, ...]) -> str:
    return steps[0] if len(steps) == 1 else f"{', '.join(steps[:-1])} and {steps[-1]}"
