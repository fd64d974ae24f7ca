"""Search: from a text to concepts, each once, best first, with the reason.

Hits are ordered by the confidence that the candidates of all terminologies share; the one that a hit has is among the
concepts of its own terminology, so that a later hit of another one may be surer. Among equal confidences, a name equal
to the query comes first, and among those the one added most often, then the preferred term; then the concept whose
preferred term is nearest to the query, then the one with more names; then the order of the terminologies and of their
concepts. Of the first hits, those that are found by one name in several terminologies are one answer, led by the code
that is surest in its own terminology.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from ontonym.arrays import Mask
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.choices import Choice, RankedCandidates
from ontonym.index.interpretation import Readings
from ontonym.index.query import Query
from ontonym.index.scan import Scan
from ontonym.index.signals import SIGNALS
from ontonym.tasks.amountsfirst import amounts_first
from ontonym.tasks.codeheadings import codes_first
from ontonym.tasks.codes import code_hits
from ontonym.tasks.confidences import calibrated_choices, rivals_apart, settled_hits
from ontonym.tasks.hits import AnyHit, MovedHits, PendingHit, made
from ontonym.tasks.listed import with_items
from ontonym.tasks.narrowerfirst import narrower_first
from ontonym.tasks.strategy import DEFAULT_STRATEGY, SIEVE_THRESHOLD, Module, check_strategy, modules_of
from ontonym.types import Hit
from ontonym.wanted import check_wanted

_CANDIDATES = 50
_AT_ONCE = 32  # queries

TIES = ("rule", "random")
"""How ties are ordered: by the rule above, or at random as in Xu (section 3.2)."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search.

    ``k`` is the highest number of hits. ``strategy`` is a name of `PLAIN` or `STRATEGIES`, or ``tuned``. The first
    module of a sieve is accepted if its best hit's similarity is at least ``sieve``, in [0, 1]: that of ``signal``, or
    the dense one if signals are fused. ``signal`` is a name of `SIGNALS`; with one signal confidence is that signal's
    similarity, not a probability. ``within`` (ids: these and their descendants), ``tags`` and ``terminologies`` (names)
    filter inside the scan. ``least`` is the lowest confidence of a hit. ``verbatim``: the query is searched for as it
    is, without correcting its spelling, writing out its abbreviations or setting aside a negation; with one signal the
    similarities are then those of the query itself (Xu equation 1).
    """

    k: int = 10
    strategy: str = DEFAULT_STRATEGY
    signal: str = "fused"
    sieve: float = SIEVE_THRESHOLD
    within: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    terminologies: tuple[str, ...] = ()
    least: float = 0.0
    verbatim: bool = False

    def __post_init__(self) -> None:
        if self.signal not in SIGNALS:
            raise UnknownNameError("signal", self.signal, SIGNALS)
        check_strategy(self.strategy)
        if not 0 <= self.sieve <= 1:
            raise InputError(f"the sieve's threshold is {self.sieve}, but a similarity is between 0 and 1")
        if not 0 <= self.least <= 1:
            raise InputError(f"the lowest confidence of a hit is {self.least}, but a confidence is between 0 and 1")
        if self.k < 1:
            raise InputError(f"k is {self.k}, but at least one hit must be asked for")


@dataclass(frozen=True, slots=True)
class Experiment(SearchOptions):
    """Search options for evaluation, calibration and mining; accepted wherever `SearchOptions` are.

    ``calibrated``: if signals are fused, use the calibration of the index, or `USUAL` where it has none. ``shared``:
    with several terminologies confidences stay those that the candidates of all share, as `settled` takes them.
    ``hidden`` are name rows of the ontology that are treated as absent. ``ties`` is a name of `TIES`; ``seed`` is for
    ``random``.
    """

    calibrated: bool = True
    shared: bool = False
    hidden: tuple[int, ...] = ()
    ties: str = "rule"
    seed: int = 0

    def __post_init__(self) -> None:
        SearchOptions.__post_init__(self)
        if self.ties not in TIES:
            raise UnknownNameError("rule for ties", self.ties, TIES)

    @classmethod
    def unsettled(cls, options: SearchOptions, k: int) -> Experiment:
        """The options for the first ``k`` hits with the confidences that `settled` takes."""
        return cls.of(options, k=k, least=0.0, calibrated=False, shared=True)

    @classmethod
    def of(cls, options: SearchOptions, **changed: Any) -> Experiment:
        """The options, with some for an experiment changed."""
        found = options if isinstance(options, cls) else _as_experiment(options)
        return replace(found, **changed) if changed else found


@lru_cache(maxsize=16)  # many searches have the same options
def _as_experiment(options: SearchOptions) -> Experiment:
    return Experiment(**{field.name: getattr(options, field.name) for field in fields(SearchOptions)})


def search(index: Index, text: str, options: SearchOptions = SearchOptions()) -> list[Hit]:
    """The concepts that ``text`` may mean, best first, each once; empty if nothing resembles it.

    An open index never changes: to search terms that were added since it was opened, give ``index.refreshed()``. If a
    sieve's first module is accepted, its hits come first, and no later hit has a higher confidence.
    """
    return found_hits(index, index.signals.query(text), options)


def found_hits(index: Index, query: Query, options: SearchOptions, among: Mask | None = None) -> list[Hit]:
    """Like `search`, for a query that was read before; ``among`` is a bitmap over concepts, None for all."""
    (found,) = found_hits_of(index, [query], options, among)
    return found


def found_hits_of(
    index: Index, queries: Sequence[Query], options: SearchOptions, among: Mask | None = None
) -> list[list[Hit]]:
    """The hits of each query as in `found_hits`; searched for together, which is faster."""
    return [[*map(made, hits)] for hits in pending_hits_of(index, queries, options, among)]


def pending_hits_of(
    index: Index, queries: Sequence[Query], options: SearchOptions, among: Mask | None = None
) -> list[list[AnyHit]]:
    """The hits of each query as in `found_hits_of`, to be made when they are wanted."""
    found: list[list[AnyHit]] = [[*coded_hits(index, query, options, among)] for query in queries]
    others = [number for number, codes in enumerate(found) if not codes]
    for start in range(0, len(others), _AT_ONCE):
        some = others[start : start + _AT_ONCE]
        ranked = _rankings(index, [queries[number] for number in some], options, options.k, among)
        for number, choices in zip(some, ranked, strict=True):
            found[number] = [PendingHit(index, choice) for choice in shown(choices, options)]
    return found


def coded_hits(index: Index, query: Query, options: SearchOptions, among: Mask | None = None) -> list[Hit]:
    """The concepts that a query is a code of, at most ``k``; none with one signal alone, or where it is a name too."""
    if options.signal != "fused" or index.signals.is_name(query.words):
        return []
    return code_hits(index, query.typed, allowed_by(index, options, among))[: options.k]


def ranking(index: Index, query: Query, options: SearchOptions, wanted: int) -> list[Choice]:
    """The candidates for a query, best first, each once: at least ``wanted`` if there are that many.

    They include only concepts that some signal brings; their confidence may be 0.
    """
    (found,) = _rankings(index, [query], options, wanted)
    return found


def _rankings(
    index: Index, queries: Sequence[Query], options: SearchOptions, wanted: int, among: Mask | None = None
) -> list[list[Choice]]:
    """The `ranking` of each query: of one that lists several findings, that of its items (`ontonym.tasks.listed`)."""
    how, found = Experiment.of(options), whole_rankings(index, queries, options, wanted, among)
    if how.signal != "fused" or how.verbatim or how.shared or not how.calibrated:
        return found
    return with_items(index, queries, found, lambda items: whole_rankings(index, items, options, wanted, among), wanted)


def whole_rankings(
    index: Index, queries: Sequence[Query], options: SearchOptions, wanted: int, among: Mask | None = None
) -> list[list[Choice]]:
    """The candidates as in `ranking` for each query as a whole, though it may list several findings."""
    check_wanted()
    how, allowed = Experiment.of(options), allowed_by(index, options, among)
    *sieves, last = modules_of(index, how.strategy)
    ranked: list[list[Choice]] = [[] for _ in queries]
    for module in sieves:
        others = [number for number, chosen in enumerate(ranked) if not chosen]
        asked = [queries[number] for number in others]
        believed = index.interpreter.candidates.believed(asked, _scan(how, module, allowed), how.sieve, wanted)
        for number, chosen in zip(others, believed, strict=True):
            ranked[number] = chosen
    short = [number for number, chosen in enumerate(ranked) if len(chosen) < wanted]
    scan = _scan(how, last, allowed)
    readings = index.interpreter.readings_of([queries[number] for number in short], scan)
    for number, read in zip(short, readings, strict=True):
        chosen = ranked[number]
        taken = {choice.concept for choice in chosen}
        most = min((choice.confidence for choice in chosen), default=1.0)
        found = _rivals_apart(index, queries[number], read, how, scan)
        further = (one for one in found if one.concept not in taken)
        if taken:
            further = (one.with_confidence(min(one.confidence, most)) for one in further)
        chosen += islice(further, wanted - len(chosen))
    return [_final(index, chosen, how) for chosen in ranked]


def shown(choices: Sequence[Choice], options: SearchOptions) -> list[Choice]:
    """The choices that become hits: the first ``k`` with a high enough confidence."""
    return [one for one in choices[: options.k] if one.confidence >= options.least and one.confidence > 0]


def judged(index: Index, query: Query, options: SearchOptions, concept: int) -> Choice | None:
    """One concept as scored by the last module of the strategy, whether a signal brings it or not.

    Filters are ignored. None if it has no name among those that the module searches.
    """
    return next((one for one in _judged(index, query, options, (concept,)) if one.concept == concept), None)


def judged_together(index: Index, query: Query, options: SearchOptions, concepts: tuple[int, ...]) -> list[Choice]:
    """Several concepts as in `judged`, as candidates of one search.

    Raises InputError if one has no name among those that the strategy searches.
    """
    found = {choice.concept: choice for choice in _judged(index, query, options, concepts)}
    for concept in concepts:
        if concept not in found:
            raise nameless(index, concept, options)
    return [found[concept] for concept in concepts]


def nameless(index: Index, concept: int, options: SearchOptions) -> InputError:
    """The error for a concept that the strategy cannot find."""
    return InputError(f"{index.id(concept)} has no name among those that the strategy {options.strategy} searches")


def _judged(index: Index, query: Query, options: SearchOptions, concepts: tuple[int, ...]) -> list[Choice]:
    how, last = Experiment.of(options), modules_of(index, options.strategy)[-1]
    scan = _scan(how, last, allowed_by(index, options), concepts)
    (readings,) = index.interpreter.readings_of([query], scan)
    return _final(index, list(_rivals_apart(index, query, readings, how, scan)), how)


def settled(index: Index, hits: Sequence[AnyHit] | MovedHits, options: SearchOptions) -> list[Hit]:
    """The ``k`` first hits of a query, from confidences shared among all terminologies to their final confidences.

    Only the concepts of one terminology stay rivals; then the calibration of the index is applied, or `USUAL`.
    """
    how, moved = Experiment.of(options), hits if isinstance(hits, MovedHits) else MovedHits.of(hits)
    if how.signal != "fused" or not moved.hits or moved.hits[0].reason.rule == "code":  # what a code says is certain
        return moved.first(how.k)
    return settled_hits(index, moved, how.k, calibrated=how.calibrated)


def _rivals_apart(index: Index, query: Query, readings: Readings, how: Experiment, scan: Scan) -> Iterator[Choice]:
    """The candidates of all readings of a query, best first, as they are wanted; see `rivals_apart`."""
    found = RankedCandidates.of(readings)
    if how.signal == "fused":
        found = narrower_first(index, query, found, scan, index.interpreter.readings_of)
        found = amounts_first(index, codes_first(index, found))
    if how.shared or how.signal != "fused":
        return map(found.choice, range(len(found)))
    return rivals_apart(index, found)


def _final(index: Index, choices: list[Choice], how: Experiment) -> list[Choice]:
    """The choices, best first, with calibrated confidences if those are wanted."""
    if how.signal != "fused" or not how.calibrated or not choices:
        return choices
    return calibrated_choices(index, choices)


def allowed_by(index: Index, options: SearchOptions, among: Mask | None = None) -> Mask | None:
    """The concepts that pass the filters, of those ``among`` which to search; None for all."""
    passing = index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)
    if among is None or passing is None:
        return among if passing is None else passing
    return passing & among


def scan_of(index: Index, options: SearchOptions, module: Module) -> Scan:
    """The scan of one module of a strategy under these options."""
    return _scan(Experiment.of(options), module, allowed_by(index, options))


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
        verbatim=how.verbatim,
    )
