"""Search: from a person's words to concepts, each once, best first, with the reason.

Hits are ordered by confidence. Equal confidences are ordered by: a name equal to the query first, among those the one
that was added most often, then the preferred term; then the concept whose preferred term is nearer to the query, then
the one with more names; then the order of the terminologies and of their concepts.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.calibration import Calibration, way_of
from ontonym.index.evidence import SIGNAL_COLUMNS
from ontonym.index.query import Query
from ontonym.tasks.hits import Choice, Interpretation, hit_of
from ontonym.tasks.strategy import DEFAULT_STRATEGY, SIEVE_THRESHOLD, Module, check_strategy, modules_of
from ontonym.types import Hit

SIGNALS: Mapping[str, Collection[str]] = MappingProxyType(
    {"fused": tuple(SIGNAL_COLUMNS), **{name: (name,) for name in SIGNAL_COLUMNS}}
)
"""What can rank: all signals fused, or one alone; with the signals that bring its candidates."""

_CANDIDATES = 50
_LEAST_CORRECTED = 0.1  # a guess at the words that then guesses at the concept explains nothing
_TRUST_IN_CORRECTION = 0.8
_ROUNDING = 1e-4

TIES = ("rule", "random")
"""How equally good hits are ordered: by the rule above, or at random as Xu does (section 3.2)."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search.

    ``k`` is the most hits wanted. ``strategy`` is a name of `STRATEGIES`, or ``tuned``; the first module of a sieve is
    believed where its best hit's similarity is at least ``sieve``, in [0, 1]: that of ``signal``, or the dense one if
    signals are fused. ``signal`` is a name of `SIGNALS`; with one signal the confidence is that signal's similarity,
    not a probability. ``within`` (ids: these and what is below them), ``tags`` and ``terminologies`` (names) filter
    inside the scan. ``least`` is the least confidence of a hit.
    """

    k: int = 10
    strategy: str = DEFAULT_STRATEGY
    signal: str = "fused"
    sieve: float = SIEVE_THRESHOLD
    within: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    terminologies: tuple[str, ...] = ()
    least: float = 0.0

    def __post_init__(self) -> None:
        if self.signal not in SIGNALS:
            raise UnknownNameError("signal", self.signal, SIGNALS)
        check_strategy(self.strategy)
        if not 0 <= self.sieve <= 1:
            raise InputError(f"the sieve's threshold is {self.sieve}, but a similarity is between 0 and 1")
        if self.k < 1:
            raise InputError(f"k is {self.k}, but at least one hit must be asked for")


@dataclass(frozen=True, slots=True)
class Experiment(SearchOptions):
    """A search as evaluation, calibration and mining need it: anything that takes `SearchOptions` takes one.

    ``calibrated``: use the calibration of the index, where it has one and signals are fused. ``hidden`` are name rows
    of the ontology that are searched as if they were not there. ``ties`` is a name of `TIES`; ``seed`` draws where it
    is ``random``.
    """

    calibrated: bool = True
    hidden: tuple[int, ...] = ()
    ties: str = "rule"
    seed: int = 0

    def __post_init__(self) -> None:
        SearchOptions.__post_init__(self)
        if self.ties not in TIES:
            raise UnknownNameError("rule for ties", self.ties, TIES)

    @classmethod
    def of(cls, options: SearchOptions, **changed: Any) -> Experiment:
        """The options with some of an experiment's."""
        if isinstance(options, cls):
            return replace(options, **changed) if changed else options
        return cls(**{field.name: getattr(options, field.name) for field in fields(SearchOptions)} | changed)


def search(index: Index, text: str, options: SearchOptions = SearchOptions()) -> list[Hit]:
    """The concepts that ``text`` may mean, best first, each once; empty where nothing resembles it.

    An open index never changes: to search terms that were added since it was opened, give ``index.refreshed()``. Where
    a sieve's first module is believed, its hits come first, and no later hit is surer than they are.
    """
    return found_hits(index, index.signals.query(text), options)


def found_hits(index: Index, query: Query, options: SearchOptions) -> list[Hit]:
    """Like `search`, for a query that was read before."""
    return [hit_of(index, choice) for choice in shown(ranking(index, query, options, options.k), options)]


def ranking(index: Index, query: Query, options: SearchOptions, wanted: int) -> list[Choice]:
    """The candidates for a query, best first, each once: at least ``wanted`` where there are so many.

    What no signal brings is not among them; some have the confidence 0.
    """
    how, allowed = Experiment.of(options), _allowed(index, options)
    *sieves, last = modules_of(index, options.strategy)
    chosen: list[Choice] = []
    for module in sieves:
        if index.signals.parts(module.source) and _is_near(index, query, options, module, allowed):
            chosen = _believed(_interpreted(index, query, how, module, allowed), how, wanted)
        if chosen:
            break
    if len(chosen) < wanted:
        taken = {choice.concept for choice in chosen}
        most = min((choice.confidence for choice in chosen), default=1.0)
        read = _best_interpretation(index, query, how, last, allowed)
        for place in _ranked(read, how).tolist():
            if len(chosen) >= wanted:
                break
            if int(read.evidence.concepts[place]) not in taken:
                chosen.append(Choice(read, place, min(float(read.confidences[place]), most)))
    calibration = _calibration(index, how)
    if not chosen or calibration is None:
        return chosen
    sure = _applied(calibration, [choice.confidence for choice in chosen], chosen[0].way)
    return [replace(choice, confidence=one) for choice, one in zip(chosen, sure, strict=True)]


def shown(choices: Sequence[Choice], options: SearchOptions) -> list[Choice]:
    """Those that are hits: the first ``k`` that are sure enough."""
    return [one for one in choices[: options.k] if one.confidence >= options.least and one.confidence > 0]


def judged(index: Index, query: Query, options: SearchOptions, concept: int) -> Choice | None:
    """What the last module of the strategy makes of one concept, whether a signal brings it or not.

    The filters do not keep it out. None where it has no name among those that the module searches.
    """
    how, last = Experiment.of(options), modules_of(index, options.strategy)[-1]
    read = _best_interpretation(index, query, how, last, _allowed(index, options), also=(concept,))
    (places,) = np.nonzero(read.evidence.concepts == concept)
    if not len(places):
        return None
    choice = Choice(read, int(places[0]), float(read.confidences[places[0]]))
    calibration = _calibration(index, how)
    if calibration is None:
        return choice
    best = int(_ranked(read, how)[0])
    first = Choice(read, best, float(read.confidences[best]))
    sure = _applied(calibration, [first.confidence, choice.confidence], first.way)
    return replace(choice, confidence=sure[best != choice.place])


def calibrated(index: Index, hits: Sequence[Hit], options: SearchOptions) -> list[Hit]:
    """The raw hits of a query, best first, with the confidences that the index's calibration gives them."""
    calibration = _calibration(index, Experiment.of(options))
    if not hits or calibration is None:
        return list(hits)
    sure = _applied(calibration, [hit.confidence for hit in hits], way_of(hits[0]))
    return [replace(hit, confidence=one) for hit, one in zip(hits, sure, strict=True)]


def _allowed(index: Index, options: SearchOptions) -> Mask | None:
    return index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)


def _calibration(index: Index, how: Experiment) -> Calibration | None:
    """What was learned for the index and is wanted; None where confidences stay as they are."""
    return index.calibration if how.calibrated and how.signal == "fused" else None


def _applied(calibration: Calibration, confidences: Sequence[float], way: str) -> list[float]:
    return [round(one, 6) for one in calibration.applied(confidences, way)]


def _is_near(index: Index, query: Query, options: SearchOptions, module: Module, allowed: Mask | None) -> bool:
    """Whether a candidate of a sieve's first module may be near enough; the dense signal says so at little cost."""
    if options.signal not in ("fused", "dense"):
        return True
    return index.signals.nearness(query, module.source, module.representation, allowed) > options.sieve - _ROUNDING


def _believed(read: Interpretation, how: Experiment, wanted: int) -> list[Choice]:
    """The first ``wanted`` of a sieve's first module that are near enough, each with its confidence, the best first."""
    near = [place for place in _ranked(read, how).tolist() if read.similarities[place] >= how.sieve]
    return [Choice(read, place, float(read.confidences[place]), believed=True) for place in near[:wanted]]


def _best_interpretation(
    index: Index, query: Query, how: Experiment, module: Module, allowed: Mask | None, also: Collection[int] = ()
) -> Interpretation:
    """The surer of the query as it is and the corrected one; as it is where correcting gains little."""
    query = index.signals.capitalized(query)
    read = _interpreted(index, query, how, module, allowed, also)
    if read.evidence.column("spelled").any():
        return read
    corrected = index.signals.corrected(query)
    if corrected is None:
        return read
    other = _interpreted(index, corrected, how, module, allowed, also)
    return other if other.surest > max(_LEAST_CORRECTED, read.surest / _TRUST_IN_CORRECTION) else read


def _interpreted(
    index: Index, query: Query, how: Experiment, module: Module, allowed: Mask | None, also: Collection[int] = ()
) -> Interpretation:
    evidence = index.signals.evidence(
        query,
        signals=SIGNALS[how.signal],
        k=max(_CANDIDATES, 2 * how.k),
        allowed=allowed,
        also=also,
        source=module.source,
        representation=module.representation,
        hidden=np.asarray(how.hidden, dtype=np.int64) if how.hidden else None,
    )
    similarities = evidence.similarities("dense" if how.signal == "fused" else how.signal, module.representation)
    confidences = index.confidences(evidence, how.signal, module.representation)
    return Interpretation(query, module, evidence, confidences.round(6), similarities)


def _ranked(read: Interpretation, how: Experiment) -> Ints:
    """The places of all candidates, the best first."""
    evidence, sure = read.evidence, -read.confidences
    if how.ties == "random":
        seed = zlib.crc32(read.query.text.encode(errors="replace"))
        return np.lexsort((np.random.default_rng((how.seed, seed)).permutation(len(sure)), sure))
    return np.lexsort((*evidence.tie_keys(), sure))
