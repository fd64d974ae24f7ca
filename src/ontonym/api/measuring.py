"""Measuring: an index on gold data, encoders on pairs of names, mappings on a reference; and benchmarks to measure
with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.frames import as_table
from ontonym.api.given import concept_id_of, given_files, given_places, given_texts, place_of, several
from ontonym.api.opening import encoder_place, terminology_places, using_index, using_pages, using_terminology
from ontonym.api.results import with_text
from ontonym.errors import InputError
from ontonym.evaluate.results import Evaluation
from ontonym.index import Index
from ontonym.tasks.optionkeywords import chosen, given_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ontonym.encoder import Encoder
    from ontonym.evaluate.normalizationruns import NormalizationRuns
    from ontonym.evaluate.search import SearchEvaluation
    from ontonym.evaluate.strategies import TriedStrategies
    from ontonym.index.pages import Pages
    from ontonym.manifest import Manifest
    from ontonym.store import Terminology

_A_RELEASE = "the files of a release"


def evaluate_normalization(index: Index | Path | str, *gold: Any, **keywords: Any) -> NormalizationRuns:
    """How well an index normalizes the mentions of annotated corpora; ``.text`` shows the figures with intervals.

    A data frame with the columns ``text`` and ``id`` is a corpus too. Keywords are fields of `CorpusEvaluationOptions`,
    of `NormalizeOptions` and `SearchOptions`, ``strategy="O-T"``, ``verbatim=True``, and of `CorpusChoice`,
    ``split="test"``.
    """
    with using_index(index) as opened:
        runs: NormalizationRuns = opened.evaluate(*gold, **keywords)
        return runs


def evaluate_annotation(
    index: Index | Path | str,
    *gold: Path | str,
    learn_from: Path | str | None = None,
    mistakes: Path | str | None = None,
    jobs: int = 1,
    **keywords: Any,
) -> Evaluation:
    """How well an index finds the mentions of annotated documents: precision, recall and F1; ``.text`` shows them.

    ``learn_from`` is a corpus to learn from which likely mentions are right. ``mistakes`` is a file (TSV) for what was
    missed, found too much or given another concept. Keywords are fields of `AnnotationEvaluationOptions`, of
    `CorpusChoice`, and of `AnnotateOptions`, `NormalizeOptions` and `SearchOptions`: ``within="HP:0000118"``,
    ``prefix="MESH"``, ``find="names"``.
    """
    from ontonym.api.gold import READING, corpus_choice, opened_gold
    from ontonym.evaluate.annotation import AnnotationEvaluationOptions, learned_acceptance
    from ontonym.evaluate.annotation import evaluate_annotation as measured
    from ontonym.evaluate.annotationmistakes import write_mistakes
    from ontonym.tasks.annotation import AnnotateOptions

    choice, others = corpus_choice(keywords)
    shares = given_to(others, AnnotationEvaluationOptions(), AnnotateOptions(), also=READING)
    judging = chosen(None, AnnotationEvaluationOptions(), shares[0])
    options = chosen(None, AnnotateOptions(), shares[1])
    corpora = opened_gold(gold, choice, judging.types)
    with using_index(index) as opened:
        now = opened.refreshed()
        if learn_from is not None:
            learned = opened_gold([learn_from], choice, judging.types)
            options = replace(options, acceptance=learned_acceptance(now, learned, options))
        evaluation, judged = measured(now, corpora, options, judging, jobs=jobs)
        if mistakes is not None:
            write_mistakes(place_of(mistakes), judged, now)
    return with_text(evaluation)


def evaluate_search(index: Index | Path | str, gold: Any, **keywords: Any) -> SearchEvaluation:
    """How well an index finds the concepts of questions; ``.text`` shows the figures with intervals.

    ``gold`` is a folder made by `build_gold`, or a table or data frame with the columns ``text`` and ``id``. Keywords
    are fields of `SearchEvaluationOptions`.
    """
    from ontonym.evaluate.search import SearchEvaluationOptions
    from ontonym.evaluate.search import evaluate_search as measured

    with using_index(index) as opened, as_table(gold) as questions:
        how = chosen(None, SearchEvaluationOptions(), keywords)
        wanted = "the path of questions, or a data frame of them"
        return with_text(measured(opened.refreshed(), place_of(questions, wanted), how))


def evaluate_heldout(
    release: Any,
    *,
    encoder: Encoder | Path | str = "default",
    signals: Any = ("all",),
    resamples: int = 9999,
    **keywords: Any,
) -> NormalizationRuns:
    """How well hidden synonyms of a terminology, or of a release's files, find their concepts among the other names.

    Keywords are fields of `HoldOutOptions`. Names that the encoder has seen in training make the figures too high;
    `hidden_names` writes those that training must leave out.
    """
    from ontonym.evaluate import HoldOutOptions
    from ontonym.evaluate.heldout import evaluate_hidden_names

    return evaluate_hidden_names(
        terminology_places(release, _A_RELEASE),
        chosen(None, HoldOutOptions(), keywords),
        encoder=encoder_place(encoder),
        signals=given_texts(signals, "names of signals"),
        resamples=resamples,
    )


def hidden_names(release: Any, output: Path | str | None = None, **keywords: Any) -> list[str]:
    """The names that `evaluate_heldout` hides with the same keywords; written to ``output``, one a line, where it is
    given: what `train` takes as ``exclude``.
    """
    from ontonym.evaluate import HoldOutOptions
    from ontonym.evaluate.heldout import hidden_names as hidden
    from ontonym.files.output import write_lines

    how = chosen(None, HoldOutOptions(), keywords)
    names = [name.text for name in hidden(terminology_places(release, _A_RELEASE), how)]
    if output is not None:
        write_lines(place_of(output), names)
    return names


def evaluate_strategies(
    index: Index | Path | str, *gold: Path | str, keep: bool = False, **keywords: Any
) -> TriedStrategies:
    """Tries every search strategy on annotated corpora (Xu, table 4); ``.best`` is the best, ``.text`` shows all.

    With ``keep`` the best is the strategy ``tuned`` of the index from then on. Keywords are fields of
    `StrategyOptions` and `CorpusChoice`.
    """
    from ontonym.api.gold import corpus_choice, opened_gold
    from ontonym.evaluate.strategies import StrategyOptions
    from ontonym.evaluate.strategies import evaluate_strategies as tried
    from ontonym.index.amend import keep_strategy

    choice, others = corpus_choice(keywords)
    how = replace(chosen(None, StrategyOptions(), others), split=choice.split)
    corpora = opened_gold(gold, choice, how.types)
    with using_index(index) as opened:
        done = tried(opened.refreshed(), corpora, how)
        if keep:
            keep_strategy(str(opened.path), done.best, done.facts)
    return done


def evaluate_categories(terminology: Any, near: Sequence[str], far: str, **keywords: Any) -> Evaluation:
    """How well encoders keep the names of two ``near`` categories apart from a ``far`` one (Schulz, section 5.3).

    Each is given by the id of its top concept; 0 is perfect, 0.5 is chance. Keywords are fields of `CategoryOptions`.
    """
    from ontonym.evaluate.categories import CategoryOptions
    from ontonym.evaluate.categories import evaluate_categories as measured

    if len(tops := given_texts(near, "the ids of two near categories")) != 2:
        raise InputError(f"two near categories are compared with a far one: give two ids as `near=`, not {len(tops)}")
    with using_terminology(terminology) as opened:
        how = chosen(None, CategoryOptions(), keywords)
        return with_text(measured(opened, (tops[0], tops[1]), concept_id_of(far), how))


def evaluate_baselines(plan: Path | str, runs: Path | str | None = None, *, resamples: int = 9999) -> Evaluation:
    """The search methods of a plan (a TOML file) on the same questions: Ngo's tables 1 to 4 and figure 3.

    Every run is kept in the folder ``runs``, by default PLAN.runs, and only what is new is searched.
    """
    from ontonym.evaluate.baselines import run_plan
    from ontonym.evaluate.plan import read_plan
    from ontonym.evaluate.significance import BootstrapOptions

    file, bootstrap = place_of(plan, "the path of a plan"), BootstrapOptions(resamples=resamples)
    folder = file.with_suffix(".runs") if runs is None else place_of(runs)
    results, kept = run_plan(read_plan(file), folder, bootstrap=bootstrap)
    return with_text(Evaluation(results, {**results.to_dict(), "kept": kept}, bootstrap))


def evaluate_runs(qrels: Path | str, runs: Any, **keywords: Any) -> Evaluation:
    """How well runs of any search engine, files in TREC's format, answer the questions of ``qrels``.

    ``runs`` is one path, several, or a dictionary from names to paths; keywords are fields of `RunOptions`.
    """
    from ontonym.evaluate.results import labelled_files
    from ontonym.evaluate.trec import RunOptions
    from ontonym.evaluate.trec import evaluate_runs as measured

    if isinstance(runs, Mapping):
        files = {str(name): str(place_of(path, "the path of a run")) for name, path in runs.items()}
    else:
        files = labelled_files(given_files(runs, "the path of a run, or several"))
    return with_text(measured(place_of(qrels), files, chosen(None, RunOptions(), keywords)))


def evaluate_similarity(sets: Any, encoders: Any = ("default", "edit"), **keywords: Any) -> Evaluation:
    """How well encoders tell similar names from others, on sets of pairs; keywords are fields of
    `SimilarityOptions`."""
    from ontonym.evaluate.pairsets import SimilarityOptions, evaluate_pair_sets

    methods = tuple(map(encoder_place, several(encoders)))
    places = given_places(sets, "the path of a folder of sets or a file of graded pairs, or several")
    return with_text(evaluate_pair_sets(places, chosen(None, SimilarityOptions(methods=methods), keywords)))


def evaluate_matching(found: Any, reference: Path | str, **keywords: Any) -> Evaluation:
    """How many mappings of files are right by a reference; keywords are fields of `MatchingOptions`."""
    from ontonym.evaluate.matching import MatchingOptions, evaluate_mapping_files

    places = given_places(found, "the path of a file of mappings, or several")
    return with_text(evaluate_mapping_files(places, place_of(reference), chosen(None, MatchingOptions(), keywords)))


def evaluate_alignment(
    source: Terminology | Path | str,
    pages: Pages | Path | str,
    gold: Path | str,
    *,
    reranker: Path | str | None = None,
    **keywords: Any,
) -> Evaluation:
    """How many concepts of a terminology are aligned with the right page of an encyclopedia: recall of every stage.

    ``gold`` is a folder of splits or a file of mappings to pages. With a ``reranker`` it is measured alone and with the
    weights. Keywords are fields of `AlignmentEvaluationOptions` and `AlignOptions`. Needs ontonym[eval].
    """
    from ontonym.encoder import open_encoder, open_reranker
    from ontonym.evaluate.alignment import AlignmentEvaluationOptions
    from ontonym.evaluate.alignment import evaluate_alignment as measured
    from ontonym.tasks.align import AlignOptions, SecondStage, Weighing, default_weights

    shares = given_to(keywords, AlignmentEvaluationOptions(), AlignOptions(), without=("k",))
    options, aligning = chosen(None, AlignmentEvaluationOptions(), shares[0]), chosen(None, AlignOptions(), shares[1])
    second = SecondStage(
        Weighing(open_encoder(), default_weights()),
        None if reranker is None else open_reranker(place_of(reranker, "the path of a reranker")),
    )
    with using_terminology(source) as ours, using_pages(pages) as searched:
        how = replace(aligning, k=max(options.cutoffs))
        return with_text(
            measured(ours, searched, place_of(gold, "the path of gold data"), options, aligning=how, second=second)
        )


def build_sets(terminology: Any, output: Path | str, **keywords: Any) -> Manifest:
    """Sets of similar and dissimilar names, made from a terminology itself; keywords are fields of `BuildOptions`."""
    from ontonym.benchmark.sets import BuildOptions
    from ontonym.benchmark.sets import build_sets as build

    with using_terminology(terminology) as opened:
        return build(opened, place_of(output), chosen(None, BuildOptions(), keywords))


def build_gold(source: Any, target: Any, output: Path | str, **keywords: Any) -> Manifest:
    """Questions for search, made from the mappings between two terminologies; keywords are fields of `GoldOptions`."""
    from ontonym.benchmark.gold import GoldOptions
    from ontonym.benchmark.gold import build_gold as build

    with using_terminology(source) as ours, using_terminology(target) as theirs:
        return build(ours, theirs, place_of(output), chosen(None, GoldOptions(), keywords))
