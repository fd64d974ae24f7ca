"""Evaluates search as retrieval: how high the right concepts are ranked, also by kind of question (Ngo, Rahimi)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.arrays import Doubles
from ontonym.errors import InputError
from ontonym.evaluate.measures import (
    CUTOFFS,
    MEASURES,
    NEAR,
    RELATED,
    RIGHT,
    Gains,
    Ranking,
    measured,
    overlap_interval,
    recall,
    right_ranks,
)
from ontonym.evaluate.significance import (
    EACH,
    BootstrapOptions,
    Interval,
    clusters,
    few_units,
    mean_interval,
)
from ontonym.store.hierarchy import Hierarchy

Answers = tuple[tuple[str, float], ...]
"""The concepts found for a question with their confidences, best first, each once."""

Ask = Callable[[Sequence[str]], Sequence[Sequence[tuple[str, float]]]]
"""Returns the concepts found for each text with their confidences, best first."""


SEEN = "mention seen"
MENTIONS_ONLY = "mentions only"
BOTH = "mentions and concepts"

ZERO_SHOT = (SEEN, MENTIONS_ONLY, BOTH)
"""How new a question is relative to training (Kong, section 2), the least new first.

``mention seen``: training had one of its texts, so it is not zero-shot; ``mentions only``: no text, but a right
concept; ``mentions and concepts``: neither.
"""


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """A question: one text, or all labels of a concept of another terminology.

    ``gold`` are the ids of the right concepts; any of them is right. ``overlap`` is the overlap degree of the texts
    with the names of the gold concepts, -1 if unknown. ``seen`` is how new the question is relative to training, one of
    `ZERO_SHOT`, or empty.
    """

    id: str
    texts: tuple[str, ...]
    gold: frozenset[str]
    overlap: float = -1.0
    seen: str = ""


def related_gains(hierarchy: Hierarchy, gold: Iterable[int]) -> dict[int, int]:
    """The gain of each concept row if ``gold`` are right: Ngo's gains.

    3: a right concept; 2: its parents and children; 1: its grandparents, grandchildren, siblings, and uncles (siblings
    of a parent: other children of a grandparent). The highest counts if several are right.
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


def answered(ask: Ask, questions: Sequence[SearchQuestion], depth: int) -> list[Answers]:
    """The first ``depth`` concepts found for each question, with their confidences.

    If a question has several texts, each concept counts with its best confidence (Ngo, concept to concept).
    """
    answers = iter(ask([text for question in questions for text in question.texts]))
    return [best_of([next(answers) for _ in question.texts], depth) for question in questions]


def best_of(several: Sequence[Sequence[tuple[str, float]]], depth: int) -> Answers:
    """Joins the answers to several texts: each concept with its best confidence, the first ``depth``.

    Those to one text stay in the order in which they were found, which in an index of several terminologies is not that
    of their confidences (`Hit`).
    """
    best: dict[str, float] = {}
    for answers in several:
        for concept, confidence in answers:
            best[concept] = max(best.get(concept, confidence), confidence)
    found = best.items() if len(several) == 1 else sorted(best.items(), key=lambda one: -one[1])
    return tuple(found)[:depth]


def rankings_of(answers: Iterable[Answers]) -> list[Ranking]:
    """The ids of answers."""
    return [[concept for concept, _ in some] for some in answers]


# What the bootstrap draws -------------------------------------------------------------------------------------------


def concepts_asked(questions: Sequence[SearchQuestion]) -> tuple[str, ...]:
    """The right concepts of each question as one text; empty if no two questions ask for the same.

    The bootstrap draws concepts, each with all its questions: the names of one concept are found, or missed, together,
    and drawing them one by one gives intervals that are too narrow.
    """
    asked = tuple("|".join(sorted(question.gold)) for question in questions)
    return asked if len(set(asked)) < len(asked) else ()


def drawn_unit(questions: Sequence[SearchQuestion]) -> str:
    """The word for what the bootstrap draws."""
    return "concept" if concepts_asked(questions) else "question"


def interval_notes(questions: Sequence[SearchQuestion], bootstrap: BootstrapOptions) -> list[str]:
    """How the intervals of figures over questions were computed, and a caveat if the questions are few."""
    unit, drawn = drawn_unit(questions), len(set(concepts_asked(questions))) or len(questions)
    return [bootstrap.caption(unit), *few_units(drawn, unit)]


# Reports -----------------------------------------------------------------------------------------------------------


QuestionGroup = tuple[int, Mapping[str, Interval]]
"""The number of questions of one kind, and their measures."""


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalFigures:
    """The figures of one method over ``n`` questions: each measure with its interval.

    ``values`` are the measures of every question, in order.
    """

    n: int
    measures: Mapping[str, Interval]
    values: Mapping[str, Doubles]


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalReport(RetrievalFigures):
    """The figures of one method, of all questions and by kinds of questions.

    ``by_overlap`` are the figures by interval of the overlap degree, ``by_newness`` by how new questions are relative
    to training. ``curve`` is recall at 1, 2, 4… (Rahimi, figure 1). ``normalized`` are the measures over the
    ``reachable`` questions, for which the first stage brought a right concept (Rahimi, section 3.4); None without a
    first stage.
    """

    by_overlap: Mapping[str, QuestionGroup]
    by_newness: Mapping[str, QuestionGroup]
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
    questions: Sequence[SearchQuestion],
    rankings: Sequence[Ranking],
    gains: Sequence[Gains],
    bootstrap: BootstrapOptions,
    cutoffs: Sequence[int],
    measures: Sequence[str],
    right: int = RIGHT,
    more: Mapping[str, Doubles] = MappingProxyType({}),
) -> RetrievalFigures:
    """The figures of one method's rankings; a question with an empty ranking counts as wrong.

    ``right`` is the least gain of a right concept; ``more`` are further measures of every question. Intervals are as in
    `concepts_asked`, or over single questions where ``bootstrap`` asks for that (`EACH`). Raises InputError if there is
    no question, UnknownNameError for an unknown measure.
    """
    if not rankings:
        raise InputError("no question to evaluate")
    values = {**measured(rankings, gains, cutoffs, measures, right), **more}
    return RetrievalFigures(len(rankings), _intervals(values, concepts_asked(questions), bootstrap), values)


def _intervals(
    values: Mapping[str, Doubles], asked: Sequence[str], bootstrap: BootstrapOptions, rows: Sequence[int] | None = None
) -> dict[str, Interval]:
    """The mean of each measure over the questions of ``rows`` (None: all); ``asked`` is that of `concepts_asked`."""
    chosen = slice(None) if rows is None else list(rows)
    drawn = clusters(np.array(asked, dtype=object)[chosen].tolist(), bootstrap) if asked else None
    return {name: mean_interval(one[chosen], drawn, bootstrap) for name, one in values.items()}


def report_retrieval(
    questions: Sequence[SearchQuestion],
    rankings: Sequence[Ranking],
    gains: Sequence[Gains],
    bootstrap: BootstrapOptions = EACH,
    cutoffs: Sequence[int] = CUTOFFS,
    measures: Sequence[str] = MEASURES[:3],
    first_stage: Sequence[Ranking] | None = None,
    right: int = RIGHT,
    more: Mapping[str, Doubles] = MappingProxyType({}),
) -> RetrievalReport:
    """The report of one method's rankings: the figures of `retrieval_figures`, also by kinds of questions.

    ``first_stage`` are the candidates that the method reordered, if it did: then measures are also computed over the
    questions that have a right one among them.
    """
    whole = retrieval_figures(questions, rankings, gains, bootstrap, cutoffs, measures, right, more)
    asked = concepts_asked(questions)

    def figures(rows: Sequence[int]) -> dict[str, Interval]:
        return _intervals(whole.values, asked, bootstrap, rows)

    overlaps = {row: overlap_interval(one.overlap) for row, one in enumerate(questions) if one.overlap >= 0}
    newness = {row: one.seen for row, one in enumerate(questions) if one.seen}
    depth = max(cutoffs)
    recalls = {
        str(k): recall(rankings, gains, k, right)
        for k in sorted({*(2**power for power in range(depth.bit_length())), depth})
    }
    curve = {int(k): one for k, one in _intervals(recalls, asked, bootstrap).items()}
    reachable = None
    normalized: Mapping[str, Interval] = {}
    if first_stage is not None:
        reached = np.flatnonzero(right_ranks(first_stage, gains, right)).tolist()
        reachable = len(reached)
        normalized = figures(reached) if reached else {}
    return RetrievalReport(
        whole.n, whole.measures, whole.values, _by_kind(overlaps, figures, reverse=True),
        _by_kind(newness, figures), curve, reachable, normalized,
    )  # fmt: skip


def _by_kind(
    kinds: Mapping[int, str], figures: Callable[[list[int]], Mapping[str, Interval]], *, reverse: bool = False
) -> dict[str, QuestionGroup]:
    rows: dict[str, list[int]] = defaultdict(list)
    for row, kind in kinds.items():
        rows[kind].append(row)
    return {kind: (len(some), figures(some)) for kind, some in sorted(rows.items(), reverse=reverse)}
