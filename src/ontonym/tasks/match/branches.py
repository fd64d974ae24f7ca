"""Whether a target is of the kind that a source's concepts are matched to: a disease is no enzyme and no organ.

Terminologies such as MeSH have diseases, organisms, chemicals and parts of the body in branches of their own, and names
alone bring *Adenosine Deaminase* for a deficiency of it. Which branches a source speaks of is seen from pairs with
equal names.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from ontonym.arrays import Doubles, Ints
from ontonym.store import Terminology

_LEAST_PAIRS = 100
"""Pairs of one terminology from which its branches are judged."""

_DOUBT = 2.0
"""A branch counts where a pair is less than half as likely as elsewhere: chapters of one kind differ less."""

_BELIEF = 50.0
"""So many pairs more are counted, spread as the candidates are: a branch without a pair is unlikely, not impossible."""


def branch_odds(targets: Ints, same: Ints, terminologies: Sequence[Terminology]) -> Doubles:
    """By how much the branch of each target changes the odds that its pair is the same: 1 where it does not, and less
    where few pairs are in the branch for the candidates that it has.

    ``same`` are the targets of pairs that are taken to be the same. All are concept numbers, of all terminologies.
    """
    odds = np.ones(len(targets))
    for terminology, (first, last) in zip(
        terminologies, pairwise(accumulate(map(len, terminologies), initial=0)), strict=True
    ):
        here = (targets >= first) & (targets < last)
        known = same[(same >= first) & (same < last)] - first
        if len(known) >= _LEAST_PAIRS and here.any():
            odds[here] = _in_terminology(targets[here] - first, known, terminology)
    return odds


def _in_terminology(targets: Ints, same: Ints, terminology: Terminology) -> Doubles:
    concepts, tops = _branches(terminology)
    size = len(terminology)
    candidates, pairs = (
        np.bincount(tops, weights=np.bincount(some, minlength=size)[concepts], minlength=size + 1)
        for some in (targets, same)
    )
    share = candidates / len(targets)
    expected = (len(same) + _BELIEF) * share
    odds = np.divide(pairs + _BELIEF * share, expected, out=np.ones(size + 1), where=expected > 0)
    best = np.zeros(size)
    np.maximum.at(best, concepts, odds[tops])  # of several branches the likeliest
    return np.minimum(_DOUBT * best[targets], 1.0)


def _branches(terminology: Terminology) -> tuple[Ints, Ints]:
    """Every concept with each of the top concepts above it, as rows; those outside the hierarchy share a top of their
    own, the number of concepts.
    """
    hierarchy, size = terminology.hierarchy, len(terminology)
    has_parents, has_children = (np.diff(edges.indptr) > 0 for edges in (hierarchy.parent_edges, hierarchy.child_edges))
    (alone,), (roots,) = (np.nonzero(~has_parents & some) for some in (~has_children, has_children))
    below = [hierarchy.descendants(root).astype(np.int64) for root in roots.tolist()]
    concepts = np.concatenate([alone, roots, *below])
    return concepts, np.concatenate([np.full(len(alone), size), roots, roots.repeat([*map(len, below)])])
