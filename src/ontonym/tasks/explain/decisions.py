"""What decides between two candidates of a query: the difference of their scores in exact terms, and the largest term.

The score of a candidate is the natural logarithm of its confidence before it is shared out among terminologies and
calibrated: of what all readings of the query give it, and its duplicate records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Floats
from ontonym.index import Index
from ontonym.index.choices import Choice, merged
from ontonym.index.evidence import FEATURES, ranking_feature
from ontonym.index.fuse import preferred_first, undominated
from ontonym.index.interpretation import Reading, Readings
from ontonym.index.query import Query
from ontonym.memo import kept_for_owner
from ontonym.tasks.duplicates import firsts_of_choices
from ontonym.tasks.explain.shapley import GROUPS, shapley_values, telling_feature
from ontonym.tasks.explain.sharedwords import as_written, words_of
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import numbers_in, opposites, said_alone

TERMS = (*GROUPS, "dominance", "reading", "competition", "readings", "duplicates", "narrower", "document")
"""The terms of a difference of scores: the groups of features (``equal`` with what a preferred term has more of a name
that several concepts share, `ontonym.index.fuse.preferred_first`); ``dominance``: that a candidate is never below one
that it dominates (`ontonym.index.fuse.undominated`); the probability of the ``reading`` of the query in which each is
likeliest; the ``competition`` of the other candidates there, if these readings differ; the other ``readings``; the
confidence of ``duplicates``; what a ``narrower`` concept took of a broader one's
(`ontonym.index.choices.RankedCandidates`); and in normalization the ``document``. The last two are left out where they
are 0.
"""

OUTSIDE = ("code", "added", "tie")
"""What decides without a difference of scores: one is the concept of a code; an added term is near enough for the first
search of a sieve; or the confidences are equal, and the rule for ties decides.
"""

_TIES = ("place", "size", "to_preferred", "preferred", "given", "spelled")
"""The keys of `ontonym.index.evidence.Evidence.tie_keys`."""

_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference of the scores of two candidates, first minus second, and its ``terms``, which add up to it.

    In natural log-odds by `TERMS`; if one signal alone ranks, the difference of its similarity.
    """

    difference: float
    terms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Decision:
    """What decided between a first and a second candidate.

    ``group`` is one of `TERMS` or `OUTSIDE`: the largest term in favour of the better candidate, where of the groups of
    features only those with a better feature count. ``term`` is its part of the difference (positive if it speaks for
    the first), None for `OUTSIDE`. ``feature`` is the feature of the group that does most, or for a tie the rule that
    decided; ``values`` are those of both candidates, None if they say nothing; for ``reading`` they are the
    probabilities of the readings. ``names`` are the names that matched, ``read_as`` the readings. Of the words that
    decided, as written, ``query`` are in the query, ``first`` and ``second`` in the two names.
    """

    group: str
    is_for_first: bool
    term: float | None
    names: tuple[str, str]
    read_as: tuple[str, str]
    feature: str = ""
    values: tuple[float, float] | None = None
    query: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()


def contrast(
    index: Index, readings: Readings, first: int, second: int, *, narrower: float = 0.0, document: float = 0.0
) -> Contrast:
    """The difference between two concepts that are candidates under some of the readings.

    ``narrower`` and ``document`` are the terms of these names, in log-odds.
    """
    scores = _scores(index, readings)
    one, other = scores.standing(first), scores.standing(second)
    signal = readings[0].interpretation.scan.signal
    if signal != "fused":
        return Contrast(one.total - other.total, MappingProxyType({signal: one.total - other.total}))
    terms = shapley_values(index.fusion, one.features, other.features)
    terms["equal"] += one.preferred - other.preferred
    terms |= {name: one.parts[name] - other.parts[name] for name in one.parts}
    terms |= {name: term for name, term in (("narrower", narrower), ("document", document)) if term}
    return Contrast(one.total - other.total + narrower + document, MappingProxyType(terms))


def decision(index: Index, first: Choice, second: Choice, shift: float = 0.0) -> Decision:
    """What decided the order of two candidates that one ranking has."""
    names, read_as = _names(index, first, second), (first.read.query.text, second.read.query.text)
    if first.believed != second.believed:
        return Decision("added", first.believed, None, names, read_as)
    moved = {"narrower": first.raised - second.raised, "document": shift}
    found = contrast(index, readings_of(first, second), first.concept, second.concept, **moved)
    if not any(moved.values()) and not found.terms.get("duplicates") and _is_tie(first, second):
        rule, is_first = _tie(first, second)
        return Decision("tie", is_first, None, names, read_as, rule)
    is_first = found.difference >= 0
    better, worse = (first, second) if is_first else (second, first)
    group, feature = _largest(index, found.terms if is_first else _negative(found.terms), better, worse)
    values = None
    if feature:
        values = _value(first, feature), _value(second, feature)
    elif group == "reading":
        values = first.reading_probability, second.reading_probability
    ordered = names if is_first else names[::-1]
    asked, said = _differing(group, feature, worse.read.query, ordered[1])
    pair = _shared_alone(better, worse, ordered) if group == "lexical" else ((), said)
    own, others = pair if is_first else pair[::-1]
    return Decision(group, is_first, found.terms[group], names, read_as, feature, values, asked, own, others)


def readings_of(first: Choice, second: Choice) -> Readings:
    """The readings of a query under which both choices are candidates."""
    for choice, other in ((first, second), (second, first)):
        readings = choice.readings or (Reading(1.0, choice.read),)
        if any((read.evidence.concepts == other.concept).any() for _, read in readings):
            return readings
    raise ValueError("the choices are not of one query")


def _largest(index: Index, terms: Mapping[str, float], better: Choice, worse: Choice) -> tuple[str, str]:
    """The largest term, and its feature: of those of a group, only one with a feature that is better.

    If one signal alone ranks, it is that signal and the feature that it ranks by.
    """
    scan = better.read.scan
    if scan.signal != "fused" and scan.signal in terms:
        return scan.signal, ranking_feature(scan.signal, scan.representation)
    ordered = sorted(terms, key=lambda name: -terms[name])
    for group in ordered:
        feature = _feature(index, group, better, worse)
        if terms[group] > 0 and (feature or group not in GROUPS):
            return group, feature
    return ordered[0], ""


def _negative(terms: Mapping[str, float]) -> dict[str, float]:
    return {name: -term for name, term in terms.items()}


def _feature(index: Index, group: str, better: Choice, worse: Choice) -> str:
    if group not in GROUPS:
        return ""
    if group == "equal" and better.is_spelled != worse.is_spelled:
        return "spelled"
    rows = [choice.read.evidence.features[choice.place] for choice in (better, worse)]
    return telling_feature(index.fusion, group, *rows)


def _value(choice: Choice, feature: str) -> float:
    scan, evidence = choice.read.scan, choice.read.evidence
    if feature in FEATURES:
        return float(evidence.features[choice.place, FEATURES.index(feature)])
    return float(evidence.similarities(scan.signal, scan.representation)[choice.place])


def _names(index: Index, first: Choice, second: Choice) -> tuple[str, str]:
    one, other = (index.term(int(one.read.evidence.best[one.place])).text for one in (first, second))
    return one, other


def _shared_alone(better: Choice, worse: Choice, names: tuple[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of the query that only the better name has, and those that only the worse one has."""
    one, other = (words_of(choice.read.query, name).shared for choice, name in zip((better, worse), names, strict=True))
    return tuple(word for word in one if word not in other), tuple(word for word in other if word not in one)


def _differing(group: str, feature: str, query: Query, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of the query and of the worse name by which a group of features speaks against that name."""
    asked: list[str] = []
    said: list[str] = []
    ours, theirs = query.words, tokens(name)
    if group == "opposites":
        pairs = opposites(query.text, name)
        asked, said = [word for word, _ in pairs], [own for _, own in pairs]
    elif group == "qualifiers":
        asked, said = said_alone(query.text, name), said_alone(name, query.text)
    elif group == "numbers":
        asked = [word for word in ours if word in numbers_in(query.text) and word not in theirs]
        said = [word for word in theirs if word[0].isdigit() and word not in ours]
    elif group == "residual":
        said = [word for word in theirs if word == "other"]
    return (
        () if feature.endswith("_extra") else as_written(asked, query.text),
        () if feature.endswith("_missing") else as_written(said, name),
    )


def _is_tie(first: Choice, second: Choice) -> bool:
    return first.read is second.read and first.read.confidences[first.place] == first.read.confidences[second.place]


def _tie(first: Choice, second: Choice) -> tuple[str, bool]:
    """The rule by which two candidates of equal confidence are ordered, and whether it is for the first."""
    keys = first.read.evidence.tie_keys()
    if first.read.scan.seed is not None:
        ranked = first.read.ranked()
        return "random", ranked.index(first.place) < ranked.index(second.place)
    for rule, key in reversed(list(zip(_TIES, keys, strict=True))):
        if key[first.place] != key[second.place]:
            return rule, bool(key[first.place] < key[second.place])
    return "place", True


@dataclass(frozen=True, slots=True, eq=False)
class _Standing:
    """A concept's features in its likeliest reading, its score, and the parts of it that are not the network's.

    ``preferred`` is what it has more, or less, of a name that several concepts share.
    """

    features: Floats
    total: float
    parts: Mapping[str, float]
    preferred: float = 0.0


class _Scores:
    """The scores of all candidates of a query, in double precision."""

    def __init__(self, index: Index, readings: Readings) -> None:
        self._readings = readings
        self._is_fused = readings[0].interpretation.scan.signal == "fused"
        if not self._is_fused:
            return
        fusion, reads = index.fusion, [read for _, read in readings]
        self._network = [fusion.exact_scores(one.evidence.features) for one in reads]
        self._raised = [
            undominated(scores, one.evidence.features) for scores, one in zip(self._network, reads, strict=True)
        ]
        self._shared_out = [
            preferred_first(scores, one.evidence, one.terminologies)
            for scores, one in zip(self._raised, reads, strict=True)
        ]
        self._likely = [float(np.log(max(weight * read.doubt.share, _LEAST))) for weight, read in readings]
        # the logarithm of what doubts left of each reading's probability, less that of the sum of what its candidates
        # and none have
        self._levels = [
            likely - float(np.logaddexp.reduce(np.append(scores, fusion.none)))
            for likely, scores in zip(self._likely, self._shared_out, strict=True)
        ]
        self._duplicates = _duplicates(index, readings)

    def standing(self, concept: int) -> _Standing:
        """The standing of a concept that is a candidate under some reading."""
        found = self._found(concept)
        if not self._is_fused:
            ((number, place),) = found[:1]
            read = self._readings[number].interpretation
            total = float(np.clip(read.similarities[place].astype(np.float64), 0, 1))
            return _Standing(read.evidence.features[place], total, MappingProxyType({}))
        levels = [self._levels[number] + self._shared_out[number][place] for number, place in found]
        number, place = found[int(np.argmax(levels))]
        alone = float(np.logaddexp.reduce(levels))
        same = [self._level(other) for other in self._duplicates.get(concept, (concept,))]
        total = float(np.logaddexp.reduce(same))
        parts = {
            "dominance": float(self._raised[number][place] - self._network[number][place]),
            "reading": self._likely[number],
            "competition": self._levels[number] - self._likely[number],
            "readings": alone - max(levels),
            "duplicates": total - alone,
        }
        preferred = float(self._shared_out[number][place] - self._raised[number][place])
        return _Standing(
            self._readings[number].interpretation.evidence.features[place], total, MappingProxyType(parts), preferred
        )

    def _found(self, concept: int) -> list[tuple[int, int]]:
        """The readings that bring a concept, by number, each with its place there."""
        found = []
        for number, (_, read) in enumerate(self._readings):
            place = int(np.searchsorted(read.evidence.concepts, concept))
            if place < len(read.evidence.concepts) and read.evidence.concepts[place] == concept:
                found.append((number, place))
        return found

    def _level(self, concept: int) -> float:
        levels = [self._levels[number] + self._shared_out[number][place] for number, place in self._found(concept)]
        return float(np.logaddexp.reduce(levels))


def _duplicates(index: Index, readings: Readings) -> Mapping[int, Sequence[int]]:
    """All records of the concepts that have several among the likely candidates."""
    choices = merged(readings)
    firsts = firsts_of_choices(index, choices)
    found: dict[int, list[int]] = {}
    for choice, first in zip(choices, firsts, strict=True):
        found.setdefault(choices[first].concept, []).append(choice.concept)
    return {concept: same for same in found.values() if len(same) > 1 for concept in same}


@kept_for_owner(4)  # the hits of a query are compared one after another
def _scores(index: Index, readings: Readings) -> _Scores:
    return _Scores(index, readings)
