"""The concepts chosen for a query: each once, with the interpretation in which it is likeliest, and its confidence in
all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import NamedTuple

import numpy as np

from ontonym.index.calibration import way_found
from ontonym.index.interpretation import Interpretation, Readings

_LEAST = 1e-9
"""The least confidence that is told from 0."""

LIKELIER_RIGHT = 0.5
"""The default threshold where all signals rank: no answer is likelier wrong than right.

Where several concepts share the name, it is their confidence together: which of them is meant is not known, but one is.
"""


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

    @classmethod
    def of(cls, read: Interpretation, place: int, *, believed: bool = False) -> Choice:
        """The candidate of an interpretation at a position, with its confidence there."""
        return cls(read, place, float(read.confidences[place]), believed)

    @property
    def reading_probability(self) -> float:
        """The probability of its interpretation among all ``readings`` of the query, in [0, 1]."""
        return next((probability for probability, read in self.readings if read is self.read), 1.0)

    @property
    def concept(self) -> int:
        """Its concept number."""
        return self.read.concept(self.place)

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
        """The other concepts with a name equal to the query, as in `Interpretation.namesakes`."""
        return self.read.namesakes(self.place, elsewhere=elsewhere)

    @property
    def way(self) -> str:
        """How it was found: one of `ontonym.index.calibration.WAYS`."""
        return way_found(self.read.query.correction, is_name=self.is_spelled, is_shared=bool(self.namesakes()))


class _Part(NamedTuple):
    """What one reading, by number, adds to the confidence of a concept, and the concept's position in it."""

    confidence: float
    reading: int
    place: int


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """The candidates of all ``readings`` of a query, best first, each concept once, as the likeliest reading has it.

    Lists by candidate: ``reading_numbers``, ``places`` in their evidence, ``concepts``, ``terminologies`` (by number),
    and ``confidences``: the sum of those under each reading, weighted by how likely the reading is. ``raised`` is by
    how much the natural logarithm of the confidence of a concept was changed since, where it was: a narrower concept
    takes the place of a broader one, or what that one had (`ontonym.tasks.narrowerfirst`, `ontonym.tasks.amountsfirst`,
    `ontonym.tasks.codeheadings`). ``broader`` is the broader concept of each narrower one that has its qualifiers from
    the query.
    """

    readings: Readings
    reading_numbers: list[int]
    places: list[int]
    concepts: list[int]
    terminologies: list[int]
    confidences: list[float]
    raised: Mapping[int, float] = field(default_factory=dict)
    broader: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, readings: Readings) -> RankedCandidates:
        """The candidates of readings, each with its probability."""
        held = tuple(readings)  # hashable, as explanations keep what they compute of it
        return cls._of_one(held) if len(held) == 1 else cls._of_several(held)

    @classmethod
    def _of_one(cls, readings: Readings) -> RankedCandidates:
        """Those of the only reading, which is certain: as its interpretation ranks them."""
        ((_, read),) = readings
        ranked = np.asarray(read.ranked(), dtype=np.int64)
        columns = (read.evidence.concepts, read.terminologies, read.confidences)
        concepts, terminologies, sure = (column[ranked].tolist() for column in columns)
        return cls(readings, [0] * len(ranked), ranked.tolist(), concepts, terminologies, sure)

    @classmethod
    def _of_several(cls, readings: Readings) -> RankedCandidates:
        sums: dict[int, float] = {}
        best: dict[int, _Part] = {}
        for number, (probability, read) in enumerate(readings):
            concepts, parts = read.evidence.concepts.tolist(), (probability * read.confidences).tolist()
            for place in read.ranked():
                concept, part = concepts[place], parts[place]
                sums[concept] = sums.get(concept, 0.0) + part
                if concept not in best or part > best[concept].confidence:
                    best[concept] = _Part(part, number, place)
        sure = {concept: round(min(sums[concept], 1.0), 9) for concept in best}
        order = sorted(best, key=lambda concept: -sure[concept])
        found = [best[concept] for concept in order]
        return cls(
            readings,
            [one.reading for one in found],
            [one.place for one in found],
            order,
            [int(readings[one.reading].interpretation.terminologies[one.place]) for one in found],
            [sure[concept] for concept in order],
        )

    def __len__(self) -> int:
        return len(self.places)

    def exchanged(self, one: int, other: int) -> RankedCandidates:
        """The candidates with two of them in each other's place; the confidences stay where they are."""
        order, sure = list(range(len(self))), self.confidences
        order[one], order[other] = other, one
        return self._in_order(order, sure, {one: (sure[one], sure[other]), other: (sure[other], sure[one])})

    def with_confidences(self, sure: Sequence[float]) -> RankedCandidates:
        """The candidates with other confidences, and in their order."""
        order = sorted(range(len(sure)), key=lambda number: -sure[number])
        pairs = enumerate(zip(self.confidences, sure, strict=True))
        changed = {number: (old, new) for number, (old, new) in pairs if old != new}
        return self._in_order(order, [round(sure[number], 9) for number in order], changed)

    def _in_order(
        self, order: Sequence[int], confidences: list[float], changed: Mapping[int, tuple[float, float]]
    ) -> RankedCandidates:
        """The candidates in another order; of those whose confidence was ``changed`` the one before and after, by their
        number now."""
        columns = (self.reading_numbers, self.places, self.concepts, self.terminologies)
        numbers, places, concepts, terminologies = ([column[number] for number in order] for column in columns)
        raised = dict(self.raised)
        for number, (old, new) in changed.items():
            concept = self.concepts[number]
            raised[concept] = raised.get(concept, 0.0) + log(max(new, _LEAST) / max(old, _LEAST))
        return RankedCandidates(
            self.readings, numbers, places, concepts, terminologies, confidences, raised, self.broader
        )

    def choice(self, number: int, confidence: float | None = None) -> Choice:
        """A candidate as a choice, with its own confidence or another."""
        _, read = self.readings[self.reading_numbers[number]]
        sure = self.confidences[number] if confidence is None else confidence
        raised = self.raised.get(self.concepts[number], 0.0)
        return Choice(read, self.places[number], sure, readings=self.readings, raised=raised)


def merged(readings: Readings) -> list[Choice]:
    """The `RankedCandidates` of all readings of a query as choices."""
    found = RankedCandidates.of(readings)
    return [found.choice(number) for number in range(len(found))]
