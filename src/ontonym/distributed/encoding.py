"""An encoder whose texts are encoded by the workers of a cluster, each with its own copy of the encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.distributed.dask import DaskWorkers, workers_on
from ontonym.distributed.reference import EncoderReference
from ontonym.encoder import Encoder
from ontonym.encoder.protocol import Vectors

AT_ONCE = 2048
"""Texts in a piece of work; fewer are encoded here."""


class SharedEncoder:
    """An encoder as `Encoder` has it; long lists of texts are shared out among workers.

    The vectors are those of the encoder itself, but for rounding where it encodes texts together.
    """

    def __init__(self, encoder: Encoder, place: Path | str, workers: DaskWorkers) -> None:
        self._encoder = encoder
        self._reference = EncoderReference.of(place, encoder)
        self._workers = workers

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._encoder.dim

    @property
    def fingerprint(self) -> str:
        """That of the encoder."""
        return self._encoder.fingerprint

    @property
    def is_steady(self) -> bool:
        """As the encoder."""
        return self._encoder.is_steady

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``."""
        return self._shared(texts, attrgetter("encode"))

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """As `encode`, with equal rows for texts of equal tokens."""
        return self._shared(texts, attrgetter("encode_names"))

    def _shared(self, texts: Sequence[str], method: Callable[[Encoder], Callable[[Sequence[str]], Vectors]]) -> Vectors:
        """The vectors that a method of the encoder gives; ``method`` finds it in the encoder of each process."""
        if len(texts) <= AT_ONCE:
            return method(self._encoder)(texts)
        pieces = (list(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE))
        return np.concatenate(list(self._workers.shared(self._reference, method, pieces)))


@contextmanager
def encoded_on(on: Any, place: Path | str) -> Iterator[Callable[[Encoder], Encoder] | None]:
    """What makes of the encoder opened from ``place`` one whose texts are encoded ``on`` a cluster.

    ``on`` is as in `ontonym.distributed.dask.workers_on`; for None it is None.
    """
    with workers_on(on, 1) as workers:
        yield (lambda encoder: SharedEncoder(encoder, place, workers)) if isinstance(workers, DaskWorkers) else None
