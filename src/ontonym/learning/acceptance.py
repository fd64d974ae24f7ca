"""Learns which stretches of a text are mentions though they are written like no name, and measures what was learned.

What is learned from: `ontonym.learning.markedtexts`. The models are two logistic regressions whose weights may not have
the wrong sign; scikit-learn has none, and none that starts from the weights of another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ontonym.arrays import Doubles, Mask
from ontonym.errors import InputError
from ontonym.learning.markedtexts import AcceptanceDataset, AcceptanceOptions, Example, MarkedText, pieced, span_of
from ontonym.tasks.annotation.acceptance import FOUND, SHAPE, Acceptance, Logistic, OperatingPoint
from ontonym.tasks.annotation.likelymentions import LikelyFinder

RISING = frozenset(
    "kind kind_low of_phrase of_name last confidence margin dense dense_concept char words_shared query_share "
    "name_share rarity_shared".split()
)
"""Features that never make a stretch less likely to be a mention."""

FALLING = frozenset(
    "single normal common hyphen before after number_missing number_extra contradicted qualifier_missing "
    "qualifier_extra inexact abbreviation short_query kind_gap rarity_missing rarity_extra".split()
)
"""Features that never make it more likely."""

UNTAUGHT = frozenset(
    "of words modifier capitals digits common before dense_concept number_missing number_extra".split()
)
"""Features about which definitions teach nothing, or something wrong: names are written in them as they are in the
terminology, and where a name is hidden, the other names of its concept can still be found."""

_STEPS = 50
"""The most steps of Newton's method."""
_POINTS = (0.03, 0.05, 0.08, *(round(0.1 + 0.05 * step, 2) for step in range(17)), 0.93, 0.96, 0.98)
_FEWEST = 20
"""Thresholds at which fewer stretches are accepted are not reported: their precision would be uncertain."""
_CLOSE = 1e-8
"""The tolerance of Newton's method, and the penalty on the squared constant, so that the equations can be solved."""


def learn_acceptance(
    examples: Sequence[Example],
    characters: int,
    options: AcceptanceOptions = AcceptanceOptions(),  # noqa: B008 (frozen)
    without: Collection[str] = UNTAUGHT,
    prior: Acceptance | None = None,
) -> Acceptance:
    """The acceptance learned from the examples of a text of so many ``characters``; features ``without`` get no weight.

    With a ``prior`` the penalty is on the difference from its weights, so that few examples change little. The result
    has no figures yet; see `measured`.

    Raises InputError if no example is right or none is wrong.
    """
    right = np.array([one.right for one in examples])
    if not right.any() or right.all():
        raise InputError("acceptance is learned from mentions and from what is none, but there is only one of both")
    features = np.array([one.features for one in examples], dtype=np.float64)
    weights = np.array([one.weight for one in examples])
    before = (prior.shape, prior.found) if prior else (None, None)
    shape = _fit(features[:, : len(SHAPE)], right, weights, options.decay, SHAPE, without, before[0])
    found = _fit(features, right, weights, options.decay, (*SHAPE, *FOUND), without, before[1])
    chances = shape.probabilities(features[:, : len(SHAPE)])
    order = np.argsort(-chances)
    most = options.searched * characters / 1000
    last = min(int(np.searchsorted(np.cumsum(weights[order]), most)), len(order) - 1)
    return Acceptance(shape, found, round(float(chances[order[last]]), 5), options.accepted)


def measured(
    datasets: Sequence[AcceptanceDataset],
    options: AcceptanceOptions = AcceptanceOptions(),  # noqa: B008 (frozen)
    without: Collection[str] = UNTAUGHT,
    prior: Acceptance | None = None,
    searched: float | None = None,
) -> tuple[OperatingPoint, ...]:
    """Precision and recall by threshold on texts that were not learned from: each half is judged by what was learned
    from the other half.

    A stretch is right where it overlaps a mention whose concept it finds; one that means what its definition defines
    is not counted. ``searched`` is as in `Acceptance`. Empty where a half has nothing to learn from.
    """
    sure: list[float] = []
    right: list[bool] = []
    wanted = 0
    for half in (0, 1):
        examples = [one for dataset in datasets for one in dataset.part(1 - half, 2).examples(options)]
        characters = sum(dataset.part(1 - half, 2).characters for dataset in datasets)
        try:
            learned = learn_acceptance(examples, characters, options, without, prior)
        except InputError:
            return ()
        judge = replace(learned, accepted=_POINTS[0], searched=learned.searched if searched is None else searched)
        for dataset in datasets:
            finder = dataset.finder.judging(judge)
            for marked in dataset.part(half, 2).texts:
                wanted += len(marked.mentions)
                for probability, is_right in _judged(finder, marked):
                    sure.append(probability)
                    right.append(is_right)
    return tuple(_points(np.array(sure), np.array(right, dtype=np.bool_), wanted))


def _judged(finder: LikelyFinder, marked: MarkedText) -> Iterator[tuple[float, bool]]:
    """The probability of every stretch that is found in a text, and whether it is right."""
    text = replace(pieced(marked.text), taken=marked.taken)
    for likely, probability in finder.find(text):
        is_right = bool(marked.meant(*span_of(text, likely.stretch), likely.concept))
        if is_right or likely.concept not in marked.own:
            yield probability, is_right


def _points(sure: Doubles, right: Mask, wanted: int) -> Iterator[OperatingPoint]:
    """Precision and recall (of ``wanted`` mentions) at each threshold that accepts enough stretches."""
    for point in _POINTS:
        accepted = right[sure >= point]
        if len(accepted) >= _FEWEST:
            yield OperatingPoint(point, round(float(accepted.mean()), 4), round(int(accepted.sum()) / wanted, 4))


def _fit(
    features: Doubles,
    right: Mask,
    weights: Doubles,
    decay: float,
    names: Sequence[str],
    without: Collection[str],
    prior: Logistic | None,
) -> Logistic:
    """Logistic regression by Newton's method, with an L2 penalty of ``decay`` / 2 on the weights, or on their
    difference from those of the ``prior``; the constant has none.

    A feature whose weight has the wrong sign (`RISING`, `FALLING`) gets none.
    """
    start = np.zeros(len(names) + 1)
    if prior is None:
        mean = np.average(features, axis=0, weights=weights)
        scale = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=weights))
        scale[scale < _CLOSE] = 1.0
    else:
        mean, scale = prior.mean, prior.scale
        start[:-1], start[-1] = prior.weights, prior.constant
    table = np.column_stack([(features - mean) / scale, np.ones(len(features))])
    signs = np.array([(name in RISING) - (name in FALLING) for name in names] + [0])
    used = np.array([*(name not in without for name in names), True])
    found = np.zeros(table.shape[1])
    while True:
        found[:] = 0.0
        found[used] = _newton(table[:, used], right, weights, decay, start[used])
        wrong = found * signs < 0
        if not wrong.any():
            return Logistic(mean, scale, found[:-1], float(found[-1]))
        used &= ~wrong


def _newton(table: Doubles, right: Mask, weights: Doubles, decay: float, start: Doubles) -> Doubles:
    """The weights of the columns, the last of which is the constant, penalized for their difference from ``start``."""
    cost = np.diag([*[decay] * (table.shape[1] - 1), _CLOSE])
    found = start.copy()
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(table @ found, -50, 50)))
        slope = table.T @ (weights * (chances - right)) + cost @ (found - start)
        bend = (table.T * (weights * np.maximum(chances * (1 - chances), 1e-6))) @ table + cost
        step = np.linalg.solve(bend, slope)
        found -= np.clip(step, -4, 4)
        if np.abs(step).max() < _CLOSE:
            break
    return found
