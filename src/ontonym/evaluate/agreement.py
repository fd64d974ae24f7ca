"""The agreement of similarities with gold: correlation with grades, and separation of similar and dissimilar pairs.

Schulz, section 5. All statistics are from scipy, scikit-learn and statsmodels (extra ``eval``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ontonym.arrays import Doubles, Mask
from ontonym.errors import InputError, needing
from ontonym.evaluate.significance import BootstrapOptions, Interval, bootstrapped
from ontonym.text.counting import count

ALPHA = 0.05
"""The level of all comparisons of one table together, by Bonferroni's correction."""

_EXACT_BELOW = 25
"""Below this number of pairs on which only one of two is right, McNemar's test is the exact binomial one."""

_FEWEST = 3
"""The pairs that a correlation needs."""


@dataclass(frozen=True, slots=True)
class Parting:
    """How well a similarity separates similar from dissimilar pairs.

    ``auc``: the area under the ROC curve, 0.5 is chance. ``accuracy``: the best of a single threshold, where pairs at
    least as similar as ``threshold`` count as similar; it is chosen on the same pairs, as in the paper, so that even
    chance reaches slightly more than one half.
    """

    auc: float
    accuracy: float
    threshold: float


@dataclass(frozen=True, slots=True)
class MethodStanding:
    """The number of other methods that one is significantly better than, and worse than."""

    better: int
    worse: int

    def __bool__(self) -> bool:
        """Whether it differs from any."""
        return bool(self.better or self.worse)

    def __str__(self) -> str:
        parts = [f"{self.better}"] if self.better else []
        return "/".join([*parts, *([f"-{self.worse}"] if self.worse else [])])


def part(similar: Mask, similarities: Doubles) -> Parting:
    """The separation by similarities of shape ``(pairs,)``. Raises InputError if one of the two kinds is missing."""
    if similar.all() or not similar.any():
        raise InputError("pairs can only be parted where there are similar and dissimilar ones")
    with needing("scikit-learn", "eval", "the area under the ROC curve"):
        from sklearn.metrics import roc_auc_score
    order = np.argsort(-similarities, kind="stable")
    ordered = similarities[order]
    right = np.cumsum(np.where(similar[order], 1, -1)) + np.count_nonzero(~similar)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    best = int(ends[np.argmax(right[ends])])
    threshold = float(ordered[best])
    most = int(right[best])
    if np.count_nonzero(~similar) > most:  # nothing is similar
        most, threshold = int(np.count_nonzero(~similar)), float("inf")
    return Parting(float(roc_auc_score(similar, similarities)), most / len(similar), threshold)


def right_answers(similar: Mask, similarities: Doubles, parting: Parting) -> Mask:
    """The pairs that the threshold of a separation classifies correctly."""
    mask: Mask = (similarities >= parting.threshold) == similar
    return mask


def mcnemar(first: Mask, second: Mask) -> float:
    """The two-sided p of McNemar's test that two methods are right equally often; paired masks of right answers.

    The exact binomial test if the two differ on few pairs, else chi-square with the continuity correction.
    """
    with needing("statsmodels", "eval", "McNemar's test"):
        from statsmodels.stats.contingency_tables import mcnemar as test
    table = [
        [int(np.count_nonzero((first == one) & (second == two))) for two in (True, False)] for one in (True, False)
    ]
    apart = table[0][1] + table[1][0]
    if not apart:
        return 1.0
    return float(test(table, exact=apart < _EXACT_BELOW, correction=True).pvalue)


def standings_of_answers(answers: Mapping[str, Mask]) -> dict[str, MethodStanding]:
    """How many others each is better and worse than by McNemar's test, with Bonferroni's correction over all
    comparisons.
    """
    alpha = corrected(len(answers))

    def difference(one: str, other: str) -> float:
        is_sure = mcnemar(answers[one], answers[other]) < alpha
        return float(answers[one].mean() - answers[other].mean()) if is_sure else 0.0

    return _standings(answers, difference)


def corrected(methods: int) -> float:
    """The level of each comparison, so that all comparisons of this many methods together have `ALPHA`."""
    return ALPHA / max(methods * (methods - 1) // 2, 1)


def _standings(names: Collection[str], difference: Callable[[str, str], float]) -> dict[str, MethodStanding]:
    """The standings of all by how much one is better than another; 0 where that is not sure."""
    better, worse = Counter[str](), Counter[str]()
    for one, other in combinations(names, 2):
        if found := difference(one, other):
            winner, loser = (one, other) if found > 0 else (other, one)
            better[winner] += 1
            worse[loser] += 1
    return {name: MethodStanding(better[name], worse[name]) for name in names}


# Graded ------------------------------------------------------------------------------------------------------------


def spearman(grades: Doubles, similarities: Doubles, options: BootstrapOptions) -> Interval:
    """Spearman's correlation with its bootstrap interval over pairs; BCa in the paper.

    Raises InputError for fewer than three pairs. A constant similarity has the correlation 0, from -1 to 1.
    """
    if len(grades) < _FEWEST:
        raise InputError(f"{count(len(grades), 'pair')}: too few to correlate")
    if np.ptp(similarities) == 0 or np.ptp(grades) == 0:
        return Interval(0.0, -1.0, 1.0)
    value = float(_correlation(grades[None], similarities[None])[0])
    if abs(value) > 1 - 1e-12:
        return Interval(value, value, value)
    low, high, _ = bootstrapped((grades, similarities), lambda a, b, axis: _correlation(a, b), options)
    return Interval(value, low, high)


def spearman_differs(grades: Doubles, first: Doubles, second: Doubles, options: BootstrapOptions) -> float:
    """By how much the first correlation is higher; 0 if the bootstrap interval of the difference contains 0."""
    if len(grades) < _FEWEST or np.array_equal(_ranks(first), _ranks(second)):
        return 0.0

    def difference(a: Doubles, b: Doubles, c: Doubles, axis: int) -> Doubles:
        return _correlation(a, b) - _correlation(a, c)

    low, high, _ = bootstrapped((grades, first, second), difference, options)
    return low if low > 0 else high if high < 0 else 0.0


def standings_of_correlations(
    grades: Doubles, similarities: Mapping[str, Doubles], options: BootstrapOptions
) -> dict[str, MethodStanding]:
    """The same as `standings_of_answers` for correlations: by intervals of differences at the corrected level."""
    stricter = replace(options, confidence=1 - corrected(len(similarities)))
    return _standings(
        similarities, lambda one, other: spearman_differs(grades, similarities[one], similarities[other], stricter)
    )


def _ranks(values: Doubles) -> Doubles:
    with needing("scipy", "eval", "Spearman's correlation"):
        from scipy.stats import rankdata
    ranks: Doubles = rankdata(values, axis=-1)
    return ranks


def _correlation(first: Doubles, second: Doubles) -> Doubles:
    """Spearman's correlation of corresponding rows; 0 if a row is constant."""
    one, other = (_ranks(side) - (side.shape[-1] + 1) / 2 for side in (first, second))
    scale = np.sqrt((one**2).sum(axis=-1) * (other**2).sum(axis=-1))
    found: Doubles = np.divide((one * other).sum(axis=-1), scale, out=np.zeros(scale.shape), where=scale > 0)
    return found
