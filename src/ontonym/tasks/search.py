"""Search: from a person's words to concepts, each once, best first, with the reason.

Hits are ordered by confidence. Equal confidences are ordered by: a name equal to the query first, among those the one
that was added most often, then the preferred term; then the concept whose preferred term is nearer to the query, then
the one with more names; then the order of the terminologies and of their concepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

import numpy as np

from ontonym.arrays import Mask
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.calibration import Calibration, way_of
from ontonym.index.query import Query
from ontonym.index.signals import SIGNALS, Choice, Scan
from ontonym.tasks.hits import hit_of
from ontonym.tasks.strategy import DEFAULT_STRATEGY, SIEVE_THRESHOLD, Module, check_strategy, modules_of
from ontonym.types import Hit

_CANDIDATES = 50

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
        chosen = chosen or index.signals.believed(query, _scan(how, module, allowed), how.sieve, wanted)
    if len(chosen) < wanted:
        taken = {choice.concept for choice in chosen}
        most = min((choice.confidence for choice in chosen), default=1.0)
        read = index.signals.best_interpretation(query, _scan(how, last, allowed))
        others = (place for place in read.ranked() if int(read.evidence.concepts[place]) not in taken)
        chosen += [read.choice(place, most) for place in islice(others, wanted - len(chosen))]
    calibration = _calibration(index, how)
    if not chosen or calibration is None:
        return chosen
    sure = calibration.confidences([choice.confidence for choice in chosen], chosen[0].way)
    return [replace(choice, confidence=one) for choice, one in zip(chosen, sure, strict=True)]


def shown(choices: Sequence[Choice], options: SearchOptions) -> list[Choice]:
    """Those that are hits: the first ``k`` that are sure enough."""
    return [one for one in choices[: options.k] if one.confidence >= options.least and one.confidence > 0]


def judged(index: Index, query: Query, options: SearchOptions, concept: int) -> Choice | None:
    """What the last module of the strategy makes of one concept, whether a signal brings it or not.

    The filters do not keep it out. None where it has no name among those that the module searches.
    """
    how, last = Experiment.of(options), modules_of(index, options.strategy)[-1]
    read = index.signals.best_interpretation(query, _scan(how, last, _allowed(index, options), (concept,)))
    (places,) = np.nonzero(read.evidence.concepts == concept)
    if not len(places):
        return None
    choice = read.choice(int(places[0]))
    calibration = _calibration(index, how)
    if calibration is None:
        return choice
    first = read.choice(read.ranked()[0])
    sure = calibration.confidences([first.confidence, choice.confidence], first.way)
    return replace(choice, confidence=sure[first.place != choice.place])


def calibrated(index: Index, hits: Sequence[Hit], options: SearchOptions) -> list[Hit]:
    """The raw hits of a query, best first, with the confidences that the index's calibration gives them."""
    calibration = _calibration(index, Experiment.of(options))
    if not hits or calibration is None:
        return list(hits)
    sure = calibration.confidences([hit.confidence for hit in hits], way_of(hits[0]))
    return [replace(hit, confidence=one) for hit, one in zip(hits, sure, strict=True)]


def _allowed(index: Index, options: SearchOptions) -> Mask | None:
    return index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)


def _calibration(index: Index, how: Experiment) -> Calibration | None:
    """What was learned for the index and is wanted; None where confidences stay as they are."""
    return index.calibration if how.calibrated and how.signal == "fused" else None


def _scan(how: Experiment, module: Module, allowed: Mask | None, also: tuple[int, ...] = ()) -> Scan:
    return Scan(
        module.source,
        module.representation,
        how.signal,
        k=max(_CANDIDATES, 2 * how.k),
        allowed=allowed,
        hidden=np.asarray(how.hidden, dtype=np.int64) if how.hidden else None,
        also=also,
        seed=how.seed if how.ties == "random" else None,
    )
