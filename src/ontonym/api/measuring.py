"""Measuring: an index on gold data, encoders on pairs of names, mappings on a reference; and benchmarks to measure
with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.given import given_places, name_or_place, place_of
from ontonym.api.opening import AN_ENCODER, using_index, using_terminology
from ontonym.api.results import with_text
from ontonym.evaluate.results import Evaluation
from ontonym.index import Index
from ontonym.tasks.chosen import chosen

if TYPE_CHECKING:
    from ontonym.evaluate.report import NormalizationRuns
    from ontonym.evaluate.search import SearchEvaluation
    from ontonym.manifest import Manifest


def evaluate_normalization(index: Index | Path | str, *gold: Path | str, **keywords: Any) -> NormalizationRuns:
    """How well an index normalizes the mentions of annotated corpora; ``.text`` shows the figures with intervals.

    Keywords are fields of `CorpusEvaluationOptions`.
    """
    with using_index(index) as opened:
        runs: NormalizationRuns = opened.evaluate(*gold, **keywords)
        return runs


def evaluate_search(index: Index | Path | str, gold: Path | str, **keywords: Any) -> SearchEvaluation:
    """How well an index finds the concepts of questions; ``.text`` shows the figures with intervals.

    Keywords are fields of `SearchEvaluationOptions`.
    """
    from ontonym.evaluate.search import SearchEvaluationOptions
    from ontonym.evaluate.search import evaluate_search as measured

    with using_index(index) as opened:
        how = chosen(None, SearchEvaluationOptions(), keywords)
        return with_text(measured(opened.refreshed(), place_of(gold, "the path of questions"), how))


def evaluate_similarity(sets: Any, encoders: Any = ("default", "edit"), **keywords: Any) -> Evaluation:
    """How well encoders tell similar names from others, on sets of pairs; keywords are fields of
    `SimilarityOptions`."""
    from ontonym.evaluate.pairsets import SimilarityOptions, evaluate_pair_sets

    several = encoders if isinstance(encoders, list | tuple) else [encoders]
    methods = tuple(name_or_place(one, AN_ENCODER) for one in several)
    places = given_places(sets, "the path of a folder of sets or a file of graded pairs, or several")
    return with_text(evaluate_pair_sets(places, chosen(None, SimilarityOptions(methods=methods), keywords)))


def evaluate_matching(found: Any, reference: Path | str, **keywords: Any) -> Evaluation:
    """How many mappings of files are right by a reference; keywords are fields of `MatchingOptions`."""
    from ontonym.evaluate.matching import MatchingOptions, evaluate_mapping_files

    places = given_places(found, "the path of a file of mappings, or several")
    return with_text(evaluate_mapping_files(places, place_of(reference), chosen(None, MatchingOptions(), keywords)))


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
