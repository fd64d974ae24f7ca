"""Runs and gold as TREC files, which every retrieval tool reads, through ir_measures (extra ``eval``).

A run has ``question Q0 concept rank score run`` in each line, gold (qrels) ``question 0 concept relevance``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from ontonym.arrays import Doubles
from ontonym.errors import FormatError, InputError, UnknownNameError, needing
from ontonym.evaluate.measures import CUTOFFS, MEASURES, Gains, Ranking
from ontonym.evaluate.results import Evaluation, Results
from ontonym.evaluate.retrieval import Answers, SearchQuestion, interval_notes, rankings_of, report_retrieval
from ontonym.evaluate.retrievaltables import runs_of, tables_of
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.texts import file_text
from ontonym.files.output import written_file
from ontonym.text.counting import count
from ontonym.text.numbers import whole_number

QRELS = "qrels.txt"
QUERIES = "queries.tsv"

_RUN_COLUMNS, _QRELS_COLUMNS = 6, 4
_SPACES = {quote(character): character for character in map(chr, range(0x3001)) if character.isspace()}
_QUOTED = re.compile("|".join(_SPACES))
_STEP = 1e-6
"""The least difference between two scores: trec_eval reads them as 32-bit numbers and breaks ties by id."""


def write_trec(
    folder: Path | str,
    questions: Sequence[SearchQuestion],
    gains: Sequence[Gains],
    runs: Mapping[str, Sequence[Answers]],
) -> None:
    """Writes gold, questions and runs into a folder: `QRELS`, `QUERIES` and one ``NAME.run`` for each run.

    Questions are numbered from 1 in order; `QUERIES` has the numbers with ids and texts. Relevances are gains. Scores
    are confidences, lowered where they are equal to keep the order. White space in an id is written as ``%20``.
    """
    folder = made_folder(folder)
    with written_file(folder / QUERIES) as stream:
        stream.write(b"number\tid\ttexts\n")
        for number, question in enumerate(questions, 1):
            cells = (str(number), question.id, " | ".join(question.texts))
            stream.write(("\t".join(" ".join(cell.split()) for cell in cells) + "\n").encode())
    with written_file(folder / QRELS) as stream:
        for number, worth in enumerate(gains, 1):
            ordered = sorted(worth.items(), key=lambda one: (-one[1], one[0]))
            stream.writelines(f"{number} 0 {_token(concept)} {gain}\n".encode() for concept, gain in ordered)
    for name, answers in runs.items():
        write_run(folder / f"{_token(name).replace('/', '_')}.run", answers, name)


def made_folder(folder: Path | str) -> Path:
    """The folder, created if it is missing; raises InputError if that fails."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}. Give the name of a folder") from None
    return Path(folder)


def write_run(path: Path | str, answers: Sequence[Answers], name: str) -> None:
    """Writes the answers to questions 1, 2, … as a run called ``name``; see `write_trec`."""
    tag = _token(name)
    with written_file(path) as stream:
        for number, found in enumerate(answers, 1):
            stream.writelines(
                f"{number} Q0 {_token(concept)} {rank} {score:.6f} {tag}\n".encode()
                for rank, (concept, score) in enumerate(_falling(found), 1)
            )


def _token(text: str) -> str:
    """A text without white space, which separates columns."""
    return "".join(quote(character) if character.isspace() else character for character in text) or "-"


def spaced(token: str) -> str:
    """The text with white space that a column of a TREC file stands for, where it had some."""
    return _QUOTED.sub(lambda match: _SPACES[match[0]], token)


def _falling(answers: Answers) -> Iterable[tuple[str, float]]:
    """Answers with strictly decreasing scores."""
    last = float("inf")
    for concept, confidence in answers:
        last = min(round(confidence, 6), last - _STEP)
        yield concept, last


def read_qrels(path: Path | str) -> dict[str, Gains]:
    """The relevances of concepts by question. Raises FormatError with the first line that is not qrels."""
    found: dict[str, dict[str, int]] = {}
    for one in _read(path, "read_trec_qrels", _QRELS_COLUMNS, "question 0 concept relevance"):
        found.setdefault(one.query_id, {})[one.doc_id] = one.relevance
    return dict(found)


def read_run(path: Path | str) -> dict[str, Answers]:
    """The answers of a run by question, in trec_eval's order: by score, ties by descending id.

    Raises FormatError with the first invalid line, and for a repeated concept of a question.
    """
    found: dict[str, dict[str, float]] = {}
    for one in _read(path, "read_trec_run", _RUN_COLUMNS, "question Q0 concept rank score run"):
        answers = found.setdefault(one.query_id, {})
        if one.doc_id in answers:
            raise FormatError(path, f"question {one.query_id} is answered with {one.doc_id} twice")
        answers[one.doc_id] = one.score
    return {
        question: tuple(sorted(sorted(answers.items(), reverse=True), key=lambda one: -one[1]))
        for question, answers in found.items()
    }


def _read(path: Path | str, reader: str, columns: int, expected: str) -> Iterable[Any]:
    measures = _ir_measures()
    text = file_text(path)
    is_judged = _is_relevance if columns == _QRELS_COLUMNS else _is_score
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split()
        if cells and (len(cells) != columns or not is_judged(cells[3 if columns == _QRELS_COLUMNS else 4])):
            raise FormatError(path, f"expected {expected}, parted by spaces", line=number)
    kept = "\n".join(line for line in text.split("\n") if line.strip())
    if not kept:
        raise FormatError(path, "is empty", hint=f"A line is: {expected}")
    read: Callable[[StringIO], Iterable[Any]] = getattr(measures, reader)
    return read(StringIO(kept + "\n"))


def _is_relevance(cell: str) -> bool:
    """Whether the cell is a whole number; below 0 it marks junk."""
    return whole_number(cell.removeprefix("-")) is not None


def _is_score(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def _ir_measures() -> Any:
    with needing("ir-measures", "eval", "TREC files"):
        import ir_measures
    return ir_measures


def named_measures(
    names: Sequence[str], questions: Sequence[str], qrels: Mapping[str, Gains], run: Mapping[str, Answers]
) -> dict[str, Doubles]:
    """Measures of ir_measures by their names (``AP@100``, ``P(rel=3)@5``), each of shape ``(questions,)``.

    A question that the run does not answer has 0. Raises UnknownNameError for a name that ir_measures does not know,
    InputError for a measure that is not a share between 0 and 1.
    """
    if not names:
        return {}
    library = _ir_measures()
    parsed = {}
    for name in names:
        try:
            parsed[name] = library.parse_measure(name)
        except (ValueError, NameError, KeyError, SyntaxError, AssertionError):
            raise UnknownNameError("measure", name, [*MEASURES, "or one of ir_measures, such as AP@100"]) from None
    places = {question: place for place, question in enumerate(questions)}
    gold = [  # all that is junk is -1: questions with nothing above -2 end the process of trec_eval
        library.Qrel(one, concept, max(gain, -1)) for one in questions for concept, gain in qrels[one].items()
    ]
    answers = [
        library.ScoredDoc(one, concept, -float(rank))
        for one in questions
        for rank, (concept, _) in enumerate(run.get(one, ()))
    ]
    found = {name: np.zeros(len(questions)) for name in names}
    for name, measure in parsed.items():
        for metric in library.iter_calc([measure], gold, answers):
            found[name][places[metric.query_id]] = metric.value
        if found[name].min() < 0 or found[name].max() > 1:
            raise InputError(f"{name}: not a share between 0 and 1 for every question, so it has no interval here")
    return found


# Runs of any search engine -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is measured of runs: ``measures`` of `MEASURES` at every one of ``cutoffs``, or any of ir_measures by name.

    ``relevant`` is the least relevance of a right answer, None: the highest in the gold. Measures are normalized by the
    answers of the run ``candidates``, if one is named.
    """

    measures: tuple[str, ...] = MEASURES[:3]
    cutoffs: tuple[int, ...] = CUTOFFS
    relevant: int | None = None
    candidates: str | None = None
    resamples: int = BootstrapOptions().resamples


def evaluate_runs(qrels: Path | str, runs: Mapping[str, str], options: RunOptions = RunOptions()) -> Evaluation:
    """Measures of runs, files by name, against gold; a question that a run does not answer counts as wrong.

    Raises InputError if no answer in the gold is right, UnknownNameError for an unknown run or measure.
    """
    gold = read_qrels(qrels)
    answers = {name: read_run(path) for name, path in runs.items()}
    if options.candidates and options.candidates not in answers:
        raise UnknownNameError("run", options.candidates, answers)
    highest = max((gain for worth in gold.values() for gain in worth.values()), default=0)
    right = options.relevant or highest
    if highest < max(right, 1):
        raise InputError(f"{qrels}: no answer has a relevance of {max(right, 1)} or more, so none would be right")
    bootstrap = BootstrapOptions(resamples=options.resamples)
    questions = [
        SearchQuestion(name, (), frozenset(concept for concept, gain in worth.items() if gain >= right))
        for name, worth in gold.items()
    ]
    own = [name for name in options.measures if name in MEASURES]
    named = [name for name in options.measures if name not in MEASURES]

    def ranked(name: str) -> list[Ranking]:
        return rankings_of(answers[name].get(question, ()) for question in gold)

    first = None if options.candidates is None else ranked(options.candidates)
    reports = {
        name: report_retrieval(
            questions,
            ranked(name),
            list(gold.values()),
            bootstrap,
            sorted(set(options.cutoffs)),
            own,
            first,
            right,
            named_measures(named, list(gold), gold, found),
        )
        for name, found in answers.items()
    }
    about = (
        f"{Path(qrels).name}: {count(len(gold), 'question')}; right: a relevance of at least {right}",
        *interval_notes(questions, bootstrap),
        *filter(None, (_lost(name, found, gold) for name, found in answers.items())),
    )
    shown = next(iter(next(iter(reports.values())).measures))
    tables, plots = tables_of(reports, shown, first_stage=options.candidates or "")
    results = Results(f"Runs against {Path(qrels).name}", about, tables, plots, runs_of(reports, questions))
    return Evaluation(results, {"runs": {name: report.to_dict() for name, report in reports.items()}}, bootstrap)


def _lost(name: str, found: Mapping[str, Answers], gold: Mapping[str, Gains]) -> str:
    """The questions that a run leaves unanswered, and its answers to other questions, in words."""
    silent = sum(question not in found for question in gold)
    strange = sum(question not in gold for question in found)
    said = [f"{count(silent, 'question')} not answered, counted as wrong"] if silent else []
    said += [f"{count(strange, 'answered question')} not in the gold, left out"] if strange else []
    return f"{name}: {'; '.join(said)}" if said else ""
