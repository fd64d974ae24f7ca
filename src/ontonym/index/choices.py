"""The candidates of a query under each interpretation of it, and the choice among them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from typing import NamedTuple, TypeAlias

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints
from ontonym.index.calibration import way_found
from ontonym.index.evidence import FEATURES, Evidence
from ontonym.index.query import Query
from ontonym.index.scan import Scan

_SMALL = 1e-3
"""Confidences below it keep nine digits, so that none becomes 0."""

_LEAST = 1e-9
"""The least confidence that is told from 0."""

_SPELLED, _QUERY_SHARE, _WORDS, _INEXACT = (
    FEATURES.index(name) for name in ("spelled", "query_share", "words", "inexact")
)

LIKELIER_RIGHT = 0.5
"""The default threshold where all signals rank: no answer is likelier wrong than right.

Where several concepts share the name, it is their confidence together: which of them is meant is not known, but one is.
"""

NAMED = 10.0
"""How much likelier a reading of a query is whose words are a name: hardly any wrong reading is one."""

_ALL_WORDS = 0.995
"""From here on a query and a name have the same words but for such as *of* and *the*."""


class Doubt(NamedTuple):
    """Which ``share`` of the confidences of an interpretation is left, in (0, 1], and ``why`` it is less than all."""

    share: float
    why: str


NO_DOUBT = Doubt(1.0, "")


@dataclass(frozen=True, eq=False)
class Interpretation:
    """The candidates of a query as it was read: as typed, corrected, or in other words. Variables are named ``read``.

    ``confidences``, ``similarities`` and ``terminologies`` (by number) are by candidate; the modules of a sieve use the
    similarities. ``prior`` is how likely the query is meant this way before anything is searched for, in (0, 1].
    ``doubt`` says why its answer is less sure than its evidence (`ontonym.index.doubts`).
    """

    query: Query
    scan: Scan
    evidence: Evidence
    confidences: Doubles
    similarities: Floats
    terminologies: Ints
    prior: float = 1.0
    doubt: Doubt = NO_DOUBT

    @cached_property
    def surest_place(self) -> int:
        """The position of the surest candidate: the one surest among those of its own terminology, as the same concept
        in two terminologies is no rival to itself; -1 if there is no candidate."""
        return int(self.own_confidences.argmax()) if len(self.own_confidences) else -1

    @property
    def surest(self) -> float:
        """The confidence of the surest candidate, 0 if there is none. Of one signal alone it is the similarity."""
        return float(self.own_confidences[self.surest_place]) if self.surest_place >= 0 else 0.0

    @property
    def answer(self) -> int:
        """The concept number of the surest candidate, -1 if there is none."""
        return self.concept(self.surest_place) if self.surest_place >= 0 else -1

    def concept(self, place: int) -> int:
        """The concept number of the candidate at a position."""
        return int(self.evidence.concepts[place])

    def name_row(self, place: int) -> int:
        """The row of the name by which the candidate at a position is found."""
        return int(self.evidence.best[place])

    def is_spelled(self, place: int) -> bool:
        """Whether a name of the candidate at a position is equal to the query."""
        return bool(self.evidence.features[place, _SPELLED])

    @property
    def is_name(self) -> bool:
        """Whether the query is a name of some candidate."""
        return bool(self.evidence.features[:, _SPELLED].any())

    @property
    def has_named_answer(self) -> bool:
        """Whether the surest candidate has a name equal to the query."""
        return self.surest_place >= 0 and self.is_spelled(self.surest_place)

    @property
    def weight(self) -> float:
        """How well the surest candidate speaks for this reading, 0 or more; 0 if there is no candidate.

        It is its confidence, times the square of the share of the query's words that its name has: a reading that
        leaves words unexplained is seldom meant. If the query is a name of it, and no merely related one, it counts
        `NAMED` times as much.
        """
        if self.surest_place < 0:
            return 0.0
        of_best = self.evidence.features[self.surest_place]
        explained = float(of_best[_QUERY_SHARE]) ** 2
        is_named = (of_best[_SPELLED] or of_best[_WORDS] >= _ALL_WORDS) and not of_best[_INEXACT]
        return self.surest * explained * (NAMED if is_named else 1.0)

    def of(self, query: Query) -> Interpretation:
        """The interpretation of another query that has the same candidates (`Query.cache_key`)."""
        return self if query is self.query else replace(self, query=query)

    def scaled(self, share: float) -> Interpretation:
        """The interpretation with this share of its confidences."""
        return replace(self, confidences=rounded(self.confidences * share))

    @cached_property
    def own_confidences(self) -> Doubles:
        """The confidence of each candidate among those of its own terminology; each step of a search asks for it."""
        sure = self.confidences
        if self.scan.signal == "fused" and len(sure):
            sure = sure / own_totals(sure, self.terminologies)
        return sure

    def ranked(self) -> list[int]:
        """The positions of all candidates, best first."""
        sure, keys = -self.confidences, self.evidence.tie_keys()
        if self.scan.seed is not None:
            drawn = np.random.default_rng((self.scan.seed, zlib.crc32(self.query.text.encode(errors="replace"))))
            keys = (drawn.permutation(len(sure)),)
        places: list[int] = np.lexsort((*keys, sure)).tolist()
        return places

    @property
    def first(self) -> int:
        """The concept number of the candidate that is ranked first, -1 if there is none."""
        return self.concept(self.ranked()[0]) if len(self.confidences) else -1

    def choice(self, place: int, *, believed: bool = False) -> Choice:
        """The candidate at a position."""
        return Choice(self, place, float(self.confidences[place]), believed)


Reading: TypeAlias = tuple[float, Interpretation]
"""An interpretation of a query, after its probability among all of them."""

Readings: TypeAlias = Sequence[Reading]

LEAST_READING = 0.01
"""Readings after the first that are less probable are dropped."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A candidate chosen as an answer to a query.

    ``place`` is its row in the evidence of the interpretation. ``believed`` says that the first module of a sieve
    accepted it, because its similarity was high enough. ``readings`` are all interpretations of the query, each with
    its probability. ``raised`` is by how much the natural logarithm of its confidence was raised because it is narrower
    than another candidate (`RankedCandidates.raised`).
    """

    read: Interpretation
    place: int
    confidence: float
    believed: bool = False
    readings: Readings = ()
    raised: float = 0.0

    @property
    def weight(self) -> float:
        """The probability of its interpretation among all ``readings`` of the query, in [0, 1]."""
        return next((weight for weight, read in self.readings if read is self.read), 1.0)

    @property
    def concept(self) -> int:
        """Its concept number."""
        return int(self.read.evidence.concepts[self.place])

    @property
    def why_doubted(self) -> str:
        """Why this answer is less sure than its evidence, or empty: only the surest candidate was doubted."""
        why = self.read.doubt.why
        return why if why and self.concept == self.read.answer else ""

    @property
    def is_spelled(self) -> bool:
        """Whether one of its names is equal to the query."""
        return self.read.is_spelled(self.place)

    def with_confidence(self, confidence: float) -> Choice:
        """The choice with another confidence; ``dataclasses.replace`` takes five times as long."""
        return Choice(self.read, self.place, confidence, self.believed, self.readings, self.raised)

    def namesakes(self, *, elsewhere: bool = False) -> list[int]:
        """The other concepts of its terminology with a name equal to the query, highest confidence first.

        With ``elsewhere`` those of the other terminologies, but for names that are merely related: who has one is not
        the same concept. None if it has no such name itself.
        """
        if not self.is_spelled:
            return []
        read = self.read
        (spelled,) = read.evidence.features[:, _SPELLED].nonzero()
        if len(spelled) == 1:
            return []
        ranked = spelled[np.argsort(-read.confidences[spelled], kind="stable")]
        is_own = read.terminologies[ranked] == read.terminologies[self.place]
        wanted = (ranked != self.place) & (is_own != elsewhere)
        if elsewhere:
            inexact = read.evidence.features[:, _INEXACT] > 0
            wanted &= ~(inexact[ranked] | inexact[self.place])
        others: list[int] = read.evidence.concepts[ranked[wanted]].tolist()
        return others

    @property
    def way(self) -> str:
        """How it was found: one of `ontonym.index.calibration.WAYS`."""
        return way_found(self.read.query.correction, is_name=self.is_spelled, is_shared=bool(self.namesakes()))


def rounded(confidences: Doubles) -> Doubles:
    """Confidences with six digits, small ones with nine: what differs by no more is equal."""
    return np.where(confidences >= _SMALL, confidences.round(6), confidences.round(9))


def own_totals(shared: Doubles, terminologies: Ints) -> Doubles:
    """For each candidate the confidence that those of its terminology and "none of them" have together, above 0.

    ``shared`` are the confidences over all terminologies, by number in ``terminologies``; what is left to 1 is that of
    "none of them", which all have as a rival. A confidence divided by it is the softmax over one terminology alone.
    """
    none = max(1.0 - float(shared.sum()), 0.0)
    totals: Doubles = np.maximum(none + np.bincount(terminologies, shared).take(terminologies), 1e-9)
    return totals


def weighed(groups: Sequence[Sequence[Interpretation]]) -> list[Reading]:
    """The interpretations of a query as readings with their probabilities, the most probable first.

    A group are the readings of one wording, the query's own or a part of it. The confidence that its readings find
    decides between groups, since a part has fewer words to explain; their weights decide inside one, unless no name
    shares a word with any of them, as with a query in another language than the names. One reading alone is certain.
    """
    if sum(map(len, groups)) == 1:
        return [(1.0, one) for group in groups for one in group]
    found: list[Reading] = []
    for group in groups:
        sure = [one.prior * one.surest for one in group]
        weights = [one.prior * one.weight for one in group]
        weights = weights if any(weights) else sure
        scale = sum(sure) / (sum(weights) or 1.0)
        found += [(weight * scale, one) for weight, one in zip(weights, group, strict=True)]
    total = sum(weight for weight, _ in found) or 1.0
    return sorted(((weight / total, one) for weight, one in found), key=lambda one: -one[0])


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """The candidates of all ``readings`` of a query, best first, each concept once, as the likeliest reading has it.

    Lists by candidate: the number of its reading, its place there, its concept and terminology (by number), and the
    confidence: the sum of those under each reading, weighted by how likely the reading is. ``raised`` is by how much
    the natural logarithm of the confidence of a concept was changed since, where it was: a narrower concept takes the
    place of a broader one, or what that one had (`ontonym.tasks.narrowerfirst`, `ontonym.tasks.amountsfirst`,
    `ontonym.tasks.codeheadings`). ``broader`` is the broader concept of each narrower one that has its qualifiers from
    the query.
    """

    readings: Readings
    numbers: list[int]
    places: list[int]
    concepts: list[int]
    terminologies: list[int]
    confidences: list[float]
    raised: Mapping[int, float] = field(default_factory=dict)
    broader: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, readings: Readings) -> RankedCandidates:
        """The candidates of readings, each with its probability."""
        every = tuple(readings)
        if len(every) == 1:
            ((_, read),) = every
            ranked = np.asarray(read.ranked(), dtype=np.int64)
            columns = (read.evidence.concepts, read.terminologies, read.confidences)
            concepts, terminologies, sure = (column[ranked].tolist() for column in columns)
            return cls(every, [0] * len(ranked), ranked.tolist(), concepts, terminologies, sure)
        sums: dict[int, float] = {}
        best: dict[int, tuple[float, int, int]] = {}
        for number, (weight, read) in enumerate(every):
            concepts, parts = read.evidence.concepts.tolist(), (weight * read.confidences).tolist()
            for place in read.ranked():
                concept, part = concepts[place], parts[place]
                sums[concept] = sums.get(concept, 0.0) + part
                if concept not in best or part > best[concept][0]:
                    best[concept] = (part, number, place)
        sure = {concept: round(min(sums[concept], 1.0), 9) for concept in best}
        order = sorted(best, key=lambda concept: -sure[concept])
        found = [best[concept][1:] for concept in order]
        terminologies = [int(every[number][1].terminologies[place]) for number, place in found]
        numbers, places = [number for number, _ in found], [place for _, place in found]
        return cls(every, numbers, places, order, terminologies, [sure[concept] for concept in order])

    def __len__(self) -> int:
        return len(self.places)

    def exchanged(self, one: int, other: int) -> RankedCandidates:
        """The candidates with two of them in each other's place; the confidences stay where they are."""
        columns = [list(column) for column in (self.numbers, self.places, self.concepts, self.terminologies)]
        for column in columns:
            column[one], column[other] = column[other], column[one]
        numbers, places, concepts, terminologies = columns
        sure = self.confidences
        raised = self._raised(
            {self.concepts[one]: (sure[one], sure[other]), self.concepts[other]: (sure[other], sure[one])}
        )
        return RankedCandidates(self.readings, numbers, places, concepts, terminologies, sure, raised, self.broader)

    def with_confidences(self, sure: Sequence[float]) -> RankedCandidates:
        """The candidates with other confidences, and in their order."""
        order = sorted(range(len(sure)), key=lambda number: -sure[number])
        columns = (self.numbers, self.places, self.concepts, self.terminologies)
        numbers, places, concepts, terminologies = ([column[one] for one in order] for column in columns)
        confidences = [round(sure[one], 9) for one in order]
        changed = zip(self.concepts, self.confidences, sure, strict=True)
        raised = self._raised({concept: (old, new) for concept, old, new in changed if old != new})
        return RankedCandidates(
            self.readings, numbers, places, concepts, terminologies, confidences, raised, self.broader
        )

    def _raised(self, changed: Mapping[int, tuple[float, float]]) -> Mapping[int, float]:
        """`raised` after some concepts had one confidence and got another."""
        by = {one: log(max(new, _LEAST) / max(old, _LEAST)) for one, (old, new) in changed.items()}
        return {**self.raised, **{one: self.raised.get(one, 0.0) + more for one, more in by.items()}}

    def choice(self, number: int, confidence: float | None = None) -> Choice:
        """A candidate as a choice, with its own confidence or another."""
        _, read = self.readings[self.numbers[number]]
        sure = self.confidences[number] if confidence is None else confidence
        raised = self.raised.get(self.concepts[number], 0.0)
        return Choice(read, self.places[number], sure, readings=self.readings, raised=raised)


def merged(readings: Readings) -> list[Choice]:
    """The `RankedCandidates` of all readings of a query as choices."""
    found = RankedCandidates.of(readings)
    return [found.choice(number) for number in range(len(found))]
