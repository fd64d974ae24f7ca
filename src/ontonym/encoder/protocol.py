"""What every encoder and every reranker is: all that index and tasks know about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
"""One row of unit length per text, shape ``(texts, dim)``."""

AliasPair: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The aliases of a query and those of a candidate, the preferred name first."""

Scores: TypeAlias = npt.NDArray[np.float64]
"""One number in (0, 1) for each pair, higher is better, shape ``(pairs,)``."""


class Encoder(Protocol):
    """Turns texts into vectors whose dot product is the cosine similarity in [-1, 1], higher is closer."""

    @property
    def dim(self) -> int:
        """The length of a vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the encoder could give another vector for some text."""
        ...

    @property
    def is_steady(self) -> bool:
        """Whether a text has the same vector, but for rounding, whatever texts are encoded with it."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros."""
        ...

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """As `encode`, but equal rows for texts of equal `tokens`: what an index keeps and asks with."""
        ...


class Reranker(Protocol):
    """Reads a query and a candidate together, and says how likely they are the same."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the reranker could give another score for some pair."""
        ...

    @property
    def weight(self) -> float:
        """The weight of its scores beside the confidences of search, for `ontonym.encoder.mixing.mixed`."""
        ...

    def score(self, pairs: Sequence[AliasPair]) -> Scores:
        """How likely each candidate is what its query names; InputError where a side of a pair has no alias."""
        ...
