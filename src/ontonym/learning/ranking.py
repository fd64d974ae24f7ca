"""Learns the fusion weights from the names of an index alone (extra ``train``: torch)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ontonym.arrays import Floats
from ontonym.encoder import is_name
from ontonym.errors import InputError, needing
from ontonym.index.evidence import FEATURES
from ontonym.index.fuse import Fusion, write_fusion
from ontonym.index.open import Index
from ontonym.learning.samples import LearnOptions, Sample, draw_samples
from ontonym.text.counting import count
from ontonym.text.normalization import normalize

RISING = frozenset("dense char words spelled spelled_preferred size dense_behind char_behind words_behind".split())
"""Features in which the score is non-decreasing: a nearer name, by any signal, is never worse."""

FALLING = frozenset(
    "number_missing number_extra contradicted qualifier_missing qualifier_extra residual inexact abbreviation".split()
)
"""Features in which the score is non-increasing."""

SIGNS = tuple(int(name in RISING) - int(name in FALLING) for name in FEATURES)
"""By feature: whether the score may only rise with it (1), only fall (-1), or either (0)."""

SINGLE = MappingProxyType({"name_share": 0.4, "dense_concept": 0.6})
"""The share of what was learned of a feature that counts for a query of one word. Names of one concept seldom contain
each other, so that a name which says more than the query is seldom right among hidden names; where people write one
word ("toxicity" for drug toxicities), it often is.
"""

CONTRADICTION = 3.0
"""How much less a candidate that contradicts the query scores, in natural log-odds, beside what was learned: few drawn
names have their opposite among the candidates.
"""

LIKELIER_THERE = 0.8
"""How much less "none of them" scores, in natural log-odds: people's queries have a concept more often than drawn ones,
so that confidences would be too low.
"""

_STEEP = 8.0
"""How steep the step is that stands for `CONTRADICTION`: at 8 it is 0.999 of a step between 0 and 1."""


@dataclass(frozen=True, slots=True)
class LearnedRanking:
    """Weights learned for an index, and what they are worth on a fifth of its ``queries``, which was left out.

    ``before`` and ``after`` are the figures of `learn_weights` with the present weights and with the learned ones.
    """

    fusion: Fusion
    queries: int
    options: LearnOptions
    before: dict[str, float]
    after: dict[str, float]

    def __repr__(self) -> str:
        figures = ", ".join(
            f"{name} {self.before[name]:.4f} before, {now:.4f} after" for name, now in self.after.items()
        )
        return f"<LearnedRanking from {self.queries:,} queries: {figures}>"

    @property
    def is_better(self) -> bool:
        """Whether the learned weights make the right answers likelier than the present ones."""
        return self.after["loss"] < self.before["loss"]

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest of an index says of its weights."""
        options = asdict(self.options)
        return {"queries": self.queries, "options": options, "before": self.before, "after": self.after}


def learn_ranking(
    index: Index,
    unseen: Collection[str] | None = None,
    options: LearnOptions = LearnOptions(),  # noqa: B008 (frozen)
    *,
    keep: bool = False,
) -> LearnedRanking:
    """Learns the weights of the ranking from the names of an index; `keep_ranking` writes them into it.

    ``unseen`` are names that the encoder was trained without, compared after normalization: only these are hidden; None
    for any name. ``keep`` says that the weights are to be kept. Raises MissingExtraError without torch, InputError if
    the index has too few names to learn from, and where weights are to be kept that were learned from all names with
    an encoder that comes with ontonym, which has seen most of them.
    """
    named = index.manifest.content["encoder"]
    if keep and unseen is None and isinstance(named, str) and is_name(named):
        raise InputError(
            f"{index.path}: its encoder {named} brings weights of its own, and has seen the names of most open "
            "terminologies; say with `unseen=` which names it has not, or only look with `keep=False`"
        )
    held = None if unseen is None else {normalize(name) for name in unseen}
    samples = draw_samples(index, lambda name: held is None or normalize(name) in held, options)
    fusion, after = learn_weights(samples, options)
    before = _figures(index.fusion, _left_out(samples, options)[0])
    return LearnedRanking(fusion, len(samples), options, before, after)


def keep_ranking(path: Path | str, learned: LearnedRanking) -> bool:
    """Writes learned weights into the index at ``path`` where they are better; whether they were."""
    if learned.is_better:
        write_fusion(path, learned.fusion, learned.facts)
    return learned.is_better


def learn_fusion(
    samples: Sequence[Sample], options: LearnOptions, signs: Sequence[int] = SIGNS
) -> tuple[Fusion, dict[str, float]]:
    """The fusion that makes the right candidates likeliest, and its figures on a fifth of the samples left out.

    The figures are ``loss`` (negative log likelihood, lower is better) and ``accuracy`` (right candidate first, of
    the queries that have one). ``signs`` say for each feature whether the score may only rise with it (1), only fall
    (-1), or either (0). Raises MissingExtraError without torch, InputError without enough samples.
    """
    with needing("torch", "train", "learning the fusion"):
        import torch
    if len(samples) < 100:
        raise InputError(
            f"only {count(len(samples), 'query', 'queries')} could be made from the names; fusion needs at least 100"
        )
    left_out, seen = _left_out(samples, options)
    pooled = np.concatenate([sample.features for sample in seen])
    mean, scale = pooled.mean(axis=0), pooled.std(axis=0) + np.float32(1e-3)
    features, mask, right = _padded(seen)
    tensors = [torch.from_numpy(array) for array in ((features - mean) / scale, mask, right)]
    with torch.random.fork_rng(devices=[]):
        members = [_member(torch, tensors, signs, options, options.seed + number) for number in range(options.members)]
    fusion = Fusion(
        mean=mean.astype(np.float32),
        scale=scale.astype(np.float32),
        hidden=np.concatenate([member.hidden for member in members], axis=1),
        hidden_bias=np.concatenate([member.bias for member in members]),
        output=np.concatenate([member.output / np.float32(options.members) for member in members]),
        none=float(np.mean([member.none for member in members])),
    )
    return fusion, _figures(fusion, left_out)


def learn_weights(samples: Sequence[Sample], options: LearnOptions) -> tuple[Fusion, dict[str, float]]:
    """The weights of the ranking: those of `learn_fusion` as `as_asked` has them, with their figures.

    Raises as `learn_fusion` does.
    """
    fusion = as_asked(learn_fusion(samples, options)[0])
    return fusion, _figures(fusion, _left_out(samples, options)[0])


def as_asked(fusion: Fusion) -> Fusion:
    """Weights learned from names as they are used for what people ask: with `SINGLE`, `CONTRADICTION` and
    `LIKELIER_THERE`.

    ``contradicted``, which is 0 or 1, gets one more hidden unit, a step: it adds half of `CONTRADICTION` to the score
    of a candidate that does not contradict the query, and takes as much from one that does. "None of them" gets what
    the former gets, so that nothing else changes.
    """
    at = FEATURES.index("contradicted")
    step = np.zeros((len(FEATURES), 1), dtype=np.float32)
    step[at] = -_STEEP * fusion.scale[at]
    return replace(
        fusion,
        hidden=np.concatenate([fusion.hidden, step], axis=1),
        hidden_bias=np.append(fusion.hidden_bias, np.float32(_STEEP * (0.5 - fusion.mean[at]))),
        output=np.append(fusion.output, np.float32(CONTRADICTION / 2)),
        none=fusion.none + CONTRADICTION / 2 * math.tanh(_STEEP / 2) - LIKELIER_THERE,
        single=np.array([SINGLE.get(name, 1.0) for name in FEATURES], dtype=np.float32),
    )


def _left_out(samples: Sequence[Sample], options: LearnOptions) -> tuple[list[Sample], list[Sample]]:
    """A fifth of the samples, drawn, and the others."""
    order = np.random.default_rng(options.seed).permutation(len(samples)).tolist()
    fifth = len(order) // 5
    return [samples[place] for place in order[:fifth]], [samples[place] for place in order[fifth:]]


class _Network(NamedTuple):
    """A trained network: weights and biases of its hidden layer, the weights of its output, the score of "none"."""

    hidden: Floats
    bias: Floats
    output: Floats
    none: float


def _member(torch: Any, tensors: Sequence[Any], signed: Sequence[int], options: LearnOptions, seed: int) -> _Network:
    """Trains one network.

    The weights of a feature that has a sign have that sign in the hidden layer, and those of the output are positive:
    so the score never falls where a feature rises that it may only rise with.
    """
    torch.manual_seed(seed)
    features, mask, right = tensors
    signs = torch.tensor([float(sign) for sign in signed])[:, None]
    inner = torch.nn.Parameter(torch.randn(len(signs), options.units) * 0.3 - 1.0)
    bias = torch.nn.Parameter(torch.randn(options.units))
    outer, none = torch.nn.Parameter(torch.zeros(options.units)), torch.nn.Parameter(torch.zeros(1))
    softplus = torch.nn.functional.softplus

    def hidden() -> Any:
        return torch.where(signs != 0, signs * softplus(1.5 * inner), inner)

    optimizer = torch.optim.Adam([inner, bias, outer, none], lr=options.rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, options.epochs)
    for _ in range(options.epochs):
        for places in torch.randperm(len(features)).split(256):
            weights = hidden()
            scores = torch.tanh(features[places] @ weights + bias) @ softplus(outer)
            scores = torch.cat([scores.masked_fill(~mask[places], -1e4), none.expand(len(places), 1)], dim=1)
            loss = torch.nn.functional.cross_entropy(scores, right[places]) + options.decay * (weights**2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    arrays = [part.detach().numpy().copy() for part in (hidden(), bias, softplus(outer))]
    return _Network(arrays[0], arrays[1], arrays[2], float(none.detach()))


def _figures(fusion: Fusion, samples: Sequence[Sample]) -> dict[str, float]:
    losses, first = [], []
    for sample in samples:
        confidences = fusion.confidences(sample.features)
        likelihood = confidences[sample.right] if sample.right >= 0 else 1 - confidences.sum()
        losses.append(-np.log(max(float(likelihood), 1e-12)))
        if sample.right >= 0:
            first.append(confidences.argmax() == sample.right)
    return {"loss": float(np.mean(losses)), "accuracy": sum(map(bool, first)) / max(len(first), 1)}


def _padded(samples: Sequence[Sample]) -> tuple[Floats, Any, Any]:
    width = max(len(sample.features) for sample in samples)
    features = np.zeros((len(samples), width, samples[0].features.shape[1]), dtype=np.float32)
    mask = np.zeros((len(samples), width), dtype=np.bool_)
    right = np.full(len(samples), width, dtype=np.int64)
    for number, sample in enumerate(samples):
        features[number, : len(sample.features)] = sample.features
        mask[number, : len(sample.features)] = True
        if sample.right >= 0:
            right[number] = sample.right
    return features, mask, right
