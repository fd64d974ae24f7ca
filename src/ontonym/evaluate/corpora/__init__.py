"""Readers of gold corpora: documents with their text and the mentions that experts gave concepts to.

`open_corpus` opens each by its layout; `formats` has the table of them, one file for each family.
"""

from __future__ import annotations

from ontonym.evaluate.corpora.folds import FoldOverlap, fold_overlap
from ontonym.evaluate.corpora.formats import FORMATS, CorpusFormat, corpus_format, detected_format, open_corpus
from ontonym.evaluate.corpora.gold import (
    NIL_WORDS,
    Corpus,
    CorpusCounts,
    CorpusOptions,
    GoldDocument,
    GoldMention,
    has_type,
)
from ontonym.evaluate.corpora.pubtator import COMPOSITE_TYPES, MIXED_TYPES, PubTatorCorpus

__all__ = [
    "COMPOSITE_TYPES",
    "FORMATS",
    "MIXED_TYPES",
    "NIL_WORDS",
    "Corpus",
    "CorpusCounts",
    "CorpusFormat",
    "CorpusOptions",
    "FoldOverlap",
    "GoldDocument",
    "GoldMention",
    "PubTatorCorpus",
    "corpus_format",
    "detected_format",
    "fold_overlap",
    "has_type",
    "open_corpus",
]
