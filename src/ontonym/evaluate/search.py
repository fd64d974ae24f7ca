"""Evaluates an index as search, by questions with known concepts: each signal, without and with a second stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ontonym.errors import UnknownNameError
from ontonym.evaluate.indexes import RERANKED, chosen_signals, encoder_note
from ontonym.evaluate.measures import CUTOFFS, MEASURES, Gains, Ranking
from ontonym.evaluate.questions import Gold, Target, gains_in, read_questions, read_seen
from ontonym.evaluate.results import Evaluation, Results
from ontonym.evaluate.retrieval import (
    Answers,
    RetrievalReport,
    SearchQuestion,
    answered,
    interval_notes,
    rankings_of,
    report_retrieval,
)
from ontonym.evaluate.retrievaltables import runs_of, tables_of
from ontonym.evaluate.searchmethods import IndexRanker
from ontonym.evaluate.significance import BootstrapOptions, paired_t_test
from ontonym.index import Index
from ontonym.index.sources import kept_encoder
from ontonym.learning.unseen import names_digest, unseen_digest
from ontonym.store import open_terminology
from ontonym.tasks import Reranking, SearchOptions
from ontonym.text.counting import count
from ontonym.types import Progress, no_progress


@dataclass(frozen=True, slots=True)
class SearchEvaluationOptions:
    """How an index is searched, and what is measured.

    Each of ``signals`` is a run of its own; ``measures`` of `MEASURES` are taken at every one of ``cutoffs``.
    ``labels`` is a terminology folder with the names of mapped concepts; ``together`` and ``missing`` are as in
    `read_questions`; ``seen`` are places for `read_seen`; ``within`` and ``verbatim`` are as in `SearchOptions`, and a
    question about a concept that is not ``within`` is one that the index lacks. Measures are normalized by the answers
    of the run ``candidates``.
    """

    signals: tuple[str, ...] = ("all",)
    measures: tuple[str, ...] = MEASURES[:3]
    cutoffs: tuple[int, ...] = CUTOFFS
    labels: str | None = None
    together: bool = False
    missing: Literal["wrong", "skip"] = "wrong"
    within: tuple[str, ...] = ()
    verbatim: bool = False
    seen: tuple[str, ...] = ()
    candidates: str | None = None
    resamples: int = BootstrapOptions().resamples

    def searched(self, signal: str) -> SearchOptions:
        """How one signal is searched."""
        return SearchOptions(signal=signal, within=self.within, verbatim=self.verbatim)

    def run_names(self, *, reranked: bool) -> list[str]:
        """The names of the runs, in order. Raises UnknownNameError if ``candidates`` is none of them."""
        signals = chosen_signals(self.signals)
        names = [*signals, *(f"{name}{RERANKED}" for name in signals if reranked)]
        if self.candidates and self.candidates not in names:
            raise UnknownNameError("run", self.candidates, names)
        return names


@dataclass(frozen=True, slots=True, repr=False)
class SearchEvaluation(Evaluation):
    """The outcome with the questions and answers, for TREC files.

    ``unseen``: the encoder was certainly trained without the texts that were searched for.
    """

    questions: Sequence[SearchQuestion] = ()
    gains: Sequence[Gains] = ()
    answers: Mapping[str, Sequence[Answers]] = field(default_factory=dict)
    unseen: bool = False


def search_gold(index: Index, place: Path | str, options: SearchEvaluationOptions) -> Gold:
    """The questions at a place about the concepts of an index; see `read_questions`."""
    target = Target(index.terminologies, options.within)
    with ExitStack() as stack:
        source = stack.enter_context(open_terminology(options.labels)) if options.labels else None
        seen = read_seen(options.seen, target) if options.seen else None
        return read_questions(
            place, target, source=source, together=options.together, missing=options.missing, seen=seen
        )


def question_texts(index: Index, place: Path | str, options: SearchEvaluationOptions) -> list[str]:
    """The distinct texts of `search_gold`, without those of several lines."""
    questions = search_gold(index, place, options).questions
    texts = dict.fromkeys(text for question in questions for text in question.texts)
    return [text for text in texts if "\n" not in text]


def evaluate_search(
    index: Index,
    place: Path | str,
    options: SearchEvaluationOptions = SearchEvaluationOptions(),
    *,
    second: Reranking | None = None,
    progress: Progress = no_progress,
) -> SearchEvaluation:
    """Hits@K, MRR, nDCG@K and recall@K of every run over the questions at a place, also by kinds of questions.

    With ``second`` every signal runs without and with it. Raises what `read_questions` raises.
    """
    names = options.run_names(reranked=second is not None)
    gold = search_gold(index, place, options)
    questions = gold.questions
    target = Target(index.terminologies, options.within)
    gains = gains_in(target, questions)
    cutoffs = sorted(set(options.cutoffs))
    bootstrap = BootstrapOptions(resamples=options.resamples)
    depth = max(*options.cutoffs, second.depth if second else 1)
    answers = _answers(index, questions, names, options, second, depth, progress)
    reports = {}
    for name in names:
        progress(f"measuring, {name}", 0, None)
        stage = _first_stage(name, answers, options.candidates, second)
        reports[name] = report_retrieval(
            questions, rankings_of(answers[name]), gains, bootstrap, cutoffs, options.measures, stage
        )
    unseen = _unseen(index, questions)
    about = (
        f"{_describe(gold, target, options)}; {count(depth, 'answer')} looked at, for mrr too",
        *interval_notes(questions, bootstrap),
        f"{encoder_note(index)}, {'trained without' if unseen else 'may have seen'} these texts"
        f"{'' if unseen else ' in training'}",
    )
    measures = next(iter(reports.values())).measures
    deepest = [name for name in (f"hits@{cutoffs[-1]}", f"recall@{cutoffs[-1]}") if name in measures]
    shown = (*deepest, *measures)[0]
    tables, plots = tables_of(reports, shown, first_stage=options.candidates or "the first stage")
    title = f"Searching {target.releases} for {Path(place).name}{', concept to concept' * options.together}"
    shape = {
        "runs": {name: {**report.to_dict(), **_against_first(reports, name)} for name, report in reports.items()},
        "unknown": dict(gold.counts.unknown),
    }
    results = Results(title, about, tables, plots, runs_of(reports, questions))
    return SearchEvaluation(results, shape, bootstrap, questions=questions, gains=gains, answers=answers, unseen=unseen)


def _answers(
    index: Index,
    questions: Sequence[SearchQuestion],
    names: Sequence[str],
    options: SearchEvaluationOptions,
    second: Reranking | None,
    depth: int,
    progress: Progress,
) -> dict[str, Sequence[Answers]]:
    """The first ``depth`` answers of every run."""
    runs: dict[str, Sequence[Answers]] = {}
    for name in names:
        how = options.searched(name.removesuffix(RERANKED))
        ranker = IndexRanker(index, how, second if name.endswith(RERANKED) else None)

        def ask(texts: Sequence[str], ranker: IndexRanker = ranker, name: str = name) -> Sequence[Answers]:
            return ranker.search(texts, depth, lambda _, done, total: progress(f"searching, {name}", done, total))

        runs[name] = answered(ask, questions, depth)
    return runs


def _first_stage(
    name: str, runs: Mapping[str, Sequence[Answers]], candidates: str | None, second: Reranking | None
) -> list[Ranking] | None:
    """The candidates that a run's measures are normalized by; None without a first stage."""
    if candidates:
        return rankings_of(runs[candidates])
    if second is None:
        return None
    return [ranking[: second.depth] for ranking in rankings_of(runs[name.removesuffix(RERANKED)])]


def _against_first(reports: Mapping[str, RetrievalReport], name: str) -> dict[str, Any]:
    """The p of a paired t-test of each measure against the first run."""
    first = next(iter(reports))
    if name == first:
        return {}
    values = reports[name].values
    return {"p": {measure: paired_t_test(reports[first].values[measure], one) for measure, one in values.items()}}


def _describe(gold: Gold, target: Target, options: SearchEvaluationOptions) -> str:
    counts = gold.counts
    skipped = "".join(f", {number:,} left out ({why})" for why, number in counts.skipped.items())
    unknown = counts.unknown
    shown = ", ".join(list(unknown)[:3])
    fate = "counted as wrong" if options.missing == "wrong" else "left out"
    lost = f"; {count(len(unknown), 'gold id')} the index does not have ({shown}…), {fate}" if unknown else ""
    asked = f"{count(len(gold.questions), 'question')} of {count(counts.rows, 'row')}"
    return f"{target.releases}: {asked}{', verbatim' * options.verbatim}{skipped}{lost}"


def _unseen(index: Index, questions: Sequence[SearchQuestion]) -> bool:
    """Whether the encoder was certainly trained without the texts."""
    known = unseen_digest(str(kept_encoder(index.path, index.manifest.content["encoder"])))
    return known == names_digest(text for question in questions for text in question.texts)
