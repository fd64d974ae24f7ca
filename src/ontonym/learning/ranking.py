"""Learns the fusion weights from the names of an index alone (extra ``train``: torch).

A query is a name that is hidden from the index, or a name left in it but written otherwise, or a name all of whose
concept is hidden, so that nothing is right. Hidden names should be names that the encoder has not seen in training
either, or its cosines look surer than they will be: ``unseen`` says which.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.arrays import Floats, Rows
from ontonym.errors import InputError, MissingExtraError
from ontonym.index.evidence import FEATURES, Evidence
from ontonym.index.fuse import Fusion
from ontonym.index.names import name_texts
from ontonym.index.open import Index
from ontonym.index.scan import Scan
from ontonym.text.counting import count

RISING = frozenset("dense char words spelled spelled_preferred size dense_behind char_behind words_behind".split())
"""Features that the score never falls with: a nearer name, by any signal, is never worse."""

FALLING = frozenset(
    "number_missing number_extra contradicted qualifier_missing qualifier_extra residual inexact abbreviation".split()
)
"""Features that the score never rises with."""

SIGNS = tuple(int(name in RISING) - int(name in FALLING) for name in FEATURES)
"""By feature: whether the score may only rise with it (1), only fall (-1), or either (0)."""

SINGLE = MappingProxyType({"name_share": 0.4, "dense_concept": 0.6})
"""The share of what was learned of a feature that counts for a query of one word. Names of one concept seldom contain
each other, so that a name which says more than the query is seldom right among hidden names; where people write one
word ("toxicity" for drug toxicities), it often is.
"""

CONTRADICTION = 3.0
"""What a candidate that contradicts the query loses beside what was learned, in natural log-odds: few names that are
drawn have their opposite beside them.
"""

LIKELIER_THERE = 0.8
"""What "none of them" loses, in natural log-odds: of what people ask a larger share has a concept than of the queries
that are drawn, so that confidences would be too low.
"""

_STEEP = 8.0
"""How steep the step is that stands for `CONTRADICTION`: at 8 it is 0.999 of a step between 0 and 1."""

_TRIES = 50
"""How often a query of one kind is drawn before it is given up: not every name makes one."""


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """How fusion is learned.

    ``queries`` are drawn from each index; the shares say how many have their name hidden (``hidden``) or their whole
    concept (``nothing``), or are hidden everyday names (``everyday``); the others are written otherwise. ``extra`` of
    all but everyday names get a word too many. The more names are hidden, the better the fusion finds what is written
    like no name, and the worse what is written nearly like one; mentions in text are mostly the latter. ``members``
    networks of ``units`` hidden units each are trained from different starts, and their mean is taken; ``decay`` is
    what the squared weights of the hidden layer cost.
    """

    queries: int = 3_500
    hidden: float = 0.3
    nothing: float = 0.1
    everyday: float = 0.05
    extra: float = 0.15
    units: int = 12
    members: int = 4
    epochs: int = 25
    rate: float = 2e-2
    decay: float = 1e-7
    seed: int = 0

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in ("hidden", "nothing", "everyday", "extra")}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise InputError(f"`{name}=` is a share between 0 and 1, not {share:g}")
        if (total := self.hidden + self.nothing + self.everyday) > 1 + 1e-9:
            raise InputError(f"`hidden=`, `nothing=` and `everyday=` are shares of all queries, together {total:g}")
        for name in ("queries", "units", "members", "epochs"):
            if getattr(self, name) < 1:
                raise InputError(f"`{name}=` must be at least 1, not {getattr(self, name)}")
        if not (0 < self.rate < math.inf and 0 <= self.decay < math.inf):
            raise InputError(f"`rate=` must be above 0 and `decay=` not below, not {self.rate:g} and {self.decay:g}")
        if not 0 <= self.seed < 2**32:
            raise InputError(f"`seed=` must be between 0 and {2**32 - 1}, not {self.seed}")


@dataclass(frozen=True, slots=True)
class Sample:
    """The evidence of one query and the place of the right candidate in it, -1 where there is none."""

    features: Floats
    right: int


@dataclass(frozen=True, slots=True)
class LearnedRanking:
    """Weights learned for an index, and what they are worth on a fifth of its ``queries``, which was left out.

    ``before`` and ``after`` are the figures of `learn_weights` with the present weights and with the learned ones.
    """

    fusion: Fusion
    queries: int
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


def learn_ranking(
    index: Index, unseen: Callable[[str], bool] = lambda _: True, options: LearnOptions = LearnOptions()
) -> LearnedRanking:
    """Learns the weights of the ranking from the names of an index; `ontonym.index.fuse.write_fusion` keeps them.

    ``unseen`` says of a name whether the encoder was trained without it: only such names are hidden. Raises
    MissingExtraError without torch, InputError if the index has too few names to learn from.
    """
    samples = draw_samples(index, unseen, options)
    fusion, after = learn_weights(samples, options)
    return LearnedRanking(fusion, len(samples), _figures(index.fusion, _left_out(samples, options)[0]), after)


def draw_samples(index: Index, unseen: Callable[[str], bool], options: LearnOptions) -> list[Sample]:
    """Queries made from the names of an index, with their evidence; the same for the same options.

    Fewer than asked for come only where an index has too few names that may be hidden.
    """
    rng = np.random.default_rng(options.seed)
    hideable = _hideable(index, unseen)
    said = _hideable_everyday(index, unseen)
    shares = options.hidden, options.nothing, options.everyday if len(said) else 0.0
    fates = rng.choice(4, options.queries, p=(*shares, 1 - sum(shares)))
    samples: list[Sample] = []
    for fate in fates.tolist():
        for _ in range(_TRIES):
            if fate == 0:
                sample = _hide_name(index, hideable, options, rng)
            elif fate == 2:
                sample = _hide_everyday(index, int(rng.choice(said)))
            else:
                sample = _keep_name(index, fate, options, rng)
            if sample is not None:
                samples.append(sample)
                break
    return samples


def _hideable(index: Index, unseen: Callable[[str], bool]) -> Rows:
    """The name rows that may be hidden: not seen by the encoder, and not the only name of their concept."""
    names = index.signals.names
    fresh = np.fromiter(map(unseen, name_texts(names, index.terminologies)), dtype=np.bool_, count=len(names))
    several = np.diff(names.bounds)[names.concepts] > 1
    return np.flatnonzero(fresh & several)


def _hideable_everyday(index: Index, unseen: Callable[[str], bool]) -> Rows:
    """The rows of everyday names that the encoder has not seen, counted from the first of them."""
    everyday = index.signals.everyday
    terms = map(everyday.term, range(len(everyday))) if everyday else ()
    return np.flatnonzero([term.kind == "lay" and unseen(term.text) for term in terms])


def _hide_everyday(index: Index, row: int) -> Sample | None:
    """An everyday name is hidden, and its concept is to be found by all its other names."""
    everyday = index.signals.everyday
    assert everyday is not None  # noqa: S101 (it has rows)
    names = everyday.part.names
    if len(names.spelled(names.words_of(row))) > 1:
        return None
    query = index.signals.query(everyday.term(row).text)
    evidence = index.signals.evidence(query, Scan(hidden=np.asarray([len(index.signals.names) + row])))
    return _judged(evidence, int(names.concepts[row]), gone=False)


def _hide_name(index: Index, hideable: Rows, options: LearnOptions, rng: np.random.Generator) -> Sample | None:
    """A name is hidden, and its concept is to be found by its other names."""
    if not len(hideable):
        return None
    row = int(hideable[rng.integers(len(hideable))])
    if _is_shared(index, row):
        return None
    query = _rewritten(index.text(row), index, options, rng)
    evidence = index.signals.evidence(index.signals.query(query), Scan(hidden=np.asarray([row])))
    return _judged(evidence, int(index.signals.names.concepts[row]), gone=False)


def _keep_name(index: Index, fate: int, options: LearnOptions, rng: np.random.Generator) -> Sample | None:
    """A name stays in the index, or all names of its concept are hidden (fate 1), and nothing is right."""
    names = index.signals.names
    if rng.random() < 0.5:  # half by concept: else those with many names would be all that is learned from
        concept = int(rng.integers(len(names.bounds) - 1))
    else:
        concept = int(names.concepts[rng.integers(len(names))])
    start, stop = int(names.bounds[concept]), int(names.bounds[concept + 1])
    if start == stop:
        return None
    row = start if rng.random() < 0.25 else int(rng.integers(start, stop))
    gone = fate == 1
    if gone and _is_shared(index, row):
        return None
    query = _rewritten(index.text(row), index, options, rng)
    hidden = np.arange(start, stop) if gone else None
    return _judged(index.signals.evidence(index.signals.query(query), Scan(hidden=hidden)), concept, gone=gone)


def _is_shared(index: Index, row: int) -> bool:
    """Whether another concept has the name too: hiding it in one would make the other right."""
    names = index.signals.names
    return len(names.spelled(names.words_of(row))) > 1


def _judged(evidence: Evidence, concept: int, *, gone: bool) -> Sample | None:
    kept = evidence.concepts != concept if gone else np.ones(len(evidence.concepts), dtype=np.bool_)
    if not kept.any():
        return None
    right = np.flatnonzero(evidence.concepts[kept] == concept)
    return Sample(evidence.features[kept], int(right[0]) if len(right) else -1)


def _rewritten(name: str, index: Index, options: LearnOptions, rng: np.random.Generator) -> str:
    """A name as people write it: in lower case, other order, plural, misspelled, or with a word too many."""
    words = name.split()
    fate = rng.random()
    if fate < options.extra:
        names = index.signals.names
        row = int(rng.integers(len(names)))
        others = names.words_of(row)
        other = others[int(rng.integers(len(others)))]
        return f"{other} {name}" if rng.random() < 0.7 else f"{name} {other}"
    if fate < options.extra + 0.3:
        return name.lower()
    if fate < options.extra + 0.4 and len(words) > 1:
        return " ".join(words[place] for place in rng.permutation(len(words)))
    if fate < options.extra + 0.5:
        return f"{name}s"
    if fate < options.extra + 0.6 and len(name) > 5:
        gone = int(rng.integers(len(name)))
        return name[:gone] + name[gone + 1 :]
    return name


def learn_fusion(
    samples: Sequence[Sample], options: LearnOptions, signs: Sequence[int] = SIGNS
) -> tuple[Fusion, dict[str, float]]:
    """The fusion that makes the right candidates likeliest, and its figures on a fifth of the samples left out.

    The figures are ``loss`` (negative log likelihood, lower is better) and ``accuracy`` (right candidate first, of
    the queries that have one). ``signs`` say for each feature whether the score may only rise with it (1), only fall
    (-1), or either (0). Raises MissingExtraError without torch, InputError without enough samples.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "train", "learning the fusion") from error
    if len(samples) < 100:
        raise InputError(
            f"only {count(len(samples), 'query', 'queries')} could be made from the names; fusion needs at least 100"
        )
    left_out, seen = _left_out(samples, options)
    pooled = np.concatenate([sample.features for sample in seen])
    mean, scale = pooled.mean(axis=0), pooled.std(axis=0) + np.float32(1e-3)
    features, mask, right = _padded(seen)
    tensors = [torch.from_numpy(array) for array in ((features - mean) / scale, mask, right)]
    members = [_member(torch, tensors, signs, options, options.seed + number) for number in range(options.members)]
    fusion = Fusion(
        mean=mean.astype(np.float32),
        scale=scale.astype(np.float32),
        hidden=np.concatenate([inner for inner, _, _, _ in members], axis=1),
        hidden_bias=np.concatenate([bias for _, bias, _, _ in members]),
        output=np.concatenate([outer / np.float32(options.members) for _, _, outer, _ in members]),
        none=float(np.mean([none for _, _, _, none in members])),
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


def _member(
    torch: Any, tensors: Sequence[Any], signed: Sequence[int], options: LearnOptions, seed: int
) -> tuple[Floats, Floats, Floats, float]:
    """One network: the weights and biases of its hidden layer, those of its output, and the score of "none".

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
    return arrays[0], arrays[1], arrays[2], float(none.detach())


def _figures(fusion: Fusion, samples: Sequence[Sample]) -> dict[str, float]:
    losses, first = [], []
    for sample in samples:
        confidences = fusion.confidences(sample.features)
        likelihood = confidences[sample.right] if sample.right >= 0 else 1 - confidences.sum()
        losses.append(-np.log(max(float(likelihood), 1e-12)))
        if sample.right >= 0:
            first.append(confidences.argmax() == sample.right)
    return {"loss": float(np.mean(losses)), "accuracy": float(np.mean(first))}


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
