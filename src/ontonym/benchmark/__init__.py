"""Benchmarks made from terminologies alone, without annotation: what `ontonym benchmark` writes and `evaluate` reads.

Where to look (a test holds this list to the files):

- sets of similar and dissimilar names (Schulz): ``sets``; ``similar`` finds pairs of the same meaning, ``negatives``
  draws others; ``nearest`` finds the closest in spelling, ``edits`` is its compiled part
- whether people agree with such sets: ``study``
- questions for search, made from mappings (Ngo): ``gold``
- concepts whose encyclopedia page is known, in train, dev and test (Rahimi): ``splits``
"""

from __future__ import annotations

from ontonym.benchmark.sets import BuildOptions, SimilaritySet, build_sets, open_sets

__all__ = ["BuildOptions", "SimilaritySet", "build_sets", "open_sets"]
