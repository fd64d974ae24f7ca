"""The losses an encoder can be trained with, behind one table (extra ``train``: torch).

Every loss takes the vectors of a batch's texts as the model gives them, shape ``(u, dim)``, not normalized, and the
batch, and gives one number; lower is better. No loss takes a text as the negative of one that means the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ontonym.encoder.batches import Batch

Tensor = Any
"""A ``torch.Tensor``; torch is imported where a loss is called."""

Similarity = Literal["cosine", "dot", "euclidean"]

Loss = Callable[[Tensor, Batch], Tensor]


@dataclass(frozen=True, slots=True)
class LossOptions:
    """Which loss, and its numbers; each loss heeds those that its docstring names.

    ``temperature`` divides similarities in the softmax. ``margin`` is that of ``triplet``. ``similarity`` empty means
    the loss's own. ``mining`` is ``hard`` or ``semi-hard``. ``alpha``, ``beta`` and ``base`` are those of
    multi-similarity. ``dims`` are Matryoshka dimensions: the loss is the mean over the vectors cut to each.
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
