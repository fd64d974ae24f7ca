"""The confidences of hits, from those of candidates: who is whose rival, and how often such a hit is right.

The candidates of a query share one confidence (`ontonym.index.fuse`). Then, in this order:

1. Only concepts of one terminology stay rivals, and duplicate records are none (`RatedCandidates.own`).
2. Of the first candidates, the surest code of one answer comes first, and before a first that is likelier wrong than
   right one of another terminology that is likelier right (`RatedCandidates.order`). One of another terminology that
   says more of the query goes before the first (`ontonym.tasks.fulleranswer`).
3. A curve makes each the share of such hits that are right: that of the index's calibration, or of
   `ontonym.index.calibration.USUAL` (`RatedCandidates.calibrated`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, takewhile
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from ontonym.index import Index
from ontonym.index.calibration import USUAL, way_of
from ontonym.index.choices import LIKELIER_RIGHT, Choice, RankedCandidates
from ontonym.index.everyday import is_near_name
from ontonym.index.interpretation import own_totals
from ontonym.tasks.duplicates import (
    firsts_of_candidates,
    firsts_of_choices,
    firsts_with_twins,
    joint_confidences,
    joint_order,
    way_among,
)
from ontonym.tasks.equivalents import form_found
from ontonym.tasks.fulleranswer import fuller_answer
from ontonym.tasks.hits import MovedHits, PendingHit, made, term_of
from ontonym.text.normalization import normalize, tokens
from ontonym.text.unspecified import without_unspecified
from ontonym.text.wordroots import roots_of
from ontonym.types import Hit

SURE = 0.8
"""The confidence from which on an answer is sure; below it, an answer is doubtful."""


@dataclass(frozen=True)
class RatedCandidates:
    """The candidates of a query by their numbers: confidences, the numbers of their terminologies, and ``firsts`` as in
    `ontonym.tasks.duplicates`.
    """

    confidences: Sequence[float]
    terminologies: Sequence[int]
    firsts: Sequence[int]

    def own(self, number: int) -> float:
        """The confidence of a candidate as if only its own terminology had been searched, from those that the
        candidates of all terminologies share.

        Duplicates are no rivals: each has the confidence of all of them. "None of them" is a rival of all.
        """
        return self._joint[number] if self._totals is None else round(self._joint[number] / self._totals[number], 9)

    @cached_property
    def _joint(self) -> list[float]:
        return joint_confidences(self.confidences, self.firsts)

    @cached_property
    def _totals(self) -> list[float] | None:
        """What the candidates of its terminology and none of them share, by candidate; None for one terminology."""
        if len(set(self.terminologies)) < 2:
            return None
        shared = np.asarray(self.confidences, dtype=np.float64)
        totals: list[float] = own_totals(shared, np.asarray(self.terminologies, dtype=np.int64)).tolist()
        return totals

    def order(self, index: Index, name_of: Callable[[int], _FoundName]) -> list[int]:
        """The numbers of the candidates, best first; ``name_of`` says by which name one is found."""
        order = joint_order(self.confidences, self.firsts)
        if not order or len(index.terminologies) == 1:
            return order
        return self._likelier_right_first(self._surest_code_first(order, name_of))

    def _surest_code_first(self, order: list[int], name_of: Callable[[int], _FoundName]) -> list[int]:
        """The order, in which those that lead it and are found by one name are sorted by their own confidence, those
        with it as their preferred term before others: *Urinary tract infection, site not specified* before *Recurrent
        urinary tract infections*. What is only near to the name is last.

        Those of several terminologies are one answer, which its surest code should stand for; confidences are compared
        in tenths, so that a little more changes nothing.
        """
        first = name_of(order[0])
        names = takewhile(lambda one: one.form == first.form, map(name_of, islice(order, 1, None)))
        same_name = dict(zip(order, [first, *names], strict=False))
        if len(same_name) == 1:
            return order
        words = roots_of(tuple(first.form.split()))

        def key(number: int) -> tuple[bool, float, bool]:
            preferred = roots_of(tuple(tokens(without_unspecified(same_name[number].preferred))))
            return same_name[number].is_near, -round(self.own(number), 1), preferred != words

        return [*sorted(same_name, key=key), *order[len(same_name) :]]

    def _likelier_right_first(self, order: list[int]) -> list[int]:
        """The order, in which the best of another terminology goes before all if it is likelier right than wrong by its
        own confidence, and the one that leads is not: that one has rivals in its terminology, this one hardly any.

        Duplicates of a candidate have its confidence and go with it.
        """
        if self.own(order[0]) >= LIKELIER_RIGHT:
            return order
        seen = {self.terminologies[order[0]]}
        for number in order:
            terminology = self.terminologies[number]
            if terminology in seen:
                continue
            seen.add(terminology)
            if (sure := self.own(number)) >= LIKELIER_RIGHT:
                first = [one for one in order if self.terminologies[one] == terminology and self.own(one) == sure]
                return [*first, *(one for one in order if one not in first)]
        return order

    def calibrated(self, index: Index, order: Sequence[int], way_at: Callable[[int], str]) -> list[float]:
        """Calibrated confidences by number; how the first candidate of each terminology was found (``way_at``) decides
        by which curve those of its candidates are.

        Duplicates have the confidence of the first of them.
        """
        calibration, sure = index.calibration or USUAL, list(self.confidences)
        for terminology in set(self.terminologies):
            own = [one for one in order if self.terminologies[one] == terminology and self.firsts[one] == one]
            raw = [self.confidences[number] for number in own]
            for number, one in zip(own, calibration.confidences(raw, way_at(own[0])), strict=True):
                sure[number] = one
        return [sure[first] for first in self.firsts]


class _FoundName(NamedTuple):
    """The name by which a candidate is found, normalized, whether the candidate is only near to it, and the preferred
    term."""

    form: str
    is_near: bool
    preferred: str


def rivals_apart(index: Index, found: RankedCandidates) -> Iterator[Choice]:
    """The candidates, as they are wanted, with the confidence that each has among its rivals.

    These are the others of its own terminology but for its duplicates.
    """
    firsts = firsts_of_candidates(index, found)
    if len(index.terminologies) == 1 and firsts == list(range(len(firsts))):
        yield from map(found.choice, range(len(found)))
        return
    rated = RatedCandidates(found.confidences, found.terminologies, firsts)

    def name_of(number: int) -> _FoundName:
        choice = found.choice(number)
        name = term_of(index, choice.read.name_row(choice.place))
        return _FoundName(form_found(index, choice), is_near_name(name), index.preferred(choice.concept))

    order = rated.order(index, name_of)
    fuller = fuller_answer(index, order, found.choice, rated.own)
    if fuller is not None:
        yield found.choice(*fuller)
    for number in order:
        if fuller is None or number != fuller.number:
            yield found.choice(number, rated.own(number))


def settled_hits(index: Index, moved: MovedHits, k: int, *, calibrated: bool) -> list[Hit]:
    """The first ``k`` of the hits of a query whose confidences are still shared among all terminologies, with those of
    `rivals_apart` and, if ``calibrated``, of `calibrated_choices`.
    """
    names, hits = [terminology.name for terminology in index.terminologies], moved.hits
    terminologies = [names.index(hit.terminology) for hit in hits]
    rated = RatedCandidates(moved.confidences, terminologies, firsts_with_twins(index, hits, moved.confidences))

    def name_of(number: int) -> _FoundName:
        hit = made(hits[number])
        return _FoundName(normalize(hit.matched), is_near_name(hit), hit.preferred)

    order = rated.order(index, name_of)
    sure = [*map(rated.own, range(len(hits)))]
    choices = [hit.choice for hit in hits if isinstance(hit, PendingHit)]
    if len(choices) == len(hits) and (fuller := fuller_answer(index, order, choices.__getitem__, sure.__getitem__)):
        sure[fuller.number] = fuller.confidence
        order = [fuller.number, *(number for number in order if number != fuller.number)]
    if calibrated:
        apart = replace(rated, confidences=sure)
        sure = apart.calibrated(index, order, lambda number: way_of(made(hits[number])))
    return [moved.hit(number, sure[number]) for number in order[:k]]


def calibrated_choices(index: Index, choices: Sequence[Choice]) -> list[Choice]:
    """The choices for a query, best first, with calibrated confidences."""
    firsts = firsts_of_choices(index, choices)
    terminologies = [index.place(choice.concept) for choice in choices]
    rated = RatedCandidates([choice.confidence for choice in choices], terminologies, firsts)
    sure = rated.calibrated(index, range(len(choices)), lambda number: way_among(choices, number, firsts))
    return [choice.with_confidence(one) for choice, one in zip(choices, sure, strict=True)]


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
