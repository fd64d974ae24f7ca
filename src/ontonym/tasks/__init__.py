"""What people do with an index: search, rerank, normalize mentions, annotate texts, and explain results.

Where to look (a test holds this list to the files):

- search: ``search``, ``strategy``, ``confidences``, ``duplicates``, ``codeheadings``, ``amountsfirst``, ``saidbelow``,
  ``listed``, ``embeddednames``, ``hits``, ``codes``, ``rerank``, and ``completing`` while someone types
- normalization of mentions: ``normalize``, ``lookups``, ``answer``, ``document``, ``nil``, ``distincttexts``,
  ``columns``
- mentions are found in texts: ``annotation``
- whole documents: ``documents``; many processes: ``jobs``
- why: ``explain``
- a concept by itself: ``concepts``, ``branches``
- mappings between terminologies: ``match``; their review: ``review``; to encyclopedias: ``align``
- in other programs: ``spacy``, ``cards``, ``optionkeywords``; ``demo``
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ontonym.index.signals import SIGNALS
from ontonym.tasks.answer import Normalization, NormalizeOptions
from ontonym.tasks.explain import (
    Explanation,
    HitComparison,
    MentionExplanation,
    Nil,
    compare_hits,
    explain,
    explain_answer,
    explain_hits,
    explain_mention,
    why_nil,
)
from ontonym.tasks.normalize import normalize
from ontonym.tasks.rerank import Reranking, rerank, rerank_many, search_many
from ontonym.tasks.search import SearchOptions, search
from ontonym.tasks.strategy import PLAIN, STRATEGIES
from ontonym.text.composite import split_composite

if TYPE_CHECKING:
    from ontonym.tasks.annotation import AnnotateOptions, Annotation, annotate, annotate_texts

__all__ = [
    "PLAIN",
    "SIGNALS",
    "STRATEGIES",
    "AnnotateOptions",
    "Annotation",
    "Explanation",
    "HitComparison",
    "MentionExplanation",
    "Nil",
    "Normalization",
    "NormalizeOptions",
    "Reranking",
    "SearchOptions",
    "annotate",
    "annotate_texts",
    "compare_hits",
    "explain",
    "explain_answer",
    "explain_hits",
    "explain_mention",
    "normalize",
    "rerank",
    "rerank_many",
    "search",
    "search_many",
    "split_composite",
    "why_nil",
]

_OF_ANNOTATION = frozenset({"AnnotateOptions", "Annotation", "annotate", "annotate_texts"})
"""Names that are loaded when they are asked for: who searches need not load what finds the mentions in texts."""


def __getattr__(name: str) -> Any:
    if name not in _OF_ANNOTATION:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.annotation"), name)
    return globals()[name]
