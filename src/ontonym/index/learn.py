"""Learns the fusion weights from the names of an index alone (extra ``train``: torch).

A query is a name that is hidden from the index, or a name left in it but written otherwise, or a name all of whose
concept is hidden, so that nothing is right. Hidden names should be names that the encoder has not seen in training
either, or its cosines look surer than they will be: ``unseen`` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontonym.errors import InputError, MissingExtraError
from ontonym.index.evidence import FEATURES, Evidence, Floats
from ontonym.index.fuse import Fusion
from ontonym.index.open import Index


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """How fusion is learned.

    ``queries`` are drawn from each index; the shares say how many have their name hidden (``hidden``) or their whole
    concept (``nothing``), the others are written otherwise. ``extra`` of all get a word too many. ``units`` is the
    width of the hidden layer; ``decay`` the weight decay.
    """

    queries: int = 5_000
    hidden: float = 0.5
    nothing: float = 0.1
    extra: float = 0.15
    units: int = 4
    epochs: int = 15
    rate: float = 1e-2
    decay: float = 1e-3
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """The evidence of one query and the place of the right candidate in it, -1 where there is none."""

    features: Floats
    right: int


def draw_samples(index: Index, unseen: Callable[[str], bool], options: LearnOptions) -> list[Sample]:
    """Queries made from the names of an index, with their evidence; the same for the same options."""
    rng = np.random.default_rng(options.seed)
    names = index.signals.names
    samples: list[Sample] = []
    for _ in range(20 * options.queries):
        if len(samples) >= options.queries:
            break
        sample = _sample(index, unseen, options, rng, int(names.concepts[rng.integers(len(names))]))
        if sample is not None:
            samples.append(sample)
    return samples


def _sample(
    index: Index, unseen: Callable[[str], bool], options: LearnOptions, rng: np.random.Generator, concept: int
) -> Sample | None:
    names = index.signals.names
    if rng.random() < 0.5:  # half by concept: else those with many names would be all that is learned from
        concept = int(rng.integers(len(names.bounds) - 1))
    start, stop = int(names.bounds[concept]), int(names.bounds[concept + 1])
    if start == stop:
        return None
    row = start if rng.random() < 0.25 else int(rng.integers(start, stop))
    terminology, _ = index.locate(concept)
    name = terminology.term_texts()[int(names.terms[row])]
    fate = rng.random()
    if fate < options.hidden:
        if stop - start < 2 or not unseen(name):
            return None
        hidden = np.asarray([row])
    elif fate < options.hidden + options.nothing:
        hidden = np.arange(start, stop)
    else:
        hidden = None
    if hidden is not None and len(names.spelled(names.words_of(row))) > 1:
        return None  # another concept has the name too: hiding it here would make that one right
    query = _rewritten(name, index, options, rng)
    return _judged(
        index.signals.evidence(query, hidden=hidden), concept, hidden is not None and len(hidden) == stop - start
    )


def _judged(evidence: Evidence, concept: int, gone: bool) -> Sample | None:
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


def learn_fusion(samples: Sequence[Sample], options: LearnOptions) -> tuple[Fusion, dict[str, float]]:
    """The fusion that makes the right candidates likeliest, and its figures on a fifth of the samples left out.

    The figures are ``loss`` (negative log likelihood, lower is better) and ``accuracy`` (right candidate first, of
    the queries that have one). Raises MissingExtraError without torch, InputError without enough samples.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "train", "learning the fusion") from error
    if len(samples) < 100:
        raise InputError(f"only {len(samples)} queries could be made from the names; fusion needs at least 100")
    torch.manual_seed(options.seed)
    order = np.random.default_rng(options.seed).permutation(len(samples))
    shuffled = [samples[place] for place in order]
    held = len(samples) // 5
    features, mask, right = (torch.from_numpy(array) for array in _padded(shuffled))
    pooled = np.concatenate([sample.features for sample in shuffled[held:]])
    mean, scale = pooled.mean(axis=0), pooled.std(axis=0) + 1e-3
    features = (features - torch.from_numpy(mean)) / torch.from_numpy(scale)
    inner = torch.nn.Linear(len(FEATURES), options.units)
    outer = torch.nn.Linear(options.units, 1, bias=False)
    none = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.AdamW(
        [*inner.parameters(), *outer.parameters(), none], lr=options.rate, weight_decay=options.decay
    )
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, options.epochs)

    def scores(places: Any) -> Any:
        found = outer(torch.tanh(inner(features[places])))[..., 0].masked_fill(~mask[places], -1e4)
        return torch.cat([found, none.expand(len(found), 1)], dim=1)

    for _ in range(options.epochs):
        for places in (held + torch.randperm(len(samples) - held)).split(256):
            loss = torch.nn.functional.cross_entropy(scores(places), right[places])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    with torch.no_grad():
        left_out = scores(torch.arange(held))
        answerable = right[:held] < mask.shape[1]
        figures = {
            "loss": float(torch.nn.functional.cross_entropy(left_out, right[:held])),
            "accuracy": float((left_out[:, :-1].argmax(1) == right[:held])[answerable].float().mean()),
        }
    return Fusion(
        mean=mean.astype(np.float32),
        scale=scale.astype(np.float32),
        hidden=inner.weight.detach().numpy().T.copy(),
        hidden_bias=inner.bias.detach().numpy().copy(),
        output=outer.weight.detach().numpy()[0].copy(),
        none=float(none.detach()),
    ), figures


def _padded(samples: Sequence[Sample]) -> tuple[Floats, Any, Any]:
    width = max(len(sample.features) for sample in samples)
    features = np.zeros((len(samples), width, len(FEATURES)), dtype=np.float32)
    mask = np.zeros((len(samples), width), dtype=np.bool_)
    right = np.full(len(samples), width, dtype=np.int64)
    for number, sample in enumerate(samples):
        features[number, : len(sample.features)] = sample.features
        mask[number, : len(sample.features)] = True
        if sample.right >= 0:
            right[number] = sample.right
    return features, mask, right
