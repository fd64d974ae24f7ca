"""Evaluates matching by ranking: the rank of a source concept's own match among given candidates.

The protocol of OAEI's Bio-ML track (He et al. 2022, "Machine Learning-Friendly Biomedical Datasets for Equivalence and
Subsumption Ontology Matching"): each source concept has one right target among about a hundred candidates.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.indexes import encoder_note
from ontonym.evaluate.measures import CUTOFFS, found_within, reciprocal
from ontonym.evaluate.results import Evaluation, Results, Table, TableRows
from ontonym.evaluate.significance import EACH, BootstrapOptions, Interval, mean_interval
from ontonym.files.source import open_source
from ontonym.index import Index
from ontonym.ontology.xrefs import curie
from ontonym.store import Terminology
from ontonym.tasks.match import Aggregate, MatchOptions, score_given
from ontonym.text.counting import count
from ontonym.types import Progress, staged

HEADER = ("SrcEntity", "TgtEntity", "TgtCandidates")
"""The columns of Bio-ML's ``test.cands.tsv``; candidates are a Python tuple or list, or separated by |."""

_HINT = "Give what Bio-ML's test.cands.tsv has: SrcEntity, TgtEntity and TgtCandidates, parted by tabs"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A source concept, the right target, and the candidates to rank, including the right one."""

    source: str
    right: str
    candidates: tuple[str, ...]


def read_candidates(path: Path | str) -> Iterator[Ranked]:
    """The questions of a file of candidates (`HEADER`); IRIs become CURIEs where possible.

    Raises FormatError, with the line, if a column is missing or the right target is not among the candidates.
    """
    lines = enumerate(open_source(path).lines(), 1)
    _, first = next(lines, (1, ""))
    names = [name.strip() for name in first.split("\t")]
    if missing := [name for name in HEADER if name not in names]:
        raise FormatError(path, f"no column {missing[0]}", line=1, hint=_HINT)
    columns = [names.index(name) for name in HEADER]
    for number, line in lines:
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) <= max(columns):
            raise FormatError(path, f"expected {len(names)} fields, found {len(fields)}", line=number, hint=_HINT)
        source, right, listed = (fields[column].strip() for column in columns)
        candidates = tuple(map(curie, _listed(path, number, listed)))
        if curie(right) not in candidates:
            raise FormatError(path, f"the right target {right} is not among its candidates", line=number)
        yield Ranked(curie(source), curie(right), tuple(dict.fromkeys(candidates)))


def _listed(path: Path | str, number: int, text: str) -> list[str]:
    if not text.startswith(("(", "[")):
        return [one.strip() for one in text.split("|") if one.strip()]
    try:
        values = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        values = None
    if not isinstance(values, (tuple, list)) or not all(isinstance(one, str) for one in values):
        raise FormatError(path, "the candidates are no list of ids", line=number, hint=_HINT)
    return list(values)


@dataclass(frozen=True, slots=True)
class RankingReport:
    """The result for ``n`` source concepts; ``mrr`` and ``hits`` by cutoff, in [0, 1], higher is better.

    ``absent`` source concepts are not in the terminology: their matches rank last, like those without a score.
    """

    n: int
    absent: int
    mrr: Interval
    hits: Mapping[int, Interval]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        measures = {"MRR": self.mrr, **{f"Hits@{k}": one for k, one in self.hits.items()}}
        return {
            "n": self.n,
            "absent": self.absent,
            "measures": {name: one.to_dict() for name, one in measures.items()},
        }


def rank_of(question: Ranked, scores: Mapping[str, float]) -> int:
    """The rank of the right target among the candidates, from 1; it ranks behind ties, and last without a score."""
    mine = scores.get(question.right, -1.0)
    return sum(scores.get(one, -1.0) >= mine for one in question.candidates)


def report_ranking(
    questions: Sequence[Ranked],
    scores: Mapping[str, Mapping[str, float]],
    bootstrap: BootstrapOptions = EACH,
) -> RankingReport:
    """The report of ``scores``: by source concept those of its candidates, in [0, 1].

    Raises InputError if there is no question.
    """
    ranks = np.asarray([rank_of(one, scores.get(one.source, {})) for one in questions], dtype=np.int64)
    absent = sum(one.source not in scores for one in questions)
    hits = {k: mean_interval(found_within(ranks, k), None, bootstrap) for k in CUTOFFS}
    return RankingReport(len(ranks), absent, mean_interval(reciprocal(ranks), None, bootstrap), hits)


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How candidates are ranked: by each of ``aggregates``; ``structure`` and ``xrefs`` are as in `MatchOptions`."""

    aggregates: tuple[Aggregate, ...] = (MatchOptions().aggregate,)
    structure: bool = MatchOptions().structure
    xrefs: bool = MatchOptions().xrefs
    jobs: int = 1
    resamples: int = EACH.resamples


def evaluate_ranking(
    source: Terminology,
    index: Index,
    candidates: Path | str,
    options: RankingOptions,
    *,
    via: Sequence[Terminology],
    progress: Progress,
) -> Evaluation:
    """MRR and Hits@K of the given candidates of a source's concepts; ``via`` adds their names in other terminologies.

    Raises what `read_candidates` raises, and InputError for a repeated source concept.
    """
    questions = list(read_candidates(candidates))
    given = {one.source: one.candidates for one in questions}
    if len(given) < len(questions):
        raise InputError(f"{candidates}: {count(len(questions) - len(given), 'source concept')} more than once")
    bootstrap = replace(EACH, resamples=options.resamples)
    reports = {}
    for name in dict.fromkeys(options.aggregates):
        advance = staged(progress, f"scoring, {name}", int(source.active.sum()))
        match = MatchOptions(name, structure=options.structure, xrefs=options.xrefs)
        scores = score_given(source, index, given, match, via=via, jobs=options.jobs, progress=advance)
        reports[name] = report_ranking(questions, scores, bootstrap)
    first = next(iter(reports.values()))
    about = (
        f"{count(first.n, 'source concept')} of {Path(candidates).name}, {first.absent:,} of them not in "
        f"{source.path.name}; ties count against the right one",
        encoder_note(index),
        bootstrap.caption("source concept"),
    )
    columns = ("score", "MRR", *(f"Hits@{k}" for k in CUTOFFS))
    rows: TableRows = tuple((name, one.mrr, *one.hits.values()) for name, one in reports.items())
    results = Results("Given candidates ranked", about, (Table("ranking", "Ranking", columns, rows, best="high"),))
    return Evaluation(results, {"runs": {name: one.to_dict() for name, one in reports.items()}}, bootstrap)
