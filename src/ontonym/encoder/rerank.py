"""The reranker: a cross-encoder that reads the aliases of a query and of a candidate together (Rahimi section 3.2).

Slower and sharper than an encoder's vectors: it is for the few candidates that search brings. Needs torch and
transformers (extra ``train``), which are imported when one is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.artifact import Manifest, open_artifact
from ontonym.encoder.crossmodel import CrossModel, Pair
from ontonym.errors import InputError

Scores = npt.NDArray[np.float64]

AT_ONCE = 4096
"""Tokens that go through the model at once."""

_LEAST = 1e-15


class Reranker:
    """An open reranker; `open` gives one. Read-only, and the same pairs get the same scores whatever stands beside them
    but for rounding.
    """

    def __init__(self, cross: CrossModel, manifest: Manifest) -> None:
        self._cross = cross
        self.manifest = manifest
        cross.model.eval()

    @classmethod
    def open(cls, path: Path | str, *, device: str = "cpu") -> Reranker:
        """The reranker in a folder, on the processor or on another torch ``device``.

        Raises ArtifactError where the folder is missing, damaged or something else, MissingExtraError without torch.
        """

        def load(folder: Path, manifest: Manifest) -> Reranker:
            return cls(CrossModel.load(folder, device=device), manifest)

        return open_artifact(Path(path), "reranker", load)

    @property
    def fingerprint(self) -> str:
        """Changes whenever the reranker could give another score for some pair."""
        return self.manifest.fingerprint

    @property
    def tokens(self) -> int:
        """How many tokens of a pair are read."""
        return self._cross.tokens

    def passages(self, pairs: Sequence[Pair]) -> list[tuple[str, str]]:
        """The two texts that are read of each pair: its most telling aliases, as many as there is room for."""
        _check(pairs)
        return self._cross.passages.of(pairs)

    def score(self, pairs: Sequence[Pair], *, at_once: int = AT_ONCE) -> Scores:
        """How likely each candidate is what its query names, in (0, 1), higher is better, shape ``(len(pairs),)``.

        A pair is the aliases of a query and those of a candidate, the preferred name first. ``at_once`` tokens go
        through the model together. Raises InputError where a side of a pair has no alias.
        """
        _check(pairs)
        return scored(self._cross, pairs, at_once)


def _check(pairs: Sequence[Pair]) -> None:
    for number, (query, candidate) in enumerate(pairs):
        for side, aliases in (("query", query), ("candidate", candidate)):
            if isinstance(aliases, str):
                raise InputError(f"pair {number}: the {side} is the text {aliases!r}, but a list of aliases is wanted")
            if not aliases:
                raise InputError(f"pair {number}: the {side} has no alias; leave concepts without names out")


def scored(cross: CrossModel, pairs: Sequence[Pair], at_once: int = AT_ONCE) -> Scores:
    """The scores of pairs in (0, 1) by a model as it is, without dropout; shape ``(len(pairs),)``."""
    if not pairs:
        return np.zeros(0)
    import torch

    training = cross.model.training
    cross.model.eval()
    try:
        with torch.inference_mode():
            found: Any = cross.logits(pairs, at_once)
            logits: Scores = found.cpu().numpy().astype(np.float64)
    finally:
        cross.model.train(training)
    return np.clip(1 / (1 + np.exp(-logits)), _LEAST, 1 - _LEAST)
