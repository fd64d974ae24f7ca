"""Evaluates alignment with pages as retrieval: recall@k of each stage, and normalized recall@k (Rahimi section 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ontonym.errors import InputError
from ontonym.evaluate.matching import read_alignment
from ontonym.evaluate.measures import RIGHT, Ranking
from ontonym.evaluate.results import Evaluation, Results, Run, Table, TableRows
from ontonym.evaluate.retrieval import RetrievalReport, SearchQuestion, report_retrieval
from ontonym.evaluate.retrievaltables import curve_plot
from ontonym.evaluate.significance import EACH
from ontonym.index.pages import ORDERS, FoundPages, Pages
from ontonym.learning.recipes.split import Split
from ontonym.store import Terminology
from ontonym.tasks.align import Aligned, AlignOptions, SecondStage, align
from ontonym.text.counting import count
from ontonym.text.strings import hash64
from ontonym.types import Progress, no_progress

CUTOFFS = (1, 4, 64)
"""The cutoffs k of Rahimi."""

WEIGHED, READ, BOTH = "weighed", "reranked", "weighed and reranked"


@dataclass(frozen=True, slots=True)
class PageGold:
    """Concept rows with the number of their page; ``unknown`` counts pairs whose ids one side does not have."""

    pairs: tuple[tuple[int, int], ...]
    unknown: int


def read_page_gold(
    place: Path | str, split: Split, source: Terminology, pages: Pages, *, most: int, seed: int = 0
) -> PageGold:
    """The gold of one split in a folder of `build_splits`, or in a mapping file; a sample of ``most``.

    The sample depends on concept ids and ``seed`` (0: all are taken). Raises InputError if nothing is left.
    """
    path = Path(place)
    pairs = set()
    unknown = 0
    for ends in sorted(read_alignment(path / f"{split}.sssom.tsv" if path.is_dir() else path).same):
        found = _ends(source, pages, *ends)
        unknown += found is None
        if found is not None:
            pairs.add(found)
    if not pairs:
        raise InputError(f"{place}: no pair of a concept of {source.name} and a page of {pages.releases}")
    drawn = sorted(pairs, key=lambda pair: hash64(f"{seed} {source.id(pair[0])}"))[: most or None]
    return PageGold(tuple(sorted(drawn)), unknown)


def read_page_splits(
    place: Path | str, most: Mapping[Split, int], source: Terminology, pages: Pages, *, seed: int
) -> dict[Split, tuple[tuple[int, int], ...]]:
    """The pairs of the splits in ``most``, a sample of that size of each (0: all), in a folder of `build_splits`.

    Raises InputError if it is not a folder, and what `read_page_gold` raises.
    """
    if not Path(place).is_dir():
        raise InputError(f"{place}: is no folder with train and dev; make one with `build_splits()`")
    return {
        split: read_page_gold(place, split, source, pages, most=number, seed=seed).pairs
        for split, number in most.items()
    }


def _ends(source: Terminology, pages: Pages, first: str, second: str) -> tuple[int, int] | None:
    for one, other in ((first, second), (second, first)):
        row, page = source.current(one), pages.find(other)
        if row is not None and page is not None:
            return row, page
    return None


@dataclass(frozen=True, slots=True)
class Stages:
    """The rankings of every method by name, as page ids, and the ``candidates`` that second stages reordered."""

    rankings: Mapping[str, Sequence[Ranking]]
    candidates: Sequence[Ranking]


def stages_of(
    source: Terminology,
    pages: Pages,
    gold: PageGold,
    options: AlignOptions,
    second: SecondStage,
    progress: Progress = no_progress,
) -> Stages:
    """The ranking of pages by each first stage and each second stage, for the gold's concepts.

    First stages are `ORDERS`. Second stages reorder the candidates of ``options.order``: by weighing, by the reranker's
    scores alone (Rahimi section 3.2), and by both, as far as ``second`` has them.
    """
    rows = [row for row, _ in gold.pairs]
    rankings: dict[str, list[Ranking]] = {order: [] for order in ORDERS}
    for number, row in enumerate(rows):
        names = source.names(row, options.languages)
        found = pages.search(names, options.candidates) if names else None
        for order in ORDERS:
            rankings[order].append([] if found is None else _ids(pages, found, order, options.candidates))
        if number % 100 == 0:
            progress("first stage", number, len(rows))
    whole = replace(options, k=options.candidates)
    if second.weighing is not None:
        rankings[WEIGHED] = []
        for one in align(source, pages, rows, whole, replace(second, reranker=None)):
            rankings[WEIGHED].append(_ranked(pages, one))
            progress("weighing", len(rankings[WEIGHED]), len(rows))
    if second.reranker is not None:
        both: dict[str, list[Ranking]] = {READ: [], **({} if second.weighing is None else {BOTH: []})}
        for number, one in enumerate(align(source, pages, rows, whole, second), 1):
            for name, some in both.items():
                some.append(_ranked(pages, one, by_score=name == READ))
            progress("reranking", number, len(rows))
        rankings |= both
    return Stages(rankings, rankings[options.order])


def _ids(pages: Pages, found: FoundPages, order: str, k: int) -> Ranking:
    return [pages.id(page) for page in found.pages[found.best(order, k)].tolist()]  # type: ignore[arg-type]


def _ranked(pages: Pages, one: Aligned, *, by_score: bool = False) -> Ranking:
    candidates = one.candidates
    if by_score:
        scores = np.array([-1.0 if each.reranked is None else each.reranked for each in candidates])
        candidates = tuple(candidates[place] for place in np.argsort(-scores, kind="stable").tolist())
    return [pages.id(each.page) for each in candidates]


def rahimi_table(reports: Mapping[str, RetrievalReport], order: str) -> Table:
    """Rahimi's table 2: recall at the deepest cutoff first, then normalized recall of the second stages."""
    measures = list(next(iter(reports.values())).measures)[::-1]
    rows: TableRows = tuple(
        (
            name,
            *(report.measures[measure] for measure in measures),
            *(report.normalized.get(measure) for measure in measures[1:]),
        )
        for name, report in reports.items()
    )
    columns = ("method", *measures, *(f"N. {measure}" for measure in measures[1:]))
    notes = (
        f"N.: normalized, over the concepts whose page the first stage ({order}) brought (Rahimi section 3.4)",
        "lexical: BM25; char: TF-IDF of 1 to 5 characters; both: in turn; all: pages with the very name, then both",
    )
    return Table("alignment", "Alignment with pages", columns, rows, notes, best="high")


@dataclass(frozen=True, slots=True)
class AlignmentEvaluationOptions:
    """How an alignment is evaluated: the ``split`` of a gold folder, a ``sample`` of its concepts (None: all).

    ``cutoffs`` are those of recall.
    """

    split: Split = "test"
    sample: int | None = None
    cutoffs: tuple[int, ...] = CUTOFFS
    resamples: int = EACH.resamples


def stage_names(second: SecondStage) -> tuple[str, ...]:
    """The names of the first and second stages."""
    return (*ORDERS, WEIGHED, *((READ, BOTH) if second.reranker else ()))


def evaluate_alignment(
    source: Terminology,
    pages: Pages,
    gold: Path | str,
    options: AlignmentEvaluationOptions = AlignmentEvaluationOptions(),
    *,
    aligning: AlignOptions,
    second: SecondStage,
    progress: Progress = no_progress,
) -> Evaluation:
    """Recall and normalized recall of every first and second stage of an alignment with pages; see `stages_of`."""
    cutoffs = sorted(set(options.cutoffs))
    bootstrap = replace(EACH, resamples=options.resamples)
    read = read_page_gold(gold, options.split, source, pages, most=options.sample or 0)
    stages = stages_of(source, pages, read, aligning, second, progress)
    ids = [(source.id(row), pages.id(page)) for row, page in read.pairs]
    questions = [SearchQuestion(concept, (), frozenset((page,))) for concept, page in ids]
    gains = [{page: RIGHT} for _, page in ids]
    reports = {
        name: report_retrieval(
            questions,
            rankings,
            gains,
            bootstrap,
            cutoffs,
            ("recall",),
            stages.candidates if name in (WEIGHED, READ, BOTH) else None,
        )
        for name, rankings in stages.rankings.items()
    }
    unknown = f", {count(read.unknown, 'pair')} of ids not there left out" if read.unknown else ""
    languages = ", ".join(aligning.languages) or "all"
    reading = f", the reranker reads {second.depth}" if second.reranker else ""
    split = f", {options.split}" if Path(gold).is_dir() else ""
    about = (
        f"{source.full_name} to {pages.releases} ({count(len(pages), 'page')}): "
        f"{count(len(ids), 'concept')} of {Path(gold).name}{split}{unknown}",
        f"{count(aligning.candidates, 'candidate')} by {aligning.order}, names in languages: {languages}{reading}",
        bootstrap.caption("concept"),
    )
    keys = tuple(concept for concept, _ in ids)
    runs = tuple(Run(name, keys, report.values, item="concept", unit="concept") for name, report in reports.items())
    title = f"Aligning {source.path.name.removesuffix('.terminology')} with pages"
    results = Results(title, about, (rahimi_table(reports, aligning.order),), (curve_plot(reports),), runs)
    return Evaluation(results, {"runs": {name: report.to_dict() for name, report in reports.items()}}, bootstrap)
