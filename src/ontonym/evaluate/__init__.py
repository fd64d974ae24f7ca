"""Evaluation: gold corpora, measures, intervals, comparisons and reports. Each figure has its protocol and an interval.

How an evaluation runs: a command of ``ontonym evaluate`` opens what it is given and calls one function ``evaluate_…``
of this room. That asks the questions of the gold, judges the answers, and gives an `Evaluation` (of normalizers a
`NormalizationRuns`): tables, plots and runs for people, and the same figures as JSON values. ``cli.reports`` prints
them, compares runs, and writes pages and files.

Where to look (a test holds this list to the files):

- what all evaluations share: ``significance`` for intervals and tests, ``measures`` for ranks and the protocol,
  ``results`` for tables, plots and runs, ``comparison`` of runs
- they are shown: ``tables`` as text, Markdown and LaTeX, ``plots``, ``page``; ``outputs`` writes the files
- gold: ``corpora`` reads every layout; ``goldids`` refuses ids of another terminology; ``texts`` for training,
  ``ownterms`` for an index
- mentions, `evaluate normalization`: ``indexes`` asks an index, ``normalization`` judges the answers, ``nil``,
  ``mistakes``; ``normalizationruns`` shows runs. So do ``strategies`` and ``heldout`` (hidden synonyms)
- mentions in texts, `evaluate annotation`: ``annotation``, ``annotationmistakes``, ``annotationpage``
- `evaluate search`: ``questions`` and their gold, ``search``, ``retrieval`` judges rankings, ``retrievaltables``
- other search methods, `evaluate baselines`: ``plan``, ``searchmethods``, ``baselines``; TREC files: ``trec``
- pairs of names, `evaluate similarity`: ``pairsets``, ``graded`` files, ``pairsimilarity`` by every method,
  ``agreement`` with gold, ``similarity`` of one set, ``similaritytables``
- `evaluate categories`: ``categories``, ``overlaps``
- mappings: ``matching``, ``ranking`` of given candidates, ``alignment`` with encyclopedia pages
- `ontonym calibrate`: ``calibration``, ``leftout`` terms, ``reliability`` of confidences
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
from ontonym.evaluate.normalizationruns import compare, format_comparisons, format_report, format_runs
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
