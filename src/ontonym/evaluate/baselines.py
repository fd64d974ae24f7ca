"""Compares search methods on the same questions; every run is kept, so that only new ones are searched.

Ngo's tables 1 to 4 and figure 3, for any terminology and any gold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from ontonym.artifact import read_manifest
from ontonym.encoder import is_name, open_encoder
from ontonym.encoder.protocol import Encoder
from ontonym.errors import InputError
from ontonym.evaluate.measures import Ranking
from ontonym.evaluate.plan import ComparisonPlan, GoldPlan, MethodPlan
from ontonym.evaluate.questions import Target, gains_in, read_questions
from ontonym.evaluate.results import Cell, Plot, Results, Run, Table
from ontonym.evaluate.retrieval import (
    Answers,
    RetrievalFigures,
    RetrievalReport,
    SearchQuestion,
    best_of,
    interval_notes,
    rankings_of,
    report_retrieval,
    retrieval_figures,
)
from ontonym.evaluate.retrievaltables import ALIKE, curve_plot, overlap_plot, overlap_table, runs_of, tested
from ontonym.evaluate.searchmethods import (
    BM25Ranker,
    CharRanker,
    EncoderRanker,
    IndexRanker,
    Ranker,
    SearchedNames,
    without_stop_words,
)
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.trec import made_folder, read_run, spaced, write_run
from ontonym.index import open_index
from ontonym.manifest import Manifest, ontonym_version
from ontonym.replacing import lock
from ontonym.store import open_terminology
from ontonym.tasks import SearchOptions
from ontonym.text.counting import count
from ontonym.types import Progress, no_progress

RUNS, VECTORS = "runs", "vectors"
_DIGITS = 16

Reports = Mapping[str, RetrievalFigures]


@dataclass(frozen=True, slots=True)
class AskedGold:
    """The questions of one gold: text by text, and concept by concept if the plan wants it."""

    plan: GoldPlan
    texts: tuple[str, ...]
    single: list[SearchQuestion]
    together: list[SearchQuestion]


@dataclass(frozen=True, slots=True)
class Searched:
    """The answers of every method to every text, by gold and method; ``kept`` are those of earlier runs."""

    asked: Sequence[AskedGold]
    answers: Mapping[tuple[str, str], Mapping[str, Answers]]
    kept: int


def run_plan(
    plan: ComparisonPlan,
    folder: Path | str,
    *,
    bootstrap: BootstrapOptions = BootstrapOptions(),  # noqa: B008 (frozen)
    progress: Progress = no_progress,
) -> tuple[Results, int]:
    """The results of a plan, and how many of its runs were kept from before.

    ``folder`` keeps each run as a TREC file and the vectors of each encoder's names. A run is repeated if the
    terminology, the texts, the method, the depth or the version of ontonym has changed. An interrupted run leaves only
    vectors, from which the next continues.

    Raises InputError for something in the plan that is missing, LockedError while another process writes the folder.
    """
    folder = made_folder(folder)
    with ExitStack() as stack:
        stack.enter_context(lock(folder / RUNS))
        target = Target([stack.enter_context(open_terminology(plan.terminology))], plan.within)
        asked = [_questions(one, target) for one in plan.gold]
        searched = _search(plan, target, asked, folder, progress)
        return _results(plan, target, searched, bootstrap, progress), searched.kept


def _questions(plan: GoldPlan, target: Target) -> AskedGold:
    with ExitStack() as stack:
        source = stack.enter_context(open_terminology(plan.labels)) if plan.labels else None
        single = read_questions(plan.path, target, source=source).questions
        together = read_questions(plan.path, target, source=source, together=True).questions if plan.concepts else []
    texts = tuple(dict.fromkeys(text for one in (*single, *together) for text in one.texts))
    return AskedGold(plan, texts, single, together)


# Searching ---------------------------------------------------------------------------------------------------------


def _search(
    plan: ComparisonPlan, target: Target, asked: Sequence[AskedGold], folder: Path, progress: Progress
) -> Searched:
    """Searches with every method over every gold, method by method, so that each is prepared at most once."""
    for method in plan.method:
        if method.kind == "index":
            _own_manifest(method.index, target)  # an error before anything is searched
    answers: dict[tuple[str, str], Mapping[str, Answers]] = {}
    names = SearchedNames(target)
    kept = 0
    for method in plan.method:
        with ExitStack() as stack:
            made = _Method(method, target, names, folder / VECTORS, stack)
            for one in asked:
                file = folder / RUNS / f"{_file_name(one.plan.name, method.name)}-{made.key(one.texts, plan.depth)}.run"
                if file.is_file():
                    kept += 1
                else:
                    staged = _staged(progress, f"{method.name}, {one.plan.name}")
                    found = made.ranker.search(one.texts, plan.depth, staged)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    write_run(file, found, method.name)
                numbered = _kept_run(file, target) if file.stat().st_size else {}
                answers[one.plan.name, method.name] = {
                    text: numbered.get(str(number), ()) for number, text in enumerate(one.texts, 1)
                }
    return Searched(asked, answers, kept)


def _kept_run(file: Path, target: Target) -> dict[str, Answers]:
    """The answers of a kept run by the number of the question, with ids as the target has them.

    A TREC file has ``%20`` for white space in an id.
    """

    def id_of(written: str) -> str:
        return spaced(written) if "%" in written and target.locate(written) is None else written

    return {number: tuple((id_of(one), score) for one, score in found) for number, found in read_run(file).items()}


def _own_manifest(index: str, target: Target) -> Manifest:
    """The manifest of an index of the target's terminologies; InputError for an index of others."""
    manifest = read_manifest(index, "index")
    own = {part["fingerprint"] for part in manifest.content["identity"]["terminologies"]}
    if own != {one.fingerprint for one in target.terminologies}:
        raise InputError(
            f"{index}: not an index of the plan's terminology ({target.releases}) alone: build one with `build_index()`"
        )
    return manifest


def _file_name(gold: str, method: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in f"{gold}.{method}")


def _staged(progress: Progress, which: str) -> Progress:
    return lambda stage, done, total: progress(f"{which}: {stage}", done, total)


class _Method:
    """A method of the plan, prepared at its first search."""

    def __init__(self, plan: MethodPlan, target: Target, names: SearchedNames, vectors: Path, stack: ExitStack) -> None:
        self._plan, self._target, self._names, self._vectors, self._stack = plan, target, names, vectors, stack
        self._ranker: Ranker | None = None
        self._encoder: Encoder | None = None

    def key(self, texts: Sequence[str], depth: int) -> str:
        """A key that changes with everything that could change the run."""
        return self._digest_of_target(ontonym_version(), self._identity(), list(texts), depth)

    def _identity(self) -> list[str]:
        plan = self._plan
        words = [] if plan.stop_words else ["without stop words"]
        if plan.kind == "encoder":
            return [plan.kind, self.encoder.fingerprint, *words]
        if plan.kind == "index":
            manifest = _own_manifest(plan.index, self._target)
            return [plan.kind, manifest.fingerprint, plan.signal, *(["verbatim"] if plan.verbatim else [])]
        return [plan.kind, *words]

    @property
    def encoder(self) -> Encoder:
        """The method's encoder, with the plan's pooling."""
        if self._encoder is None:
            self._encoder = _opened(self._plan.encoder, self._plan.pooling)
        return self._encoder

    @property
    def ranker(self) -> Ranker:
        """The method's ranker."""
        if self._ranker is None:
            self._ranker = self._made()
        return self._ranker

    def _made(self) -> Ranker:
        plan = self._plan
        rewrite = str if plan.stop_words else without_stop_words
        if plan.kind == "encoder":
            names = self._digest_of_target(self._identity())
            return EncoderRanker(self._names, self.encoder, self._vectors / f"{names}.f32", rewrite)
        if plan.kind == "index":
            how = SearchOptions(signal=plan.signal, within=self._target.within, verbatim=plan.verbatim)
            return IndexRanker(self._stack.enter_context(open_index(plan.index)), how)
        if plan.kind == "char":
            return CharRanker(self._names, rewrite)
        return BM25Ranker(self._names, documents=plan.kind == "bm25-documents", rewrite=rewrite)

    def _digest_of_target(self, *facts: object) -> str:
        target = self._target
        return _digest(*facts, target.within, [one.fingerprint for one in target.terminologies])


def _opened(place: str, pooling: str) -> Encoder:
    if pooling == "own":
        return open_encoder(place)
    from ontonym.encoder.transformer import TransformerOptions, open_transformer

    return open_transformer(place if is_name(place) else Path(place), TransformerOptions(pooling=pooling))  # type: ignore[arg-type]


def _digest(*facts: object) -> str:
    return hashlib.sha256(orjson.dumps(facts)).hexdigest()[:_DIGITS]


# Tables ------------------------------------------------------------------------------------------------------------


def _results(
    plan: ComparisonPlan, target: Target, searched: Searched, bootstrap: BootstrapOptions, progress: Progress
) -> Results:
    """The tables, plots and runs of every group of golds, one group after the other."""
    groups: dict[str, list[AskedGold]] = {group: [] for group in plan.groups}
    for one in searched.asked:
        groups[one.plan.group or plan.title].append(one)
    tables: list[Table] = []
    plots: list[Plot] = []
    runs: list[Run] = []
    judge = _Judge(plan, target, searched, bootstrap)
    for number, (group, golds) in enumerate(groups.items(), 1):
        progress(f"measuring, {group}", number, len(groups))
        pooled = judge.reports(golds)
        tables += _tables_of(number, group, golds, pooled, judge)
        drawn = {f"overlap-{number}": overlap_plot(pooled, judge.deepest), f"curve-{number}": curve_plot(pooled)}
        plots += [replace(plot, key=key, title=f"{plot.title}: {group}") for key, plot in drawn.items() if plot]
        runs += runs_of(pooled, [question for one in golds for question in one.single])
    about = (
        f"searched: {target.releases}, {plan.depth} answers looked at; questions whose gold it lacks count as wrong",
        *(
            f"{one.plan.name}: {count(len(one.single), 'question')}"
            + (f", of {count(len(one.together), 'concept')}" if one.together else "")
            for one in searched.asked
        ),
        f"{ALIKE}: not told apart from {plan.base} (paired t-test, p at least 0.05)",
        *interval_notes([question for one in searched.asked for question in one.single], bootstrap),
    )
    named = tuple(replace(run, name=name) for run, name in zip(runs, plan.runs, strict=True))
    return Results(plan.title, about, tuple(tables), tuple(plots), named)


def _tables_of(
    number: int, group: str, golds: Sequence[AskedGold], pooled: Mapping[str, RetrievalReport], judge: _Judge
) -> Iterator[Table]:
    """The tables of one group of golds; ``pooled`` are the methods' reports over its questions."""
    single = {one.plan.name: judge.hits(one, together=False) for one in golds}
    yield _hits_table(f"hits-{number}", f"Hits@K: {group} (Ngo, tables 1 and 2)", single, judge.plan)
    yield _usefulness_table(f"usefulness-{number}", f"nDCG@K and MRR: {group} (Ngo, table 3)", pooled, judge.plan)
    overlap = overlap_table(pooled, judge.deepest)
    yield replace(overlap, key=f"overlap-{number}", title=f"{overlap.title}: {group} (Ngo, figure 3)")
    together = {one.plan.name: judge.hits(one, together=True) for one in golds if one.together}
    if together:
        title = f"Hits@K, concept to concept: {group} (Ngo, table 4)"
        yield _hits_table(f"concepts-{number}", title, together, judge.plan)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Measures methods on golds."""

    plan: ComparisonPlan
    target: Target
    searched: Searched
    bootstrap: BootstrapOptions

    def hits(self, asked: AskedGold, *, together: bool) -> dict[str, RetrievalFigures]:
        """Hits@K of every method over the questions of one gold."""
        questions = asked.together if together else asked.single
        gains = gains_in(self.target, questions)
        return {
            method: retrieval_figures(
                questions, self._found(asked, method, questions), gains, self.bootstrap, self.cutoffs, ["hits"]
            )
            for method in self.methods
        }

    def reports(self, golds: Sequence[AskedGold]) -> dict[str, RetrievalReport]:
        """The report of every method over the questions of some golds together."""
        questions = [question for one in golds for question in one.single]
        gains = gains_in(self.target, questions)
        found = {
            method: [ranking for one in golds for ranking in self._found(one, method, one.single)]
            for method in self.methods
        }
        measures = ("hits", "mrr", self.plan.ndcg)
        return {
            method: report_retrieval(questions, rankings, gains, self.bootstrap, self.cutoffs, measures)
            for method, rankings in found.items()
        }

    @property
    def methods(self) -> list[str]:
        return [one.name for one in self.plan.method]

    @property
    def cutoffs(self) -> list[int]:
        return sorted(self.plan.k)

    @property
    def deepest(self) -> str:
        """The Hits@K with the most answers."""
        return f"hits@{max(self.plan.k)}"

    def _found(self, asked: AskedGold, method: str, questions: Sequence[SearchQuestion]) -> list[Ranking]:
        answers = self.searched.answers[asked.plan.name, method]
        return rankings_of(best_of([answers[text] for text in one.texts], self.plan.depth) for one in questions)


def _hits_table(key: str, title: str, golds: Mapping[str, Reports], plan: ComparisonPlan) -> Table:
    """Hits@K of every method, the golds side by side."""
    measures = [f"hits@{k}" for k in sorted(plan.k)]
    columns = ("method", *(f"{gold} {measure}" for gold in golds for measure in measures))
    sizes = [f"{next(iter(reports.values())).n:,}" for reports in golds.values() for _ in measures]
    rows: list[tuple[Cell, ...]] = [("questions", *sizes)]
    rows += [
        (method, *(cell for reports in golds.values() for cell in _cells(reports, method, measures, plan)))
        for method in next(iter(golds.values()))
    ]
    return Table(key, title, columns, tuple(rows), best="high")


def _usefulness_table(key: str, title: str, reports: Reports, plan: ComparisonPlan) -> Table:
    """nDCG@K and MRR of every method."""
    measures = [*(f"{plan.ndcg}@{k}" for k in sorted(plan.k)), "mrr"]
    rows = tuple((method, report.n, *_cells(reports, method, measures, plan)) for method, report in reports.items())
    note = "nDCG: 3 for the right concept, 2 for its parents and children, 1 for those two steps away (Ngo)"
    if plan.ideal == "returned":
        note += "; over the best order of the K answers themselves"
    return Table(key, title, ("method", "n", *measures), rows, (note,), best="high")


def _cells(reports: Reports, method: str, measures: Sequence[str], plan: ComparisonPlan) -> list[Cell]:
    base, is_base = reports[plan.base], method == plan.base
    return [tested(reports[method], base, measure, is_base=is_base) for measure in measures]
