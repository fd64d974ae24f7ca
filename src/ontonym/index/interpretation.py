"""An interpretation: one way to read a query, with its candidates and how sure each is. Several of them, each with its
probability, are the readings of a query; `ontonym.index.interpret` makes them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints
from ontonym.index.evidence import FEATURES, Evidence
from ontonym.index.query import Query
from ontonym.index.scan import Scan

_SMALL = 1e-3
"""Confidences below it keep nine digits, so that none becomes 0."""

_SPELLED, _QUERY_SHARE, _WORDS, _INEXACT = (
    FEATURES.index(name) for name in ("spelled", "query_share", "words", "inexact")
)

NAMED = 10.0
"""How much likelier a reading of a query is whose words are a name: hardly any wrong reading is one."""

CONSIDERED = 10
"""Candidates with the highest confidences among which a better one than the first is looked for."""

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

    def likeliest_places(self, most: int = CONSIDERED) -> list[int]:
        """The positions of the candidates with the highest confidences, at most so many, that are of the terminology of
        the first; equal ones by position (`ranked` knows which of them is better)."""
        sure = self.confidences
        first = np.argsort(-sure, kind="stable")[:most].tolist()
        return [one for one in first if sure[one] > 0 and self.terminologies[one] == self.terminologies[first[0]]]

    def exchanged(self, one: int, other: int) -> Interpretation:
        """The interpretation in which two candidates have each other's confidence; why the first was doubted is no
        reason to doubt the other."""
        if one == other:
            return self
        changed = self.confidences.copy()
        changed[[one, other]] = self.confidences[[other, one]]
        return replace(self, confidences=changed, doubt=self.doubt._replace(why=""))

    def namesakes(self, place: int, *, elsewhere: bool = False) -> list[int]:
        """The other concepts of the terminology of a candidate that have a name equal to the query, highest confidence
        first.

        With ``elsewhere`` those of the other terminologies, but for names that are merely related: who has one is not
        the same concept. None if the candidate has no such name itself.
        """
        if not self.is_spelled(place):
            return []
        (spelled,) = self.evidence.features[:, _SPELLED].nonzero()
        if len(spelled) == 1:
            return []
        ranked = spelled[np.argsort(-self.confidences[spelled], kind="stable")]
        is_own = self.terminologies[ranked] == self.terminologies[place]
        wanted = (ranked != place) & (is_own != elsewhere)
        if elsewhere:
            inexact = self.evidence.features[:, _INEXACT] > 0
            wanted &= ~(inexact[ranked] | inexact[place])
        others: list[int] = self.evidence.concepts[ranked[wanted]].tolist()
        return others


class Reading(NamedTuple):
    """An interpretation of a query, after its ``probability`` among all readings of it, in [0, 1]."""

    probability: float
    interpretation: Interpretation


Readings: TypeAlias = Sequence[Reading]

LEAST_READING = 0.01
"""Readings after the first that are less probable are dropped."""


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

    A group are the interpretations of the query itself, or of a part of it. Their confidence decides between groups,
    since a part has fewer words to explain; their weights decide inside one, unless no name shares a word with any of
    them, as with a query in another language than the names. One interpretation alone is certain.
    """
    if sum(map(len, groups)) == 1:
        return [Reading(1.0, read) for group in groups for read in group]
    found: list[Reading] = []
    for group in groups:
        sure = [read.prior * read.surest for read in group]
        weights = [read.prior * read.weight for read in group]
        weights = weights if any(weights) else sure
        scale = sum(sure) / (sum(weights) or 1.0)
        found += [Reading(weight * scale, read) for weight, read in zip(weights, group, strict=True)]
    total = sum(weight for weight, _ in found) or 1.0
    return sorted((Reading(weight / total, read) for weight, read in found), key=lambda one: -one.probability)
