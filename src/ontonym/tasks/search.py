"""Search: from a person's words to concepts, each once, best first, with the reason.

Hits are ordered by confidence. Equal confidences are ordered by: a name equal to the query first, among those the one
that was added most often, then the preferred term; then the concept whose preferred term is nearer to the query, then
the one with more names; then the order of the terminologies and of their concepts.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Mask
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index
from ontonym.index.calibration import Calibration
from ontonym.index.evidence import SIGNAL_COLUMNS
from ontonym.tasks.hits import READ_AS, Choice, Reading, hit_of
from ontonym.tasks.strategy import DEFAULT_STRATEGY, SIEVE_THRESHOLD, Module, check_strategy, modules_of
from ontonym.text.normalization import tokens
from ontonym.types import Hit

SIGNALS: Mapping[str, Collection[str]] = MappingProxyType(
    {"fused": tuple(SIGNAL_COLUMNS), **{name: (name,) for name in SIGNAL_COLUMNS}}
)
"""What can rank: all signals fused, or one alone; with the signals that bring its candidates."""

_CANDIDATES = 50
_LEAST_MENDED = 0.1  # a guess at the words that then guesses at the concept explains nothing
_TRUST_IN_MENDING = 0.8
_ROUNDING = 1e-4

TIES = ("rule", "random")
"""How hits that are equally good are ordered: by the rule above, or at random as Xu does (section 3.2), by a seed."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search.

    ``k`` is the most hits wanted. ``strategy`` is a name of `STRATEGIES`, or ``tuned``; the first module of a sieve is
    believed where its best hit's similarity is at least ``sieve``, in [0, 1]: that of ``signal``, or the dense one if
    signals are fused. ``signal`` is a name of `SIGNALS`; alone, a signal's similarity stands for the confidence, which
    is then not calibrated. ``ties`` is a name of `TIES`, and ``seed`` draws where it is ``random``. ``within`` (ids:
    these and what is below them), ``tags`` and ``terminologies`` (names) filter inside the scan. ``least`` is the least
    confidence of a hit. ``calibrated`` uses what `ontonym calibrate` learned of the index, where it has that and
    signals are fused; ``hidden`` are name rows of the ontology searched as if they were not there.
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
        check_strategy(self.strategy)
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
    return [hit_of(index, text, choice) for choice in shown(ranking(index, text, options, options.k), options)]


def ranking(index: Index, text: str, options: SearchOptions, wanted: int) -> list[Choice]:
    """The candidates for ``text``, best first, each once: at least ``wanted`` where there are so many.

    What no signal brings is not among them; some have the confidence 0. Takes up added terms as `search` does.
    """
    index.refresh()
    allowed = index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)
    *sieves, last = modules_of(index, options.strategy)
    chosen: list[Choice] = []
    for module in sieves:
        if index.signals.parts(module.source) and _is_near(index, text, options, module, allowed):
            chosen = _believed(_read_as(index, text, options, module, allowed), options, wanted)
        if chosen:
            break
    if len(chosen) < wanted:
        taken = {choice.concept for choice in chosen}
        most = min((choice.confidence for choice in chosen), default=1.0)
        read = _read(index, text, options, last, allowed)
        for place in _ranked(read, options).tolist():
            if len(chosen) >= wanted:
                break
            if int(read.evidence.concepts[place]) not in taken:
                chosen.append(Choice(read, place, min(float(read.confidences[place]), most)))
    calibration = _calibration(index, options)
    if not chosen or calibration is None:
        return chosen
    sure = _applied(calibration, [choice.confidence for choice in chosen], hit_of(index, text, chosen[0]))
    return [replace(choice, confidence=one) for choice, one in zip(chosen, sure, strict=True)]


def shown(choices: Sequence[Choice], options: SearchOptions) -> list[Choice]:
    """Those that are hits: the first ``k`` that are sure enough."""
    return [one for one in choices[: options.k] if one.confidence >= options.least and one.confidence > 0]


def judged(index: Index, text: str, options: SearchOptions, concept: int) -> Choice | None:
    """What the last module of the strategy makes of one concept, whether a signal brings it or not.

    The filters do not keep it out. None where it has no name among those that the module searches.
    """
    index.refresh()
    allowed = index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)
    read = _read(index, text, options, modules_of(index, options.strategy)[-1], allowed, also=(concept,))
    (places,) = np.nonzero(read.evidence.concepts == concept)
    if not len(places):
        return None
    choice = Choice(read, int(places[0]), float(read.confidences[places[0]]))
    calibration = _calibration(index, options)
    if calibration is None:
        return choice
    best = int(_ranked(read, options)[0])
    first = Choice(read, best, float(read.confidences[best]))
    sure = _applied(calibration, [first.confidence, choice.confidence], hit_of(index, text, first))
    return replace(choice, confidence=sure[best != choice.place])


def way_of(hit: Hit) -> str:
    """How a first hit was found: one of `ontonym.index.calibration.WAYS`."""
    if hit.reason.detail.startswith(READ_AS):
        return "mended"
    if hit.reason.rule in {"exact", "normalized"}:
        return "shared" if hit.ambiguous else "spelled"
    return "near"


def calibrated(index: Index, hits: Sequence[Hit], options: SearchOptions) -> list[Hit]:
    """The raw hits of a query, best first, with the confidences that the index's calibration gives them."""
    calibration = _calibration(index, options)
    if not hits or calibration is None:
        return list(hits)
    sure = _applied(calibration, [hit.confidence for hit in hits], hits[0])
    return [replace(hit, confidence=one) for hit, one in zip(hits, sure, strict=True)]


def _calibration(index: Index, options: SearchOptions) -> Calibration | None:
    """What is learned of the index and wanted; None where confidences stay as they are."""
    return index.calibration if options.calibrated and options.signal == "fused" else None


def _applied(calibration: Calibration, confidences: Sequence[float], first: Hit) -> list[float]:
    return [round(one, 6) for one in calibration.applied(confidences, way_of(first))]


def _is_near(index: Index, text: str, options: SearchOptions, module: Module, allowed: Mask | None) -> bool:
    """Whether a candidate of a sieve's first module may be near enough; told at little cost by the dense signal."""
    if options.signal not in ("fused", "dense"):
        return True
    return index.signals.nearness(text, module.source, module.representation, allowed) > options.sieve - _ROUNDING


def _believed(read: Reading, options: SearchOptions, wanted: int) -> list[Choice]:
    """The first ``wanted`` of a sieve's first module that are near enough, each with its confidence, the best first."""
    near = [place for place in _ranked(read, options).tolist() if read.similarities[place] >= options.sieve]
    return [Choice(read, place, float(read.confidences[place]), believed=True) for place in near[:wanted]]


def _read(
    index: Index, text: str, options: SearchOptions, module: Module, allowed: Mask | None, also: Collection[int] = ()
) -> Reading:
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
    index: Index, text: str, options: SearchOptions, module: Module, allowed: Mask | None, also: Collection[int] = ()
) -> Reading:
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
    return Reading(text, module, signals, evidence, confidences.round(6), similarities)


def _ranked(read: Reading, options: SearchOptions) -> npt.NDArray[np.int64]:
    """The places of all candidates, the best first."""
    evidence, sure = read.evidence, -read.confidences
    if options.ties == "random":
        seed = zlib.crc32(read.text.encode(errors="replace"))
        return np.lexsort((np.random.default_rng((options.seed, seed)).permutation(len(sure)), sure))
    return np.lexsort((*evidence.tie_keys(), sure))
