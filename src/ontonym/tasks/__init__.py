"""What people do with an index: search, rerank, normalize mentions, annotate texts, and explain results.

Begin with ``search``. A query goes this way:

1. What is an id finds its concept (``codes``), and is done.
2. The modules of its strategy (``strategy``) search, each with a `ontonym.index.scan.Scan`, and give candidates.
3. Some of the first may change places: the concept that has the side goes before the one that leaves it open
   (``narrowerfirst``), a code before its heading (``codeheadings``), *low* before *abnormal* (``amountsfirst``).
4. Candidates get their confidences (``confidences``): only those of one terminology are rivals, and duplicate records
   are none (``duplicates``). One of another terminology may say more of the query (``fulleranswer``).
5. A query that lists several findings (``listed``), or has a name among other words (``embeddednames``), is searched
   for item by item too.
6. What is chosen becomes hits (``hits``), with their ``reasons`` and with the ids of the same concept
   (``equivalents``). A reranker may read them (``rerank``).

``normalize`` searches so for the mentions of texts: ``lookups`` finds each text once, ``document`` lets the passage
choose among its hits, ``nil`` says what has no concept, and ``answer`` has the options and the answer.

Where to look (a test holds this list to the files):

- search: ``search``, ``codes``, ``strategy``, ``narrowerfirst``, ``codeheadings``, ``amountsfirst``, ``confidences``,
  ``duplicates``, ``fulleranswer``, ``listed``, ``embeddednames``, ``hits``, ``reasons``, ``equivalents``, ``rerank``,
  and ``completing`` while someone types
- normalization of mentions: ``normalize``, ``lookups``, ``document``, ``nil``, ``answer``; ``distincttexts`` shares
  them out among workers, ``columns`` puts answers into tables
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
