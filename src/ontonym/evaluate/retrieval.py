"""Search evaluated as retrieval: how far up the right concept stands, and how useful what stands beside it is (Ngo)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.arrays import Doubles
from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.overlap import interval
from ontonym.evaluate.significance import BootstrapOptions, Interval, mean_interval
from ontonym.store.hierarchy import Hierarchy

RIGHT, NEAR, RELATED = 3, 2, 1
"""The gain of the right concept, of its parents and children, and of what is two steps away (Ngo, "Usefulness")."""

CUTOFFS = (1, 5, 10)
"""Ngo's K."""

BY_QUESTION = BootstrapOptions(unit="mention")
"""Intervals over questions."""

Gains = Mapping[str, int]
"""What each concept is worth for a question, by its id; concepts that are not there are worth nothing."""

Ranking = Sequence[str]
"""The ids of the concepts found for a question, best first, each once."""

Answers = tuple[tuple[str, float], ...]
"""The concepts found for a question with their confidences, best first, each once."""

Ask = Callable[[Sequence[str]], Sequence[Sequence[tuple[str, float]]]]
"""Gives the concepts found for each text with their confidences, best first."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for: one text, or all labels of a concept of another terminology.

    ``gold`` are the ids of the right concepts, any of which is right. ``overlap`` is the overlap degree of the texts
    with the names of the gold concepts, -1 where it is not known. ``seen`` is how new the question is to training, in
    the words of `ontonym.evaluate.seen`, empty where that is not asked.
    """

    id: str
    texts: tuple[str, ...]
    gold: frozenset[str]
    overlap: float = -1.0
    seen: str = ""


def related_gains(hierarchy: Hierarchy, gold: Iterable[int]) -> dict[int, int]:
    """What each concept row is worth where ``gold`` are right: Ngo's gains.

    3: a right concept; 2: its parents and children; 1: its grandparents, grandchildren, uncles (siblings of a parent:
    other children of a grandparent) and siblings; the highest where several are right.
    """
    worth: dict[int, int] = {}

    def add(rows: Iterable[int], gain: int) -> None:
        for row in rows:
            worth[row] = max(worth.get(row, 0), gain)

    for row in gold:
        parents, children = hierarchy.parents(row).tolist(), hierarchy.children(row).tolist()
        add([row], RIGHT)
        add([*parents, *children], NEAR)
        for parent in parents:
            add(hierarchy.children(parent).tolist(), RELATED)
            grandparents = hierarchy.parents(parent).tolist()
            add(grandparents, RELATED)
            for grandparent in grandparents:
                add(hierarchy.children(grandparent).tolist(), RELATED)
        for child in children:
            add(hierarchy.children(child).tolist(), RELATED)
    return worth


def answered(ask: Ask, questions: Sequence[Question], depth: int) -> list[Answers]:
    """The first ``depth`` concepts found for each question, with their confidences.

    Of several texts of a question each concept counts with its best confidence (Ngo, concept to concept); equal ones in
    the order in which they were found.
    """
    answers = iter(ask([text for question in questions for text in question.texts]))
    return [best_of([next(answers) for _ in question.texts], depth) for question in questions]


def best_of(several: Iterable[Sequence[tuple[str, float]]], depth: int) -> Answers:
    """The answers to some texts as one: each concept with its best confidence, the first ``depth``."""
    best: dict[str, float] = {}
    for answers in several:
        for concept, confidence in answers:
            best[concept] = max(best.get(concept, confidence), confidence)
    return tuple(sorted(best.items(), key=lambda one: -one[1])[:depth])


def rankings_of(answers: Iterable[Answers]) -> list[Ranking]:
    """The ids alone."""
    return [[concept for concept, _ in some] for some in answers]


# Measures ----------------------------------------------------------------------------------------------------------


def hits(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int, right: int = RIGHT) -> Doubles:
    """1 where a right concept is among the first ``k``, else 0; shape ``(questions,)``. Finding nothing is 0.

    Here and below a concept is right where its gain is at least ``right``.
    """
    return np.array(
        [
            float(any(worth.get(concept, 0) >= right for concept in ranking[:k]))
            for ranking, worth in zip(rankings, gains, strict=True)
        ]
    )


def reciprocal_ranks(rankings: Sequence[Ranking], gains: Sequence[Gains], right: int = RIGHT) -> Doubles:
    """1 over the rank of the first right concept, 0 where none was found; shape ``(questions,)``."""
    found = np.zeros(len(rankings))
    for row, (ranking, worth) in enumerate(zip(rankings, gains, strict=True)):
        place = next((place for place, concept in enumerate(ranking, 1) if worth.get(concept, 0) >= right), 0)
        found[row] = 1 / place if place else 0.0
    return found


def ndcg(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int) -> Doubles:
    """Normalized discounted cumulative gain of the first ``k``, in [0, 1]; shape ``(questions,)``.

    A concept's gain over log2(1 + rank), summed, over the same sum of the best ranking there is, made of all concepts
    that are worth something (Järvelin and Kekäläinen 2002; gains linear, as in Ngo's example of 0.976).
    """
    found = np.zeros(len(rankings))
    discounts = 1 / np.log2(np.arange(2, k + 2))
    for row, (ranking, worth) in enumerate(zip(rankings, gains, strict=True)):
        got = [worth.get(concept, 0) for concept in ranking[:k]]
        ideal = sorted(worth.values(), reverse=True)[:k]
        best = float(np.dot(ideal, discounts[: len(ideal)]))
        found[row] = float(np.dot(got, discounts[: len(got)])) / best if best else 0.0
    return found


def recall(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int, right: int = RIGHT) -> Doubles:
    """The share of the right concepts that are among the first ``k``; shape ``(questions,)``, 0 where there is none.

    Recall@K of Kong and Rahimi, whose questions have one right concept each: there it equals Hits@K.
    """
    found = np.zeros(len(rankings))
    for row, (ranking, worth) in enumerate(zip(rankings, gains, strict=True)):
        all_right = sum(gain >= right for gain in worth.values())
        if all_right:
            found[row] = sum(worth.get(concept, 0) >= right for concept in ranking[:k]) / all_right
    return found


MRR = "mrr"
MEASURES = ("hits", MRR, "ndcg", "recall")
"""What can be measured; the first three are Ngo's."""


def measured(
    rankings: Sequence[Ranking],
    gains: Sequence[Gains],
    cutoffs: Sequence[int] = CUTOFFS,
    measures: Sequence[str] = MEASURES[:3],
    right: int = RIGHT,
) -> dict[str, Doubles]:
    """The measures of every question by name: ``hits@1``, ``mrr``… Raises UnknownNameError for a measure not known."""
    of_first: dict[str, Callable[[int], Doubles]] = {
        "hits": lambda k: hits(rankings, gains, k, right),
        "recall": lambda k: recall(rankings, gains, k, right),
        "ndcg": lambda k: ndcg(rankings, gains, k),
    }
    found: dict[str, Doubles] = {}
    for name in measures:
        if name == MRR:
            found[MRR] = reciprocal_ranks(rankings, gains, right)
        elif name in of_first:
            found |= {f"{name}@{k}": of_first[name](k) for k in cutoffs}
        else:
            raise UnknownNameError("measure", name, MEASURES)
    return found


# Reports -----------------------------------------------------------------------------------------------------------


Group = tuple[int, Mapping[str, Interval]]
"""How many questions are of one kind, and their measures."""


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalFigures:
    """The figures of one method over ``n`` questions: each measure with its interval.

    ``values`` are the measures of every question, in their order.
    """

    n: int
    measures: Mapping[str, Interval]
    values: Mapping[str, Doubles]


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalReport(RetrievalFigures):
    """The figures of one method, of all questions and of some kinds of them.

    ``by_overlap`` are the figures by interval of the overlap degree, ``by_newness`` by how new questions are to
    training. ``curve`` is recall at 1, 2, 4… (Rahimi, figure
    1). ``normalized`` are the measures over the ``reachable`` questions: those for which the first stage brought a
    right concept at all (Rahimi, section 3.4); None where there is no first stage.
    """

    by_overlap: Mapping[str, Group]
    by_newness: Mapping[str, Group]
    curve: Mapping[int, Interval]
    reachable: int | None = None
    normalized: Mapping[str, Interval] = field(default_factory=lambda: MappingProxyType({}))

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values, without those of each question."""
        shape: dict[str, Any] = {
            "n": self.n,
            "measures": _shape(self.measures),
            "by_overlap": {name: {"n": n, "measures": _shape(some)} for name, (n, some) in self.by_overlap.items()},
        }
        if self.by_newness:
            shape["zero_shot"] = {
                name: {"n": n, "measures": _shape(some)} for name, (n, some) in self.by_newness.items()
            }
        if self.reachable is not None:
            shape |= {"reachable": self.reachable, "normalized": _shape(self.normalized)}
        return shape


def _shape(measures: Mapping[str, Interval]) -> dict[str, dict[str, float]]:
    return {name: one.to_dict() for name, one in measures.items()}


def retrieval_figures(
    rankings: Sequence[Ranking],
    gains: Sequence[Gains],
    bootstrap: BootstrapOptions = BY_QUESTION,
    cutoffs: Sequence[int] = CUTOFFS,
    measures: Sequence[str] = MEASURES[:3],
    right: int = RIGHT,
    more: Mapping[str, Doubles] = MappingProxyType({}),
) -> RetrievalFigures:
    """The figures of one method's rankings; a question whose ranking is empty counts as wrong.

    ``right`` is the least gain of a right concept, ``more`` are further measures of every question.
    Raises InputError where there is no question, UnknownNameError for a measure that is not known.
    """
    if not rankings:
        raise InputError("no question to evaluate")
    values = {**measured(rankings, gains, cutoffs, measures, right), **more}
    return RetrievalFigures(len(rankings), _intervals(values, slice(None), bootstrap), values)


def _intervals(values: Mapping[str, Doubles], rows: Any, bootstrap: BootstrapOptions) -> dict[str, Interval]:
    return {name: mean_interval(one[rows], None, bootstrap) for name, one in values.items()}


def report_retrieval(
    questions: Sequence[Question],
    rankings: Sequence[Ranking],
    gains: Sequence[Gains],
    bootstrap: BootstrapOptions = BY_QUESTION,
    cutoffs: Sequence[int] = CUTOFFS,
    measures: Sequence[str] = MEASURES[:3],
    first_stage: Sequence[Ranking] | None = None,
    right: int = RIGHT,
    more: Mapping[str, Doubles] = MappingProxyType({}),
) -> RetrievalReport:
    """The report of one method's rankings: what `retrieval_figures` gives, and the same by kinds of questions.

    ``first_stage`` are the candidates that the method put into order, if it did: then measures are also taken over the
    questions that have a right one among them.
    """
    whole = retrieval_figures(rankings, gains, bootstrap, cutoffs, measures, right, more)

    def figures(rows: Any) -> dict[str, Interval]:
        return _intervals(whole.values, rows, bootstrap)

    overlaps = {row: interval(one.overlap) for row, one in enumerate(questions) if one.overlap >= 0}
    newness = {row: one.seen for row, one in enumerate(questions) if one.seen}
    depth = max(cutoffs)
    curve = {
        k: mean_interval(recall(rankings, gains, k, right), None, bootstrap)
        for k in sorted({*(2**power for power in range(depth.bit_length())), depth})
    }
    reachable = None
    normalized: Mapping[str, Interval] = {}
    if first_stage is not None:
        reached = np.flatnonzero(hits(first_stage, gains, max(map(len, first_stage), default=0), right))
        reachable = len(reached)
        normalized = figures(reached) if len(reached) else {}
    return RetrievalReport(
        whole.n, whole.measures, whole.values, _grouped(overlaps, figures, reverse=True),
        _grouped(newness, figures), curve, reachable, normalized,
    )  # fmt: skip


def _grouped(
    kinds: Mapping[int, str], figures: Callable[[list[int]], Mapping[str, Interval]], *, reverse: bool = False
) -> dict[str, Group]:
    rows: dict[str, list[int]] = defaultdict(list)
    for row, kind in kinds.items():
        rows[kind].append(row)
    return {kind: (len(some), figures(some)) for kind, some in sorted(rows.items(), reverse=reverse)}
