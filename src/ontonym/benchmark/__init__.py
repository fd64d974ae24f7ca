"""Benchmarks made from a terminology alone, without annotation: sets of similar and dissimilar names."""

from __future__ import annotations

from ontonym.benchmark.sets import BuildOptions, SimilaritySet, build_sets, open_sets

__all__ = ["BuildOptions", "SimilaritySet", "build_sets", "open_sets"]
