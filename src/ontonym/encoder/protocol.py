"""What every encoder is: the only thing that index, tasks and serve know of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
"""One row of unit length per text, shape ``(texts, dim)``."""


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

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros."""
        ...

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """As `encode`, but equal rows for texts of equal `ontonym.text.tokens`: what an index keeps and asks with."""
        ...
