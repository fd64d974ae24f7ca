"""By how much each group of features raises the score of a candidate, alone or compared with another one: exact Shapley
values in the network of `ontonym.index.fuse`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import factorial
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Floats
from ontonym.index.evidence import FEATURES, SIDES, SIGNAL_TABLE
from ontonym.index.fuse import Fusion

NAME = "name"
"""The group of the kind of the name, and of how many names the concept has."""

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tuple(row.features) for name, row in SIGNAL_TABLE.items()}
    | {
        "equal": ("spelled", "spelled_preferred"),
        "numbers": ("number_missing", "number_extra"),
        "opposites": ("contradicted",),
        "qualifiers": ("qualifier_missing", "qualifier_extra"),
        "residual": ("residual",),
        NAME: ("size", "inexact", "abbreviation", "short_query", "one_word"),
    }
)
"""The groups of features that are told apart: one for each signal, then those of no signal. Each feature is in one."""

_MEASURED_FROM = {name: of for row in SIGNAL_TABLE.values() for name, of in row.features.items() if of}


def shapley_values(fusion: Fusion, features: Floats, baseline: Floats) -> dict[str, float]:
    """The Shapley value of each of `GROUPS` in the score of ``features``, relative to that of ``baseline``.

    Exact: the score is computed for every subset of the groups, the others being as in the baseline. The values, in
    natural log-odds, add up to the difference of the two scores. Arrays of shape ``(len(FEATURES),)``.
    """
    groups = np.array([np.isin(FEATURES, names) for names in GROUPS.values()])
    count = len(groups)
    subsets = np.arange(1 << count)
    members = (subsets[:, None] >> np.arange(count) & 1).astype(np.bool_)
    scores = fusion.exact_scores(np.where(members @ groups, features, baseline))
    sizes = members.sum(axis=1)
    by_size = np.array([factorial(size) * factorial(count - size - 1) / factorial(count) for size in range(count)])
    found = {}
    for number, name in enumerate(GROUPS):
        without = subsets[~members[:, number]]
        found[name] = float(by_size[sizes[without]] @ (scores[without | 1 << number] - scores[without]))
    return found


def neutral(fusion: Fusion, features: Floats) -> Floats:
    """The features of a neutral candidate of the same query.

    It has similarity 0, shares no word and lacks no number; it has the usual number of names, and an exact one.
    """
    found = np.zeros_like(features)
    for name, of in _MEASURED_FROM.items():
        found[FEATURES.index(name)] = features[FEATURES.index(name)] - features[FEATURES.index(of)]
    for name, value in (("size", fusion.mean), ("short_query", features), ("one_word", features)):
        found[FEATURES.index(name)] = value[FEATURES.index(name)]
    return found


def telling_feature(fusion: Fusion, group: str, better: Floats, worse: Floats) -> str:
    """The feature of a group that does most for ``better`` against ``worse``; empty if none is clearly for it.

    A feature does what its exchange alone changes in the score, on the average of both candidates. A feature of a known
    side must also be better on that side; one that is a distance to the best counts for the feature it is measured
    from.
    """
    found: dict[str, float] = {}
    for name in GROUPS[group]:
        at, own = FEATURES.index(name), _MEASURED_FROM.get(name, name)
        side, ahead = SIDES.get(own, 0), better[FEATURES.index(own)] - worse[FEATURES.index(own)]
        if ahead == 0 or side * ahead < 0:
            continue
        rows = np.array([better, better, worse, worse])
        rows[1, at], rows[2, at] = worse[at], better[at]
        scores = fusion.exact_scores(rows)
        found[own] = found.get(own, 0.0) + float(scores[0] - scores[1] + scores[2] - scores[3]) / 2
    return max(found, key=lambda name: found[name], default="")
