"""The score of each candidate pair, by an aggregate or learned, and the choice of the proposed pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.errors import InputError, needing
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.tasks.match.branches import branch_odds
from ontonym.tasks.match.candidates import Candidates, run_starts
from ontonym.tasks.match.learned import Columns, Learned, default_weights, learn_weights, name_features
from ontonym.tasks.match.options import KnownMappings, MatchOptions, Mode
from ontonym.tasks.match.references import XREF_FEATURES, SharedReferences
from ontonym.tasks.match.structure import NO_PAIRS, Anchors, both_hierarchies, structure_features
from ontonym.tasks.match.twins import twins_of, with_twins, without_twins

_MOST_DOUBTED = 0.299
"""The score of a pair that the search doubts is no higher: less than the default threshold."""

_READ = 0.8
"""Up to this score a pair with an equal name is as sure as the search is of it, where an abbreviation was written out:
the learned weights count each of its meanings as a rival.
"""

_LEAST_ANCHORED = 0.5
_LEAST_KNOWN = 50


@dataclass(frozen=True, slots=True)
class MatchScorer:
    """Scores the candidate pairs of a terminology and an index.

    ``certain`` are pairs that are decided to be the same, or have one id: source rows and concept numbers, shape
    ``(n, 2)``.
    """

    source: Terminology
    index: Index
    options: MatchOptions
    certain: Ints = field(default_factory=lambda: NO_PAIRS)

    def scores(self, found: Candidates, weights: Learned | None = None) -> Doubles:
        """The score of each candidate pair, in [0, 1], by the chosen aggregate.

        What a corrected name found is no surer than the search is of it, what an abbreviation stands for is as sure as
        the search is of it, up to `_READ`, and what the search doubts is not proposed at the default threshold.
        """
        if self.options.aggregate != "learned":
            return _SCORES[self.options.aggregate](found)
        stands = twins_of(self.index, found)
        asked = without_twins(found, stands)
        scores = self.learned_scores(asked, weights or default_weights())
        scores = np.where(asked.readings < 0, np.minimum(scores, asked.highest), scores)
        is_written_out = (asked.readings > 0) & (asked.equal > 0)
        scores = np.where(is_written_out, np.maximum(scores, np.minimum(asked.highest, _READ)), scores)
        scores = np.where(asked.left > 0, scores * asked.left, np.minimum(scores, _MOST_DOUBTED))
        return with_twins(scores, stands)

    def learned_scores(self, found: Candidates, weights: Learned) -> Doubles:
        """The learned score of each candidate pair, in [0, 1]."""
        columns = self.columns(found)
        scores = weights["names"].probabilities(columns)
        if self.options.structure:
            scores = weights["structure"].probabilities({**columns, **self.structure(found, scores)})
            scores = self._of_likely_branches(found, scores)
        return scores

    def _of_likely_branches(self, found: Candidates, scores: Doubles) -> Doubles:
        """Scores that also heed the branch of the target (`ontonym.tasks.match.branches`), but for equal names."""
        equal = found.equal > 0
        same = _anchored(found, scores)
        targets = np.concatenate([found.targets[same[equal[same]]], self.certain[:, 1]])
        odds = np.where(equal, 1.0, branch_odds(found.targets, targets, self.index.terminologies))
        return scores * odds / (1 - scores + scores * odds)

    def learn(self, found: Candidates, known: KnownMappings) -> Learned:
        """Learns weights from known candidate pairs.

        A pair is the same if it is known to be; it is not if its source or its target is known to be another's, or it
        is denied (then it is no candidate). Raises InputError for fewer known pairs than `_LEAST_KNOWN` among the
        candidates.
        """
        width = self.index.concept_count
        pairs = known.pairs(self.source, self.index)
        same = np.isin(found.sources * width + found.targets, pairs[:, 0] * width + pairs[:, 1])
        if same.sum() < _LEAST_KNOWN:
            raise InputError(
                f"only {same.sum()} of the known mappings are among the candidates, but learning needs {_LEAST_KNOWN}; "
                "leave it out, and the weights of the package are used"
            )
        judged = same | np.isin(found.sources, pairs[:, 0]) | np.isin(found.targets, pairs[:, 1])
        columns = self.columns(found)
        names = learn_weights([(_some(columns, judged), same[judged])], "names")
        whole = {**columns, **self.structure(found, names.probabilities(columns))}
        return {"names": names, "structure": learn_weights([(_some(whole, judged), same[judged])], "structure")}

    def columns(self, found: Candidates) -> Columns:
        """The features of candidate pairs from names and cross-references (`ontonym.tasks.match.learned.STAGES`)."""
        counts = len(self.source), self.index.concept_count
        columns = name_features(found, counts, self.index.signals.terminologies_of(found.targets))
        if not self.options.xrefs:
            return columns | {name: np.zeros(len(found)) for name in XREF_FEATURES}
        shared = SharedReferences.between(self.source, self.index.terminologies)
        return columns | shared.features(found.sources, found.targets)

    def structure(self, found: Candidates, scores: Doubles) -> Columns:
        """The features of candidate pairs from the hierarchies.

        Anchors are the pairs that are best for both sides, and those that are certain.
        """
        best = _anchored(found, scores)
        counts = len(self.source), self.index.concept_count
        anchors = Anchors.of(found.sources[best], found.targets[best], counts, self.certain)
        terminologies = self.index.terminologies
        ours, theirs = both_hierarchies(self.source, terminologies, found.sources, found.targets, self.certain)
        return structure_features(found.sources, found.targets, anchors, ours, theirs)


_SCORES: Mapping[str, Callable[[Candidates], Doubles]] = MappingProxyType(
    {
        "max": lambda found: found.highest.astype(np.float64),
        "mean": lambda found: found.mean.astype(np.float64),
        "best-three": lambda found: found.best_three.astype(np.float64),
        "reciprocal-rank": lambda found: found.reciprocal.astype(np.float64),
    }
)


def _some(columns: Columns, rows: Mask) -> Columns:
    return {name: column[rows] for name, column in columns.items()}


def _anchored(found: Candidates, scores: Doubles) -> Ints:
    """The rows of the pairs that are best for both sides."""
    order = np.lexsort((np.arange(len(found)), -scores, found.sources))
    ordered = ScoredPairs(
        found.sources[order], found.targets[order], scores[order], np.zeros(len(order), dtype=np.bool_)
    )
    return order[choose(ordered, "mutual", _LEAST_ANCHORED)]


# Choosing -------------------------------------------------------------------------------------------------------------

_UNMATCHED = 1e-3
"""The value of leaving a concept unmatched in an assignment: less than any candidate above its threshold."""


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """Pairs with their scores, grouped by source, best first; ``taken`` targets are not free."""

    sources: Ints
    targets: Ints
    scores: Doubles
    taken: Mask

    def firsts(self) -> Mask:
        """A bitmap of the first pair of each source."""
        return run_starts(self.sources)


def choose(pairs: ScoredPairs, mode: Mode, threshold: float) -> Mask:
    """The proposed pairs, at most one of each source; see `MatchOptions`."""
    return _CHOOSE[mode](pairs, threshold)


def _best(pairs: ScoredPairs, threshold: float) -> Mask:
    return pairs.firsts() & (pairs.scores >= threshold)


def _mutual(pairs: ScoredPairs, threshold: float) -> Mask:
    """The best candidate of each concept, if that concept is the best for it; ties go to the first."""
    rows = np.arange(len(pairs.scores))
    order = np.lexsort((rows, -pairs.scores, pairs.targets))
    preferred = np.zeros(len(rows), dtype=np.bool_)
    preferred[order[run_starts(pairs.targets[order])]] = True
    return _best(pairs, threshold) & preferred & ~pairs.taken


def _one_to_one(pairs: ScoredPairs, threshold: float) -> Mask:
    """The assignment with the highest total score, by scipy; a concept may stay unmatched."""
    with needing("scipy", "eval", "one-to-one matching"):
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching
    (kept,) = np.nonzero((pairs.scores >= threshold) & ~pairs.taken)
    chosen = np.zeros(len(pairs.scores), dtype=np.bool_)
    if not len(kept):
        return chosen
    sources, rows = np.unique(pairs.sources[kept], return_inverse=True)
    targets, columns = np.unique(pairs.targets[kept], return_inverse=True)
    count = len(sources)
    table = csr_array(  # each source has an extra column for staying unmatched
        (
            np.concatenate([pairs.scores[kept] + _UNMATCHED, np.full(count, _UNMATCHED / 2)]),
            (np.concatenate([rows, np.arange(count)]), np.concatenate([columns, len(targets) + np.arange(count)])),
        ),
        shape=(count, len(targets) + count),
    )
    _, assigned = min_weight_full_bipartite_matching(table, maximize=True)
    chosen[kept[assigned[rows] == columns]] = True
    return chosen


_CHOOSE: Mapping[Mode, Callable[[ScoredPairs, float], Mask]] = MappingProxyType(
    {"best": _best, "mutual": _mutual, "one-to-one": _one_to_one}
)
