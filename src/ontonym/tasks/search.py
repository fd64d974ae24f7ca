"""Search: from a person's words to concepts, each once, best first, with the reason.

Hits are ordered by confidence. Equal confidences are ordered by: a name equal to the query first, among those the one
that was added most often, then the preferred term; then the concept with more names; then the order of the
terminologies and of their concepts.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.evidence import SIGNAL_COLUMNS, Evidence, Mask, Signals
from ontonym.tasks.strategy import DEFAULT_STRATEGY, SIEVE_THRESHOLD, STRATEGIES, Module
from ontonym.text import changes, key, normalize, tokens
from ontonym.types import Hit, Reason, Term

SIGNALS: Mapping[str, Collection[str]] = MappingProxyType(
    {"fused": tuple(SIGNAL_COLUMNS), **{name: (name,) for name in SIGNAL_COLUMNS}}
)
"""What can rank: all signals fused, or one alone; with the signals that bring its candidates."""

_CANDIDATES = 50
_LEAST_MENDED = 0.1  # a guess at the words that then guesses at the concept explains nothing
_TRUST_IN_MENDING = 0.8
_READ_AS = "read as "

TIES = ("rule", "random")
"""How hits that are equally good are ordered: by the rule above, or at random as Xu does (section 3.2), by a seed."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search.

    ``k`` is the most hits wanted. ``strategy`` is a name of `STRATEGIES`; the first module of a sieve is believed where
    its best hit's similarity is at least ``sieve``, in [0, 1]: that of ``signal``, or the dense one where signals are
    fused. ``signal`` is a name of `SIGNALS`; alone, a signal's similarity stands for the confidence, which is then not
    calibrated. ``ties`` is a name of `TIES`, and ``seed`` draws where it is ``random``. ``within`` (ids: these and what
    is below them), ``tags`` and ``terminologies`` (names) filter inside the scan. ``least`` is the least confidence of
    a hit. ``calibrated`` uses what `ontonym calibrate` learned of the index, where it has that and signals are fused;
    ``hidden`` are name rows of the ontology searched as if they were not there.
    """

    k: int = 10
    strategy: str = DEFAULT_STRATEGY
    signal: str = "fused"
    sieve: float = SIEVE_THRESHOLD
    ties: str = "rule"
    seed: int = 0
    within: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    terminologies: tuple[str, ...] = ()
    least: float = 0.0
    calibrated: bool = True
    hidden: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.signal not in SIGNALS:
            raise UnknownNameError("signal", self.signal, SIGNALS)
        if self.strategy not in STRATEGIES:
            raise UnknownNameError("strategy", self.strategy, STRATEGIES)
        if self.ties not in TIES:
            raise UnknownNameError("rule for ties", self.ties, TIES)
        if not 0 <= self.sieve <= 1:
            raise InputError(f"the sieve's threshold is {self.sieve}, but a similarity is between 0 and 1")
        if self.k < 1:
            raise InputError(f"k is {self.k}, but at least one hit must be asked for")


def search(index: Index, text: str, options: SearchOptions = SearchOptions()) -> list[Hit]:
    """The concepts that ``text`` may mean, best first, each once; empty where nothing resembles it.

    Terms that were added to the index or removed since the last search are taken up. Where a sieve's first module is
    believed, its hits come first, and no later hit is surer than they are.
    """
    index.refresh()
    allowed = index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)
    *sieves, last = STRATEGIES[options.strategy]
    chosen: list[tuple[_Reading, int, float]] = []
    for module in sieves:
        if index.signals.parts(module.source):
            chosen = _believed(_read_as(index, text, options, module, allowed), options)
        if chosen:
            break
    if len(chosen) < options.k:
        taken = {int(read.evidence.concepts[place]) for read, place, _ in chosen}
        most = min((sure for _, _, sure in chosen), default=1.0)
        read = _read(index, text, options, last, allowed)
        for place in _ranked(read, options).tolist():
            if int(read.evidence.concepts[place]) not in taken:
                chosen.append((read, place, min(float(read.confidences[place]), most)))
    hits = [_hit(index, text, read, place, sure) for read, place, sure in chosen[: options.k] if sure > 0]
    return [hit for hit in _calibrated(index, hits, options) if hit.confidence >= options.least]


def explain(index: Index, text: str, concept_id: str) -> Hit:
    """How one concept fares for ``text``, whether search finds it or not; UnknownIdError for an unknown id.

    Its confidence is the one it has in a search of all names for ``text``, with the rivals such a search has.
    """
    index.refresh()
    concept = index.number(concept_id)
    read = _read(index, text, SearchOptions(), STRATEGIES["OD-T"][0], allowed=None, also=concept)
    (places,) = np.nonzero(read.evidence.concepts == concept)
    if not len(places):
        raise InputError(f"{concept_id} has no name in this index")
    place = int(places[0])
    first = int(_ranked(read, SearchOptions())[0])
    both = [_hit(index, text, read, one, float(read.confidences[one])) for one in dict.fromkeys((first, place))]
    return _calibrated(index, both, SearchOptions())[-1]


def way_of(hit: Hit) -> str:
    """How a first hit was found: one of `ontonym.index.calibration.WAYS`."""
    if hit.reason.detail.startswith(_READ_AS):
        return "mended"
    if hit.reason.rule in {"exact", "normalized"}:
        return "shared" if hit.ambiguous else "spelled"
    return "near"


def _calibrated(index: Index, hits: list[Hit], options: SearchOptions) -> list[Hit]:
    """The hits of a query with the confidences that the index's calibration gives them; in the same order."""
    if index.calibration is None or options.signal != "fused" or not options.calibrated or not hits:
        return hits
    confidences = index.calibration.applied([hit.confidence for hit in hits], way_of(hits[0]))
    return [replace(hit, confidence=round(sure, 6)) for hit, sure in zip(hits, confidences, strict=True)]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A way to read the query, as it is or with its misspelled words mended, and what one module makes of it.

    ``similarities`` are those that a sieve goes by.
    """

    text: str
    signals: Signals
    evidence: Evidence
    confidences: npt.NDArray[np.float64]
    similarities: npt.NDArray[np.float32]

    @property
    def surest(self) -> float:
        return float(self.confidences.max(initial=0.0))

    def term(self, index: Index, name: int) -> Term:
        """The term of a name row; those of added terms follow the ontology's."""
        first = len(self.signals.names)
        if name >= first and self.signals.added is not None:
            return self.signals.added.term(name - first)
        return index.term(name)


def _believed(read: _Reading, options: SearchOptions) -> list[tuple[_Reading, int, float]]:
    """The hits of a sieve's first module that are near enough, each with its confidence, the best first."""
    order = [place for place in _ranked(read, options).tolist() if read.similarities[place] >= options.sieve]
    return [(read, place, float(read.confidences[place])) for place in order[: options.k]]


def _read(
    index: Index, text: str, options: SearchOptions, module: Module, allowed: Mask | None, also: int | None = None
) -> _Reading:
    """The surer of the text as it is and the text mended; as it is where mending gains little."""
    text = _in_capitals(index, text)
    read = _read_as(index, text, options, module, allowed, also)
    if read.evidence.column("spelled").any():
        return read
    mended = index.speller.mended(text, index.signals.is_known)
    if mended is None:
        return read
    other = _read_as(index, mended, options, module, allowed, also)
    return other if other.surest > max(_LEAST_MENDED, read.surest / _TRUST_IN_MENDING) else read


def _in_capitals(index: Index, text: str) -> str:
    """A word in capitals where only so it is a name: "ards" is ARDS, whose S is no plural."""
    spelled, capitals = index.signals.spelled, text.upper()
    if not text.islower() or len(text) > 6 or len(spelled(tokens(text))) or not len(spelled(tokens(capitals))):
        return text
    return capitals


def _read_as(
    index: Index, text: str, options: SearchOptions, module: Module, allowed: Mask | None, also: int | None = None
) -> _Reading:
    signals = index.signals
    evidence = signals.evidence(
        text,
        signals=SIGNALS[options.signal],
        k=max(_CANDIDATES, 2 * options.k),
        allowed=allowed,
        also=also,
        source=module.source,
        representation=module.representation,
        hidden=np.asarray(options.hidden, dtype=np.int64) if options.hidden else None,
    )
    fused = options.signal == "fused"
    similarities = evidence.similarities("dense" if fused else options.signal, module.representation)
    confidences = index.fusion.confidences(evidence.features) if fused else np.clip(similarities, 0, 1).astype(float)
    return _Reading(text, signals, evidence, confidences.round(6), similarities)


def _ranked(read: _Reading, options: SearchOptions) -> npt.NDArray[np.int64]:
    """The places of all candidates, the best first."""
    evidence, sure = read.evidence, -read.confidences
    if options.ties == "random":
        seed = zlib.crc32(read.text.encode(errors="replace"))
        return np.lexsort((np.random.default_rng((options.seed, seed)).permutation(len(sure)), sure))
    spelled, preferred, size = (evidence.column(name) for name in ("spelled", "spelled_preferred", "size"))
    return np.lexsort((evidence.concepts, -size, -preferred, -evidence.given, -spelled, sure))


def _hit(index: Index, text: str, read: _Reading, place: int, confidence: float) -> Hit:
    evidence = read.evidence
    terminology, row = index.locate(int(evidence.concepts[place]))
    features = evidence.features[place]
    spelled = bool(evidence.column("spelled")[place])
    name = int(evidence.best[place])
    is_added = name >= len(read.signals.names)
    term = read.term(index, name) if is_added or not spelled else _nearest_spelling(index, read.text, name)
    return Hit(
        id=terminology.id(row),
        preferred=terminology.preferred(row),
        matched=term.text,
        kind=term.kind,
        scope=term.scope,
        source=term.source,
        terminology=terminology.name,
        confidence=confidence,
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


def _nearest_spelling(index: Index, text: str, name: int) -> Term:
    """Of the terms of the ontology that share a name row, the one written most like the query."""
    names = index.signals.names
    terminology, row = index.locate(int(names.concepts[name]))
    texts = terminology.term_texts()
    first = int(names.terms[name])
    form = normalize(texts[first])
    alike = [term for term in terminology.terms_of(row) if term >= first and normalize(texts[term]) == form]
    wanted = key(text)
    return terminology.term(min(alike, key=lambda term: (texts[term] != text, key(texts[term]) != wanted, term)))


def _reason(text: str, read_as: str, matched: str, features: npt.NDArray[np.float32], *, spelled: bool) -> Reason:
    if text == matched:
        return Reason("exact", "the same text")
    mended = "" if read_as == text else f"{_READ_AS}“{read_as}”: "
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
