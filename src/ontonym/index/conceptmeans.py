"""The cosine of a query to the mean vector of a candidate's names, by the cosines to each of these: no mean vector is
made for it.

`ontonym.index.part.mean_vectors_of` makes those of all concepts, to be searched (representation C).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontonym.arrays import Floats, Ints, Mask
from ontonym.index.nametable import MOST_NAMES, ROW, CandidateNames, NameTable, Pairs, PartView
from ontonym.ragged import boundaries, spread

_NO_LENGTH = 1e-6
"""A sum of vectors that is no longer has no direction."""


def mean_cosines(names: NameTable, lengths: Floats, among: Mask | None = None) -> Floats:
    """The cosine of each pair's query to the mean vector of its concept's names, or of those ``among`` them; -1 where
    it has none of these.

    ``lengths`` are those of the sums of the names' vectors.
    """
    dense = names.facts[ROW["dense"]]
    counts = np.bincount(names.pairs, minlength=len(lengths))
    sums: Floats = np.add.reduceat(dense if among is None else dense * among, np.cumsum(counts) - counts)
    found: Floats = np.full(len(lengths), -1, dtype=np.float32)
    return np.divide(sums, lengths, out=found, where=lengths > _NO_LENGTH)


class MeanLengths:
    """The length of the sum of the vectors of a concept's names, in some parts; kept, as no query changes it. The sum
    divided by it is the mean vector, of unit length."""

    def __init__(self, concepts: int) -> None:
        self._known: Floats = np.full(concepts, np.nan, dtype=np.float32)

    def of(self, views: Sequence[PartView], parts: Sequence[CandidateNames], pairs: Pairs) -> Floats:
        """The lengths for the names of each pair, shape ``(pairs,)``; 0 where it has none in these parts."""
        if any(view.hidden is not None for view in views):
            return _lengths(views, parts, np.arange(len(pairs.concepts)))
        lengths = self._known[pairs.concepts]
        some = np.zeros(len(lengths), dtype=np.bool_)  # not all names are looked at, but those the query brought are
        for held in parts:
            some |= held.sizes > MOST_NAMES
        (fresh,) = (np.isnan(lengths) & ~some).nonzero()
        if len(fresh) and len(views[0].queries) == 1:  # the concepts of one query are distinct
            self._known[pairs.concepts[fresh]] = lengths[fresh] = _lengths(views, parts, fresh)
        elif len(fresh):
            distinct, first, back = np.unique(pairs.concepts[fresh], return_index=True, return_inverse=True)
            self._known[distinct] = found = _lengths(views, parts, fresh[first])
            lengths[fresh] = found[back]
        (others,) = some.nonzero()
        if len(others):
            lengths[others] = _lengths(views, parts, others)
        return lengths


def _lengths(views: Sequence[PartView], parts: Sequence[CandidateNames], which: Ints) -> Floats:
    """The lengths for some pairs, which ascend."""
    sums = np.zeros((len(which), 1), dtype=np.float32)
    for view, held in zip(views, parts, strict=True):
        starts = held.pairs.searchsorted(which)
        counts = held.pairs.searchsorted(which, side="right") - starts
        (some,) = counts.nonzero()
        if len(some):
            vectors = view.part.dense.vectors(held.rows[spread(starts[some], counts[some])])
            own = np.add.reduceat(vectors, boundaries(counts[some])[:-1], axis=0)
            if len(some) == len(which):
                sums = own + sums
            else:
                sums = np.zeros((len(which), vectors.shape[1]), dtype=np.float32) + sums
                sums[some] += own
    lengths: Floats = np.sqrt(np.add.reduce(sums * sums, axis=1))
    return lengths
