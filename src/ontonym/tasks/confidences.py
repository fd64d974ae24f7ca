"""The confidences of hits, from those of candidates: who is whose rival, and how often such a hit is right.

The candidates of a query share one confidence (`ontonym.index.fuse`). Then, in this order:

1. Only concepts of one terminology stay rivals, and duplicate records are none (`own_confidence`).
2. Of the first candidates, the surest code of one answer comes first (`_surest_code_first`), and before a first that is
   likelier wrong than right one of another terminology that is likelier right (`_likelier_right_first`).
3. A curve makes each the share of such hits that are right: that of the index's calibration, or of
   `ontonym.index.calibration.USUAL` (`_calibrated`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Protocol, TypeVar

import numpy as np

from ontonym.index import Index
from ontonym.index.calibration import USUAL, way_of
from ontonym.index.choices import LIKELIER_RIGHT, Choice, RankedCandidates, own_totals
from ontonym.tasks.duplicates import (
    firsts_of_candidates,
    firsts_of_choices,
    firsts_of_hits,
    joint_confidences,
    joint_order,
    way_among,
)
from ontonym.tasks.hits import MovedHits, form_found, made
from ontonym.text.normalization import normalize
from ontonym.types import Hit

SURE = 0.8
"""The confidence from which on an answer is sure; below it, an answer is doubtful."""


def rivals_apart(index: Index, found: RankedCandidates) -> Iterator[Choice]:
    """The candidates, as they are wanted, with the confidence that each has among its rivals.

    These are the others of its own terminology but for its duplicates.
    """
    firsts = firsts_of_candidates(index, found)
    if len(index.terminologies) == 1 and firsts == list(range(len(firsts))):
        yield from map(found.choice, range(len(found)))
        return
    shared, places = found.confidences, found.terminologies
    order, own = _ordered(index, shared, places, firsts, lambda number: form_found(index, found.choice(number)))
    for number in order:
        yield found.choice(number, own(number))


def settled_hits(index: Index, moved: MovedHits, k: int, *, calibrated: bool) -> list[Hit]:
    """The first ``k`` of the hits of a query whose confidences are still shared among all terminologies, with those of
    `rivals_apart` and, if ``calibrated``, of `calibrated_choices`.
    """
    names, hits, shared = [terminology.name for terminology in index.terminologies], moved.hits, moved.confidences
    places = [names.index(hit.terminology) for hit in hits]
    firsts = firsts_of_hits(hits, index, shared)
    order, own = _ordered(index, shared, places, firsts, lambda number: normalize(hits[number].matched))
    new_place = {number: position for position, number in enumerate(order)}
    firsts = [new_place[firsts[number]] for number in order]
    places, sure = [places[number] for number in order], [*map(own, order)]
    if calibrated:
        sure = _calibrated(index, sure, places, lambda number: way_of(made(hits[order[number]])), firsts)
    return [moved.hit(number, one) for number, one in islice(zip(order, sure, strict=True), k)]


def calibrated_choices(index: Index, choices: Sequence[Choice]) -> list[Choice]:
    """The choices for a query, best first, with calibrated confidences."""
    places = [index.place(choice.concept) for choice in choices]
    raw = [choice.confidence for choice in choices]
    firsts = firsts_of_choices(index, choices)
    sure = _calibrated(index, raw, places, lambda number: way_among(choices, number, firsts), firsts)
    return [choice.with_confidence(one) for choice, one in zip(choices, sure, strict=True)]


def _ordered(
    index: Index,
    shared: Sequence[float],
    places: Sequence[int],
    firsts: Sequence[int],
    form_of: Callable[[int], str],
) -> tuple[list[int], Callable[[int], float]]:
    """The numbers of the candidates, best first, and a function that gives the confidence of each among its rivals.

    ``shared`` are their confidences among all, ``places`` the numbers of their terminologies, ``firsts`` as in
    `ontonym.tasks.duplicates`; ``form_of`` gives the normalized form of the name by which a candidate is found.
    """
    own, order = own_confidence(shared, places, firsts), joint_order(shared, firsts)
    if len(index.terminologies) > 1:
        order = _surest_code_first(order, own, form_of)
        order = _likelier_right_first(order, own, places)
    return order, own


def own_confidence(shared: Sequence[float], places: Sequence[int], firsts: Sequence[int]) -> Callable[[int], float]:
    """A function that gives, by the number of a candidate, its confidence as if only its own terminology had been
    searched; few are asked for.

    The ``shared`` confidences are those among the candidates of all terminologies; the other arguments are as in
    `_ordered`. Duplicates are no rivals: each has the confidence of all of them. "None of them" is a rival of all.
    """
    joint = joint_confidences(shared, firsts)
    if len(set(places)) < 2:
        return joint.__getitem__
    totals = own_totals(np.asarray(shared, dtype=np.float64), np.asarray(places, dtype=np.int64)).tolist()
    return lambda number: round(joint[number] / totals[number], 9)


def _surest_code_first(order: list[int], own: Callable[[int], float], form_of: Callable[[int], str]) -> list[int]:
    """The order, in which those that lead it and are found by one name are sorted by their ``own`` confidence.

    Those of several terminologies are one answer, which its surest code should stand for; confidences are compared in
    tenths, so that a little more changes nothing.
    """
    if not order:
        return order
    form = form_of(order[0])
    same_name = [order[0], *takewhile(lambda number: form_of(number) == form, islice(order, 1, None))]
    return [*sorted(same_name, key=lambda number: -round(own(number), 1)), *order[len(same_name) :]]


def _likelier_right_first(order: list[int], own: Callable[[int], float], places: Sequence[int]) -> list[int]:
    """The order, in which the best of another terminology goes before all if it is likelier right than wrong by its
    ``own`` confidence, and the one that leads is not: that one has rivals in its terminology, this one hardly any.

    ``places`` are the terminologies of the candidates. Duplicates of a candidate have its confidence and go with it.
    """
    if not order or own(order[0]) >= LIKELIER_RIGHT:
        return order
    seen = {places[order[0]]}
    for number in order:
        if places[number] in seen:
            continue
        seen.add(places[number])
        if own(number) >= LIKELIER_RIGHT:
            together = [one for one in order if places[one] == places[number] and own(one) == own(number)]
            return [*together, *(one for one in order if one not in together)]
    return order


def _calibrated(
    index: Index,
    raw: Sequence[float],
    places: Sequence[int],
    way_at: Callable[[int], str],
    firsts: Sequence[int],
) -> list[float]:
    """Calibrated confidences; the way of the first hit of each terminology decides by which curve its hits are.

    Duplicates have the confidence of the first of them.
    """
    calibration, sure = index.calibration or USUAL, list(raw)
    for place in set(places):
        own = [number for number, one in enumerate(places) if one == place and firsts[number] == number]
        for number, one in zip(own, calibration.confidences([raw[n] for n in own], way_at(own[0])), strict=True):
            sure[number] = one
    return [sure[first] for first in firsts]


class Confident(Protocol):
    """What has a confidence, in [0, 1]."""

    @property
    def confidence(self) -> float:
        """How likely it is right."""


_T = TypeVar("_T", bound=Confident)


def surest_first(several: Sequence[Sequence[_T]], concept: Callable[[_T], Hashable]) -> list[_T]:
    """The candidates of several texts, each ``concept`` once, the surest first; those of one text stay in their order,
    in which a surer one may stand below others, so that a cut leaves out the last."""
    best: dict[Hashable, tuple[float, _T]] = {}
    for some in several:
        least = 1.0
        for candidate in some:
            least, one = min(least, candidate.confidence), concept(candidate)
            if one not in best or least > best[one][0]:
                best.pop(one, None)  # its place among equals is the later one
                best[one] = least, candidate
    return [candidate for _, candidate in sorted(best.values(), key=lambda one: -one[0])]


def with_parts(
    whole: Sequence[_T],
    parts: Sequence[Sequence[_T]],
    precision: float,
    concept: Callable[[_T], Hashable],
    with_confidence: Callable[[_T, float], _T],
) -> list[_T]:
    """The candidates of a text, from those of the ``whole`` and those of its ``parts``, the surest first.

    The answers for the parts are right about the text as often as ``precision`` says. The whole keeps its confidence,
    or where that is sure, the share which the parts leave. ``with_confidence`` gives a candidate another confidence.
    """
    left = 1 - precision if whole[0].confidence >= SURE else 1.0
    shares = [*((some, precision) for some in parts), (whole, left)]
    several = [[with_confidence(one, round(one.confidence * share, 6)) for one in some] for some, share in shares]
    return surest_first(several, concept)
