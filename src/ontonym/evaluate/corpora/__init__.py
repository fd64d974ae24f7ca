"""Readers of gold corpora: documents with their text and the mentions to which experts assigned concepts.

`open_corpus` opens each by its layout; `formats` has the table of layouts, each family in its own file.
"""

from ontonym.evaluate.corpora.folds import FoldOverlap, fold_overlap
from ontonym.evaluate.corpora.formats import (
    FORMATS,
    CorpusChoice,
    CorpusFormat,
    corpus_format,
    detected_format,
    open_corpora,
    open_corpus,
)
from ontonym.evaluate.corpora.gold import Corpus, CorpusCounts, CorpusOptions, GoldDocument, GoldMention, has_type
from ontonym.evaluate.corpora.pubtator import PubTatorCorpus

__all__ = [
    "FORMATS",
    "Corpus",
    "CorpusChoice",
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
    "open_corpora",
    "open_corpus",
]
