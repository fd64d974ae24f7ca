"""Evaluates search as retrieval: reports, tables and plots of how high the right concepts are ranked (Ngo, Rahimi)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.arrays import Doubles
from ontonym.errors import InputError
from ontonym.evaluate.comparison import ALPHA
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
from ontonym.evaluate.results import Cell, Line, Marked, Plot, Run, Table, TableRows
from ontonym.evaluate.significance import EACH, BootstrapOptions, Interval, mean_interval, paired_t_test
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


# Reports -----------------------------------------------------------------------------------------------------------


_Group = tuple[int, Mapping[str, Interval]]
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

    by_overlap: Mapping[str, _Group]
    by_newness: Mapping[str, _Group]
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
    bootstrap: BootstrapOptions,
    cutoffs: Sequence[int],
    measures: Sequence[str],
    right: int = RIGHT,
    more: Mapping[str, Doubles] = MappingProxyType({}),
) -> RetrievalFigures:
    """The figures of one method's rankings; a question with an empty ranking counts as wrong.

    ``right`` is the least gain of a right concept; ``more`` are further measures of every question. Raises InputError
    if there is no question, UnknownNameError for an unknown measure.
    """
    if not rankings:
        raise InputError("no question to evaluate")
    values = {**measured(rankings, gains, cutoffs, measures, right), **more}
    return RetrievalFigures(len(rankings), _intervals(values, slice(None), bootstrap), values)


def _intervals(values: Mapping[str, Doubles], rows: Any, bootstrap: BootstrapOptions) -> dict[str, Interval]:
    return {name: mean_interval(one[rows], None, bootstrap) for name, one in values.items()}


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
    whole = retrieval_figures(rankings, gains, bootstrap, cutoffs, measures, right, more)

    def figures(rows: Any) -> dict[str, Interval]:
        return _intervals(whole.values, rows, bootstrap)

    overlaps = {row: overlap_interval(one.overlap) for row, one in enumerate(questions) if one.overlap >= 0}
    newness = {row: one.seen for row, one in enumerate(questions) if one.seen}
    depth = max(cutoffs)
    curve = {
        k: mean_interval(recall(rankings, gains, k, right), None, bootstrap)
        for k in sorted({*(2**power for power in range(depth.bit_length())), depth})
    }
    reachable = None
    normalized: Mapping[str, Interval] = {}
    if first_stage is not None:
        reached = np.flatnonzero(right_ranks(first_stage, gains, right))
        reachable = len(reached)
        normalized = figures(reached) if len(reached) else {}
    return RetrievalReport(
        whole.n, whole.measures, whole.values, _by_kind(overlaps, figures, reverse=True),
        _by_kind(newness, figures), curve, reachable, normalized,
    )  # fmt: skip


def _by_kind(
    kinds: Mapping[int, str], figures: Callable[[list[int]], Mapping[str, Interval]], *, reverse: bool = False
) -> dict[str, _Group]:
    rows: dict[str, list[int]] = defaultdict(list)
    for row, kind in kinds.items():
        rows[kind].append(row)
    return {kind: (len(some), figures(some)) for kind, some in sorted(rows.items(), reverse=reverse)}


# Tables and plots ---------------------------------------------------------------------------------------------------


ALIKE = "ns"
"""Marks a figure that does not differ significantly from that of the run it is tested against."""

_LEAST_PLACES = 2


def runs_of(reports: Mapping[str, RetrievalReport], questions: Sequence[SearchQuestion]) -> tuple[Run, ...]:
    """The figures of every run by question, for comparisons."""
    keys = tuple(question.id for question in questions)
    return tuple(Run(name, keys, report.values) for name, report in reports.items())


def figures_table(reports: Mapping[str, RetrievalReport]) -> Table:
    """A row for each run, a column for each measure; `ALIKE` marks figures that Student's paired t-test cannot separate
    (Ngo) from those of the first run.
    """
    base = next(iter(reports))
    measures = list(reports[base].measures)
    rows: list[tuple[Cell, ...]] = []
    for name, report in reports.items():
        cells = (tested(report, reports[base], measure, is_base=name == base) for measure in measures)
        rows.append((name, report.n, *cells))
    notes: tuple[str, ...] = ()
    if len(reports) > 1:
        notes = (f"{ALIKE}: not told apart from {base} (paired t-test, p at least {ALPHA}); unmarked others are",)
    return Table("figures", "Figures", ("run", "n", *measures), tuple(rows), notes, best="high")


def tested(report: RetrievalFigures, base: RetrievalFigures, measure: str, *, is_base: bool) -> Cell:
    """A figure, with `ALIKE` if the paired t-test does not separate it from the base's."""
    figure = report.measures[measure]
    alike = not is_base and paired_t_test(base.values[measure], report.values[measure]) >= ALPHA
    return Marked(figure, ALIKE) if alike else figure


def curve_plot(reports: Mapping[str, RetrievalReport]) -> Plot:
    """Recall at 1, 2, 4… of every run (Rahimi, figure 1)."""
    places = list(next(iter(reports.values())).curve)
    lines = tuple(Line(name, tuple(report.curve[k] for k in places)) for name, report in reports.items())
    return Plot("curve", "Recall at K", "K: answers looked at", "recall@K (share)", tuple(map(str, places)), lines)


def overlap_table(reports: Mapping[str, RetrievalReport], measure: str) -> Table:
    """A measure by overlap degree: a row for each interval, a column for each run (Ngo, figure 3)."""
    notes = (
        "overlap degree: share of a question's words, stop words aside, that some name of a right concept has (Ngo)",
    )
    groups = {name: report.by_overlap for name, report in reports.items()}
    return _grouped_table("overlap", f"{measure} by overlap degree", "overlap degree", measure, groups, notes)


def zero_shot_table(reports: Mapping[str, RetrievalReport], measure: str) -> Table:
    """A measure by how new questions are relative to training (Kong, section 2)."""
    groups = {
        name: {kind: report.by_newness[kind] for kind in ZERO_SHOT if kind in report.by_newness}
        for name, report in reports.items()
    }
    notes = (
        "mention seen: the text was in training; zero-shot on mentions only: only the concept was; on mentions and "
        "concepts: neither (Kong)",
    )
    return _grouped_table("zero-shot", f"{measure}, zero-shot", "zero-shot on", measure, groups, notes)


def _grouped_table(
    key: str, title: str, head: str, measure: str, groups: Mapping[str, Mapping[str, _Group]], notes: tuple[str, ...]
) -> Table:
    kinds = next(iter(groups.values()))
    rows: TableRows = tuple(
        (kind.removeprefix("overlap "), n, *(some[kind][1][measure] for some in groups.values()))
        for kind, (n, _) in kinds.items()
    )
    return Table(key, title, (head, "n", *groups), rows, notes, best="high", methods="columns")


def overlap_plot(reports: Mapping[str, RetrievalReport], measure: str) -> Plot | None:
    """Ngo's figure 3; None if all questions are of one interval."""
    kinds = list(next(iter(reports.values())).by_overlap)
    if len(kinds) < _LEAST_PLACES:
        return None
    places = tuple(kind.removeprefix("overlap ") for kind in kinds)
    lines = tuple(
        Line(name, tuple(report.by_overlap[kind][1][measure] for kind in kinds)) for name, report in reports.items()
    )
    about = "overlap degree: share of the question's words"
    return Plot("overlap", f"{measure} by overlap degree", about, f"{measure} (share of questions)", places, lines)


def normalized_table(reports: Mapping[str, RetrievalReport], first_stage: str) -> Table:
    """Measures over the questions for which the first stage brought a right concept (Rahimi, table 2)."""
    normalized = {name: report for name, report in reports.items() if report.reachable is not None}
    measures = list(next((report.normalized for report in normalized.values() if report.normalized), {}))
    rows: TableRows = tuple(
        (name, report.reachable, *(report.normalized.get(measure) for measure in measures))
        for name, report in normalized.items()
    )
    columns = ("run", "n", *(f"n. {measure}" for measure in measures))
    notes = (f"n.: normalized, over the questions for which {first_stage} brought a right concept (Rahimi)",)
    return Table("normalized", "Normalized by the first stage", columns, rows, notes, best="high")


def tables_of(
    reports: Mapping[str, RetrievalReport], measure: str, *, first_stage: str = ""
) -> tuple[tuple[Table, ...], tuple[Plot, ...]]:
    """All tables and plots of runs over the same questions; ``measure`` is the one shown by kind of question."""
    first = next(iter(reports.values()))
    tables = [figures_table(reports)]
    plots = [curve_plot(reports)] if len(first.curve) >= _LEAST_PLACES else []
    if first.by_overlap:
        tables.append(overlap_table(reports, measure))
        plots += [plot for plot in [overlap_plot(reports, measure)] if plot]
    if first.by_newness:
        tables.append(zero_shot_table(reports, measure))
    if any(report.normalized for report in reports.values()):
        tables.append(normalized_table(reports, first_stage))
    return tuple(tables), tuple(plots)
