"""Training examples made from terminologies, one file per recipe."""

from ontonym.pairs.synonyms import NamePool, SynonymOptions, synonym_pool

__all__ = ["NamePool", "SynonymOptions", "synonym_pool"]
