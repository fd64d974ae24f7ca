"""How alike vectors are, with gradients that stay finite: what the losses are built on (extra ``train``: torch)."""

from __future__ import annotations

from typing import Any, Literal

Tensor = Any
"""A ``torch.Tensor``."""

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
