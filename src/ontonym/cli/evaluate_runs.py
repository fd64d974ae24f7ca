"""``ontonym evaluate runs``: runs of any search engine against gold, all as TREC files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.evaluate import command_line, command_note
from ontonym.cli.options import json_option
from ontonym.cli.reports import check_outputs, check_runs, compare_option, give_results, output_option, resamples_option
from ontonym.cli.show import count
from ontonym.errors import InputError
from ontonym.evaluate.measures import CUTOFFS, MEASURES, Gains
from ontonym.evaluate.results import Results
from ontonym.evaluate.retrieval import (
    BY_QUESTION,
    Answers,
    SearchQuestion,
    rankings_of,
    report_retrieval,
    runs_of,
    tables_of,
)
from ontonym.evaluate.trec import named_measures, read_qrels, read_run

EXAMPLES = """\b
Examples:
  ontonym evaluate runs qrels.txt mine.run theirs.run --compare mine theirs
  ontonym evaluate runs qrels.txt *.run --measure ndcg --measure AP@100 -o report.html
  ontonym evaluate runs qrels.txt bm25.run reranked.run --candidates bm25 --measure recall --k 1 --k 4 --k 64
"""


@click.command("runs", epilog=EXAMPLES)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--measure", "measures", multiple=True, default=MEASURES[:3], show_default=True, metavar="NAME",
              help=f"{', '.join(MEASURES)}, or a measure of ir_measures by its name, such as AP@100 or P(rel=3)@5. May "
              "be repeated.")  # fmt: skip
@click.option("--k", "cutoffs", type=click.IntRange(1), multiple=True, default=CUTOFFS, show_default=True, metavar="K",
              help="Measures of the first K. May be repeated.")  # fmt: skip
@click.option("--relevant", type=click.IntRange(1), metavar="N", help="The least relevance of a right answer, for "
              "hits, mrr and recall; by default the highest in QRELS.")  # fmt: skip
@click.option("--candidates", metavar="RUN", help="Also measure over the questions for which this run found a right "
              "answer at all (normalized recall).")  # fmt: skip
@compare_option
@resamples_option
@output_option
@json_option
def command(
    *, qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], cutoffs: tuple[int, ...], relevant: int | None,
    candidates: str | None, compared: tuple[tuple[str, str], ...], resamples: int, outputs: tuple[str, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Measure runs of any search engine against gold (needs ontonym[eval]).

    QRELS has the relevance of each right answer, RUN the answers of an engine, in the formats of TREC. A run is called
    by its file, without the ending. Every question of QRELS counts: one that a run does not answer is wrong. Answers
    are ranked as trec_eval does: by score, equal ones by id, the last first.
    """
    check_outputs(outputs)
    gold = read_qrels(qrels)
    answers = {_name(path, runs): read_run(path) for path in runs}
    check_runs(compared, answers, candidates)
    right = relevant or max((gain for worth in gold.values() for gain in worth.values()), default=0)
    if right < 1:
        raise InputError(f"{qrels}: no answer has a relevance above 0")
    bootstrap = replace(BY_QUESTION, resamples=resamples)
    questions = [_question(one, worth, right) for one, worth in gold.items()]
    own, named = [one for one in measures if one in MEASURES], [one for one in measures if one not in MEASURES]
    ks = sorted(set(cutoffs))
    first = None if candidates is None else _ordered(answers[candidates], gold)
    reports = {
        name: report_retrieval(
            questions, rankings_of(_ordered(found, gold)), list(gold.values()), bootstrap, ks, own,
            None if first is None else rankings_of(first), right, named_measures(named, list(gold), gold, found),
        )
        for name, found in answers.items()
    }  # fmt: skip
    about = [
        f"{Path(qrels).name}: {count(len(gold), 'question')}; right: a relevance of at least {right}",
        bootstrap.caption("question"), *(_lost(name, found, gold) for name, found in answers.items()),
    ]  # fmt: skip
    shown = next(iter(next(iter(reports.values())).measures))
    tables, plots = tables_of(reports, shown, first_stage=candidates or "")
    results = Results(
        f"Runs against {Path(qrels).name}", tuple(line for line in about if line), tables, plots,
        runs_of(reports, questions), command_line(),
    )  # fmt: skip
    runs_shape = {name: report.to_dict() for name, report in reports.items()}
    shape = {"runs": runs_shape, "notes": [*results.about, command_note()]} if as_json else None
    give_results(results, compared, bootstrap, outputs, shape)


def _name(path: str, paths: Sequence[str]) -> str:
    """A run's name: that of its file, with the folder where several files have it."""
    stem = Path(path).stem
    return stem if sum(Path(other).stem == stem for other in paths) == 1 else str(Path(path).with_suffix(""))


def _question(name: str, worth: Gains, right: int) -> SearchQuestion:
    return SearchQuestion(name, (), frozenset(concept for concept, gain in worth.items() if gain >= right))


def _ordered(found: Mapping[str, Answers], gold: Mapping[str, Gains]) -> list[Answers]:
    return [found.get(question, ()) for question in gold]


def _lost(name: str, found: Mapping[str, Answers], gold: Mapping[str, Gains]) -> str:
    """What a run leaves unanswered, and answers that nobody asked for."""
    silent = sum(question not in found for question in gold)
    strange = sum(question not in gold for question in found)
    said = [f"{count(silent, 'question')} not answered, counted as wrong"] if silent else []
    said += [f"{count(strange, 'answered question')} not in the gold, left out"] if strange else []
    return f"{name}: {'; '.join(said)}" if said else ""
