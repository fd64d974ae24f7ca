"""Candidates of one source that say the same, a heading and a code below it, or in OMOP a source concept and the
standard one that it maps to: one answer, not two rivals.

ICD-10-CM has *Glaucoma* twice, as the block H40-H42 and as the category H40, and *Femoral hernia NOS* below *Femoral
hernia*. As rivals each would get half of the confidence, and neither would be proposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ontonym.arrays import Doubles, Ints
from ontonym.index import Index
from ontonym.tasks.duplicates import LIKELY, above_their_twins, mapped_to_twins
from ontonym.tasks.match.candidates import Candidates

_BEHIND = 1e-6
"""How much less the score of a candidate is than that of the one that stands for it."""


def twins_of(index: Index, found: Candidates) -> Ints:
    """For each pair, grouped by source, the pair that stands for it; for nearly all themselves.

    Two likely pairs are one where one target is above the other, which has its name but for what it leaves
    unspecified. The lower one stands for both where their preferred terms are the same, else the surer one. So are a
    concept of OMOP and the standard one that it maps to, which stands for both.
    """
    stands = np.arange(len(found))
    for rows in _of_several(found):
        targets = found.targets[rows].tolist()
        for high, low in above_their_twins(index, targets):
            above, below = rows[high], rows[low]
            if stands[above] != stands[below]:
                one, other = (index.preferred(int(found.targets[at])).casefold() for at in (above, below))
                is_above = one != other and found.highest[above] > found.highest[below]
                same = (stands[rows] == stands[above]) | (stands[rows] == stands[below])
                stands[np.asarray(rows)[same]] = stands[above if is_above else below]
        for place, standard in mapped_to_twins(index, targets):
            same = stands[rows] == stands[rows[place]]
            stands[np.asarray(rows)[same]] = stands[rows[standard]]
    return stands


def _of_several(found: Candidates) -> Iterator[list[int]]:
    """The likely pairs of each source that has several."""
    (likely,) = np.nonzero((found.equal > 0) | (found.highest >= LIKELY))
    for rows in np.split(likely, np.flatnonzero(np.diff(found.sources[likely])) + 1):
        if len(rows) > 1:
            yield rows.tolist()


def without_twins(found: Candidates, stands: Ints) -> Candidates:
    """The pairs that stand for themselves, with what those that they stand for have of the confidence."""
    kept = stands == np.arange(len(found))
    sums = [np.bincount(stands, weights=one, minlength=len(found)) for one in (found.highest, found.mean)]
    highest, mean = (np.minimum(one, 1).astype(found.highest.dtype) for one in sums)
    return replace(found, highest=highest, mean=mean).take(kept)


def with_twins(scores: Doubles, stands: Ints) -> Doubles:
    """The scores of all pairs, by those of the pairs that `without_twins` keeps."""
    place = np.cumsum(stands == np.arange(len(stands))) - 1
    behind = np.where(stands == np.arange(len(stands)), 0.0, _BEHIND)
    return np.asarray(np.maximum(scores[place[stands]] - behind, 0.0))
