"""Evaluation: readers of gold corpora, measures, intervals, reports and the mistakes file.

Every figure carries the ``Protocol`` under which it was measured and a bootstrap interval. The evaluated normalizer is
a callable.
"""

from __future__ import annotations

from ontonym.evaluate.corpora import CorpusCounts, GoldDocument, GoldMention, PubTatorCorpus, open_corpus
from ontonym.evaluate.heldout import HeldOutSynonyms, HiddenName, HoldOutOptions, evaluate_held_out
from ontonym.evaluate.measures import Protocol
from ontonym.evaluate.mistakes import Lookup, Mistake
from ontonym.evaluate.normalization import (
    Answer,
    MentionHits,
    NormalizationReport,
    answer_mentions,
    evaluate_normalization,
    judge,
)
from ontonym.evaluate.report import compare, format_comparisons, format_report, format_runs
from ontonym.evaluate.significance import BootstrapOptions, Interval, PairedDifference

__all__ = [
    "Answer",
    "BootstrapOptions",
    "CorpusCounts",
    "GoldDocument",
    "GoldMention",
    "HeldOutSynonyms",
    "HiddenName",
    "HoldOutOptions",
    "Interval",
    "Lookup",
    "MentionHits",
    "Mistake",
    "NormalizationReport",
    "PairedDifference",
    "Protocol",
    "PubTatorCorpus",
    "answer_mentions",
    "compare",
    "evaluate_held_out",
    "evaluate_normalization",
    "format_comparisons",
    "format_report",
    "format_runs",
    "judge",
    "open_corpus",
]
