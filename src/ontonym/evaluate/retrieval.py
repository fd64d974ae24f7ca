"""Search evaluated as retrieval: how far up the right concept stands, and how useful what stands beside it is (Ngo)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.errors import InputError, MissingExtraError
from ontonym.evaluate.overlap import interval
from ontonym.evaluate.significance import BootstrapOptions, Interval, mean_interval
from ontonym.store.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]

RIGHT, NEAR, RELATED = 3, 2, 1
"""The gain of the right concept, of its parents and children, and of what is two steps away (Ngo, "Usefulness")."""

CUTOFFS = (1, 5, 10)
"""Ngo's K. Kong's recall@K, with one right concept for each mention, is Hits@K by another name."""

BY_QUESTION = BootstrapOptions(unit="mention")
"""Intervals over questions."""

Gains = Mapping[str, int]
"""What each concept is worth for a question, by its id; concepts that are not there are worth nothing."""

Ranking = Sequence[str]
"""The ids of the concepts found for a question, best first, each once."""

Ask = Callable[[Sequence[str]], Sequence[Sequence[tuple[str, float]]]]
"""Gives the concepts found for each text with their confidences, best first."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for: one text, or all labels of a concept of another terminology.

    ``gold`` are the ids of the right concepts, any of which is right. ``overlap`` is the overlap degree of the texts
    with the names of the gold concepts, -1 where it is not known.
    """

    id: str
    texts: tuple[str, ...]
    gold: frozenset[str]
    overlap: float = -1.0


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


def ranked(ask: Ask, questions: Sequence[Question], depth: int) -> list[list[str]]:
    """The first ``depth`` concepts found for each question.

    Of several texts of a question each concept counts with its best confidence (Ngo, concept to concept); equal ones in
    the order in which they were found.
    """
    answers = iter(ask([text for question in questions for text in question.texts]))
    found: list[list[str]] = []
    for question in questions:
        best: dict[str, float] = {}
        for _ in question.texts:
            for concept, confidence in next(answers):
                best[concept] = max(best.get(concept, confidence), confidence)
        found.append(sorted(best, key=lambda concept: -best[concept])[:depth])
    return found


# Measures ----------------------------------------------------------------------------------------------------------


def hits(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int) -> Floats:
    """1 where a right concept is among the first ``k``, else 0; shape ``(questions,)``. Finding nothing is 0."""
    return np.array(
        [
            float(any(worth.get(concept, 0) == RIGHT for concept in ranking[:k]))
            for ranking, worth in zip(rankings, gains, strict=True)
        ]
    )


def reciprocal_ranks(rankings: Sequence[Ranking], gains: Sequence[Gains]) -> Floats:
    """1 over the rank of the first right concept, 0 where none was found; shape ``(questions,)``."""
    found = np.zeros(len(rankings))
    for row, (ranking, worth) in enumerate(zip(rankings, gains, strict=True)):
        place = next((place for place, concept in enumerate(ranking, 1) if worth.get(concept, 0) == RIGHT), 0)
        found[row] = 1 / place if place else 0.0
    return found


def ndcg(rankings: Sequence[Ranking], gains: Sequence[Gains], k: int) -> Floats:
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


def measured(
    rankings: Sequence[Ranking], gains: Sequence[Gains], cutoffs: Sequence[int] = CUTOFFS
) -> dict[str, Floats]:
    """Hits@K, MRR and nDCG@K of every question, by name."""
    return {
        **{f"hits@{k}": hits(rankings, gains, k) for k in cutoffs},
        "mrr": reciprocal_ranks(rankings, gains),
        **{f"ndcg@{k}": ndcg(rankings, gains, k) for k in cutoffs},
    }


def paired_t_test(first: Floats, second: Floats) -> float:
    """The two-sided p of Student's paired t-test on a measure's values by question; 1 where none differs.

    Raises InputError where the questions are not the same number, MissingExtraError without scipy.
    """
    if len(first) != len(second):
        raise InputError(f"{len(first)} and {len(second)} questions cannot be paired")
    if np.array_equal(first, second) or len(first) < 2:
        return 1.0
    try:
        from scipy.stats import ttest_rel
    except ImportError as error:
        raise MissingExtraError("scipy", "eval", "a t-test") from error
    return float(ttest_rel(first, second).pvalue) if np.ptp(first - second) else 0.0


# Reports -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalReport:
    """The figures of one method: each measure with its interval, of all questions and by overlap degree.

    ``values`` are the measures of every question, in their order; ``by_overlap`` is how many questions each interval
    of the overlap degree has, and their measures.
    """

    n: int
    measures: Mapping[str, Interval]
    values: Mapping[str, Floats]
    by_overlap: Mapping[str, tuple[int, Mapping[str, Interval]]]

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values, without those of each question."""
        return {
            "n": self.n,
            "measures": {name: one.to_dict() for name, one in self.measures.items()},
            "by_overlap": {
                degree: {"n": n, "measures": {name: one.to_dict() for name, one in measures.items()}}
                for degree, (n, measures) in self.by_overlap.items()
            },
        }


def report_retrieval(
    questions: Sequence[Question],
    rankings: Sequence[Ranking],
    gains: Sequence[Gains],
    bootstrap: BootstrapOptions = BY_QUESTION,
    cutoffs: Sequence[int] = CUTOFFS,
) -> RetrievalReport:
    """The report of one method's rankings; a question whose ranking is empty counts as wrong.

    Raises InputError where there is no question.
    """
    if not questions:
        raise InputError("no question to evaluate")
    values = measured(rankings, gains, cutoffs)
    groups: dict[str, list[int]] = defaultdict(list)
    for row, question in enumerate(questions):
        if question.overlap >= 0:
            groups[interval(question.overlap)].append(row)
    by_overlap = {
        degree: (len(rows), {name: mean_interval(one[rows], None, bootstrap) for name, one in values.items()})
        for degree, rows in sorted(groups.items(), reverse=True)
    }
    overall = {name: mean_interval(one, None, bootstrap) for name, one in values.items()}
    return RetrievalReport(len(questions), overall, values, by_overlap)
