"""Calibrates an index: its answers to questions with known concepts show what its confidences mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.arrays import Doubles
from ontonym.errors import InputError
from ontonym.evaluate.corpora import CorpusChoice, GoldDocument, has_type, open_corpora
from ontonym.evaluate.indexes import corpus_notes
from ontonym.evaluate.leftout import LeftOut
from ontonym.evaluate.measures import Resolve
from ontonym.evaluate.normalization import Answer, answer_mentions, known_parts
from ontonym.evaluate.reliability import (
    SHOWN,
    TABLE_RESAMPLES,
    Reliability,
    precision_table,
    reliability,
    threshold_cells,
    threshold_shape,
)
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.tables import cell_text, format_table
from ontonym.index import Index
from ontonym.index.calibration import USUAL, WAYS, Calibration, way_of
from ontonym.learning.calibration import FitOptions, Outcomes, calibrated, fit_curves
from ontonym.learning.questions import Question, QuestionOptions, draw_questions
from ontonym.ranges import check_seed
from ontonym.tasks import NormalizeOptions, search
from ontonym.tasks.search import Experiment
from ontonym.text.counting import count
from ontonym.types import Advance, Hit, Mention, Progress, no_progress, staged

FOLDS = 10

_CHOICE = CorpusChoice()
_NORMALIZING = NormalizeOptions()

_Row = tuple[float, bool, int, str, str, bool]


@dataclass(frozen=True, slots=True)
class CalibrationOptions:
    """How an index is calibrated; ``questions`` and ``seed`` are for questions drawn from the index without gold.

    ``bins`` are those of the calibration error, at least 2; ``resamples`` those of the bootstrap.
    """

    questions: int = QuestionOptions().questions
    seed: int = QuestionOptions().seed
    bins: int = 10
    resamples: int = BootstrapOptions().resamples

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.bins < 2:
            raise InputError(f"`bins=` must be at least 2, not {self.bins}")
        BootstrapOptions(resamples=self.resamples)  # an error for too few of them


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A learned calibration, with its figures on queries that it was not learned from (``after``).

    ``before`` are those of the confidences that an index shows without it (`ontonym.index.calibration.USUAL`).
    ``notes`` are caveats for the figures.
    """

    calibration: Calibration
    outcomes: Outcomes
    probabilities: Doubles
    before: Reliability
    after: Reliability
    bootstrap: BootstrapOptions
    unit: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The training data, the figures before and after, and the results of thresholds, as text."""
        facts = self.calibration.facts
        figures = [
            [name, *(cell_text(figure) for figure in (one.ece, one.ece_mass, one.brier, one.chance))]
            for name, one in (("before", self.before), ("after", self.after))
        ]
        thresholds = [threshold_cells(row) for row in self.calibration.table if row.threshold in SHOWN]
        return "\n".join(
            [
                f"learned from {count(len(self.outcomes), 'query', 'queries')}: {facts['data']}",
                f"first hit right: {facts['accuracy']:.3f}; cross-fitted by {self.unit}; {count(facts['bins'], 'bin')}",
                self.bootstrap.caption(self.unit),
                *self.notes,
                "",
                format_table(["", "ECE", "ECE, equal mass", "Brier score", "ECE by chance"], figures),
                "",
                f"answers with at least this confidence ({count(self._table_resamples, 'resample')} for each):",
                format_table(["threshold", "n", "answered", "precision", "recall"], thresholds),
            ]
        )

    @property
    def _table_resamples(self) -> int:
        return min(self.bootstrap.resamples, TABLE_RESAMPLES)

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        counts = np.bincount(self.outcomes.ways, minlength=len(WAYS)).tolist()
        return {
            **dict(self.calibration.facts),
            "ways": dict(zip(WAYS, counts, strict=True)),
            "folds": FOLDS,
            "interval": {
                "unit": self.unit,
                "resamples": self.bootstrap.resamples,
                "threshold_resamples": self._table_resamples,
                "seed": self.bootstrap.seed,
            },
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "thresholds": [threshold_shape(row) for row in self.calibration.table if row.threshold in SHOWN],
        }


def calibrate(
    index: Index,
    gold: Sequence[str] = (),
    choice: CorpusChoice = _CHOICE,
    options: CalibrationOptions = CalibrationOptions(),
    *,
    types: Sequence[str] = (),
    normalizing: NormalizeOptions = _NORMALIZING,
    progress: Progress = no_progress,
) -> Calibrated:
    """Calibrates an index by the annotated mentions of ``gold`` corpora, or without them by names of its own.

    Of corpora only mentions of ``types`` are used, empty for all; ``normalizing`` says how they are normalized.
    `write_calibration` puts the calibration into the index. Raises InputError as `learn_calibration` does, and for a
    ``choice`` or ``types`` without corpora.
    """
    idle = [f"`{name}=`" for name, given in {"types": types, **asdict(choice)}.items() if given and not gold]
    if idle:
        raise InputError(f"annotated mentions are chosen by {' and '.join(idle)}: give `gold=` too")
    corpora = open_corpora(gold, choice)
    if corpora:
        advance = staged(progress, "normalizing")
        outcomes = annotated_outcomes(index, chain.from_iterable(corpora), normalizing, types=types, progress=advance)
        data = ", ".join(Path(path).name for path in gold) + (f", {choice.split}" if choice.split else "")
        data += f" ({', '.join(types)})" if types else ""
        facts: dict[str, Any] = {"learned_from": "annotation", "data": data, "strategy": normalizing.search.strategy}
    else:
        asked = QuestionOptions(questions=options.questions, seed=options.seed)
        outcomes = named_outcomes(index, asked, progress=staged(progress, "asking names"))
        facts = {"learned_from": "names", "data": f"names of {index.name}", "seed": options.seed}
    learned = learn_calibration(
        outcomes,
        facts,
        unit="document" if corpora else "concept",
        bins=options.bins,
        bootstrap=BootstrapOptions(resamples=options.resamples),
    )
    return replace(learned, notes=tuple(corpus_notes(corpora)))


# Collecting outcomes -----------------------------------------------------------------------------------------------


def annotated_outcomes(
    index: Index,
    documents: Iterable[GoldDocument],
    options: NormalizeOptions | None = None,
    *,
    types: Sequence[str] = (),
    progress: Advance | None = None,
) -> Outcomes:
    """The uncalibrated answers of an index to annotated mentions; any concept of any part of the gold is right.

    Mentions without a concept, or with one that the terminologies lack, are used too: no hit for them is right. Terms
    that were added from these documents do not answer the document that they are from (`LeftOut`). Raises InputError if
    there is no mention, or the terminologies have none of their concepts.
    """
    given = options or NormalizeOptions()
    raw = replace(given, search=Experiment.of(given.search, calibrated=False), threshold=0.0, precision=None)

    documents = list(documents)
    left_out = LeftOut(index, documents)

    def ask(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit]]:
        return (answer.candidates for answer in left_out.answers(mentions, raw))

    return answered_outcomes(answer_mentions(documents, ask, types=types, progress=progress), index.resolve, types)


def answered_outcomes(answers: Iterable[Answer], resolve: Resolve, types: Sequence[str] = ()) -> Outcomes:
    """The outcomes of uncalibrated answers to gold mentions, of some types or all; see `annotated_outcomes`."""
    rows: list[_Row] = []
    for answer in answers:
        gold = answer.gold
        if not types or has_type(gold.mention.type, types):
            right = frozenset().union(*known_parts(gold, resolve))
            rows.append(_row(answer.hits, right, gold.mention.document, gold.mention.text))
    if not rows:
        raise InputError("the gold has no mention to calibrate on" + (f" of type {', '.join(types)}" if types else ""))
    found = _columns(rows)
    if not found.findable.any():
        raise InputError(
            f"the terminologies of this index have no concept of the gold's {len(rows):,} mentions: is it annotated "
            "with another terminology, or do its ids need another `prefix=`?"
        )
    return found


def named_outcomes(
    index: Index,
    options: QuestionOptions | None = None,
    *,
    progress: Advance | None = None,
) -> Outcomes:
    """The uncalibrated answers of an index to questions drawn from its own names (`draw_questions`)."""
    rows: list[_Row] = []
    for question in draw_questions(index, options or QuestionOptions()):
        rows.append(_ask(index, question))
        if progress is not None:
            progress(1)
    if not rows:
        raise InputError("no question can be made of the names of this index")
    return _columns(rows)


def _ask(index: Index, question: Question) -> _Row:
    hits = search(index, question.text, Experiment(k=3, strategy="O-T", calibrated=False, hidden=question.hidden))
    right = frozenset(index.id(concept) for concept in question.right)
    group = str(question.concept) if question.concept >= 0 else question.text
    return _row(hits, right, group, question.text)


def _row(hits: Sequence[Hit], right: frozenset[str], group: str, text: str) -> _Row:
    if not hits:
        return 0.0, False, WAYS.index("near"), group, text, bool(right)
    first = hits[0]
    same = {hit.id for hit in hits if hit.terminology == first.terminology and hit.id in first.equivalents}
    is_right = not right.isdisjoint({first.id, *same})  # the confidence is that of duplicate records together
    return first.confidence, is_right, WAYS.index(way_of(first)), group, text, bool(right)


def _columns(rows: Sequence[_Row]) -> Outcomes:
    confidences, right, ways, groups, texts, findable = zip(*rows, strict=True)
    return Outcomes(
        np.asarray(confidences, dtype=np.float64),
        np.asarray(right, dtype=np.float64),
        np.asarray(ways, dtype=np.int64),
        np.unique(np.asarray(groups, dtype=object), return_inverse=True)[1].astype(np.int64),
        np.unique(np.asarray(texts, dtype=object), return_inverse=True)[1].astype(np.int64),
        np.asarray(findable, dtype=np.bool_),
    )


# Learning --------------------------------------------------------------------------------------------------------


def learn_calibration(
    outcomes: Outcomes,
    facts: dict[str, Any],
    *,
    unit: str,
    bins: int = 10,
    bootstrap: BootstrapOptions,
) -> Calibrated:
    """The calibration learned from all outcomes, with cross-fitted figures: each group (document, concept) is judged by
    curves learned from the others. ``facts`` describe the training data and go into the index.

    Raises InputError for too few outcomes, or if all are right or all wrong.
    """
    curves = fit_curves(outcomes)
    probabilities = cross_fitted(outcomes, FitOptions())
    before = reliability(calibrated(USUAL.curves, outcomes), outcomes, bins, bootstrap)
    after = reliability(probabilities, outcomes, bins, bootstrap)
    learned = {
        **facts,
        "n": len(outcomes),
        "accuracy": round(float(outcomes.right.mean()), 6),
        "bins": bins,
        "ece_before": round(before.ece.value, 6),
        "ece": round(after.ece.value, 6),
    }
    table = precision_table(probabilities, outcomes, bootstrap)
    return Calibrated(Calibration(curves, table, learned), outcomes, probabilities, before, after, bootstrap, unit)


def cross_fitted(outcomes: Outcomes, fit: FitOptions) -> Doubles:
    """The probability of each outcome by curves learned from the other folds; a group is in one fold only."""
    groups = np.unique(outcomes.groups)
    folds = np.empty(int(groups.max()) + 1, dtype=np.int64)
    number = min(FOLDS, len(groups))
    if number < 2:
        raise InputError(
            "one document is too little to calibrate on: its figures would be of what they were learned from"
        )
    folds[groups] = np.random.default_rng(0).permutation(len(groups)) % number
    mine = folds[outcomes.groups]
    found = np.empty(len(outcomes))
    for fold in range(number):
        left_out = mine == fold
        found[left_out] = calibrated(fit_curves(outcomes.chosen(~left_out), fit), outcomes.chosen(left_out))
    return found
