"""How far two encoders agree on some texts: by the angle of their vectors, and by which texts are near which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Floats
from ontonym.encoder.protocol import Vectors

_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class EncoderAgreement:
    """The agreement of two encoders on ``texts`` different texts that both give a vector for.

    ``mean_cosine`` and ``min_cosine`` compare the two vectors of each text, None where their lengths differ.
    ``overlap`` in [0, 1] is the share of a text's ``neighbours`` nearest other texts that both encoders find.
    """

    texts: int
    mean_cosine: float | None
    min_cosine: float | None
    overlap: float
    neighbours: int


def vectors_agree(first: Vectors, second: Vectors, *, neighbours: int = 10) -> EncoderAgreement:
    """The agreement of two encoders' vectors of the same texts, row by row; rows of zeros in either are left out.

    All rows are compared with all others, so give some thousands at most.
    """
    kept = first.any(axis=1) & second.any(axis=1)
    first, second = first[kept], second[kept]
    count = len(first)
    k = min(neighbours, count - 1)
    if k < 1:
        overlap = 1.0
    else:
        overlap = float(
            np.mean([len(set(a) & set(b)) / k for a, b in zip(_near(first, k), _near(second, k), strict=True)])
        )
    if first.shape != second.shape or not count:
        return EncoderAgreement(count, None, None, overlap, max(k, 0))
    cosines = np.einsum("ij,ij->i", first, second)
    return EncoderAgreement(count, float(cosines.mean()), float(cosines.min()), overlap, max(k, 0))


def _near(vectors: Vectors, k: int) -> list[list[int]]:
    """For each row the ``k`` other rows of highest cosine."""
    found: list[list[int]] = []
    for start in range(0, len(vectors), _BLOCK):
        similarities: Floats = vectors[start : start + _BLOCK] @ vectors.T
        rows = np.arange(len(similarities))
        similarities[rows, rows + start] = -2
        found += np.argpartition(-similarities, k - 1, axis=1)[:, :k].tolist()
    return found
