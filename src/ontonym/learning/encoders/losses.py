"""The losses an encoder can be trained with, behind one table (extra ``train``: torch).

Every loss takes the vectors of a batch's texts as the model gives them, shape ``(u, dim)``, not normalized, and the
batch, and gives one number; lower is better. No loss takes a text as the negative of one that means the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from ontonym.arrays import Ints, Mask, Tensor
from ontonym.errors import InputError, UnknownNameError, needing
from ontonym.learning.encoders.batches import TrainingBatch

Similarity = Literal["cosine", "dot", "euclidean"]
"""Higher is closer; ``euclidean`` is the negated distance."""


def scaled(vectors: Tensor, kind: Similarity) -> Tensor:
    """The vectors as the similarity compares them: of unit length for the cosine, where a zero vector stays zero."""
    if kind != "cosine":
        return vectors
    lengths = root((vectors * vectors).sum(1, keepdim=True))
    return vectors / lengths.masked_fill(lengths == 0, 1)


def similarities(left: Tensor, right: Tensor, kind: Similarity) -> Tensor:
    """All similarities of ``scaled`` vectors, shape ``(left, right)``.

    One matrix product; Euclidean distances have its rounding, about ``1e-3`` of the vectors' length near 0 in single
    precision, which mining and a softmax do not mind.
    """
    products = left @ right.T
    if kind != "euclidean":
        return products
    squares = (left * left).sum(1)[:, None] + (right * right).sum(1)[None] - 2 * products
    return -root(squares)


def gaps(anchors: Tensor, positives: Tensor, negatives: Tensor, kind: Similarity) -> Tensor:
    """By how much each anchor is less similar to its positive than to its negative, shape ``(n,)``, all ``scaled``.

    Taken from differences of vectors, so equal vectors have the distance 0 to the last bit.
    """
    if kind != "euclidean":
        return (anchors * (negatives - positives)).sum(1)
    near, far = anchors - positives, anchors - negatives
    return root((near * near).sum(1)) - root((far * far).sum(1))


def root(squares: Tensor) -> Tensor:
    """The square root, 0 for what rounding put below; its gradient at 0 is 0, where torch has infinity."""
    zero = squares <= 0
    return squares.masked_fill(zero, 1).sqrt().masked_fill(zero, 0)


Loss = Callable[[Tensor, TrainingBatch], Tensor]


@dataclass(frozen=True, slots=True)
class LossOptions:
    """Which loss, and its numbers; each loss uses those that its docstring names.

    ``temperature`` divides similarities in the softmax, which goes from the positive to the anchors too with ``both``
    and takes every text of the batch as a candidate with ``all_texts``. ``margin`` is that of ``triplet``, and of
    ``batch-hard`` with ``hinge``. ``similarity`` empty means the loss's own. ``mining`` is ``hard`` or ``semi-hard``.
    ``alpha``, ``beta``, ``base`` and ``epsilon`` are those of multi-similarity. ``dims`` are Matryoshka dimensions: the
    loss is the mean over the vectors cut to each, so name the full dimension too if it should count.
    """

    name: str = "softmax"
    temperature: float = 0.05
    margin: float = 0.1
    similarity: Similarity | Literal[""] = ""
    mining: Literal["hard", "semi-hard"] = "hard"
    alpha: float = 2.0
    beta: float = 50.0
    base: float = 0.5
    dims: tuple[int, ...] = ()
    epsilon: float = 0.1
    both: bool = True
    all_texts: bool = False
    hinge: bool = False


@dataclass(frozen=True, slots=True)
class LossKind:
    """A loss of the table: ``summary`` says in a line what it does and after whom.

    ``similarities`` are those it can work with, its own first; ``needs_negatives`` says whether the examples must have
    a third column. ``uses`` are the fields of `LossOptions` that it takes beside ``similarity`` and ``dims``;
    batch-hard takes the margin too with ``hinge``.
    """

    name: str
    compute: Callable[[Tensor, TrainingBatch, LossOptions, Similarity], Tensor]
    summary: str
    similarities: tuple[Similarity, ...]
    needs_negatives: bool = False
    uses: tuple[str, ...] = ()


def make_loss(options: LossOptions) -> Loss:
    """The loss with these options, computed in at least single precision whatever autocast says.

    Raises UnknownNameError for a loss, similarity or mining that is not there, InputError for a number that makes no
    sense, MissingExtraError without torch. The loss raises InputError where the batch lacks the negatives it needs and
    where a Matryoshka dimension is larger than the vectors'.
    """
    with needing("torch", "train", "training an encoder"):
        import torch
    kind = find_loss(options.name)
    _check(options, kind)
    by: Similarity = options.similarity or kind.similarities[0]

    def loss(vectors: Tensor, batch: TrainingBatch) -> Tensor:
        if kind.needs_negatives and batch.negatives is None:
            others = ", ".join(name for name, other in LOSSES.items() if not other.needs_negatives)
            raise InputError(
                f"the loss {kind.name!r} needs examples with a negative: make them with the recipe 'triplets' "
                "or with hard negatives by `pairs()`, or take a loss that finds negatives in the batch "
                f"({others})"
            )
        with torch.autocast(vectors.device.type, enabled=False):
            wide = vectors if vectors.dtype == torch.float64 else vectors.float()
            cuts = _cuts(wide, options.dims)
            return sum(kind.compute(cut, batch, options, by) for cut in cuts) / len(cuts)

    return loss


def find_loss(name: str) -> LossKind:
    """The loss of this name; UnknownNameError lists the valid ones."""
    if name not in LOSSES:
        raise UnknownNameError("loss", name, LOSSES)
    return LOSSES[name]


def check_used(kind: LossKind, given: Mapping[str, Any]) -> None:
    """InputError for the first of the given fields of `LossOptions` that this loss does not take."""
    for name in sorted(given):
        takers = [one.name for one in LOSSES.values() if name in one.uses]
        if name == "margin" and given.get("hinge") and "hinge" in kind.uses:
            continue
        if takers and kind.name not in takers:
            what = f"the loss{'es' * (len(takers) > 1)} {' and '.join(takers)}"
            raise InputError(f"`{name}=` is for {what}, not for {kind.name}: leave it out, or take another loss")


def _check(options: LossOptions, kind: LossKind) -> None:
    """Raises InputError for options that the loss cannot work with."""
    if options.similarity and options.similarity not in kind.similarities:
        raise UnknownNameError(f"similarity for the loss {kind.name!r}", options.similarity, kind.similarities)
    if options.mining not in ("hard", "semi-hard"):
        raise UnknownNameError("mining", options.mining, ("hard", "semi-hard"))
    for name in ("temperature", "alpha", "beta"):
        value = getattr(options, name)
        if not 0 < value < math.inf:
            raise InputError(f"{name} of a loss must be above 0, not {value}")
    for name in ("margin", "epsilon"):
        value = getattr(options, name)
        if not 0 <= value < math.inf:
            raise InputError(f"{name} of a loss must be 0 or more, not {value}")
    if not math.isfinite(options.base):
        raise InputError(f"base of a loss must be a number, not {options.base}")
    if any(dim < 1 for dim in options.dims):
        raise InputError(f"Matryoshka dimensions must be 1 or more, not {', '.join(map(str, options.dims))}")


def _cuts(vectors: Tensor, dims: Sequence[int]) -> list[Tensor]:
    width = vectors.shape[1]
    if dims and max(dims) > width:
        raise InputError(
            f"the Matryoshka dimension {max(dims)} is larger than the {width} dimensions of the encoder: leave it out, "
            f"or take {width}"
        )
    return [vectors[:, :dim] for dim in dims] or [vectors]


def _triplet(vectors: Tensor, batch: TrainingBatch, options: LossOptions, by: Similarity) -> Tensor:
    """Ngo, "Training Details": ``max(|a - p| - |a - n| + margin, 0)``, the mean over the examples; margin 0.1.

    Needs examples with a negative. Takes ``margin``, and ``similarity`` euclidean or cosine (the distance is then
    ``1 - cosine``). An example whose negative has the meaning or spelling of its anchor or positive is left out. Unlike
    the other losses it may take as negative what another example has as positive: Algorithm 1 wants a parent's name
    farther than a synonym and nearer than a sibling's. To prefer where examples carry such a graded order; elsewhere
    the others learn more from a batch, as each of its texts is a negative of many.
    """
    assert batch.negatives is not None  # noqa: S101 (make_loss has checked it)
    clash = np.zeros(len(batch), dtype=np.bool_)
    for known in (batch.meanings, batch.spellings):
        clash |= known[batch.negatives] == known[batch.anchors]
        clash |= known[batch.negatives] == known[batch.positives]
    kept = ~clash
    triplets = (batch.anchors[kept], batch.positives[kept], batch.negatives[kept])
    return _margin_loss(vectors, [_to(vectors, places) for places in triplets], options, by, hinge=True)


def _batch_hard(vectors: Tensor, batch: TrainingBatch, options: LossOptions, by: Similarity) -> Tensor:
    """Xu equations 3-6: each text with its least similar positive and most similar negative, ``softplus(S_n - S_p)``.

    Needs texts of one meaning in the batch; takes ``similarity`` (euclidean, where S is the negated distance as Xu's
    section 4.2 has it, cosine or dot), ``mining``, and ``hinge`` with ``margin`` for ``max(S_n - S_p + margin, 0)``.
    The mean is over the texts of the batch, negatives of examples among them, with a positive and a negative in it.

    ``semi-hard`` mining (Schroff et al. 2015; Xu's future work) takes every positive pair, and for each the most
    similar negative that is less similar than the positive; where none is, the least similar negative of all. To
    prefer ``hard`` with big batches (Xu's have 1500 texts) from an encoder that already knows something; ``semi-hard``
    from scratch, or where wrong synonyms would be the hardest positives.
    """
    import torch

    positive, negative = _to(vectors, _positives(batch)), _to(vectors, ~batch.same())
    with torch.no_grad():
        sides = scaled(vectors, by)
        distances = -similarities(sides, sides, by)
        if options.mining == "hard":
            (anchors,) = (positive.any(1) & negative.any(1)).nonzero(as_tuple=True)
            positives = distances.masked_fill(~positive, -math.inf).argmax(1)[anchors]
            negatives = distances.masked_fill(~negative, math.inf).argmin(1)[anchors]
        else:
            anchors, positives, negatives = _semi_hard(distances, positive, negative)
    return _margin_loss(vectors, [anchors, positives, negatives], options, by, hinge=options.hinge)


def _semi_hard(distances: Tensor, positive: Tensor, negative: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Anchor, positive and negative places of every positive pair whose anchor has a negative."""
    import torch

    anchors, positives = (positive & negative.any(1)[:, None]).nonzero(as_tuple=True)
    farther, places = distances.masked_fill(~negative, math.inf).sort(1)
    counts = torch.bincount(anchors, minlength=len(distances))
    column = torch.arange(len(anchors), device=anchors.device) - (counts.cumsum(0) - counts)[anchors]
    wanted = distances.new_zeros(len(distances), int(counts.max()))
    wanted[anchors, column] = distances[anchors, positives]
    nearest = torch.searchsorted(farther, wanted, right=True)[anchors, column]
    last = negative.sum(1)[anchors] - 1
    return anchors, positives, places[anchors, torch.minimum(nearest, last)]


def _margin_loss(
    vectors: Tensor, triplets: Sequence[Tensor], options: LossOptions, by: Similarity, *, hinge: bool
) -> Tensor:
    import torch

    sides = scaled(vectors, by)
    anchors, positives, negatives = (sides[places] for places in triplets)
    found = gaps(anchors, positives, negatives, by)
    return _mean((found + options.margin).relu() if hinge else torch.nn.functional.softplus(found), vectors)


def _softmax(vectors: Tensor, batch: TrainingBatch, options: LossOptions, by: Similarity) -> Tensor:
    """Kong section 3: the negative log likelihood of each anchor's positive among all positives of the batch.

    Needs pairs; takes ``similarity`` (cosine, dot or euclidean), ``temperature``, ``both`` and ``all_texts``. Negatives
    of the examples are candidates of every anchor. Kong's own form is ``dot`` at temperature 1 without ``both``: the
    printed denominator sums ``S(m_j, c_j)``, which has no negatives in it; read as ``S(m_i, c_j)``, each mention
    against the concepts of the batch, as "in-batch negatives" says. A text that is the positive of several examples
    counts once for each, as in that sum. With ``both``, the mean with the same loss from positives to anchors; with
    ``all_texts``, each text of the batch is a candidate once. The one to try first: it needs nothing but pairs, and
    each text learns from all others of the batch, the more alike the more.
    """
    import torch

    sides = scaled(vectors, by)
    same = _to(vectors, batch.same())
    anchors, positives = _to(vectors, batch.anchors), _to(vectors, batch.positives)
    if options.all_texts:
        texts = torch.arange(len(vectors), device=vectors.device)
        ways = [(anchors, texts, positives), (positives, texts, anchors)]
    else:
        own = torch.arange(len(anchors), device=vectors.device)
        extra = [] if batch.negatives is None else [_to(vectors, batch.negatives)]
        ways = [(anchors, torch.cat([positives, *extra]), own), (positives, anchors, own)]
    losses = [
        _log_loss(sides, same, *way, temperature=options.temperature, by=by) for way in ways[: 2 if options.both else 1]
    ]
    return sum(losses) / len(losses)


def _log_loss(
    sides: Tensor, same: Tensor, queries: Tensor, candidates: Tensor, own: Tensor, *, temperature: float, by: Similarity
) -> Tensor:
    """The mean negative log likelihood of candidate ``own[i]`` for query ``i``; all are places, masked by ``same``."""
    import torch

    logits = similarities(sides[queries], sides[candidates], by) / temperature
    masked = same[queries][:, candidates]
    masked[torch.arange(len(queries), device=own.device), own] = False
    return torch.nn.functional.cross_entropy(logits.masked_fill(masked, -math.inf), own)


def _multi_similarity(vectors: Tensor, batch: TrainingBatch, options: LossOptions, by: Similarity) -> Tensor:
    """The multi-similarity loss of Wang et al. 2019 with its pair mining.

    Needs texts of one meaning in the batch; takes ``alpha``, ``beta``, ``base`` (their lambda), ``epsilon`` (of the
    mining) and ``similarity`` (cosine or dot). A negative counts where it is more similar than the least similar
    positive less epsilon, a positive where it is less similar than the most similar negative plus epsilon. The mean is
    over the texts that have both a positive and a negative in the batch, those without a mined pair with 0.
    The defaults are Wang's alpha 2, beta 50 and epsilon 0.1, with the base of 0.5 of their code (the paper has 1);
    SapBERT's code takes 1, 60 and 0.5. To prefer over ``softmax`` where each concept brings many names into the batch,
    and over ``batch-hard`` where names are noisy: it weighs all hard pairs instead of taking the hardest.
    """
    import torch

    positive, negative = _to(vectors, _positives(batch)), _to(vectors, ~batch.same())
    sides = scaled(vectors, by)
    found = similarities(sides, sides, by)
    whole = positive.any(1) & negative.any(1)
    with torch.no_grad():
        least = found.masked_fill(~positive, math.inf).amin(1, keepdim=True)
        most = found.masked_fill(~negative, -math.inf).amax(1, keepdim=True)
        positive &= ~(found - options.epsilon >= most)  # so put, a similarity that is no number stays in the loss
        negative &= ~(found + options.epsilon <= least)
    terms = vectors.new_zeros(len(vectors))
    for mined, factor in ((positive, -options.alpha), (negative, options.beta)):
        # A finite fill: the gradient of logsumexp over a row of nothing but -inf is not a number.
        weighed = (factor * (found - options.base)).masked_fill(~mined, torch.finfo(vectors.dtype).min)
        terms = terms + torch.nn.functional.softplus(weighed.logsumexp(1)) / abs(factor)
    return _mean(terms[whole], vectors)


def _positives(batch: TrainingBatch) -> Mask:
    """Which texts are positives of each other, shape ``(u, u)``: of one meaning, or paired by an example.

    Not those that are only spelled alike: two concepts' shared name is no negative, but no evidence that they are one.
    """
    positive: Mask = batch.meanings[:, None] == batch.meanings[None]
    positive[batch.anchors, batch.positives] = True
    positive[batch.positives, batch.anchors] = True
    np.fill_diagonal(positive, False)
    return positive


def _to(vectors: Tensor, array: Ints | Mask) -> Tensor:
    import torch

    return torch.from_numpy(np.ascontiguousarray(array)).to(vectors.device)


def _mean(terms: Tensor, vectors: Tensor) -> Tensor:
    """The mean; 0 with a gradient of zeros where the batch has nothing to learn from."""
    return terms.mean() if len(terms) else vectors.sum() * 0


_KINDS = (
    LossKind(
        "softmax",
        _softmax,
        "each positive among all of the batch (Kong)",
        ("cosine", "dot", "euclidean"),
        uses=("temperature", "both", "all_texts"),
    ),
    LossKind(
        "batch-hard",
        _batch_hard,
        "each text's hardest positive and negative of the batch (Xu)",
        ("euclidean", "cosine", "dot"),
        uses=("mining", "hinge"),
    ),
    LossKind(
        "multi-similarity",
        _multi_similarity,
        "all hard pairs of the batch, weighed (Wang 2019; SapBERT)",
        ("cosine", "dot"),
        uses=("alpha", "beta", "base", "epsilon"),
    ),
    LossKind(
        "triplet",
        _triplet,
        "the positive nearer than the example's negative by a margin (Ngo)",
        ("euclidean", "cosine"),
        needs_negatives=True,
        uses=("margin",),
    ),
)

LOSSES: Mapping[str, LossKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""Every loss by its name, the one place where losses are listed."""
